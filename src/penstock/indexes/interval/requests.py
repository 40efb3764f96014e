"""What callers may ask of an interval store, checked once and said clearly."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.errors import ValueRefusedError

MOST_KEYS: Final = 2**30
FARTHEST_CELL: Final = 2**62
"""Cells lie between minus this and this, so that differences of cells never overflow."""
ANY_CELL: Final = 2**63 - 1
"""For a store that only compares cells."""


class Intervals(NamedTuple):
    """Closed intervals under keys."""

    keys: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]


def check_interval(key: int, low: int, high: int, farthest: int = FARTHEST_CELL) -> None:
    if not 0 <= key < MOST_KEYS:
        raise ValueRefusedError(f"the key is {key}; it must be from 0 to {MOST_KEYS - 1}")
    if low > high:
        raise ValueRefusedError(f"the interval of key {key} begins at {low}, after its end at {high}")
    if low < -farthest or high > farthest:
        raise ValueRefusedError(f"the interval of key {key} is [{low}, {high}]; cells lie within {farthest} of 0")


def check_intervals(keys: Any, lows: Any, highs: Any, farthest: int = FARTHEST_CELL) -> Intervals:
    """Many intervals as arrays; the first that is wrong is refused by its key."""
    intervals = Intervals(*(np.ascontiguousarray(each, dtype=np.int64) for each in (keys, lows, highs)))
    if not len(intervals.keys) == len(intervals.lows) == len(intervals.highs):
        sizes = ", ".join(f"{len(array)} {name}" for name, array in intervals._asdict().items())
        raise ValueRefusedError(f"there are {sizes}; each interval has one of each")
    wrong = (intervals.keys < 0) | (intervals.keys >= MOST_KEYS) | (intervals.lows > intervals.highs)
    wrong |= (intervals.lows < -farthest) | (intervals.highs > farthest)
    for row in np.flatnonzero(wrong)[:1].tolist():
        key, low, high = (int(array[row]) for array in intervals)
        check_interval(key, low, high, farthest)
    return intervals


def first_repeated(keys: NDArray[np.int64]) -> int | None:
    """A key that stands more than once, or ``None``."""
    ordered = np.sort(keys)
    repeated = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[repeated[0]]) if len(repeated) else None
