"""Posting lists of the k-index: for a size, a field and a key the clauses that hold there, in ascending order.

A hash table with open addressing finds a list; what collides stands in the next slot that is free. The postings of a
list are a run of an arena whose class is that of the number of its postings: nothing else needs to be known of it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, class_size, give_back_run, has_room, size_class, take_run
from penstock.kernels.compiling import kernel
from penstock.kernels.mixing import randomised

# The columns of a head: the key, and the size and field in one number.
KEY: Final = 0
CELL: Final = 1
EMPTY: Final = -1
"""The cell of a slot that has no list."""

# The columns of a run: where it begins in the arena, and how many postings there are.
BEGIN: Final = 0
SIZE: Final = 1

# The counts of a table.
LISTS: Final = 0
POSTINGS: Final = 1

_FIELD_BITS: Final = 32
_LOW_32: Final = 0xFFFF_FFFF
_LOW_31: Final = 0x7FFF_FFFF
_ALL_BUT_SIGN: Final = 0x7FFF_FFFF_FFFF_FFFF


class PostingLists(NamedTuple):
    """A table of lists: slot ``s`` has the head ``heads[s]`` and the run ``runs[s]``."""

    heads: NDArray[np.int64]
    """(slot, 2)"""
    runs: NDArray[np.int32]
    """(slot, 2)"""
    counts: NDArray[np.int64]
    entries: Arena


def new_table(slots: int, entries: Arena) -> PostingLists:
    """A table without lists."""
    heads = np.full((slots, 2), EMPTY, dtype=np.int64)
    return PostingLists(heads, np.zeros((slots, 2), dtype=np.int32), np.zeros(2, dtype=np.int64), entries)


@kernel
def cell_of(size: int, field: int) -> int:
    """A size and a field in one number."""
    return (int(size) << _FIELD_BITS) | int(field)


@kernel
def home_of(lists: PostingLists, cell: int, key: int) -> int:
    """The slot where a list belongs if nothing collides."""
    mixed = int(np.int64(randomised(key & _ALL_BUT_SIGN) & np.uint64(_LOW_31)))
    spread = randomised((mixed << _FIELD_BITS) ^ cell) & np.uint64(_LOW_32)
    return int(np.int64((spread * np.uint64(len(lists.heads))) >> np.uint64(32)))


@kernel
def find_slot(lists: PostingLists, cell: int, key: int) -> int:
    """The slot of a list; the complement of the slot where it would go if there is none."""
    slot = home_of(lists, cell, key)
    while lists.heads[slot, CELL] != EMPTY:
        if lists.heads[slot, KEY] == key and lists.heads[slot, CELL] == cell:
            return slot
        slot += 1
        if slot == len(lists.heads):
            slot = 0
    return ~slot


@kernel
def first_from(postings: NDArray[np.int32], begin: int, end: int, clause: int) -> int:
    """The first place from ``begin`` on whose clause is not before one: by steps that double, then by halves."""
    if begin >= end or postings[begin] >= clause:
        return begin
    step = 1
    while begin + step < end and postings[begin + step] < clause:
        begin += step
        step *= 2
    end = min(begin + step, end)
    begin += 1
    while begin < end:
        middle = (begin + end) >> 1
        if postings[middle] < clause:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def can_resize(entries: Arena, size: int, new_size: int) -> bool:
    """Whether there is a run for a list that is to have another number of postings."""
    if new_size == 0 or (size > 0 and size_class(size) == size_class(new_size)):
        return True
    new_class = size_class(new_size)
    return entries.free[new_class] != 0 or has_room(entries, class_size(new_class))


@kernel
def resized(entries: Arena, begin: int, size: int, new_size: int) -> int:
    """The run for a list that is to have another number of postings, with all that fit moved there.

    A list of no postings has no run, which is run 0.
    """
    if size > 0 and new_size > 0 and size_class(size) == size_class(new_size):
        return begin
    run = 0
    if new_size > 0:
        run = take_run(entries, size_class(new_size))
        kept = min(size, new_size)
        entries.slots[run : run + kept] = entries.slots[begin : begin + kept]
    if size > 0:
        give_back_run(entries, begin, size_class(size))
    return run


@kernel
def add_posting(lists: PostingLists, cell: int, key: int, clause: int) -> bool:
    """Put a clause into a list, a new one if need be; ``False`` where there is no room, when nothing was changed."""
    slot = find_slot(lists, cell, key)
    size = int(lists.runs[slot, SIZE]) if slot >= 0 else 0
    if not can_resize(lists.entries, size, size + 1):
        return False
    if slot < 0:
        if lists.counts[LISTS] * 4 >= len(lists.heads) * 3:
            return False
        slot = ~slot
        lists.heads[slot, KEY] = key
        lists.heads[slot, CELL] = cell
        lists.counts[LISTS] += 1
    begin = resized(lists.entries, lists.runs[slot, BEGIN], size, size + 1)
    lists.runs[slot, BEGIN] = begin
    lists.runs[slot, SIZE] = size + 1
    lists.counts[POSTINGS] += 1
    postings = lists.entries.slots
    place = begin + size
    while place > begin and postings[place - 1] > clause:
        postings[place] = postings[place - 1]
        place -= 1
    postings[place] = clause
    return True


@kernel
def remove_posting(lists: PostingLists, cell: int, key: int, clause: int) -> bool:
    """Take a clause out of a list that has it, and the list out of the table if it was the last.

    ``False`` where there is no room for the shorter run, when nothing was changed.
    """
    slot = find_slot(lists, cell, key)
    begin, size = int(lists.runs[slot, BEGIN]), int(lists.runs[slot, SIZE])
    if not can_resize(lists.entries, size, size - 1):
        return False
    postings = lists.entries.slots
    for place in range(first_from(postings, begin, begin + size, clause), begin + size - 1):
        postings[place] = postings[place + 1]
    lists.runs[slot, BEGIN] = resized(lists.entries, begin, size, size - 1)
    lists.runs[slot, SIZE] = size - 1
    lists.counts[POSTINGS] -= 1
    if size == 1:
        empty_slot(lists, slot)
    return True


@kernel
def empty_slot(lists: PostingLists, slot: int) -> None:
    """Take a list out of the table; those that stand behind it because they collided move up."""
    slots = len(lists.heads)
    hole, after = slot, slot
    while True:
        after = after + 1 if after + 1 < slots else 0
        if lists.heads[after, CELL] == EMPTY:
            break
        home = home_of(lists, lists.heads[after, CELL], lists.heads[after, KEY])
        if (after - home) % slots >= (after - hole) % slots:
            lists.heads[hole] = lists.heads[after]
            lists.runs[hole] = lists.runs[after]
            hole = after
    lists.heads[hole, CELL] = EMPTY
    lists.counts[LISTS] -= 1


@kernel
def add_postings(lists: PostingLists, cell: int, keys: NDArray[np.int64], first: int, clause: int) -> int:
    """Put a clause into the lists of keys from one on. Returns the first that found no room, or how many there are."""
    for place in range(first, len(keys)):
        if not add_posting(lists, cell, keys[place], clause):
            return place
    return len(keys)


@kernel
def remove_postings(lists: PostingLists, cell: int, keys: NDArray[np.int64], first: int, clause: int) -> int:
    """Take a clause out of the lists of keys from one on, in the same way."""
    for place in range(first, len(keys)):
        if not remove_posting(lists, cell, keys[place], clause):
            return place
    return len(keys)


@kernel
def put_lists(
    lists: PostingLists,
    cells: NDArray[np.int64],
    keys: NDArray[np.int64],
    begins: NDArray[np.int32],
    sizes: NDArray[np.int32],
) -> None:
    """Enter lists whose postings are in the arena already; those without a cell are left out."""
    for place in range(len(cells)):
        if cells[place] == EMPTY:
            continue
        slot = ~find_slot(lists, cells[place], keys[place])
        lists.heads[slot, KEY] = keys[place]
        lists.heads[slot, CELL] = cells[place]
        lists.runs[slot, BEGIN] = begins[place]
        lists.runs[slot, SIZE] = sizes[place]
        lists.counts[LISTS] += 1
        lists.counts[POSTINGS] += sizes[place]
