"""What a conjunction asks of one field as a whole: a set of intervals of positions, the same for whoever asks the same.

A value lies on a key or between a key and the next. Position ``2 * key`` is on the key and ``2 * key + 1`` behind it:
so every comparison is a closed interval, ``x < o`` ends at ``2 * o - 1``. Positions need 65 bits. They are Python's
integers here; :func:`bounds_of` says the same in 64 bits, for values on keys and for values between keys apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from penstock.indexes.boolean.predicates import Conjunction, Operator, Predicate

LOWEST_KEY: Final = -(2**63) + 1
HIGHEST_KEY: Final = 2**63 - 1
"""Operands lie between these: one key is left free below, so that no bound overflows."""
LOWEST: Final = 2 * LOWEST_KEY
HIGHEST: Final = 2 * HIGHEST_KEY

Interval: TypeAlias = tuple[int, int]
Intervals: TypeAlias = tuple[Interval, ...]
"""Closed intervals of positions, ascending, with at least one position between them. None at all: no value will do."""


class Bounds(NamedTuple):
    """An interval of keys for the values that lie on one, and for those that lie behind one; some may be empty."""

    exact_low: int
    exact_high: int
    between_low: int
    between_high: int


def is_served(predicate: Predicate) -> bool:
    """Whether a predicate is an interval or two: it compares, or only asks that the field is known."""
    return Operator.EQUAL <= predicate.operator <= Operator.KNOWN and LOWEST_KEY <= predicate.operand <= HIGHEST_KEY


def intervals_of(operator: int, operand: int) -> Intervals:
    """Where a predicate holds.

    >>> intervals_of(Operator.EQUAL, 5), intervals_of(Operator.GREATER, 5)[0][0], intervals_of(Operator.LESS, 5)[0][1]
    (((10, 10),), 11, 9)
    """
    at = 2 * operand
    match operator:
        case Operator.EQUAL:
            return ((at, at),)
        case Operator.LESS:
            found: Intervals = ((LOWEST, at - 1),)
        case Operator.AT_MOST:
            found = ((LOWEST, at),)
        case Operator.GREATER:
            found = ((at + 1, HIGHEST),)
        case Operator.AT_LEAST:
            found = ((at, HIGHEST),)
        case Operator.DIFFERENT:
            found = ((LOWEST, at - 1), (at + 1, HIGHEST))
        case _:
            found = ((LOWEST, HIGHEST),)
    return tuple((low, high) for low, high in found if low <= high)


def is_equality(intervals: Intervals) -> bool:
    """Whether only values on one key will do."""
    return len(intervals) == 1 and intervals[0][0] == intervals[0][1] and intervals[0][0] % 2 == 0


def constraints_of(conjunction: Conjunction) -> dict[int, Intervals]:
    """What a conjunction asks of each field that it mentions."""
    by_field: dict[int, list[Intervals]] = {}
    for part in conjunction:
        by_field.setdefault(part[0].field, []).append(alternatives_of(part))
    return {field: common(parts) for field, parts in by_field.items()}


def alternatives_of(part: Sequence[Predicate]) -> Intervals:
    """Where any of the predicates on one field holds."""
    if len(part) == 1:
        return intervals_of(part[0].operator, part[0].operand)
    merged: list[Interval] = []
    for low, high in sorted(each for one in part for each in intervals_of(one.operator, one.operand)):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return tuple(merged)


def common(parts: list[Intervals]) -> Intervals:
    """What all parts have in common, two by two, so that a long list of exclusions costs no square of its length."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [_intersection(one, other) for one, other in pairs] + parts[len(parts) & ~1 :]
    return parts[0]


def _intersection(one: Intervals, other: Intervals) -> Intervals:
    found = []
    mine = yours = 0
    while mine < len(one) and yours < len(other):
        low, high = max(one[mine][0], other[yours][0]), min(one[mine][1], other[yours][1])
        if low <= high:
            found.append((low, high))
        if one[mine][1] < other[yours][1]:
            mine += 1
        else:
            yours += 1
    return tuple(found)


def bounds_of(interval: Interval) -> Bounds:
    """An interval in 64 bits.

    >>> bounds_of((11, 20))  # above 5 and up to 10
    Bounds(exact_low=6, exact_high=10, between_low=5, between_high=9)
    """
    low, high = interval
    return Bounds((low + 1) >> 1, high >> 1, low >> 1, (high - 1) >> 1)


def operands_of(intervals: Intervals) -> Iterable[int]:
    """The keys of the operands that the intervals end on or beside."""
    for low, high in intervals:
        if low != LOWEST:
            yield low >> 1
        if high != HIGHEST:
            yield (high + 1) >> 1


def relabelled(intervals: Intervals, labels: dict[int, int]) -> Intervals:
    """The same intervals when the keys of operands have changed, but not their order."""
    return tuple(
        (_moved(low, low >> 1, LOWEST, labels), _moved(high, (high + 1) >> 1, HIGHEST, labels))
        for low, high in intervals
    )


def _moved(position: int, operand: int, end: int, labels: dict[int, int]) -> int:
    return position if position == end else position + 2 * (labels[operand] - operand)
