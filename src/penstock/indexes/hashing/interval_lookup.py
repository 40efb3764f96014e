"""The constraints of one field that are no equalities, by their intervals: which of them may hold for a key.

An interval skip list holds them. Its cells lie within 2**62 of 0, so two keys that follow each other share one: nothing
is missed, and what is found is to be confirmed. Constraints such as ``x > 5`` all overlap, and a skip list that such an
interval joins or leaves moves the marks of all others. So new ones wait, and are looked at one by one, until there are
enough of them to fill a new list at once; those that go leave their intervals behind until then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError
from penstock.indexes.hashing.positions import Interval, Intervals
from penstock.indexes.interval.is_list import IntervalSkipList
from penstock.kernels.amkh_constraints import NONE

LEAST_WAITING: Final = 64
MOST_WAITING_SHARE: Final = 8
"""An eighth of the intervals may wait."""


class Candidates(NamedTuple):
    """Constraints that may hold: for query i those from ``offsets[i]`` to ``offsets[i + 1]``, some NONE or twice.

    Those of ``waiting`` may hold for each query.
    """

    offsets: NDArray[np.int64]
    constraints: NDArray[np.int32]
    waiting: NDArray[np.int32]


class IntervalLookup:
    """Constraints and their intervals."""

    def __init__(self, constraints: Iterable[tuple[int, Intervals]]) -> None:
        self._intervals = dict(constraints)
        self._fill()

    def __len__(self) -> int:
        """How many intervals a key may stab at most."""
        return len(self._owners) + len(self._waiting)

    def add(self, number: int, intervals: Intervals) -> None:
        self._intervals[number] = intervals
        self._waiting[number] = None
        if len(self._waiting) > max(LEAST_WAITING, len(self._owners) // MOST_WAITING_SHARE):
            self._fill()

    def remove(self, number: int) -> None:
        count = len(self._intervals.pop(number))
        if number in self._waiting:
            del self._waiting[number]
            return
        first = self._firsts.pop(number)
        self._owners[first : first + count] = NONE
        self._left_behind += count
        if self._left_behind > max(LEAST_WAITING, len(self._owners) // 2):
            self._fill()

    def find(self, keys: NDArray[np.int64]) -> Candidates:
        """The constraints that may hold for values on or behind these keys."""
        offsets, stabbed = self._store.stab_many(keys >> 1)
        waiting = np.fromiter(self._waiting, np.int32, len(self._waiting))
        return Candidates(offsets, self._owners[stabbed], waiting)

    @property
    def nbytes(self) -> int:
        return sum(self._store.memory().values()) + self._owners.nbytes

    def check_invariants(self, constraints: dict[int, Intervals]) -> None:
        """The intervals of these constraints are held, and nothing else."""
        self._store.check_invariants()
        if self._intervals != constraints or self._firsts.keys() ^ self._waiting.keys() != constraints.keys():
            raise InvariantError("an interval lookup holds other constraints than its field has")
        for number, first in self._firsts.items():
            keys = range(first, first + len(constraints[number]))
            held = [self._store.interval(key) for key in keys if self._owners[key] == number]
            if held != [_cells(interval) for interval in constraints[number]]:
                raise InvariantError(f"an interval lookup holds other intervals of constraint {number} than it has")
        if np.count_nonzero(self._owners == NONE) != self._left_behind:
            raise InvariantError("intervals that were left behind are not counted well")

    def _fill(self) -> None:
        """Put all intervals into a new list."""
        self._firsts: dict[int, int] = {}
        self._waiting: dict[int, None] = {}
        self._left_behind = 0
        cells: list[tuple[int, int]] = []
        owners: list[int] = []
        for number, intervals in self._intervals.items():
            self._firsts[number] = len(cells)
            cells.extend(map(_cells, intervals))
            owners.extend([number] * len(intervals))
        self._owners = np.array(owners, dtype=np.int32)
        self._store = IntervalSkipList()
        lows, highs = np.array(cells, dtype=np.int64).reshape(-1, 2).T
        self._store.insert_many(np.arange(len(cells), dtype=np.int64), lows, highs)


def _cells(interval: Interval) -> tuple[int, int]:
    """The cells that an interval of positions reaches: those of its keys, two by two."""
    return interval[0] >> 2, interval[1] >> 2
