"""ID lists of all VCRs, packed so that one event reads a few contiguous runs.

The VCR paper (section 2.2.3) has an array of list heads in the order of equation (1), and its distance table names
every covering VCR of an event. Here the lists are kept by size, then by y, then by x. The VCRs of one size and one row
that cover a cell begin at neighbouring x, so their lists are one run of entries, and an event reads
``(2 Ly - 1)(kx + 1)`` runs.

The lists of BLOCK neighbouring x are a block: they follow one another without gaps in one run of an arena. In a block
of at most ``2**SEARCHED_LOG`` entries one is inserted by moving all behind it one place on, and deleted by searching
its list and moving them back: contiguous memory, at 16 bytes an instruction or more. In a larger block each later list
moves its first entry behind its last to make room, and the other way round to close a hole, which takes as many steps
as a block has lists, however long those are; the book knows the position of each entry, and is told of each move. To
tell it costs two cache misses, so small blocks do without. A block crosses over when it moves to a run of another
length, so that the cost is spread over as many insertions.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.vcr import (
    BEFORE,
    HEIGHT,
    NO_POSITIONS,
    NO_ROOM,
    POSITIONS,
    SPARE,
    TAKEN,
    WIDTH,
    WRAP,
    Arena,
    Book,
    Cut,
    X,
    Y,
    answers_from,
    ceiling_log,
    close_gap,
    copy_run,
    forget_record,
    give_run,
    holds_key,
    open_gap,
    piece_at,
    piece_count,
    pieces_of,
    place_of_position,
    slot_of,
    take_run,
    write_record,
)

BLOCK_LOG: Final = 3
BLOCK: Final = 1 << BLOCK_LOG
HEADER: Final = BLOCK + 1
"""The header of a block: where each of its lists begins in the arena, and where the last one ends."""


SEARCHED_LOG: Final = 12


class DirectLists(NamedTuple):
    """The lists of all VCRs of a range of ``rows`` by ``columns * BLOCK`` cells.

    No rectangle begins in the first ``Lx - 1`` columns and ``Ly - 1`` rows, so events near the edges are like others.
    """

    headers: NDArray[np.int32]
    """(blocks * HEADER); block ``(size * rows + y) * columns + x // BLOCK``, size ``j * (kx + 1) + i``."""
    capacities: NDArray[np.int8]
    """For each block the logarithm of the length of its run, or -1 where it has none."""
    entries: Arena
    answers: NDArray[np.int32]
    """Beside each entry the first cell that it answers for; empty where pieces do not overlap."""
    rows: int
    columns: int
    cut: Cut


class Runs(NamedTuple):
    """The distance table: for each run of covering VCRs, from the block of the event's own row to that of the run."""

    distances: NDArray[np.int64]
    reaches: NDArray[np.int32]
    """A run begins this many cells left of the event: one less than the width of its VCRs."""


@kernel
def block_of(lists: DirectLists, x: int, y: int, x_log: int, y_log: int) -> int:
    size = y_log * (lists.cut.x_log + 1) + x_log
    return (size * lists.rows + y) * lists.columns + (x >> BLOCK_LOG)


@kernel
def move_block(lists: DirectLists, block: int, log: int) -> bool:
    """Move a block to a run of another length; False where the arena has no room for it."""
    header = block * HEADER
    begin, end = lists.headers[header], lists.headers[header + BLOCK]
    target = take_run(lists.entries, log)
    if target == NO_ROOM:
        return False
    for place in range(end - begin):
        lists.entries.values[target + place] = lists.entries.values[begin + place]
    if lists.cut.overlapped:
        for place in range(end - begin):
            lists.answers[target + place] = lists.answers[begin + place]
    for lane in range(HEADER):
        lists.headers[header + lane] += target - begin
    if lists.capacities[block] >= 0:
        give_run(lists.entries, begin, lists.capacities[block])
    lists.capacities[block] = log
    return True


@kernel
def tell_positions(book: Book, lists: DirectLists, block: int, left: int, y: int, x_log: int, y_log: int) -> None:
    """Write down where all entries of a block are, which has just become too large to be searched."""
    header = block * HEADER
    for lane in range(BLOCK):
        for place in range(lists.headers[header + lane], lists.headers[header + lane + 1]):
            key = lists.entries.values[place]
            known = place_of_position(book, lists.cut, key, left + lane, y, x_log, y_log)
            book.positions.values[known] = place - lists.headers[header]


@kernel
def move_entry(
    book: Book, lists: DirectLists, block: int, source: int, target: int, x: int, y: int, x_log: int, y_log: int
) -> None:
    """Move an entry of the list of a VCR within its block, which is a large one, and tell the book."""
    key = lists.entries.values[source]
    lists.entries.values[target] = key
    if lists.cut.overlapped:
        lists.answers[target] = lists.answers[source]
    place = place_of_position(book, lists.cut, key, x, y, x_log, y_log)
    book.positions.values[place] = target - lists.headers[block * HEADER]


@kernel
def open_slot(book: Book, lists: DirectLists, block: int, x: int, y: int, x_log: int, y_log: int) -> int:
    """Make room at the end of the list of a VCR, in a block that has some: where that is."""
    header = block * HEADER
    lane = x & (BLOCK - 1)
    slot = int(lists.headers[header + lane + 1])
    if lists.capacities[block] <= SEARCHED_LOG:
        open_gap(lists.entries.values, slot, lists.headers[header + BLOCK])
        if lists.cut.overlapped:
            open_gap(lists.answers, slot, lists.headers[header + BLOCK])
        for later in range(lane + 1, HEADER):
            lists.headers[header + later] += 1
        return slot
    for later in range(BLOCK - 1, lane, -1):
        begin, end = lists.headers[header + later], lists.headers[header + later + 1]
        if begin < end:
            move_entry(book, lists, block, begin, end, x - lane + later, y, x_log, y_log)
        lists.headers[header + later + 1] = end + 1
    lists.headers[header + lane + 1] = slot + 1
    return slot


@kernel
def add_entry(book: Book, lists: DirectLists, key: int, answers: int, x: int, y: int, x_log: int, y_log: int) -> int:
    """Add a key to the list of a VCR: its position in the block, or NO_ROOM, when nothing was changed."""
    block = block_of(lists, x, y, x_log, y_log)
    header = block * HEADER
    size = lists.headers[header + BLOCK] - lists.headers[header]
    capacity = int(lists.capacities[block])
    if capacity < 0 or size == 1 << capacity:
        if not move_block(lists, block, capacity + 1):
            return NO_ROOM
        if capacity == SEARCHED_LOG:
            tell_positions(book, lists, block, x - (x & (BLOCK - 1)), y, x_log, y_log)
    slot = open_slot(book, lists, block, x, y, x_log, y_log)
    lists.entries.values[slot] = key
    if lists.cut.overlapped:
        lists.answers[slot] = answers
    return slot - int(lists.headers[header])


@kernel
def remove_searched(lists: DirectLists, block: int, lane: int, key: int) -> None:
    """Remove a key from a list of a block that is small enough to be searched."""
    header = block * HEADER
    place = int(lists.headers[header + lane])
    while lists.entries.values[place] != key:
        place += 1
    close_gap(lists.entries.values, place, lists.headers[header + BLOCK])
    if lists.cut.overlapped:
        close_gap(lists.answers, place, lists.headers[header + BLOCK])
    for later in range(lane + 1, HEADER):
        lists.headers[header + later] -= 1


@kernel
def remove_entry(
    book: Book, lists: DirectLists, key: int, position: int, x: int, y: int, x_log: int, y_log: int
) -> None:
    """Remove a key from the list of a VCR."""
    block = block_of(lists, x, y, x_log, y_log)
    header = block * HEADER
    lane = x & (BLOCK - 1)
    if lists.capacities[block] <= SEARCHED_LOG:
        remove_searched(lists, block, lane, key)
        shrink_block(lists, block)
        return
    hole = int(lists.headers[header]) + position
    for later in range(lane, BLOCK):
        begin, end = lists.headers[header + later], lists.headers[header + later + 1]
        if later > lane:
            lists.headers[header + later] = begin - 1
        if begin < end:
            if end - 1 != hole:
                move_entry(book, lists, block, end - 1, hole, x - lane + later, y, x_log, y_log)
            hole = int(end) - 1
    lists.headers[header + BLOCK] -= 1
    shrink_block(lists, block)


@kernel
def shrink_block(lists: DirectLists, block: int) -> None:
    """Give up the run of an empty block, and half of a run that is three quarters empty, if there is room to move."""
    header = block * HEADER
    size = lists.headers[header + BLOCK] - lists.headers[header]
    capacity = int(lists.capacities[block])
    if size == 0:
        give_run(lists.entries, lists.headers[header], capacity)
        lists.capacities[block] = -1
        lists.headers[header : header + HEADER] = 0
    elif size * 4 <= 1 << capacity:
        move_block(lists, block, capacity - 1)


@kernel
def add_rectangle(book: Book, lists: DirectLists, key: int, first_piece: int) -> int:
    """Add the pieces of a recorded key from one on; returns the first that found no room, or how many there are."""
    slot = slot_of(book, key)
    cut = lists.cut
    pieces = pieces_of(book, cut, slot)
    columns = piece_count(book.records[slot, WIDTH], cut.x_log, cut.overlapped)
    for piece in range(first_piece, pieces):
        left, x_log, x_known = piece_at(book.records[slot, WIDTH], cut.x_log, cut.overlapped, piece % columns)
        bottom, y_log, y_known = piece_at(book.records[slot, HEIGHT], cut.y_log, cut.overlapped, piece // columns)
        x, y = book.records[slot, X] + left, book.records[slot, Y] + bottom
        answers = answers_from(x + x_known, y + y_known)
        position = add_entry(book, lists, key, answers, x, y, x_log, y_log)
        if position == NO_ROOM:
            return piece
        book.positions.values[book.records[slot, POSITIONS] + piece] = position
    return pieces


@kernel
def insert_rectangle(
    book: Book, lists: DirectLists, key: int, x: int, y: int, width: int, height: int
) -> tuple[int, int]:
    """Record a key of an existing page and add its pieces, in one call, since a call costs as much as the work.

    Returns how many pieces it has and how many found room; or NO_POSITIONS or TAKEN instead, when nothing was changed.
    """
    if holds_key(book, key):
        return TAKEN, 0
    if not write_record(book, lists.cut, key, x, y, width, height):
        return NO_POSITIONS, 0
    return pieces_of(book, lists.cut, slot_of(book, key)), add_rectangle(book, lists, key, 0)


@kernel
def add_rectangles(
    book: Book, lists: DirectLists, keys: NDArray[np.int64], first_key: int, first_piece: int
) -> tuple[int, int]:
    """Add recorded keys; returns the key and the piece of it at which the room ended, or as many keys as there are."""
    piece = first_piece
    for place in range(first_key, len(keys)):
        done = add_rectangle(book, lists, keys[place], piece)
        if done < pieces_of(book, lists.cut, slot_of(book, keys[place])):
            return place, done
        piece = 0
    return len(keys), 0


@kernel
def remove_rectangle(book: Book, lists: DirectLists, key: int) -> bool:
    """Remove all the pieces of a key, and its record; False where the key is not there."""
    if not holds_key(book, key):
        return False
    slot = slot_of(book, key)
    cut = lists.cut
    columns = piece_count(book.records[slot, WIDTH], cut.x_log, cut.overlapped)
    for piece in range(pieces_of(book, cut, slot)):
        left, x_log, _ = piece_at(book.records[slot, WIDTH], cut.x_log, cut.overlapped, piece % columns)
        bottom, y_log, _ = piece_at(book.records[slot, HEIGHT], cut.y_log, cut.overlapped, piece // columns)
        x, y = book.records[slot, X] + left, book.records[slot, Y] + bottom
        position = book.positions.values[book.records[slot, POSITIONS] + piece]
        remove_entry(book, lists, key, position, x, y, x_log, y_log)
    forget_record(book, cut, slot)
    return True


@kernel
def count_entries(book: Book, lists: DirectLists, slots: NDArray[np.int64]) -> int:
    """Of empty lists: count into each header the entries to come, and return the room that all blocks need."""
    cut = lists.cut
    for slot in slots:
        width, height = book.records[slot, WIDTH], book.records[slot, HEIGHT]
        for row in range(piece_count(height, cut.y_log, cut.overlapped)):
            bottom, y_log, _ = piece_at(height, cut.y_log, cut.overlapped, row)
            for column in range(piece_count(width, cut.x_log, cut.overlapped)):
                left, x_log, _ = piece_at(width, cut.x_log, cut.overlapped, column)
                x, y = book.records[slot, X] + left, book.records[slot, Y] + bottom
                lists.headers[block_of(lists, x, y, x_log, y_log) * HEADER + 1 + (x & (BLOCK - 1))] += 1
    room = 0
    for block in range(len(lists.capacities)):
        header = block * HEADER
        size = 0
        for lane in range(1, HEADER):
            size += lists.headers[header + lane]
        lists.capacities[block] = ceiling_log(size) if size > 0 else -1
        room += 1 << ceiling_log(size) if size > 0 else 0
    return room


@kernel
def fill_entries(book: Book, lists: DirectLists, keys: NDArray[np.int64]) -> None:
    """After :func:`count_entries`, with room in the arena: give each block its run, and write all entries."""
    for block in range(len(lists.capacities)):
        if lists.capacities[block] >= 0:
            header = block * HEADER
            begin = take_run(lists.entries, lists.capacities[block])
            lists.headers[header] = begin
            for lane in range(1, HEADER):
                size = lists.headers[header + lane]
                lists.headers[header + lane] = begin  # where the list begins; counted up to where it ends
                begin += size
    cut = lists.cut
    for key in keys:
        slot = slot_of(book, key)
        width, height = book.records[slot, WIDTH], book.records[slot, HEIGHT]
        place = book.records[slot, POSITIONS]
        for row in range(piece_count(height, cut.y_log, cut.overlapped)):
            bottom, y_log, y_known = piece_at(height, cut.y_log, cut.overlapped, row)
            for column in range(piece_count(width, cut.x_log, cut.overlapped)):
                left, x_log, x_known = piece_at(width, cut.x_log, cut.overlapped, column)
                x, y = book.records[slot, X] + left, book.records[slot, Y] + bottom
                header = block_of(lists, x, y, x_log, y_log) * HEADER
                target = lists.headers[header + 1 + (x & (BLOCK - 1))]
                lists.headers[header + 1 + (x & (BLOCK - 1))] = target + 1
                lists.entries.values[target] = key
                if cut.overlapped:
                    lists.answers[target] = answers_from(x + x_known, y + y_known)
                book.positions.values[place] = target - lists.headers[header]
                place += 1


@kernel
def count_stabs(lists: DirectLists, runs: Runs, x: int, y: int) -> int:
    """How many entries the lists of all VCRs hold that cover a cell: the answers, or more where pieces overlap."""
    found = 0
    last = x >> BLOCK_LOG
    for run in range(len(runs.distances)):
        blocks = y * lists.columns + runs.distances[run]
        begin = x - runs.reaches[run]
        for column in range(begin >> BLOCK_LOG, last + 1):
            header = (blocks + column) * HEADER
            first_lane = max(begin - (column << BLOCK_LOG), 0)
            end_lane = min(x - (column << BLOCK_LOG) + 1, BLOCK)
            found += lists.headers[header + end_lane] - lists.headers[header + first_lane]
    return found


@kernel
def copy_stabs(lists: DirectLists, runs: Runs, x: int, y: int, written: int, keys: NDArray[np.int32]) -> int:
    """Write the keys of all rectangles that hold a cell behind those written; returns how many are written now.

    There must be room for all that :func:`count_stabs` counts, and SPARE more.
    """
    last = x >> BLOCK_LOG
    values, answers = lists.entries.values, lists.answers
    x_cell, y_cell = x & WRAP, y & WRAP
    for run in range(len(runs.distances)):
        blocks = y * lists.columns + runs.distances[run]
        begin = x - runs.reaches[run]
        for column in range(begin >> BLOCK_LOG, last + 1):
            header = (blocks + column) * HEADER
            first = lists.headers[header + max(begin - (column << BLOCK_LOG), 0)]
            end = lists.headers[header + min(x - (column << BLOCK_LOG) + 1, BLOCK)]
            if lists.cut.overlapped:
                for place in range(np.uint64(first), np.uint64(end)):
                    keys[np.uint64(written)] = values[place]
                    later = (x_cell - (answers[place] >> 16)) | (y_cell - (answers[place] & WRAP))
                    written += 1 if later & BEFORE == 0 else 0
            else:
                copy_run(values, first, end - first, written, keys)
                written += end - first
    return written


@kernel
def stab_cell(lists: DirectLists, runs: Runs, x: int, y: int) -> NDArray[np.int32]:
    """The keys of all rectangles that hold a cell."""
    keys = np.empty(count_stabs(lists, runs, x, y) + SPARE, dtype=np.int32)
    return keys[: copy_stabs(lists, runs, x, y, 0, keys)]


@kernel
def count_many_stabs(
    lists: DirectLists, runs: Runs, xs: NDArray[np.int64], ys: NDArray[np.int64], offsets: NDArray[np.int64]
) -> None:
    """Offsets with room for the entries of each point; a negative x or y is a point outside the range."""
    offsets[0] = 0
    for query in range(len(xs)):
        found = 0
        if xs[query] >= 0 and ys[query] >= 0:
            found = count_stabs(lists, runs, xs[query], ys[query])
        offsets[query + 1] = offsets[query] + found


@kernel
def copy_many_stabs(
    lists: DirectLists,
    runs: Runs,
    xs: NDArray[np.int64],
    ys: NDArray[np.int64],
    offsets: NDArray[np.int64],
    keys: NDArray[np.int32],
) -> None:
    """Write the answers of all points one behind the other, and where each one's begin."""
    written = 0
    offsets[0] = 0
    for query in range(len(xs)):
        if xs[query] >= 0 and ys[query] >= 0:
            written = copy_stabs(lists, runs, xs[query], ys[query], written, keys)
        offsets[query + 1] = written
