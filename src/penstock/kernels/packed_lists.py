"""Lists of keys for construct intervals, packed so that neighbouring lists are one stretch of memory.

Lists are numbered length-major: all construct intervals of the first length by their starts, then those of the next.
Those of one length that cover a value begin at consecutive values, so their lists are neighbours. A block is a number
of consecutive lists, packed without gaps in one run of an arena; a header is the end of its list within the block.

An entry goes to the end of its list after each later list of the block has moved its first entry behind its last one,
which opens a slot; removing one is the reverse. That is as many moves as a block has lists, at most, however many
entries there are. What has moved is told to the record of its key: the offset of the start, the width, and where in
its block the entry of each piece stands. Which piece a list holds follows from its number by arithmetic.

An entry is a key, and CONTINUES on every piece but the last of its interval: the next piece answers for the value that
both share.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, class_size, give_back_run, size_class, take_run
from penstock.kernels.compiling import kernel
from penstock.kernels.constructs import (
    POINTS,
    Constructs,
    count_pieces,
    covered_width,
    index_of_length,
    next_length,
    piece_number,
)

CONTINUES: Final = 1 << 30
KEY_MASK: Final = CONTINUES - 1

OFFSET: Final = 0
"""Where in a record the start of the interval is, counted from the first value of the range."""
WIDTH: Final = 1
POSITIONS: Final = 2
"""Where in a record the positions of the pieces begin."""

LEAST_ROOM: Final = 4


ROOM: Final = 1
"""Where in the row of a block the room of its run is, in entries; the run itself comes before it."""
ENDS: Final = 2


class PackedLists(NamedTuple):
    """All lists. The lists of one length take ``stride`` numbers, a multiple of the ``1 << block_shift`` of a block.

    The row of a block in ``headers`` is its run of entries, the room of that run (both 0 where it has none), a 0 for
    where its first list begins, and the end of each list within the block.
    """

    constructs: Constructs
    stride: int
    block_shift: int
    headers: NDArray[np.int32]
    entries: Arena
    records: NDArray[np.int32]
    """For each key, its record in the bookkeeping: 0 where the key is not in use."""
    bookkeeping: Arena


@kernel
def block_row(lists: PackedLists, block: int) -> int:
    """Where in the headers the row of a block begins."""
    return block * (ENDS + 1 + (1 << lists.block_shift))


@kernel
def list_header(lists: PackedLists, number: int) -> int:
    """Where in the headers the begin of a list is; its end comes next."""
    within = number & ((1 << lists.block_shift) - 1)
    return block_row(lists, number >> lists.block_shift) + ENDS + within


@kernel
def is_empty(lists: PackedLists, number: int) -> bool:
    header = list_header(lists, number)
    return bool(lists.headers[header] == lists.headers[header + 1])


@kernel
def _tell(
    constructs: Constructs,
    records: NDArray[np.int32],
    bookkeeping: NDArray[np.int32],
    index: int,
    start: int,
    entry: int,
    position: int,
) -> None:
    """Note in the record of an entry's key where, in its block, the entry for a length index and a start stands.

    It takes the arrays by themselves, as it is called for each move: passing all of them each time would cost more than
    the move.
    """
    record = int(records[entry & KEY_MASK])
    low, width = int(bookkeeping[record + OFFSET]), int(bookkeeping[record + WIDTH])
    bookkeeping[record + POSITIONS + piece_number(constructs, low, width, start, index)] = position


@kernel
def _enlarge(lists: PackedLists, row: int) -> None:
    """Move a full block to a run with twice the room."""
    count = int(lists.headers[row + ROOM])
    number = size_class(LEAST_ROOM if count == 0 else 2 * count)
    slots = lists.entries.slots
    run = take_run(lists.entries, number)
    if count > 0:
        old = int(lists.headers[row])
        for place in range(count):
            slots[run + place] = slots[old + place]
        give_back_run(lists.entries, old, size_class(count))
    lists.headers[row] = run
    lists.headers[row + ROOM] = class_size(number)


@kernel
def add_entry(lists: PackedLists, number: int, entry: int) -> int:
    """Put an entry at the end of a list and note where; how many other entries moved."""
    headers, slots = lists.headers, lists.entries.slots
    constructs, records, bookkeeping = lists.constructs, lists.records, lists.bookkeeping.slots
    index = number // lists.stride
    start = number - index * lists.stride
    row = block_row(lists, number >> lists.block_shift)
    here = list_header(lists, number) + 1
    last = row + ENDS + (1 << lists.block_shift)
    gap = int(headers[last])
    if gap == headers[row + ROOM]:
        _enlarge(lists, row)
    run = int(headers[row])
    moves = 0
    for later in range(last, here, -1):
        begin = int(headers[later - 1])
        if begin < headers[later]:
            moving = int(slots[run + begin])
            slots[run + gap] = moving
            _tell(constructs, records, bookkeeping, index, start + later - here, moving, gap)
            gap = begin
            moves += 1
        headers[later] += 1
    slots[run + gap] = entry
    headers[here] += 1
    _tell(constructs, records, bookkeeping, index, start, entry, gap)
    return moves


@kernel
def remove_entry(lists: PackedLists, number: int, position: int) -> int:
    """Take the entry at a position of its block out of its list; how many other entries moved."""
    headers, slots = lists.headers, lists.entries.slots
    constructs, records, bookkeeping = lists.constructs, lists.records, lists.bookkeeping.slots
    index = number // lists.stride
    start = number - index * lists.stride
    row = block_row(lists, number >> lists.block_shift)
    here = list_header(lists, number) + 1
    last = row + ENDS + (1 << lists.block_shift)
    run = int(headers[row])
    gap = int(headers[here]) - 1
    moves = 0
    if position != gap:
        moving = int(slots[run + gap])
        slots[run + position] = moving
        _tell(constructs, records, bookkeeping, index, start, moving, position)
        moves += 1
    headers[here] = gap
    for later in range(here + 1, last + 1):
        end = int(headers[later]) - 1
        if end > gap:
            moving = int(slots[run + end])
            slots[run + gap] = moving
            _tell(constructs, records, bookkeeping, index, start + later - here, moving, gap)
            gap = end
            moves += 1
        headers[later] = end
    if headers[last] == 0:
        give_back_run(lists.entries, run, size_class(int(headers[row + ROOM])))
        headers[row] = 0
        headers[row + ROOM] = 0
    return moves


@kernel
def entry_of_piece(constructs: Constructs, key: int, width: int, is_last: bool) -> int:
    """What a list holds for a piece of an interval. The end of a lone value's construct interval never answers."""
    if is_last and (width > 0 or constructs.kind == POINTS):
        return key
    return key | CONTINUES


@kernel
def room_for_interval(lists: PackedLists, offset: int, width: int) -> tuple[int, int]:
    """How many slots of entries and of bookkeeping an interval needs at most, beyond free runs."""
    pieces = count_pieces(lists.constructs, width)
    remaining = covered_width(lists.constructs, width)
    lists_in_block = 1 << lists.block_shift
    start = offset
    needed = 0
    for _ in range(pieces):
        length = next_length(lists.constructs, remaining)
        number = index_of_length(lists.constructs, length) * lists.stride + start
        row = block_row(lists, number >> lists.block_shift)
        # Pieces before this one may go to the same block: as many as it has lists, at most.
        count = int(lists.headers[row + ENDS + lists_in_block]) + min(pieces, lists_in_block)
        if count > lists.headers[row + ROOM]:
            needed += class_size(size_class(max(LEAST_ROOM, 2 * count)))
        start += max(1, length)
        remaining -= length
    return needed, class_size(size_class(POSITIONS + pieces))


@kernel
def _count_pieces_in_lists(lists: PackedLists, offset: int, width: int) -> int:
    """Add 1 to the end of each list that an interval goes to; how many they are."""
    constructs = lists.constructs
    pieces = count_pieces(constructs, width)
    remaining = covered_width(constructs, width)
    start = offset
    for _ in range(pieces):
        length = next_length(constructs, remaining)
        lists.headers[list_header(lists, index_of_length(constructs, length) * lists.stride + start) + 1] += 1
        start += max(1, length)
        remaining -= length
    return pieces


@kernel
def count_all(lists: PackedLists, offsets: NDArray[np.int64], widths: NDArray[np.int64]) -> tuple[int, int]:
    """Leave in the headers how many entries each list will have.

    Returns how many slots of entries and of bookkeeping that takes.
    """
    bookkeeping_slots = 0
    for interval in range(len(offsets)):
        pieces = _count_pieces_in_lists(lists, int(offsets[interval]), int(widths[interval]))
        bookkeeping_slots += class_size(size_class(POSITIONS + pieces))
    entry_slots = 0
    row_size = block_row(lists, 1)
    for row in range(0, len(lists.headers), row_size):
        in_block = 0
        for header in range(row + ENDS + 1, row + row_size):
            in_block += int(lists.headers[header])
        if in_block > 0:
            entry_slots += class_size(size_class(in_block))
    return entry_slots, bookkeeping_slots


@kernel
def lay_out(lists: PackedLists) -> None:
    """Take a run for each block, and turn the counts in the headers into begins; filling makes them ends."""
    row_size = block_row(lists, 1)
    for row in range(0, len(lists.headers), row_size):
        in_block = 0
        for header in range(row + ENDS + 1, row + row_size):
            count = int(lists.headers[header])
            lists.headers[header] = in_block
            in_block += count
        if in_block > 0:
            chosen = size_class(in_block)
            lists.headers[row] = take_run(lists.entries, chosen)
            lists.headers[row + ROOM] = class_size(chosen)


@kernel
def new_record(lists: PackedLists, key: int, offset: int, width: int, pieces: int) -> int:
    """A record for a key; the positions are yet to be told."""
    record = take_run(lists.bookkeeping, size_class(POSITIONS + pieces))
    lists.records[key] = record
    lists.bookkeeping.slots[record + OFFSET] = offset
    lists.bookkeeping.slots[record + WIDTH] = width
    return record


@kernel
def fill(lists: PackedLists, keys: NDArray[np.int64], offsets: NDArray[np.int64], widths: NDArray[np.int64]) -> None:
    """Put intervals into lists that were counted and laid out for them."""
    constructs = lists.constructs
    headers, slots, bookkeeping = lists.headers, lists.entries.slots, lists.bookkeeping.slots
    for interval in range(len(keys)):
        key, width = int(keys[interval]), int(widths[interval])
        pieces = count_pieces(constructs, width)
        start = int(offsets[interval])
        record = new_record(lists, key, start, width, pieces)
        remaining = covered_width(constructs, width)
        for piece in range(pieces):
            length = next_length(constructs, remaining)
            number = index_of_length(constructs, length) * lists.stride + start
            end = list_header(lists, number) + 1
            position = int(headers[end])
            run = int(headers[block_row(lists, number >> lists.block_shift)])
            slots[run + position] = entry_of_piece(constructs, key, width, piece == pieces - 1)
            headers[end] = position + 1
            bookkeeping[record + POSITIONS + piece] = position
            start += max(1, length)
            remaining -= length


@kernel
def held_intervals(
    lists: PackedLists, keys: NDArray[np.int64], offsets: NDArray[np.int64], widths: NDArray[np.int64]
) -> None:
    """Write down the key, offset and width of each interval, by key."""
    written = 0
    for key in range(len(lists.records)):
        record = int(lists.records[key])
        if record != 0:
            keys[written] = key
            offsets[written] = lists.bookkeeping.slots[record + OFFSET]
            widths[written] = lists.bookkeeping.slots[record + WIDTH]
            written += 1
