"""The arrays of a VCI index: made empty, filled at once, and looked through for contradictions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.indexes.interval.constructs import ConstructIntervals
from penstock.kernels.arena import Arena, grown_arena, has_room, new_arena
from penstock.kernels.bitmaps import size_rows
from penstock.kernels.constructs import POINTS
from penstock.kernels.packed_lists import (
    ENDS,
    KEY_MASK,
    OFFSET,
    POSITIONS,
    ROOM,
    WIDTH,
    PackedLists,
    count_all,
    fill,
    lay_out,
    list_header,
)
from penstock.kernels.vci import BITMAP, VciArrays, flip_all, index_of


def empty_arrays(
    constructs: ConstructIntervals, low: int, size: int, block_shift: int, activation: int, clipped: bool | None
) -> VciArrays:
    """An index of no intervals over ``size`` values from ``low``; ``clipped`` is ``None`` where it has no bitmaps."""
    blocks_of_length = (size + (1 << block_shift) - 1) >> block_shift
    stride = blocks_of_length << block_shift
    row_size = ENDS + 1 + (1 << block_shift)
    compiled = constructs.compiled
    rows = np.zeros(size + 1 if clipped is not None else 1, dtype=np.int64)
    if clipped is not None:
        size_rows(compiled, clipped, rows)
    entries, bookkeeping = new_arena(0), new_arena(0)
    return VciArrays(
        numbers=np.array([low, size, activation, *compiled, stride, block_shift, bool(clipped)], dtype=np.int64),
        distances=np.array(constructs.distance_runs(stride), dtype=np.int32),
        bitmap_rows=rows,
        bitmap_words=np.zeros(int(rows[-1]), dtype=np.uint64),
        headers=np.zeros(blocks_of_length * constructs.per_start * row_size, dtype=np.int32),
        entries=entries.slots,
        free_entries=entries.free,
        records=np.zeros(0, dtype=np.int32),
        bookkeeping=bookkeeping.slots,
        free_bookkeeping=bookkeeping.free,
    )


def filled_arrays(
    arrays: VciArrays, keys: NDArray[np.int64], offsets: NDArray[np.int64], widths: NDArray[np.int64]
) -> VciArrays:
    """An empty index filled with many intervals: counted, laid out, written."""
    entry_slots, bookkeeping_slots = count_all(index_of(arrays).lists, offsets, widths)
    entries, bookkeeping = new_arena(entry_slots), new_arena(bookkeeping_slots)
    arrays = arrays._replace(
        entries=entries.slots,
        free_entries=entries.free,
        records=np.zeros(int(keys.max()) + 1 if len(keys) else 0, dtype=np.int32),
        bookkeeping=bookkeeping.slots,
        free_bookkeeping=bookkeeping.free,
    )
    index = index_of(arrays)
    lay_out(index.lists)
    fill(index.lists, keys, offsets, widths)
    if index.activation == BITMAP:
        flip_all(arrays)
    return arrays


def with_room(arrays: VciArrays, entry_slots: int, bookkeeping_slots: int) -> VciArrays:
    """The same index with room for that many more slots."""
    entries = Arena(arrays.entries, arrays.free_entries)
    bookkeeping = Arena(arrays.bookkeeping, arrays.free_bookkeeping)
    if not has_room(entries, entry_slots):
        entries = grown_arena(entries, entry_slots)
    if not has_room(bookkeeping, bookkeeping_slots):
        bookkeeping = grown_arena(bookkeeping, bookkeeping_slots)
    return arrays._replace(entries=entries.slots, bookkeeping=bookkeeping.slots)


def with_room_for_key(arrays: VciArrays, key: int) -> VciArrays:
    """The same index with room for the record of a key."""
    if key < len(arrays.records):
        return arrays
    records = np.zeros(max(key + 1, len(arrays.records) * 3 // 2), dtype=np.int32)
    records[: len(arrays.records)] = arrays.records
    return arrays._replace(records=records)


def count_entries(arrays: VciArrays) -> int:
    """How many entries all lists have."""
    return int(_rows(index_of(arrays).lists)[:, -1].sum(dtype=np.int64))


def _rows(lists: PackedLists) -> NDArray[np.int32]:
    return lists.headers.reshape(-1, ENDS + 1 + (1 << lists.block_shift))


def inconsistency(arrays: VciArrays, constructs: ConstructIntervals, count: int) -> str | None:
    """What contradicts itself in an index that should hold a number of intervals; ``None`` where nothing does."""
    index = index_of(arrays)
    keys = np.flatnonzero(arrays.records).tolist()
    if len(keys) != count:
        return f"{len(keys)} keys have records, {count} are counted"
    wrong = _wrong_blocks(index.lists)
    if wrong is not None:
        return wrong
    pieces_in_all = 0
    for key in keys:
        record = int(arrays.records[key])
        low, width = int(arrays.bookkeeping[record + OFFSET]), int(arrays.bookkeeping[record + WIDTH])
        if low < 0 or low + width >= index.size:
            return f"the interval of key {key} lies outside of the range"
        wrong = _wrong_pieces(index.lists, constructs, key, low, width)
        if wrong is not None:
            return wrong
        pieces_in_all += len(constructs.decompose(low, low + width))
    in_lists = count_entries(arrays)
    return None if in_lists == pieces_in_all else f"{in_lists} entries for {pieces_in_all} pieces"


def _wrong_pieces(lists: PackedLists, constructs: ConstructIntervals, key: int, low: int, width: int) -> str | None:
    """Whether each piece of an interval is in its list, where the key's record says, marked as it must be."""
    record = int(lists.records[key])
    pieces = constructs.decompose(low, low + width)
    for number, piece in enumerate(pieces):
        list_number = constructs.lengths.index(piece.end - piece.start) * lists.stride + piece.start
        header = list_header(lists, list_number)
        position = int(lists.bookkeeping.slots[record + POSITIONS + number])
        if not lists.headers[header] <= position < lists.headers[header + 1]:
            return f"piece {number} of key {key} is said to be outside of its list"
        run = int(_rows(lists)[list_number >> lists.block_shift, 0])
        entry = int(lists.entries.slots[run + position])
        answers_at_end = number == len(pieces) - 1 and (width > 0 or lists.constructs.kind == POINTS)
        if entry & KEY_MASK != key or (entry == key) != answers_at_end:
            return f"piece {number} of key {key} is said to be where {entry} is"
    return None


def _wrong_blocks(lists: PackedLists) -> str | None:
    rows = _rows(lists)
    runs, rooms, ends = rows[:, 0].astype(np.int64), rows[:, ROOM].astype(np.int64), rows[:, ENDS:]
    if np.any(ends[:, 0] != 0) or np.any(np.diff(ends, axis=1) < 0):
        return "a list ends before it begins"
    counts = ends[:, -1]
    if np.any(counts > rooms) or np.any((counts == 0) != (runs == 0)):
        return "a block has more entries than room, or a run without entries"
    order = np.flatnonzero(runs)[np.argsort(runs[runs != 0])]
    if np.any((runs + rooms)[order][:-1] > runs[order][1:]):
        return "the runs of two blocks overlap"
    return None
