"""Constraints under numbers, in columns: what kernels look at to tell whether an event satisfies one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.errors import InvariantError
from penstock.indexes.hashing.positions import Intervals, bounds_of, is_equality
from penstock.kernels.amkh_constraints import (
    NONE,
    Constraints,
    Equalities,
    find_equality,
    link_equalities,
    link_equality,
    unlink_equality,
)

NO_FIELD: Final = -1
LEAST_CHAINS: Final = 16
FEW: Final = 8
"""So many equalities are linked one by one; with more, the chains are looked at once for all."""


class ConstraintTable:
    """Constraints under numbers; those that are one key are found by it."""

    def __init__(self) -> None:
        self._fields = GrowingArray(np.int32)
        self._identities = GrowingArray(np.int32)
        self._equal = GrowingArray(np.bool_)
        self._firsts = GrowingArray(np.int32)
        self._counts = GrowingArray(np.int32)
        self._bounds = GrowingArray(np.int64)
        self._follows = GrowingArray(np.int32)
        self._heads = np.full(LEAST_CHAINS, NONE, dtype=np.int32)
        self._free: list[int] = []
        self._free_places: dict[int, list[int]] = {}
        """Where intervals may stand again, by how many."""

    def __len__(self) -> int:
        return self.room - len(self._free)

    @property
    def room(self) -> int:
        """Numbers are below this."""
        return len(self._fields)

    @property
    def fields(self) -> NDArray[np.int32]:
        return self._fields.values

    @property
    def identities(self) -> NDArray[np.int32]:
        return self._identities.values

    @property
    def equal(self) -> NDArray[np.bool_]:
        return self._equal.values

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in (*self._columns(), self._bounds)) + self._heads.nbytes

    def add(self, fields: Sequence[int], identities: Sequence[int], sets: Sequence[Intervals]) -> NDArray[np.int32]:
        """Numbers for new constraints on fields, with their ids there and the intervals that they are."""
        numbers = self._take(len(sets))
        equal = [is_equality(each) for each in sets]
        counts = [len(each) for each in sets]
        firsts = self._take_places(counts)
        for column, values in (
            (self._fields, fields),
            (self._identities, identities),
            (self._equal, equal),
            (self._firsts, firsts),
            (self._counts, counts),
        ):
            column.values[numbers] = values
        places = [place for first, each in zip(firsts, sets, strict=True) for place in range(first, first + len(each))]
        bounds = [bounds_of(interval) for each in sets for interval in each]
        self._bounds.values.reshape(-1, 4)[places] = np.array(bounds, dtype=np.int64).reshape(-1, 4)
        self._link(numbers[np.array(equal, dtype=np.bool_)])
        return numbers

    def remove(self, number: int) -> None:
        """Give the number of a constraint back."""
        if self._equal.values[number]:
            unlink_equality(number, self.arrays(), self.equalities())
        self._equal.values[number] = False
        self._fields.values[number] = NO_FIELD
        self._free_places.setdefault(int(self._counts.values[number]), []).append(int(self._firsts.values[number]))
        self._free.append(number)

    def rewrite(self, numbers: Sequence[int], sets: Sequence[Intervals]) -> None:
        """Exchange the intervals of constraints for others, as many and of the same kind."""
        for number, intervals in zip(numbers, sets, strict=True):
            first = int(self._firsts.values[number])
            bounds = [bound for interval in intervals for bound in bounds_of(interval)]
            self._bounds.values[4 * first : 4 * (first + len(intervals))] = bounds
        link_equalities(self.arrays(), self.equalities())

    def arrays(self) -> Constraints:
        return Constraints(
            self._fields.values,
            self._identities.values,
            self._equal.values,
            self._firsts.values,
            self._counts.values,
            self._bounds.values,
        )

    def equalities(self) -> Equalities:
        return Equalities(self._heads, self._follows.values)

    def check(self, number: int, intervals: Intervals) -> None:
        """See to it that the columns say of a constraint that it is these intervals."""
        constraints = self.arrays()
        first, count = int(constraints.firsts[number]), int(constraints.counts[number])
        bounds = constraints.bounds[4 * first : 4 * (first + count)].reshape(-1, 4).tolist()
        if bounds != [list(bounds_of(interval)) for interval in intervals]:
            raise InvariantError(f"constraint {number} has other bounds than its intervals")
        if bool(constraints.equal[number]) != is_equality(intervals):
            raise InvariantError(f"constraint {number} does not know whether it is an equality")
        if constraints.equal[number]:
            found = find_equality(int(constraints.fields[number]), bounds[0][0], constraints, self.equalities())
            if found != number:
                raise InvariantError(f"constraint {number} is not found by its key")

    def _columns(self) -> tuple[GrowingArray[Any], ...]:
        return (self._fields, self._identities, self._equal, self._firsts, self._counts, self._follows)

    def _take(self, count: int) -> NDArray[np.int32]:
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))]
        begin, more = self.room, count - len(reused)
        for column in self._columns():
            column.extend(np.zeros(more, dtype=column.values.dtype))
        return np.array([*reused, *range(begin, begin + more)], dtype=np.int32)

    def _take_places(self, counts: list[int]) -> list[int]:
        """Where so many intervals each may stand."""
        firsts = []
        end = len(self._bounds) // 4
        for count in counts:
            free = self._free_places.get(count)
            if free:
                firsts.append(free.pop())
            else:
                firsts.append(end)
                end += count
        self._bounds.extend(np.zeros(4 * end - len(self._bounds), dtype=np.int64))
        return firsts

    def _link(self, numbers: NDArray[np.int32]) -> None:
        if self.room > len(self._heads):
            chains = 1 << (2 * self.room - 1).bit_length()
            self._heads = np.full(chains, NONE, dtype=np.int32)
        elif len(numbers) <= FEW:
            for number in numbers.tolist():
                link_equality(number, self.arrays(), self.equalities())
            return
        link_equalities(self.arrays(), self.equalities())
