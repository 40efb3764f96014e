"""Conditions: what a subscription asks of an event. Immutable trees of predicates under AND, OR and NOT."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal as OneOf, TypeAlias

from penstock.model.expressions import Attribute, ContextAttribute, Expression, operands
from penstock.model.nodes import node
from penstock.model.patterns import LikePattern

ComparisonOperator: TypeAlias = OneOf["=", "!=", "<", "<=", ">", ">="]

COMPARISONS: Final[dict[ComparisonOperator, Callable[[int], bool]]] = {
    "=": lambda sign: sign == 0,
    "!=": lambda sign: sign != 0,
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
}

NEGATED: Final[dict[ComparisonOperator, ComparisonOperator]] = {
    "=": "!=",
    "!=": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}

MIRRORED: Final[dict[ComparisonOperator, ComparisonOperator]] = {
    "=": "=",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


@node
class Constant:
    """TRUE, FALSE or UNKNOWN (``None``) as a condition."""

    truth: bool | None


@node
class Truth:
    """A bare boolean attribute (or other expression) as a condition: ``in_stock``."""

    operand: Expression


@node
class Comparison:
    """``left operator right``."""

    operator: ComparisonOperator
    left: Expression
    right: Expression


@node
class Between:
    """``operand BETWEEN low AND high``: both ends belong to it."""

    operand: Expression
    low: Expression
    high: Expression


@node
class In:
    """``operand IN (items)``."""

    operand: Expression
    items: tuple[Expression, ...]


@node
class Like:
    """``operand LIKE pattern``, or ``ILIKE`` when case is ignored."""

    operand: Expression
    pattern: LikePattern
    ignore_case: bool = False


@node
class Matches:
    """``operand RLIKE regex``: some part of the string matches the regular expression (RE2 syntax)."""

    operand: Expression
    regex: str


@node
class ArrayContains:
    """``array_contains(operand, item)``: one of the values of a list equals the item."""

    operand: Expression
    item: Expression


@node
class IsNull:
    """``operand IS NULL``: of an expression, that it has no value; of a condition, that it is UNKNOWN."""

    operand: Expression | Condition


@node
class Not:
    """``NOT child``."""

    child: Condition


@node
class And:
    """All of two or more conditions."""

    children: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _require_two("AND", self.children)


@node
class Or:
    """At least one of two or more conditions."""

    children: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _require_two("OR", self.children)


Predicate: TypeAlias = Constant | Truth | Comparison | Between | In | Like | Matches | ArrayContains
Condition: TypeAlias = Predicate | IsNull | Not | And | Or

PREDICATES: Final = (Constant, Truth, Comparison, Between, In, Like, Matches, ArrayContains)
CONDITIONS: Final = (*PREDICATES, IsNull, Not, And, Or)


def _require_two(word: str, children: tuple[Condition, ...]) -> None:
    if len(children) < 2:
        raise ValueError(f"{word} needs at least two conditions, found {len(children)}")


def expressions_of(condition: Condition) -> tuple[Expression, ...]:
    """The expressions directly within one condition, not those of the conditions below it."""
    match condition:
        case Truth(operand) | Like(operand) | Matches(operand):
            return (operand,)
        case Comparison(_, left, right):
            return (left, right)
        case Between(operand, low, high):
            return (operand, low, high)
        case In(operand, items):
            return (operand, *items)
        case ArrayContains(operand, item):
            return (operand, item)
        case IsNull(operand) if not isinstance(operand, CONDITIONS):
            return (operand,)
        case _:
            return ()


def children_of(condition: Condition) -> tuple[Condition, ...]:
    """The conditions directly within a condition."""
    match condition:
        case And(children) | Or(children):
            return children
        case Not(child):
            return (child,)
        case IsNull(operand) if isinstance(operand, CONDITIONS):
            return (operand,)
        case _:
            return ()


def attributes_of(condition: Condition) -> frozenset[str]:
    """The names of all event attributes that a condition refers to."""
    return frozenset(leaf.name for leaf in _names(condition) if isinstance(leaf, Attribute))


def context_attributes_of(condition: Condition) -> frozenset[str]:
    """The names of all context attributes that a condition refers to."""
    return frozenset(leaf.name for leaf in _names(condition) if isinstance(leaf, ContextAttribute))


def _names(condition: Condition) -> Iterator[Attribute | ContextAttribute]:
    conditions: list[Condition] = [condition]
    expressions: list[Expression] = []
    while conditions:
        current = conditions.pop()
        conditions.extend(children_of(current))
        expressions.extend(expressions_of(current))
    while expressions:
        expression = expressions.pop()
        if isinstance(expression, (Attribute, ContextAttribute)):
            yield expression
        expressions.extend(operands(expression))
