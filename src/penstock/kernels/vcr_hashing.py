"""VCR hashing (VCR paper, section 2.2.3): ID lists only of the VCRs that are activated.

The ID of a VCR (equation 1) is randomised and divided by a prime, the size of the table; VCRs of one remainder are
chained. A list is a run of an arena, and an entry is deleted by moving the last one into its place, whose key then
has its position told. A distance table in the paper's numbering names the VCRs that cover an event.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.mixing import randomised
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
    copy_run,
    forget_record,
    give_run,
    holds_key,
    piece_at,
    piece_count,
    pieces_of,
    place_of_position,
    slot_of,
    take_run,
    write_record,
)

USED: Final = 0
FREE: Final = 1
ACTIVATED: Final = 2
"""The counts of a table: nodes ever used, the first free node or -1, nodes in chains."""

BEGIN: Final = 0
SIZE: Final = 1
CAPACITY: Final = 2
NEXT: Final = 3
NODE: Final = 4
"""The columns of a node: its list's run, how long that is, the logarithm of its room, the next node of the chain."""


class HashedLists(NamedTuple):
    """A table of chains of nodes; a node is an activated VCR with its list."""

    heads: NDArray[np.int32]
    """The first node of each chain, or -1; a prime number of them."""
    ids: NDArray[np.int64]
    nodes: NDArray[np.int32]
    """(node, NODE)"""
    counts: NDArray[np.int64]
    entries: Arena
    answers: NDArray[np.int32]
    """Beside each entry the first cell that it answers for; empty where pieces do not overlap."""
    columns: int
    """How many cells a row of the range has: Rx of equation (1)."""
    cut: Cut


@kernel
def chain_of(lists: HashedLists, vcr: int) -> int:
    return int(randomised(vcr) % np.uint64(len(lists.heads)))


@kernel
def vcr_of(lists: HashedLists, x: int, y: int, x_log: int, y_log: int) -> int:
    """Equation (1)."""
    sizes = (lists.cut.x_log + 1) * (lists.cut.y_log + 1)
    return sizes * (int(x) + int(y) * lists.columns) + y_log * (lists.cut.x_log + 1) + x_log


@kernel
def find_node(lists: HashedLists, vcr: int) -> int:
    """The node of a VCR, or -1 where it is not activated."""
    node = int(lists.heads[chain_of(lists, vcr)])
    while node >= 0 and lists.ids[node] != vcr:
        node = int(lists.nodes[node, NEXT])
    return node


@kernel
def activate(lists: HashedLists, vcr: int) -> int:
    """A new node for a VCR, with a list of no entries in a run of one; NO_ROOM where nodes or runs have none."""
    if lists.counts[FREE] < 0 and lists.counts[USED] == len(lists.ids):
        return NO_ROOM
    begin = take_run(lists.entries, 0)
    if begin == NO_ROOM:
        return NO_ROOM
    node = int(lists.counts[FREE])
    if node >= 0:
        lists.counts[FREE] = lists.nodes[node, NEXT]
    else:
        node = int(lists.counts[USED])
        lists.counts[USED] = node + 1
    chain = chain_of(lists, vcr)
    lists.ids[node] = vcr
    lists.nodes[node, BEGIN] = begin
    lists.nodes[node, SIZE] = 0
    lists.nodes[node, CAPACITY] = 0
    lists.nodes[node, NEXT] = lists.heads[chain]
    lists.heads[chain] = node
    lists.counts[ACTIVATED] += 1
    return node


@kernel
def deactivate(lists: HashedLists, node: int) -> None:
    """Take a node whose list is empty out of its chain."""
    chain = chain_of(lists, lists.ids[node])
    before = int(lists.heads[chain])
    if before == node:
        lists.heads[chain] = lists.nodes[node, NEXT]
    else:
        while lists.nodes[before, NEXT] != node:
            before = int(lists.nodes[before, NEXT])
        lists.nodes[before, NEXT] = lists.nodes[node, NEXT]
    give_run(lists.entries, lists.nodes[node, BEGIN], lists.nodes[node, CAPACITY])
    lists.nodes[node, NEXT] = lists.counts[FREE]
    lists.counts[FREE] = node
    lists.counts[ACTIVATED] -= 1


@kernel
def move_list(lists: HashedLists, node: int, log: int) -> bool:
    """Move a list to a run of another length; False where the arena has no room for it."""
    target = take_run(lists.entries, log)
    if target == NO_ROOM:
        return False
    begin = lists.nodes[node, BEGIN]
    for place in range(lists.nodes[node, SIZE]):
        lists.entries.values[target + place] = lists.entries.values[begin + place]
        if lists.cut.overlapped:
            lists.answers[target + place] = lists.answers[begin + place]
    give_run(lists.entries, begin, lists.nodes[node, CAPACITY])
    lists.nodes[node, BEGIN] = target
    lists.nodes[node, CAPACITY] = log
    return True


@kernel
def append_entry(lists: HashedLists, vcr: int, key: int, answers: int) -> int:
    """Add a key to the list of a VCR: its position in the list, or NO_ROOM, when nothing was changed."""
    node = find_node(lists, vcr)
    if node < 0:
        node = activate(lists, vcr)
        if node == NO_ROOM:
            return NO_ROOM
    size, capacity = int(lists.nodes[node, SIZE]), int(lists.nodes[node, CAPACITY])
    if size == 1 << capacity and not move_list(lists, node, capacity + 1):
        return NO_ROOM
    target = lists.nodes[node, BEGIN] + size
    lists.entries.values[target] = key
    if lists.cut.overlapped:
        lists.answers[target] = answers
    lists.nodes[node, SIZE] = size + 1
    return size


@kernel
def drop_entry(book: Book, lists: HashedLists, position: int, x: int, y: int, x_log: int, y_log: int) -> None:
    """Remove the entry at a position of the list of a VCR: the last one takes its place."""
    node = find_node(lists, vcr_of(lists, x, y, x_log, y_log))
    begin = lists.nodes[node, BEGIN]
    last = lists.nodes[node, SIZE] - 1
    lists.nodes[node, SIZE] = last
    if position < last:
        key = lists.entries.values[begin + last]
        lists.entries.values[begin + position] = key
        if lists.cut.overlapped:
            lists.answers[begin + position] = lists.answers[begin + last]
        book.positions.values[place_of_position(book, lists.cut, key, x, y, x_log, y_log)] = position
    capacity = int(lists.nodes[node, CAPACITY])
    if last == 0:
        deactivate(lists, node)
    elif last * 4 <= 1 << capacity:
        move_list(lists, node, capacity - 1)


@kernel
def enter_rectangle(book: Book, lists: HashedLists, key: int, first_piece: int) -> int:
    """Enter the pieces of a recorded key from one on; returns the first that found no room, or how many there are."""
    slot = slot_of(book, key)
    cut = lists.cut
    pieces = pieces_of(book, cut, slot)
    columns = piece_count(book.records[slot, WIDTH], cut.x_log, cut.overlapped)
    for piece in range(first_piece, pieces):
        left, x_log, x_known = piece_at(book.records[slot, WIDTH], cut.x_log, cut.overlapped, piece % columns)
        bottom, y_log, y_known = piece_at(book.records[slot, HEIGHT], cut.y_log, cut.overlapped, piece // columns)
        x, y = book.records[slot, X] + left, book.records[slot, Y] + bottom
        answers = answers_from(x + x_known, y + y_known)
        position = append_entry(lists, vcr_of(lists, x, y, x_log, y_log), key, answers)
        if position == NO_ROOM:
            return piece
        book.positions.values[book.records[slot, POSITIONS] + piece] = position
    return pieces


@kernel
def enter_new_rectangle(
    book: Book, lists: HashedLists, key: int, x: int, y: int, width: int, height: int
) -> tuple[int, int]:
    """Record a key of an existing page and enter its pieces, in one call, since a call costs as much as the work.

    Returns how many pieces it has and how many found room; or NO_POSITIONS or TAKEN instead, when nothing was changed.
    """
    if holds_key(book, key):
        return TAKEN, 0
    if not write_record(book, lists.cut, key, x, y, width, height):
        return NO_POSITIONS, 0
    return pieces_of(book, lists.cut, slot_of(book, key)), enter_rectangle(book, lists, key, 0)


@kernel
def enter_rectangles(
    book: Book, lists: HashedLists, keys: NDArray[np.int64], first_key: int, first_piece: int
) -> tuple[int, int]:
    """Enter recorded keys; returns the key and the piece of it at which the room ended, or the number of keys."""
    piece = first_piece
    for place in range(first_key, len(keys)):
        done = enter_rectangle(book, lists, keys[place], piece)
        if done < pieces_of(book, lists.cut, slot_of(book, keys[place])):
            return place, done
        piece = 0
    return len(keys), 0


@kernel
def withdraw_rectangle(book: Book, lists: HashedLists, key: int) -> bool:
    """Remove all the pieces of a key, and its record; False where the key is not there."""
    if not holds_key(book, key):
        return False
    slot = slot_of(book, key)
    cut = lists.cut
    columns = piece_count(book.records[slot, WIDTH], cut.x_log, cut.overlapped)
    for piece in range(pieces_of(book, cut, slot)):
        left, x_log, _ = piece_at(book.records[slot, WIDTH], cut.x_log, cut.overlapped, piece % columns)
        bottom, y_log, _ = piece_at(book.records[slot, HEIGHT], cut.y_log, cut.overlapped, piece // columns)
        position = book.positions.values[book.records[slot, POSITIONS] + piece]
        drop_entry(book, lists, position, book.records[slot, X] + left, book.records[slot, Y] + bottom, x_log, y_log)
    forget_record(book, cut, slot)
    return True


@kernel
def rehash(old: HashedLists, heads: NDArray[np.int32]) -> None:
    """Chain all nodes into a table of another size, all of whose heads are -1."""
    for chain in range(len(old.heads)):
        node = int(old.heads[chain])
        while node >= 0:
            following = int(old.nodes[node, NEXT])
            target = int(randomised(old.ids[node]) % np.uint64(len(heads)))
            old.nodes[node, NEXT] = heads[target]
            heads[target] = node
            node = following


@kernel
def look_up_stabs(
    lists: HashedLists, distances: NDArray[np.int64], x: int, y: int, nodes: NDArray[np.int32]
) -> tuple[int, int]:
    """The nodes of the activated VCRs that cover a cell: how many, and how many entries their lists have."""
    pivot = vcr_of(lists, x, y, 0, 0)
    found, entries = 0, 0
    for distance in distances:
        node = find_node(lists, pivot + distance)
        if node >= 0:
            nodes[found] = node
            found += 1
            entries += lists.nodes[node, SIZE]
    return found, entries


@kernel
def copy_lists(
    lists: HashedLists, nodes: NDArray[np.int32], found: int, x: int, y: int, written: int, keys: NDArray[np.int32]
) -> int:
    """Write the keys that answer for a cell behind those written; returns how many are written now."""
    values, answers = lists.entries.values, lists.answers
    x_cell, y_cell = x & WRAP, y & WRAP
    for number in range(found):
        begin, size = lists.nodes[nodes[number], BEGIN], lists.nodes[nodes[number], SIZE]
        if lists.cut.overlapped:
            for place in range(begin, begin + size):
                keys[written] = values[place]
                later = (x_cell - (answers[place] >> 16)) | (y_cell - (answers[place] & WRAP))
                written += 1 if later & BEFORE == 0 else 0
        else:
            copy_run(values, begin, size, written, keys)
            written += size
    return written


@kernel
def stab_hashed_cell(lists: HashedLists, distances: NDArray[np.int64], x: int, y: int) -> NDArray[np.int32]:
    """The keys of all rectangles that hold a cell."""
    nodes = np.empty(len(distances), dtype=np.int32)
    found, entries = look_up_stabs(lists, distances, x, y, nodes)
    keys = np.empty(entries + SPARE, dtype=np.int32)
    return keys[: copy_lists(lists, nodes, found, x, y, 0, keys)]


@kernel
def stab_hashed_cells(
    lists: HashedLists,
    distances: NDArray[np.int64],
    xs: NDArray[np.int64],
    ys: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> NDArray[np.int32]:
    """The same for many cells, into room that doubles when it ends: to look all VCRs up twice would cost more.

    A negative x or y is a point outside the range.
    """
    nodes = np.empty(len(distances), dtype=np.int32)
    keys = np.empty(4096, dtype=np.int32)
    written = 0
    offsets[0] = 0
    for query in range(len(xs)):
        if xs[query] >= 0 and ys[query] >= 0:
            found, entries = look_up_stabs(lists, distances, xs[query], ys[query], nodes)
            if written + entries + SPARE > len(keys):
                wider = np.empty(max(2 * len(keys), written + entries + SPARE), dtype=np.int32)
                wider[:written] = keys[:written]
                keys = wider
            written = copy_lists(lists, nodes, found, xs[query], ys[query], written, keys)
        offsets[query + 1] = written
    return keys[:written]
