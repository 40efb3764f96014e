"""Normal forms of conditions: NNF, and DNF and CNF with a limit on their size.

All keep the meaning in three-valued logic: the normal form is TRUE, FALSE and UNKNOWN for the same events.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from penstock.errors import NormalFormTooLargeError
from penstock.model.conditions import (
    CONDITIONS,
    NEGATED,
    And,
    Between,
    Comparison,
    Condition,
    Constant,
    In,
    IsNull,
    Not,
    Or,
    Truth,
)
from penstock.model.expressions import Expression, Literal

DEFAULT_LIMIT = 1000

Clause = tuple[Condition, ...]


def to_nnf(condition: Condition) -> Condition:
    """Negation normal form: NOT stands only before predicates that have no negated form, IS NULL only before leaves.

    >>> from penstock.language.parser import parse
    >>> from penstock.language.rendering import to_text
    >>> to_text(to_nnf(parse("NOT (price < 5 OR color IN ('red', 'blue'))")))
    "price >= 5 AND color NOT IN ('red', 'blue')"
    """
    return _nnf(condition, negated=False)


def _nnf(condition: Condition, *, negated: bool) -> Condition:
    match condition:
        case Not(child):
            return _nnf(child, negated=not negated)
        case And(children) | Or(children):
            conjunction = isinstance(condition, And) != negated
            return _join(conjunction, (_nnf(child, negated=negated) for child in children))
        case Constant(truth):
            return Constant(truth if truth is None else truth != negated)
        case Comparison(operator, left, right) if negated:
            return Comparison(NEGATED[operator], left, right)
        case IsNull(operand) if isinstance(operand, (And, Or, Not, IsNull, Constant, Truth)):
            return _nnf(_expand_null_test(operand), negated=negated)
        case _:
            return Not(condition) if negated else condition


def _expand_null_test(operand: And | Or | Not | IsNull | Constant | Truth) -> Condition:
    """``operand IS NULL`` by tests of its parts.

    A conjunction is UNKNOWN when some part is and no part is FALSE; "not FALSE" is "UNKNOWN or TRUE".
    """
    match operand:
        case Not(child):
            return IsNull(child)
        case IsNull():
            return Constant(False)
        case Constant(truth):
            return Constant(truth is None)
        case Truth(expression):
            return IsNull(Comparison("=", expression, Literal(True)))
        case And(children) | Or(children):
            some = Or(tuple(IsNull(child) for child in children))
            conjunction = isinstance(operand, And)
            others = (Or((IsNull(child), child if conjunction else Not(child))) for child in children)
            return And((some, *others))


def _join(conjunction: bool, children: Iterable[Condition]) -> Condition:
    kind = And if conjunction else Or
    flat: list[Condition] = []
    for child in children:
        flat.extend(child.children if isinstance(child, kind) else (child,))
    return kind(tuple(flat))


def take_apart(condition: Condition) -> Condition:
    """BETWEEN and IN as the comparisons that define them, except where all their operands are constants, not NULL.

    >>> from penstock.language.parser import parse
    >>> from penstock.language.rendering import to_text
    >>> to_text(take_apart(parse("price BETWEEN low AND 9 AND size IN (1, 2)")))
    '(price >= low AND price <= 9) AND size IN (1, 2)'
    """
    match condition:
        case And(children):
            return And(tuple(take_apart(child) for child in children))
        case Or(children):
            return Or(tuple(take_apart(child) for child in children))
        case Not(child):
            return Not(take_apart(child))
        case IsNull(operand) if isinstance(operand, CONDITIONS):
            return IsNull(take_apart(operand))
        case Between(operand, low, high) if not (_is_constant(low) and _is_constant(high)):
            return And((Comparison(">=", operand, low), Comparison("<=", operand, high)))
        case In(operand, items) if isinstance(operand, Literal) or not all(map(_is_constant, items)):
            return _take_apart_in(operand, items)
        case _:
            return condition


def _take_apart_in(operand: Expression, items: tuple[Expression, ...]) -> Condition:
    listed = () if isinstance(operand, Literal) else tuple(item for item in items if _is_constant(item))
    parts: list[Condition] = [Comparison("=", operand, item) for item in items if item not in listed]
    if listed:
        parts.append(In(operand, listed))
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def _is_constant(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is not None


def dnf_clauses(condition: Condition, limit: int = DEFAULT_LIMIT) -> tuple[Clause, ...]:
    """The conjunctions whose disjunction is the condition; an error when there would be more than ``limit``."""
    return _clauses(to_nnf(condition), conjunctive=False, limit=limit)


def cnf_clauses(condition: Condition, limit: int = DEFAULT_LIMIT) -> tuple[Clause, ...]:
    """The disjunctions whose conjunction is the condition; an error when there would be more than ``limit``."""
    return _clauses(to_nnf(condition), conjunctive=True, limit=limit)


def to_dnf(condition: Condition, limit: int = DEFAULT_LIMIT) -> Condition:
    """Disjunctive normal form.

    >>> from penstock.language.parser import parse
    >>> from penstock.language.rendering import to_text
    >>> to_text(to_dnf(parse("a = 1 AND (b = 2 OR c = 3)")))
    'a = 1 AND b = 2 OR a = 1 AND c = 3'
    """
    return _assemble(dnf_clauses(condition, limit), conjunctive=False)


def to_cnf(condition: Condition, limit: int = DEFAULT_LIMIT) -> Condition:
    """Conjunctive normal form.

    >>> from penstock.language.parser import parse
    >>> from penstock.language.rendering import to_text
    >>> to_text(to_cnf(parse("a = 1 OR b = 2 AND c = 3")))
    '(a = 1 OR b = 2) AND (a = 1 OR c = 3)'
    """
    return _assemble(cnf_clauses(condition, limit), conjunctive=True)


def _clauses(condition: Condition, *, conjunctive: bool, limit: int) -> tuple[Clause, ...]:
    outer = And if conjunctive else Or
    match condition:
        case And(children) | Or(children):
            parts = [_clauses(child, conjunctive=conjunctive, limit=limit) for child in children]
            if isinstance(condition, outer):
                clauses = [clause for part in parts for clause in part]
            else:
                size = 1
                for part in parts:
                    size *= len(part)
                    _check_size(size, conjunctive=conjunctive, limit=limit)
                clauses = [_distinct(clause) for clause in product(*parts)]
            unique = tuple(dict.fromkeys(clauses))
            _check_size(len(unique), conjunctive=conjunctive, limit=limit)
            return unique
        case _:
            return ((condition,),)


def _distinct(clauses: Iterable[Clause]) -> Clause:
    return tuple(dict.fromkeys(leaf for clause in clauses for leaf in clause))


def _check_size(size: int, *, conjunctive: bool, limit: int) -> None:
    if size > limit:
        form = "CNF" if conjunctive else "DNF"
        raise NormalFormTooLargeError(
            f"the {form} of this condition would have more than {limit} clauses; split it, or raise the limit"
        )


def _assemble(clauses: tuple[Clause, ...], *, conjunctive: bool) -> Condition:
    outer, inner = (And, Or) if conjunctive else (Or, And)
    parts = tuple(clause[0] if len(clause) == 1 else inner(clause) for clause in clauses)
    return parts[0] if len(parts) == 1 else outer(parts)
