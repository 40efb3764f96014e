"""The posting lists of the k-index, with room that grows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError
from penstock.kernels.arena import TOP, Arena, class_size, grown_arena, new_arena, size_class
from penstock.kernels.posting_lists import (
    BEGIN,
    CELL,
    EMPTY,
    KEY,
    LISTS,
    POSTINGS,
    SIZE,
    add_postings,
    find_slot,
    new_table,
    put_lists,
    remove_postings,
)

LEAST_SLOTS: Final = 64
LIST_SHARE: Final = 0.7
"""How full a table is that is made for a known number of lists."""
_FIELD_MASK: Final = 0xFFFF_FFFF


class PostingTable:
    """Lists of clauses by cell (a size and a field) and key."""

    def __init__(self) -> None:
        self.arrays = new_table(LEAST_SLOTS, new_arena(LEAST_SLOTS))

    @property
    def list_count(self) -> int:
        return int(self.arrays.counts[LISTS])

    @property
    def posting_count(self) -> int:
        return int(self.arrays.counts[POSTINGS])

    # Changing

    def add(self, cell: int, keys: NDArray[np.int64], clause: int) -> None:
        """Put a clause into the lists of a cell and some keys."""
        self._do(add_postings, cell, keys, clause)

    def remove(self, cell: int, keys: NDArray[np.int64], clause: int) -> None:
        """Take a clause out of lists that have it."""
        self._do(remove_postings, cell, keys, clause)

    def _do(self, change: Callable[..., int], cell: int, keys: NDArray[np.int64], clause: int) -> None:
        done = change(self.arrays, cell, keys, 0, clause)
        while done < len(keys):
            self._grow(cell, int(keys[done]))
            done = change(self.arrays, cell, keys, done, clause)

    def _grow(self, cell: int, key: int) -> None:
        """Make room for one posting more or less in a list."""
        slots = len(self.arrays.heads)
        if self.list_count * 4 >= slots * 3:
            self._rehash(slots * 3 // 2)
        slot = find_slot(self.arrays, cell, key)
        size = int(self.arrays.runs[slot, SIZE]) if slot >= 0 else 0
        self.arrays = self.arrays._replace(entries=grown_arena(self.arrays.entries, class_size(size_class(size + 1))))

    def _rehash(self, slots: int) -> None:
        table = new_table(slots, self.arrays.entries)
        heads, runs = self.arrays.heads, self.arrays.runs
        put_lists(table, heads[:, CELL], heads[:, KEY], runs[:, BEGIN], runs[:, SIZE])
        self.arrays = table

    def room_for(self, postings: int) -> Arena:
        """An arena in which so many postings surely fit, however they are spread over lists."""
        return new_arena(postings + postings // 4)

    def replace(
        self,
        entries: Arena,
        cells: NDArray[np.int64],
        keys: NDArray[np.int64],
        begins: NDArray[np.int32],
        sizes: NDArray[np.int32],
    ) -> None:
        """Hold these lists instead, whose postings are in an arena."""
        kept = entries._replace(slots=entries.slots[: int(entries.free[TOP])].copy())
        self.arrays = new_table(max(LEAST_SLOTS, int(len(cells) / LIST_SHARE)), kept)
        put_lists(self.arrays, cells, keys, begins, sizes)

    def exchange_keys(self, field: int, old: NDArray[np.int64], new: NDArray[np.int64]) -> None:
        """Exchange the keys of a field for others; ``old`` is sorted."""
        heads = self.arrays.heads
        mine = np.flatnonzero((heads[:, CELL] != EMPTY) & (heads[:, CELL] & _FIELD_MASK == field))
        heads[mine, KEY] = new[np.searchsorted(old, heads[mine, KEY])]
        self._rehash(len(heads))

    # Looking

    def all_lists(self) -> dict[tuple[int, int, int], list[int]]:
        """The clauses of each list, by size, field and key."""
        found = {}
        postings = self.arrays.entries.slots
        for slot in np.flatnonzero(self.arrays.heads[:, CELL] != EMPTY).tolist():
            key, cell = self.arrays.heads[slot].tolist()
            begin, size = self.arrays.runs[slot].tolist()
            found[cell >> 32, cell & _FIELD_MASK, key] = postings[begin : begin + size].tolist()
        return found

    def memory(self) -> dict[str, int]:
        """The bytes of all arrays, by what they are for."""
        return {
            "posting lists": self.arrays.entries.slots.nbytes + self.arrays.entries.free.nbytes,
            "directory": self.arrays.heads.nbytes + self.arrays.runs.nbytes,
        }

    def check_invariants(self) -> None:
        """Every list is found and is ascending, and no two runs overlap."""
        taken = np.flatnonzero(self.arrays.heads[:, CELL] != EMPTY)
        runs: NDArray[Any] = self.arrays.runs[taken]
        if (len(taken), int(runs[:, SIZE].sum())) != (self.list_count, self.posting_count):
            raise InvariantError(f"{len(taken)} lists are there, {self.list_count} are counted, or so for postings")
        for slot in taken.tolist():
            key, cell = self.arrays.heads[slot].tolist()
            if find_slot(self.arrays, cell, key) != slot:
                raise InvariantError(f"the list of cell {cell} and key {key} is not found")
            begin, size = self.arrays.runs[slot].tolist()
            postings = self.arrays.entries.slots[begin : begin + size]
            if size < 1 or np.any(postings[1:] <= postings[:-1]):
                raise InvariantError(f"the list of cell {cell} and key {key} is empty or not ascending")
        order = np.argsort(runs[:, BEGIN])
        ends = [begin + class_size(size_class(size)) for begin, size in runs[order].tolist()]
        if np.any(runs[order, BEGIN][1:] < np.array(ends[:-1], dtype=np.int64)):
            raise InvariantError("two posting lists overlap")
