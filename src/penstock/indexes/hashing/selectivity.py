"""How selective the constraints of a field are, estimated from their operands: the events are not known beforehand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from penstock.indexes.hashing.positions import HIGHEST, LOWEST, Interval, Intervals, operands_of


def share_let_through(constraints: Sequence[tuple[Intervals, int]], others: Iterable[Intervals]) -> float:
    """The share of values that satisfy a constraint, on average over the conjunctions that use them.

    Values are taken to fall as often on each operand, and on each gap between two of them or beyond. ``others`` are
    constraints of the same field that only say where operands are.

    >>> above_10, above_20 = ((21, HIGHEST),), ((41, HIGHEST),)
    >>> share_let_through([(above_10, 1), (above_20, 1)], [])  # three places of five, and one
    0.4
    """
    known = {key for intervals, _ in constraints for key in operands_of(intervals)}
    operands = sorted(known.union(key for intervals in others for key in operands_of(intervals)))
    places = 2 * len(operands) + 1
    covered = sum(uses * _length(interval, operands) for intervals, uses in constraints for interval in intervals)
    total = sum(uses for _, uses in constraints)
    return covered / (places * total)


def _length(interval: Interval, operands: list[int]) -> int:
    """How many places an interval covers: operand number r is place 2 * r + 1, what lies before it place 2 * r."""
    low, high = interval
    first = 0 if low == LOWEST else 2 * bisect_left(operands, low >> 1) + 1 + (low & 1)
    last = 2 * len(operands) if high == HIGHEST else 2 * bisect_left(operands, (high + 1) >> 1) + 1 - (high & 1)
    return last - first + 1
