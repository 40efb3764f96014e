"""Which clauses belong to which key: a key has as many as its condition has clauses, none if it is never TRUE."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError
from penstock.indexes.protocol import Key

ABSENT: Final = -2
LAST: Final = -1
FREE: Final = -3

MOST_EMPTY: Final = 1_000_000
"""Keys are small numbers, so an array says where each begins; one far beyond the others goes into a dictionary."""


class ClauseTable:
    """Clauses under numbers, linked from the first clause of a key to its last."""

    def __init__(self) -> None:
        self._first = GrowingArray(np.int32)
        self._far: dict[Key, int] = {}
        self._keys = GrowingArray(np.int64)
        self._next = GrowingArray(np.int32)
        self._free = LAST
        self._size = 0
        self.clause_count = 0

    def __len__(self) -> int:
        return self._size

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int) and self._begin(key) != ABSENT

    @property
    def nbytes(self) -> int:
        return self._first.nbytes + self._keys.nbytes + self._next.nbytes

    @property
    def room(self) -> int:
        """Clause numbers are below this."""
        return len(self._keys)

    def check_new(self, key: Key) -> None:
        if key in self:
            raise DuplicateSubscriptionError(f"the index holds a condition with the key {key} already")

    def check_all_new(self, keys: NDArray[np.int64]) -> None:
        """Refuse keys of which one is there already, or stands twice among them."""
        near = keys[(keys >= 0) & (keys < len(self._first))]
        taken = near[self._first.values[near] != ABSENT]
        for key in (*taken.tolist(), *(key for key in self._far if key in keys)):
            self.check_new(key)
        ordered = np.sort(keys)
        for key in ordered[1:][ordered[1:] == ordered[:-1]].tolist():
            raise DuplicateSubscriptionError(f"the key {key} stands twice among those to insert")

    def add(self, key: Key, count: int) -> list[int]:
        """Numbers for the clauses of a new key."""
        clauses = [self._take() for _ in range(count)]
        for clause, following in zip(clauses, [*clauses[1:], LAST], strict=False):
            self._keys.values[clause] = key
            self._next.values[clause] = following
        self._set_begin(key, clauses[0] if clauses else LAST)
        self._size += 1
        self.clause_count += count
        return clauses

    def add_many(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """A number for the one clause of each of many new keys."""
        if self._free != LAST or keys.min(initial=0) < 0 or keys.max(initial=0) >= len(self._first) + MOST_EMPTY:
            return np.array([self.add(key, 1)[0] for key in keys.tolist()], dtype=np.int32)
        clauses = np.arange(len(self._keys), len(self._keys) + len(keys), dtype=np.int32)
        self._keys.extend(keys)
        self._next.extend(np.full(len(keys), LAST, dtype=np.int32))
        self._first.extend(np.full(max(0, int(keys.max(initial=-1)) + 1 - len(self._first)), ABSENT, dtype=np.int32))
        self._first.values[keys] = clauses
        self._size += len(keys)
        self.clause_count += len(keys)
        return clauses

    def remove(self, key: Key) -> list[int]:
        """Take a key out; its clauses, whose numbers stay taken until they are given back."""
        clause = self._begin(key)
        if clause == ABSENT:
            raise UnknownSubscriptionError(f"the index holds no condition with the key {key}")
        clauses = []
        while clause != LAST:
            clauses.append(clause)
            clause = int(self._next.values[clause])
        self._set_begin(key, ABSENT)
        self._size -= 1
        self.clause_count -= len(clauses)
        return clauses

    def give_back(self, clause: int) -> None:
        """The number of a clause may be used again."""
        self._keys.values[clause] = FREE
        self._next.values[clause] = self._free
        self._free = clause

    def keys_of(self, clauses: NDArray[np.int32]) -> NDArray[np.int64]:
        return self._keys.values[clauses]

    def _take(self) -> int:
        if self._free == LAST:
            self._keys.extend([FREE])
            self._next.extend([LAST])
            return len(self._keys) - 1
        clause = self._free
        self._free = int(self._next.values[clause])
        return clause

    def _begin(self, key: Key) -> int:
        if 0 <= key < len(self._first):
            return int(self._first.values[key])
        return self._far.get(key, ABSENT)

    def _set_begin(self, key: Key, clause: int) -> None:
        known = len(self._first)
        if 0 <= key < known:
            self._first.values[key] = clause
        elif 0 <= key < known + MOST_EMPTY and key not in self._far:
            if clause != ABSENT:
                self._first.extend(np.full(max(16, key + 1 - known), ABSENT, dtype=np.int32))
                self._first.values[key] = clause
        elif clause == ABSENT:
            self._far.pop(key, None)
        else:
            self._far[key] = clause
