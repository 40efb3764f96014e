"""Conjunctions in the buckets of a hash table, with the constraints that each is made of."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.errors import InvariantError
from penstock.kernels.amkh import Filed, Space, bucket_of, slots_for, store_terms, sum_of
from penstock.kernels.amkh_constraints import NONE
from penstock.kernels.arena import give_back_run, grown_arena, has_room, new_arena, size_class

LEAST_BUCKETS: Final = 64


class FiledConjunctions:
    """The arrays of conjunctions. ``buckets`` is M; without it there are two to four times as many as conjunctions."""

    def __init__(self, buckets: int | None = None) -> None:
        self._given = buckets
        self.count = 0
        self._schemas = GrowingArray(np.int32)
        self._sums = GrowingArray(np.uint64)
        self._runs = GrowingArray(np.int32)
        self._follows = GrowingArray(np.int32)
        self._befores = GrowingArray(np.int32)
        self._heads = np.full(buckets or LEAST_BUCKETS, NONE, dtype=np.int32)
        self._terms = new_arena(64)

    @property
    def buckets(self) -> int:
        """M."""
        return len(self._heads)

    @property
    def schemas(self) -> NDArray[np.int32]:
        """The schema of each conjunction; NONE where it is not filed."""
        return self._schemas.values

    @property
    def is_crowded(self) -> bool:
        return self._given is None and 2 * self.count > self.buckets

    def make_room(self, conjunctions: int) -> bool:
        """Have room for numbers below this; whether there was less before."""
        more = conjunctions - len(self._schemas)
        if more <= 0:
            return False
        self._schemas.extend(np.full(more, NONE, dtype=np.int32))
        for column in (self._sums, self._runs, self._follows, self._befores):
            column.extend(np.zeros(more, dtype=column.values.dtype))
        return True

    def add(
        self,
        numbers: NDArray[np.int32],
        schemas: NDArray[np.int32],
        sizes: NDArray[np.int64],
        terms: NDArray[np.int32],
    ) -> None:
        """Hold conjunctions, in no bucket yet: their schemas, and the constraints of all, one behind the other."""
        slots = slots_for(sizes)
        if not has_room(self._terms, slots):
            self._terms = grown_arena(self._terms, slots)
        store_terms(self._terms, numbers, sizes, terms, self._runs.values)
        self._schemas.values[numbers] = schemas
        self.count += len(numbers)

    def remove(self, number: int, size: int) -> NDArray[np.int32]:
        """Forget a conjunction that is in no bucket any more. The constraints that it was made of."""
        terms = self.terms(number, size)
        give_back_run(self._terms, int(self._runs.values[number]), size_class(size))
        self._schemas.values[number] = NONE
        self.count -= 1
        return terms

    def terms(self, number: int, size: int) -> NDArray[np.int32]:
        """A copy of the constraints of a conjunction, of which there are so many."""
        run = int(self._runs.values[number])
        return self._terms.slots[run : run + size].copy()

    def bucket(self, number: int) -> int:
        return bucket_of(self._sums.values[number], self.buckets)

    def renumber_schemas(self, new: NDArray[np.int32]) -> None:
        """Exchange the numbers of schemas."""
        live = self.schemas != NONE
        self.schemas[live] = new[self.schemas[live]]

    def new_buckets(self) -> None:
        """As many empty buckets as are needed; all conjunctions are to be filed anew."""
        count = self._given or max(LEAST_BUCKETS, 1 << (2 * self.count).bit_length())
        self._heads = np.full(count, NONE, dtype=np.int32)

    def arrays(self) -> Filed:
        return Filed(
            self._schemas.values,
            self._sums.values,
            self._runs.values,
            self._follows.values,
            self._befores.values,
            self._heads,
            self._terms.slots,
        )

    def memory(self) -> dict[str, int]:
        columns: tuple[GrowingArray[Any], ...] = (
            self._schemas,
            self._sums,
            self._runs,
            self._follows,
            self._befores,
        )
        return {
            "conjunctions": sum(column.nbytes for column in columns)
            + self._terms.slots.nbytes
            + self._terms.free.nbytes,
            "buckets": self._heads.nbytes,
        }

    def check_invariants(self, space: Space) -> None:
        """Every conjunction is once in the bucket of its sum, and linked both ways."""
        seen = []
        for bucket, first in enumerate(self._heads.tolist()):
            before, number = NONE, first
            while number != NONE:
                if self._befores.values[number] != before or self.bucket(number) != bucket:
                    raise InvariantError(f"conjunction {number} is linked wrongly, or in a bucket that is not its own")
                expected = sum_of(int(self.schemas[number]), int(self._runs.values[number]), space)
                if expected != self._sums.values[number]:
                    raise InvariantError(f"conjunction {number} has another sum than its constraints make")
                seen.append(number)
                before, number = number, int(self._follows.values[number])
        live = np.flatnonzero(self.schemas != NONE).tolist()
        if sorted(seen) != live or len(live) != self.count:
            raise InvariantError(f"{len(seen)} conjunctions are in buckets, {self.count} are counted")
