"""Inserting, deleting and stabbing in an index of construct intervals, under each way of finding the active ones.

A value ``j`` places after the first of the range is covered, among the construct intervals of one length, by those that
start from ``j - length`` to ``j``. The first of these ends at the value: there only entries that do not CONTINUE count.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, give_back_run, has_room, size_class
from penstock.kernels.bitmaps import Bitmaps, first_in_row, flip_bits, greatest_covering, least_covering, lowest_bit
from penstock.kernels.compiling import kernel
from penstock.kernels.constructs import Constructs, count_pieces, covered_width, index_of_length, length_at, next_length
from penstock.kernels.packed_lists import (
    CONTINUES,
    ENDS,
    KEY_MASK,
    OFFSET,
    POSITIONS,
    WIDTH,
    PackedLists,
    add_entry,
    entry_of_piece,
    is_empty,
    new_record,
    remove_entry,
    room_for_interval,
)

BITMAP: Final = 0
VIRTUAL: Final = 1
TABLE: Final = 2


class VciArrays(NamedTuple):
    """An index as kernels are called with it: arrays only, since each number on its own makes a call slower."""

    numbers: NDArray[np.int64]
    """The numbers of :class:`VciIndex` and of what it holds, in the order in which :func:`index_of` takes them."""
    distances: NDArray[np.int32]
    bitmap_rows: NDArray[np.int64]
    bitmap_words: NDArray[np.uint64]
    headers: NDArray[np.int32]
    entries: NDArray[np.int32]
    free_entries: NDArray[np.int64]
    records: NDArray[np.int32]
    bookkeeping: NDArray[np.int32]
    free_bookkeeping: NDArray[np.int64]


class VciIndex(NamedTuple):
    """Values from ``low``, ``size`` of them; how the active construct intervals are found; the lists."""

    low: int
    size: int
    activation: int
    distances: NDArray[np.int32]
    """The distance table as runs: for each length, the number of the first covering list minus ``j``, and how many."""
    bitmaps: Bitmaps
    lists: PackedLists


@kernel
def index_of(arrays: VciArrays) -> VciIndex:
    """The arrays by their roles."""
    low, size, activation, kind, longest, per_start, stride, block_shift, clipped = (
        int(arrays.numbers[0]),
        int(arrays.numbers[1]),
        int(arrays.numbers[2]),
        int(arrays.numbers[3]),
        int(arrays.numbers[4]),
        int(arrays.numbers[5]),
        int(arrays.numbers[6]),
        int(arrays.numbers[7]),
        int(arrays.numbers[8]),
    )
    lists = PackedLists(
        Constructs(kind, longest, per_start),
        stride,
        block_shift,
        arrays.headers,
        Arena(arrays.entries, arrays.free_entries),
        arrays.records,
        Arena(arrays.bookkeeping, arrays.free_bookkeeping),
    )
    bitmaps = Bitmaps(clipped != 0, arrays.bitmap_rows, arrays.bitmap_words)
    return VciIndex(low, size, activation, arrays.distances, bitmaps, lists)


@kernel
def insert_intervals(
    arrays: VciArrays, first: int, keys: NDArray[np.int64], offsets: NDArray[np.int64], widths: NDArray[np.int64]
) -> tuple[int, int, int, int]:
    """Add intervals from ``first`` on, as long as there is room for one more.

    Returns the first interval that was not reached, the slots of entries and of bookkeeping that it may need, and how
    many entries were moved.
    """
    moves = 0
    for interval in range(first, len(keys)):
        entries, bookkeeping, moved = insert_interval(
            arrays, int(keys[interval]), int(offsets[interval]), int(widths[interval])
        )
        if moved < 0:
            return interval, entries, bookkeeping, moves
        moves += moved
    return len(keys), 0, 0, moves


@kernel
def insert_interval(arrays: VciArrays, key: int, offset: int, width: int) -> tuple[int, int, int]:
    """Add one interval, if there is room.

    Returns the slots of entries and of bookkeeping that it may need, and how many entries were moved: -1 where there
    was not room enough, and nothing was done.
    """
    index = index_of(arrays)
    entries, bookkeeping = room_for_interval(index.lists, offset, width)
    if not (has_room(index.lists.entries, entries) and has_room(index.lists.bookkeeping, bookkeeping)):
        return entries, bookkeeping, -1
    return entries, bookkeeping, _insert(index, key, offset, width)


@kernel
def _insert(index: VciIndex, key: int, offset: int, width: int) -> int:
    """The paper's INSERT (figure 2); how many entries were moved."""
    lists = index.lists
    constructs = lists.constructs
    pieces = count_pieces(constructs, width)
    new_record(lists, key, offset, width, pieces)
    remaining = covered_width(constructs, width)
    start = offset
    moves = 0
    for piece in range(pieces):
        length = next_length(constructs, remaining)
        place = index_of_length(constructs, length)
        number = place * lists.stride + start
        if index.activation == BITMAP and is_empty(lists, number):
            flip_bits(constructs, index.bitmaps, start, place)
        moves += add_entry(lists, number, entry_of_piece(constructs, key, width, piece == pieces - 1))
        start += max(1, length)
        remaining -= length
    return moves


@kernel
def delete_interval(arrays: VciArrays, key: int) -> int:
    """Remove the interval of a key that is there; how many entries of others were moved."""
    index = index_of(arrays)
    lists = index.lists
    constructs = lists.constructs
    record = int(lists.records[key])
    slots = lists.bookkeeping.slots
    start, width = int(slots[record + OFFSET]), int(slots[record + WIDTH])
    pieces = count_pieces(constructs, width)
    remaining = covered_width(constructs, width)
    moves = 0
    for piece in range(pieces):
        length = next_length(constructs, remaining)
        place = index_of_length(constructs, length)
        number = place * lists.stride + start
        moves += remove_entry(lists, number, int(slots[record + POSITIONS + piece]))
        if index.activation == BITMAP and is_empty(lists, number):
            flip_bits(constructs, index.bitmaps, start, place)
        start += max(1, length)
        remaining -= length
    give_back_run(lists.bookkeeping, record, size_class(POSITIONS + pieces))
    lists.records[key] = 0
    return moves


@kernel
def flip_all(arrays: VciArrays) -> None:
    """Set the bits of all lists that have entries, where none is set yet."""
    index = index_of(arrays)
    lists = index.lists
    for place in range(lists.constructs.per_start):
        for start in range(index.size):
            number = place * lists.stride + start
            if not is_empty(lists, number):
                flip_bits(lists.constructs, index.bitmaps, start, place)


@kernel
def _take_whole(slots: NDArray[np.int32], begin: int, end: int, keys: NDArray[np.int32], written: int) -> int:
    """Copy the keys of a stretch of entries; how many are written then."""
    source = slots[begin:end]
    target = keys[written : written + end - begin]
    for place in range(len(source)):
        target[place] = source[place] & KEY_MASK
    return written + end - begin


@kernel
def _take_last_pieces(
    slots: NDArray[np.int32], begin: int, end: int, copying: bool, keys: NDArray[np.int32], written: int
) -> int:
    """Copy, or only count, the keys of those entries of a stretch that are the last pieces of their intervals."""
    if copying:
        for place in range(begin, end):
            entry = slots[place]
            if entry < CONTINUES:
                keys[written] = entry
                written += 1
        return written
    for place in range(begin, end):
        written += 1 - (int(slots[place]) >> 30)
    return written


@kernel
def _take_lists(
    headers: NDArray[np.int32],
    slots: NDArray[np.int32],
    block_shift: int,
    first: int,
    last: int,
    first_ends: bool,
    copying: bool,
    keys: NDArray[np.int32],
    written: int,
) -> int:
    """Copy, or only count, the keys of neighbouring lists; of the first one only last pieces, if it ends at the value.

    It takes the arrays by themselves, as it is called for each stretch of memory.
    """
    lists_in_block = 1 << block_shift
    row_size = ENDS + 1 + lists_in_block
    block = first >> block_shift
    last_block = last >> block_shift
    row = block * row_size
    begin = int(headers[row + ENDS + (first & (lists_in_block - 1))])
    if first_ends:
        middle = int(headers[row + ENDS + 1 + (first & (lists_in_block - 1))])
        if middle > begin:
            run = int(headers[row])
            written = _take_last_pieces(slots, run + begin, run + middle, copying, keys, written)
            begin = middle
    while block < last_block:
        end = int(headers[row + ENDS + lists_in_block])
        if end > begin:
            run = int(headers[row])
            written = _take_whole(slots, run + begin, run + end, keys, written) if copying else written + end - begin
        begin = 0
        row += row_size
        block += 1
    end = int(headers[row + ENDS + 1 + (last & (lists_in_block - 1))])
    if end > begin:
        run = int(headers[row])
        written = _take_whole(slots, run + begin, run + end, keys, written) if copying else written + end - begin
    return written


@kernel
def _stab_by_table(
    distances: NDArray[np.int32],
    headers: NDArray[np.int32],
    slots: NDArray[np.int32],
    block_shift: int,
    value: int,
    copying: bool,
    keys: NDArray[np.int32],
    written: int,
) -> int:
    """By the distance table (section 4.1): a run of neighbouring lists for each length."""
    for place in range(len(distances)):
        first = value + int(distances[place, 0])
        last = first + int(distances[place, 1]) - 1
        # The lists of this length begin at the one of the least value: those before it are of another length.
        first_ends = last > first >= last - value
        first = max(first, last - value)
        written = _take_lists(headers, slots, block_shift, first, last, first_ends, copying, keys, written)
    return written


@kernel
def _take_list(
    index: VciIndex, value: int, start: int, place: int, copying: bool, keys: NDArray[np.int32], written: int
) -> int:
    """One list whose construct interval covers the value: all of it, or only last pieces where it ends there."""
    lists = index.lists
    number = place * lists.stride + start
    length = length_at(lists.constructs, place)
    first_ends = length > 0 and start + length == value
    return _take_lists(
        lists.headers, lists.entries.slots, lists.block_shift, number, number, first_ends, copying, keys, written
    )


@kernel
def _stab_by_segment(index: VciIndex, value: int, copying: bool, keys: NDArray[np.int32], written: int) -> int:
    """By bitmap virtualization (section 4): each list of the covering segment, its right end from its coordinate."""
    lists = index.lists
    per_start = lists.constructs.per_start
    for coordinate in range(least_covering(lists.constructs, value), greatest_covering(lists.constructs, value) + 1):
        start, place = coordinate // per_start, coordinate % per_start
        number = place * lists.stride + start
        if not is_empty(lists, number) and start + length_at(lists.constructs, place) >= value:
            written = _take_list(index, value, start, place, copying, keys, written)
    return written


@kernel
def _stab_by_bitmap(index: VciIndex, value: int, copying: bool, keys: NDArray[np.int32], written: int) -> int:
    """By the bits of the value's row (sections 2 and 3)."""
    bitmaps = index.bitmaps
    per_start = index.lists.constructs.per_start
    first = first_in_row(index.lists.constructs, bitmaps, value)
    for row_word in range(bitmaps.rows[value], bitmaps.rows[value + 1]):
        word = bitmaps.words[row_word]
        while word != 0:
            coordinate = first + (row_word - bitmaps.rows[value]) * 64 + lowest_bit(word)
            start, place = coordinate // per_start, coordinate % per_start
            written = _take_list(index, value, start, place, copying, keys, written)
            word &= word - np.uint64(1)
    return written


@kernel
def _stab(index: VciIndex, value: int, copying: bool, keys: NDArray[np.int32], written: int) -> int:
    if value < index.low or value >= index.low + index.size:
        return written
    if index.activation == TABLE:
        lists = index.lists
        headers, slots = lists.headers, lists.entries.slots
        place = value - index.low
        return _stab_by_table(index.distances, headers, slots, lists.block_shift, place, copying, keys, written)
    if index.activation == VIRTUAL:
        return _stab_by_segment(index, value - index.low, copying, keys, written)
    return _stab_by_bitmap(index, value - index.low, copying, keys, written)


@kernel
def stab_value(arrays: VciArrays, value: int) -> NDArray[np.int32]:
    """The keys of all intervals that hold a value."""
    index = index_of(arrays)
    keys = np.empty(_stab(index, value, False, np.empty(0, dtype=np.int32), 0), dtype=np.int32)
    _stab(index, value, True, keys, 0)
    return keys


@kernel
def count_stabs(
    arrays: VciArrays, values: NDArray[np.int64], order: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """How many keys each value finds, asked in an order: neighbours in value find their lists in the cache."""
    nothing = np.empty(0, dtype=np.int32)
    _stab_in_order(index_of(arrays), values, order, False, counts, nothing)


@kernel
def copy_stabs(
    arrays: VciArrays,
    values: NDArray[np.int64],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    keys: NDArray[np.int32],
) -> None:
    """Write the keys of each value where its offset says, in an order."""
    _stab_in_order(index_of(arrays), values, order, True, offsets, keys)


@kernel
def _stab_in_order(
    index: VciIndex,
    values: NDArray[np.int64],
    order: NDArray[np.int64],
    copying: bool,
    places: NDArray[np.int64],
    keys: NDArray[np.int32],
) -> None:
    """Copy the keys of each value to its place in ``keys``, or leave there how many they are."""
    low, high = index.low, index.low + index.size - 1
    distances, headers, slots = index.distances, index.lists.headers, index.lists.entries.slots
    block_shift = index.lists.block_shift
    for query in order:
        value = int(values[query])
        begin = int(places[query]) if copying else 0
        end = begin
        if index.activation != TABLE:
            end = _stab(index, value, copying, keys, begin)
        elif low <= value <= high:
            end = _stab_by_table(distances, headers, slots, block_shift, value - low, copying, keys, begin)
        if not copying:
            places[query] = end
