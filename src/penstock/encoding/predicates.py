"""Predicates as intervals of codes: which field a predicate looks at, and for which codes it is TRUE."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from penstock.encoding.columns import microseconds
from penstock.encoding.fields import (
    EQUAL_CODE,
    FALSE_CODE,
    GREATER_CODE,
    LESS_CODE,
    TRUE_CODE,
    BooleanField,
    Field,
    FieldTable,
    ListField,
    NumberField,
    OrderField,
    PatternField,
    PresenceField,
    ReversedField,
    StringField,
    TimestampField,
)
from penstock.encoding.ranks import (
    AFTER,
    BEFORE,
    FIRST_BOUND,
    LAST_BOUND,
    ON,
    UNKNOWN_BOUND,
    Bound,
    NumberSpace,
    prefix_end,
    sorted_keys,
)
from penstock.language.rendering import expression_to_text
from penstock.model.conditions import (
    COMPARISONS,
    MIRRORED,
    ArrayContains,
    Between,
    Comparison,
    ComparisonOperator,
    In,
    IsNull,
    Like,
    Matches,
    Truth,
)
from penstock.model.expressions import Expression, Literal
from penstock.model.patterns import Wildcard
from penstock.model.values import Scalar, compare

LeafPredicate = Truth | Comparison | Between | In | Like | Matches | ArrayContains | IsNull


class Interval(NamedTuple):
    """The codes from ``low`` to ``high``, both included; their bounds, since codes change as operands come."""

    low: Bound
    high: Bound


class Wanted(Enum):
    """What a leaf of a tree in negation normal form asks of its predicate."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"
    KNOWN = "known"


class Leaf(NamedTuple):
    """A field, and the intervals of its codes that satisfy the leaf."""

    field: int
    intervals: tuple[Interval, ...]


BOOLEAN_CODES = ((FALSE_CODE, False), (TRUE_CODE, True))
EVERYTHING_KNOWN = Interval(FIRST_BOUND, LAST_BOUND)
EVERYTHING_UNKNOWN = Interval(UNKNOWN_BOUND, UNKNOWN_BOUND)


def leaf_of(predicate: LeafPredicate, wanted: Wanted, table: FieldTable) -> Leaf:
    """The leaf that asks a predicate (with literal operands that are not NULL) for a truth value."""
    field, satisfied = _true_intervals(predicate, table)
    match wanted:
        case Wanted.TRUE:
            return Leaf(field, satisfied)
        case Wanted.FALSE:
            return Leaf(field, _complement(satisfied))
        case Wanted.UNKNOWN:
            return Leaf(field, (EVERYTHING_UNKNOWN,))
        case Wanted.KNOWN:
            return Leaf(field, (EVERYTHING_KNOWN,))


def _true_intervals(predicate: LeafPredicate, table: FieldTable) -> tuple[int, tuple[Interval, ...]]:
    match predicate:
        case Truth(operand):
            return table.number(BooleanField(operand)), _fixed([TRUE_CODE])
        case Comparison(operator, Literal(value), right) if value is not None:
            return _comparison(MIRRORED[operator], right, value, table)
        case Comparison(operator, left, Literal(value)) if value is not None:
            return _comparison(operator, left, value, table)
        case Comparison(operator, left, right):
            return _order(operator, left, right, table)
        case Between(operand, Literal(low), Literal(high)) if low is not None and high is not None:
            return _between(operand, low, high, table)
        case In(operand, items):
            return _in(operand, [item.value for item in items if isinstance(item, Literal)], table)
        case Like():
            return _like(predicate, table)
        case Matches():
            return table.number(PatternField(predicate)), _fixed([TRUE_CODE])
        case ArrayContains():
            return table.number(ListField(predicate)), _fixed([TRUE_CODE])
    raise AssertionError(f"a predicate that should have been taken apart before: {predicate!r}")


def presence_leaf(expression: Expression, table: FieldTable, *, present: bool) -> Leaf:
    """The leaf that asks whether an expression has a value."""
    interval = EVERYTHING_KNOWN if present else EVERYTHING_UNKNOWN
    return Leaf(table.number(PresenceField(expression)), (interval,))


def _comparison(
    operator: ComparisonOperator, operand: Expression, value: Scalar, table: FieldTable
) -> tuple[int, tuple[Interval, ...]]:
    if isinstance(value, bool):
        codes = [code for code, each in BOOLEAN_CODES if _holds(operator, each, value)]
        return table.number(BooleanField(operand)), _fixed(codes)
    field, at = _operands(operand, [value], table)
    match operator:
        case "=":
            return field, (Interval(at + ON, at + ON),)
        case "!=":
            return field, _complement((Interval(at + ON, at + ON),))
        case "<":
            return field, (Interval(FIRST_BOUND, at + BEFORE),)
        case "<=":
            return field, (Interval(FIRST_BOUND, at + ON),)
        case ">":
            return field, (Interval(at + AFTER, LAST_BOUND),)
        case ">=":
            return field, (Interval(at + ON, LAST_BOUND),)


def _holds(operator: ComparisonOperator, left: Scalar, right: Scalar) -> bool:
    sign = compare(left, right)
    return sign is not None and COMPARISONS[operator](sign)


def _order(
    operator: ComparisonOperator, left: Expression, right: Expression, table: FieldTable
) -> tuple[int, tuple[Interval, ...]]:
    # a < b and b > a look at one field.
    if expression_to_text(left) > expression_to_text(right):
        left, right, operator = right, left, MIRRORED[operator]
    signs = ((LESS_CODE, -1), (EQUAL_CODE, 0), (GREATER_CODE, 1))
    codes = [code for code, sign in signs if COMPARISONS[operator](sign)]
    return table.number(OrderField(left, right)), _fixed(codes)


def _between(operand: Expression, low: Scalar, high: Scalar, table: FieldTable) -> tuple[int, tuple[Interval, ...]]:
    if isinstance(low, bool):
        codes = [code for code, each in BOOLEAN_CODES if _holds(">=", each, low) and _holds("<=", each, high)]
        return table.number(BooleanField(operand)), _fixed(codes)
    field, lower, upper = _operands(operand, [low, high], table)
    return field, (Interval(lower + ON, upper + ON),)


def _in(operand: Expression, values: Sequence[Scalar | None], table: FieldTable) -> tuple[int, tuple[Interval, ...]]:
    if isinstance(values[0], bool):
        codes = sorted({TRUE_CODE if value else FALSE_CODE for value in values})
        return table.number(BooleanField(operand)), _fixed(codes)
    field, *bounds = _operands(operand, _distinct_in_order(values), table)
    return field, tuple(Interval(at + ON, at + ON) for at in bounds)


def _distinct_in_order(values: Sequence[Scalar | None]) -> list[Scalar]:
    """Values of one kind in their order, so that their complement is the gaps between neighbours."""
    if isinstance(values[0], (int, float)):
        return list(sorted_keys([NumberSpace.key(value) for value in values]))  # type: ignore[arg-type]
    return sorted(set(values))  # type: ignore[arg-type]


def _like(predicate: Like, table: FieldTable) -> tuple[int, tuple[Interval, ...]]:
    """An exact string, a prefix or a suffix is an interval; any other pattern is asked of each distinct string."""
    if not predicate.ignore_case:
        match predicate.pattern.parts:
            case ():
                return _comparison("=", predicate.operand, "", table)
            case (str() as exact,):
                return _comparison("=", predicate.operand, exact, table)
            case (Wildcard.ANY,):
                return table.number(StringField(predicate.operand)), (EVERYTHING_KNOWN,)
            case (str() as prefix, Wildcard.ANY):
                return _prefix(StringField(predicate.operand), prefix, table)
            case (Wildcard.ANY, str() as suffix):
                return _prefix(ReversedField(predicate.operand), suffix[::-1], table)
    return table.number(PatternField(predicate)), _fixed([TRUE_CODE])


def _prefix(field: StringField | ReversedField, prefix: str, table: FieldTable) -> tuple[int, tuple[Interval, ...]]:
    number = table.number(field)
    space = table.spaces[number]
    start = prefix.encode()
    return number, (Interval(space.bound(start, ON), space.bound(prefix_end(start), BEFORE)),)


def _operands(operand: Expression, values: Sequence[Scalar], table: FieldTable) -> tuple[int, ...]:
    """The field that compares an expression with values of one kind, and the operand of each value."""
    first = values[0]
    field: Field
    if isinstance(first, str):
        field, keys = StringField(operand), [value.encode() for value in values]  # type: ignore[union-attr]
    elif isinstance(first, datetime):
        field, keys = TimestampField(operand), [microseconds(value) for value in values]  # type: ignore[arg-type]
    else:
        field, keys = NumberField(operand), [NumberSpace.key(value) for value in values]  # type: ignore[arg-type]
    number = table.number(field)
    space = table.spaces[number]
    return number, *(space.bound(key, 0) for key in keys)


def _fixed(codes: Sequence[int]) -> tuple[Interval, ...]:
    """Intervals of a field whose codes are fixed."""
    return tuple(Interval(4 * code + ON, 4 * code + ON) for code in codes)


def _complement(intervals: Sequence[Interval]) -> tuple[Interval, ...]:
    """The known codes outside intervals that lie in order.

    The bound before ``low`` and the one after ``high`` are the next ones, since each operand has three.
    """
    gaps: list[Interval] = []
    start: Bound = FIRST_BOUND
    for low, high in intervals:
        if low != FIRST_BOUND:
            gaps.append(Interval(start, low - 1))
        if high == LAST_BOUND:
            return tuple(gaps)
        start = high + 1
    return (*gaps, Interval(start, LAST_BOUND))
