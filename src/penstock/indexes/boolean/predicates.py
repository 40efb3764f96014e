"""Conditions as clauses of simple predicates, the form in which boolean-expression indexes take them.

A simple predicate asks one thing of one field: how its key compares with an operand, that it is known, that it is not.
OpIndex rewrites sets and intervals like this (section 4.2): ``a IN (3, 6)`` is ``a = 3 OR a = 6``, ``a BETWEEN 3 AND
12`` is ``a >= 3 AND a <= 12``, ``a NOT IN (3, 6)`` is ``a != 3 AND a != 6``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import IntEnum
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from penstock.encoding.columns import microseconds
from penstock.encoding.fields import (
    EQUAL_CODE,
    GREATER_CODE,
    LESS_CODE,
    Field,
    FieldTable,
    NumberField,
    OrderField,
    PatternField,
    PresenceField,
    ReversedField,
    StringField,
    TimestampField,
)
from penstock.encoding.order_keys import key_of_number
from penstock.encoding.predicates import Wanted, leaf_of
from penstock.encoding.programs import refuse_context, two_valued
from penstock.errors import NormalFormTooLargeError
from penstock.indexes.boolean.vocabulary import Vocabulary
from penstock.language.normal_forms import DEFAULT_LIMIT, cnf_clauses, dnf_clauses
from penstock.model.conditions import (
    COMPARISONS,
    CONDITIONS,
    MIRRORED,
    And,
    Between,
    Comparison,
    ComparisonOperator,
    Condition,
    Constant,
    In,
    IsNull,
    Like,
    Not,
    Or,
)
from penstock.model.expressions import Expression, Literal
from penstock.model.patterns import Wildcard
from penstock.model.values import Scalar, compare


class Operator(IntEnum):
    """What a simple predicate asks. The first two refuse: an event for which they hold does not satisfy the clause."""

    ABSENT = 0
    """The field is not known: an event that knows it is refused."""
    EXCLUDED = 1
    """The operand is not among the keys of the field: an event that has it is refused."""
    EQUAL = 2
    LESS = 3
    AT_MOST = 4
    GREATER = 5
    AT_LEAST = 6
    DIFFERENT = 7
    KNOWN = 8
    """The field is known, whatever its key."""
    LISTED = 9
    """The first of the operators with lists of their own; the operand is among the keys of the field."""


REFUSALS: Final = 2
"""The operators below this one refuse."""

COMPARISON_OPERATORS: Final[dict[ComparisonOperator, Operator]] = {
    "=": Operator.EQUAL,
    "<": Operator.LESS,
    "<=": Operator.AT_MOST,
    ">": Operator.GREATER,
    ">=": Operator.AT_LEAST,
    "!=": Operator.DIFFERENT,
}


OPERATOR_NAMES: Final = ("is null", "does not fit", "=", "<", "<=", ">", ">=", "!=", "is not null")
"""What the operators are called, up to those with lists of their own, which bring their names."""


class Predicate(NamedTuple):
    """An operator, the number of a field, and a key (0 where the operator has no operand)."""

    operator: int
    field: int
    operand: int


Alternatives: TypeAlias = tuple[Predicate, ...]
"""Predicates on one field of which no event satisfies two: an IN, or one alone."""
Conjunction: TypeAlias = tuple[Alternatives, ...]
"""All of these; a refusing predicate stands alone."""
Disjunction: TypeAlias = tuple[Predicate, ...]


class Clauses(NamedTuple):
    """A condition in one of two normal forms; the other is empty. No clause at all: it is never TRUE."""

    conjunctions: tuple[Conjunction, ...] = ()
    disjunctions: tuple[Disjunction, ...] = ()


def clauses_of(
    condition: Condition, vocabulary: Vocabulary, *, form: str = "dnf", limit: int = DEFAULT_LIMIT
) -> Clauses:
    """The clauses of a condition, in a form: ``dnf``, ``cnf``, or ``auto`` for the one with fewer predicates.

    What refuses cannot be an alternative among others, so a condition with such predicates always goes in by DNF.
    """
    refuse_context(condition)
    plain = _inexact_apart(two_valued(condition))
    if isinstance(plain, Constant):
        return Clauses(conjunctions=((_always(vocabulary),),) if plain.truth else ())
    if form == "dnf" or not isinstance(plain, (And, Or)):
        return _dnf(plain, vocabulary, limit)
    if form == "cnf":
        return _cnf(plain, vocabulary, limit) or _dnf(plain, vocabulary, limit)
    return _shorter(plain, vocabulary, limit)


def _shorter(plain: Condition, vocabulary: Vocabulary, limit: int) -> Clauses:
    if isinstance(plain, And) and not any(isinstance(child, (And, Or)) for child in plain.children):
        return _dnf(plain, vocabulary, limit)
    try:
        by_conjunctions = _dnf(plain, vocabulary, limit)
    except NormalFormTooLargeError:
        by_disjunctions = _cnf(plain, vocabulary, limit)
        if by_disjunctions is None:
            raise
        return by_disjunctions
    try:
        by_disjunctions = _cnf(plain, vocabulary, limit)
    except NormalFormTooLargeError:
        return by_conjunctions
    if by_disjunctions is None:
        return by_conjunctions
    size = sum(len(part) for clause in by_conjunctions.conjunctions for part in clause)
    # A disjunction takes its predicates into as many partitions as its shortest clause has fields.
    copies = min(len({predicate.field for predicate in clause}) for clause in by_disjunctions.disjunctions)
    other_size = copies * sum(map(len, by_disjunctions.disjunctions))
    return by_disjunctions if other_size < size else by_conjunctions


def _dnf(plain: Condition, vocabulary: Vocabulary, limit: int) -> Clauses:
    clauses = []
    for leaves in dnf_clauses(plain, limit):
        parts = [part for leaf in leaves for part in parts_of(leaf, vocabulary)]
        if not all(parts):
            continue  # alternatives without any are never TRUE
        if all(part[0].operator < REFUSALS for part in parts):
            parts.append(_always(vocabulary))
        clauses.append(tuple(dict.fromkeys(parts)))
    return Clauses(conjunctions=tuple(dict.fromkeys(clauses)))


def _cnf(plain: Condition, vocabulary: Vocabulary, limit: int) -> Clauses | None:
    """The disjunctions of a condition, or nothing where a predicate refuses."""
    clauses: list[Disjunction] = []
    for leaves in cnf_clauses(_intervals_apart(plain), limit):
        predicates: list[Predicate] = []
        for leaf in leaves:
            parts = parts_of(leaf, vocabulary)
            if len(parts) != 1 or any(predicate.operator < REFUSALS for predicate in parts[0]):
                return None
            predicates.extend(parts[0])
        if not predicates:
            return Clauses()
        clauses.append(tuple(dict.fromkeys(predicates)))
    return Clauses(disjunctions=tuple(dict.fromkeys(clauses)))


def _always(vocabulary: Vocabulary) -> Alternatives:
    return (Predicate(Operator.KNOWN, vocabulary.always, 0),)


def _inexact_apart(condition: Condition) -> Condition:
    """Alternatives over integers that no double equals as a disjunction: each of those is a field of its own."""
    match condition:
        case And(children) | Or(children):
            return type(condition)(tuple(_inexact_apart(child) for child in children))
        case In(operand, items) if not all(map(_is_exact, items)):
            exact = tuple(item for item in items if _is_exact(item))
            others: list[Condition] = [Comparison("=", operand, item) for item in items if not _is_exact(item)]
            if exact:
                others.append(In(operand, exact))
            return Or(tuple(others)) if len(others) > 1 else others[0]
        case Not(Between(operand, low, high)) if not (_is_exact(low) and _is_exact(high)):
            return Or((Comparison("<", operand, low), Comparison(">", operand, high)))
        case _:
            return condition


def _is_exact(expression: Expression) -> bool:
    value = expression.value if isinstance(expression, Literal) else None
    return type(value) is not int or key_of_number(value)[1]


def _intervals_apart(condition: Condition) -> Condition:
    """What is several predicates at once, as a conjunction: so that each part can be an alternative in a clause."""
    match condition:
        case And(children) | Or(children):
            return type(condition)(tuple(_intervals_apart(child) for child in children))
        case Between(operand, low, high):
            return And((Comparison(">=", operand, low), Comparison("<=", operand, high)))
        case Not(In(operand, items)) if len(items) > 1:
            return And(tuple(Comparison("!=", operand, item) for item in items))
        case _:
            return condition


def parts_of(leaf: Condition, vocabulary: Vocabulary) -> list[Alternatives]:
    """A leaf of a two-valued tree as alternatives that must all have one that holds."""
    match leaf:
        case Not(IsNull(operand)) | IsNull(operand):
            operator = Operator.KNOWN if isinstance(leaf, Not) else Operator.ABSENT
            field = _field_of(operand) if isinstance(operand, CONDITIONS) else PresenceField(operand)
            return [_one(operator, field, 0, vocabulary)]
        case Not(child):
            return _refuted(child, vocabulary)
        case _:
            return _satisfied(leaf, vocabulary)


def _satisfied(predicate: Condition, vocabulary: Vocabulary) -> list[Alternatives]:
    match predicate:
        case Comparison(operator, Literal(value), right) if _is_ordered(value):
            return [_compared(MIRRORED[operator], right, value, vocabulary)]  # type: ignore[arg-type]
        case Comparison(operator, left, Literal(value)) if _is_ordered(value):
            return [_compared(operator, left, value, vocabulary)]  # type: ignore[arg-type]
        case Between(operand, Literal(low), Literal(high)) if _is_ordered(low):
            return [_compared(">=", operand, low, vocabulary), _compared("<=", operand, high, vocabulary)]  # type: ignore[arg-type]
        case In(operand, items) if _is_ordered(_values(items)[0]):
            alternatives = [_compared("=", operand, value, vocabulary) for value in _values(items)]
            return [tuple(dict.fromkeys(one for each in alternatives for one in each))]
        case Like(operand, pattern, False) if pattern.parts == (Wildcard.ANY,):
            return [_one(Operator.KNOWN, StringField(operand), 0, vocabulary)]
        case Like(operand, pattern, False) if all(isinstance(part, str) for part in pattern.parts):
            return [_compared("=", operand, "".join(map(str, pattern.parts)), vocabulary)]
    listed = vocabulary.listed(predicate)
    if listed is not None:
        return [(Predicate(Operator.LISTED + listed.operator, listed.field, listed.operand),)]
    return [_coded(predicate, Wanted.TRUE, vocabulary)]


def _refuted(predicate: Condition, vocabulary: Vocabulary) -> list[Alternatives]:
    """Where a predicate is FALSE. Comparisons do not come here: they have negated forms."""
    match predicate:
        case Between(operand, Literal(low), Literal(high)) if _is_ordered(low):
            if compare(low, high) == 1:  # then no value lies between, and beyond the ends lie all, some twice
                return [_one(Operator.KNOWN, _field_of(predicate), 0, vocabulary)]
            below = _compared("<", operand, low, vocabulary)  # type: ignore[arg-type]
            return [(*below, *_compared(">", operand, high, vocabulary))]  # type: ignore[arg-type]
        case In(operand, items) if _is_ordered(_values(items)[0]):
            return [_compared("!=", operand, value, vocabulary) for value in _values(items)]
        case Like(operand, pattern, False) if all(isinstance(part, str) for part in pattern.parts):
            return [_compared("!=", operand, "".join(map(str, pattern.parts)), vocabulary)]
    listed = vocabulary.listed(predicate)
    if listed is not None:
        known = _one(Operator.KNOWN, _field_of(predicate), 0, vocabulary)
        return [known, (Predicate(Operator.EXCLUDED, listed.field, listed.operand),)]
    return [_coded(predicate, Wanted.FALSE, vocabulary)]


def _compared(
    operator: ComparisonOperator, expression: Expression, value: Scalar, vocabulary: Vocabulary
) -> Alternatives:
    """A comparison with a constant that has an order."""
    field: Field
    if isinstance(value, str):
        field = StringField(expression)
        number = vocabulary.number(field)
        return (Predicate(COMPARISON_OPERATORS[operator], number, vocabulary.label(number, value.encode())),)
    if isinstance(value, datetime):
        key, exact = microseconds(value), True
        field = TimestampField(expression)
    else:
        key, exact = key_of_number(value)
        field = NumberField(expression)
    if exact:
        return _one(COMPARISON_OPERATORS[operator], field, key, vocabulary)
    # An integer that no double equals: asked for by itself.
    signs = ((LESS_CODE, -1), (EQUAL_CODE, 0), (GREATER_CODE, 1))
    number = vocabulary.number(OrderField(expression, Literal(value)))
    return tuple(Predicate(Operator.EQUAL, number, code) for code, sign in signs if COMPARISONS[operator](sign))


def _coded(predicate: Condition, wanted: Wanted, vocabulary: Vocabulary) -> Alternatives:
    """A predicate over a field with few codes: which of them satisfy it."""
    table = FieldTable()
    number, intervals = leaf_of(predicate, wanted, table)  # type: ignore[arg-type]
    space = table.spaces[number]
    lows, highs = (space.resolve(_bounds(ends)) for ends in zip(*intervals, strict=True)) if intervals else ((), ())
    field = vocabulary.number(table.fields[number])
    codes = (code for low, high in zip(lows, highs, strict=True) for code in range(int(low), int(high) + 1))
    return tuple(Predicate(Operator.EQUAL, field, code) for code in codes)


def _bounds(ends: Iterable[int]) -> np.ndarray:
    return np.array(list(ends), dtype=np.int64)


def _field_of(predicate: Condition) -> Field:
    """The field that is known just when a predicate is TRUE or FALSE."""
    table = FieldTable()
    leaf_of(predicate, Wanted.KNOWN, table)  # type: ignore[arg-type]
    field = table.fields[0]
    match field:
        case PatternField(pattern):
            return StringField(pattern.operand)
        case ReversedField(expression):
            return StringField(expression)
        case _:
            return field


def _one(operator: Operator, field: Field, operand: int, vocabulary: Vocabulary) -> Alternatives:
    return (Predicate(operator, vocabulary.number(field), operand),)


def _is_ordered(value: Scalar | None) -> bool:
    return value is not None and not isinstance(value, bool)


def _values(items: Sequence[Expression]) -> list[Scalar]:
    return [item.value for item in items if isinstance(item, Literal)]  # type: ignore[misc]
