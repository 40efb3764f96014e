"""Rectangles cut into VCRs: the arithmetic of pieces, what is known of each key, and runs in an arena.

A VCR (virtual construct rectangle, VCR paper section 2.1) is a rectangle with power-of-two sides. A rectangle of cells
is cut along each axis on its own, so its pieces are the rows and columns of a small table: piece ``row * columns +
column``. Which piece of a rectangle a given VCR is follows from arithmetic, and nothing is searched.

Direct lists (:mod:`penstock.kernels.vcr_direct`) and hashed ones (:mod:`penstock.kernels.vcr_hashing`) share this.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel

PAGE_BITS: Final = 8
"""Keys come in pages of 256, so that a key of a thousand million does not ask for as many records."""

NO_ROOM: Final = -1
NO_POSITIONS: Final = -2
TAKEN: Final = -3

SPARE: Final = 8
"""Values that stay unused at the end of an arena, so that runs can be copied eight values at a time."""

X: Final = 0
Y: Final = 1
WIDTH: Final = 2
HEIGHT: Final = 3
POSITIONS: Final = 4
RECORD: Final = 5
"""The columns of a record: where the rectangle begins, how many cells it has, where its positions are."""

WRAP: Final = 0x7FFF
BEFORE: Final = 0x4000
"""Where a piece begins to answer is kept modulo 2**15; sides are at most 2**12, so a difference tells its sign."""

LARGEST_LOG: Final = 12


class Arena(NamedTuple):
    """Runs of power-of-two length in one array, with a chain of free runs for each length."""

    values: NDArray[np.int32]
    free: NDArray[np.int32]
    """The first free run of each length, or -1; the first value of a free run is the next free run."""
    used: NDArray[np.int64]
    """One number: all values from here on were never used."""


class Book(NamedTuple):
    """What is known of each key: its rectangle, and for each piece of it where in its list its entry is."""

    pages: NDArray[np.int32]
    """Which page of records a run of 256 keys has, or -1."""
    records: NDArray[np.int32]
    """(slot, RECORD); a width of 0 means that the key is not in use."""
    positions: Arena


class Cut(NamedTuple):
    """How rectangles are cut: the logarithms of the largest sides, and by which decomposition."""

    x_log: int
    y_log: int
    overlapped: bool


@kernel
def count_bits(value: int) -> int:
    """The set bits of a number below 2**16; without branches, which would stall on values that memory still owes."""
    value = value - ((value >> 1) & 0x5555)
    value = (value & 0x3333) + ((value >> 2) & 0x3333)
    value = (value + (value >> 4)) & 0x0F0F
    return (value + (value >> 8)) & 0x1F


@kernel
def floor_log(value: int) -> int:
    log = 0
    while value > 1:
        value >>= 1
        log += 1
    return log


@kernel
def ceiling_log(value: int) -> int:
    """The smallest power of two that is at least a positive value, as its logarithm."""
    return floor_log(value - 1) + 1 if value > 1 else 0


@kernel
def piece_count(length: int, largest: int, overlapped: bool) -> int:
    """Into how many pieces one side is cut, none longer than ``2**largest``."""
    if overlapped:
        log = min(largest, floor_log(length))
        return (length + (1 << log) - 1) >> log
    return (length >> largest) + count_bits(length & ((1 << largest) - 1))


@kernel
def piece_at(length: int, largest: int, overlapped: bool, number: int) -> tuple[int, int, int]:
    """Piece ``number`` of one side: where it begins, its logarithm, and how many of its cells earlier pieces answer."""
    if overlapped:
        log = min(largest, floor_log(length))
        unshifted = number << log
        begin = min(unshifted, length - (1 << log))
        return begin, log, unshifted - begin
    whole = length >> largest
    if number < whole:
        return number << largest, largest, 0
    begin = whole << largest
    rest = length - begin
    log = floor_log(rest)
    for _ in range(number - whole):
        begin += 1 << log
        rest -= 1 << log
        log = floor_log(rest)
    return begin, log, 0


@kernel
def piece_number(length: int, largest: int, overlapped: bool, begin: int, log: int) -> int:
    """Which piece of one side begins there with that logarithm: the inverse of :func:`piece_at`."""
    if overlapped:
        if begin == length - (1 << log):
            return ((length + (1 << log) - 1) >> log) - 1
        return begin >> log
    if log == largest:
        return begin >> largest
    return (length >> largest) + count_bits((length & ((1 << largest) - 1)) >> (log + 1))


@kernel
def answers_from(x: int, y: int) -> int:
    """The first cell that a piece answers for, packed; both coordinates modulo 2**15."""
    return ((x & WRAP) << 16) | (y & WRAP)


@kernel
def slot_of(book: Book, key: int) -> int:
    """The record of a key, or -1 where no key of its page was ever in use."""
    page = key >> PAGE_BITS
    if page >= len(book.pages) or book.pages[page] < 0:
        return -1
    return (int(book.pages[page]) << PAGE_BITS) | (key & ((1 << PAGE_BITS) - 1))


@kernel
def holds_key(book: Book, key: int) -> bool:
    slot = slot_of(book, key)
    return slot >= 0 and book.records[slot, WIDTH] > 0


@kernel
def first_taken(book: Book, keys: NDArray[np.int64]) -> int:
    """The place of the first of these keys that is in use, or -1."""
    for place in range(len(keys)):
        if holds_key(book, keys[place]):
            return place
    return -1


@kernel
def pieces_of(book: Book, cut: Cut, slot: int) -> int:
    columns = piece_count(book.records[slot, WIDTH], cut.x_log, cut.overlapped)
    return columns * piece_count(book.records[slot, HEIGHT], cut.y_log, cut.overlapped)


@kernel
def total_pieces(widths: NDArray[np.int64], heights: NDArray[np.int64], cut: Cut) -> tuple[int, int, int]:
    """Of many rectangles: the pieces, those of the rectangle that has most, and the room that their positions take."""
    total, most, room = 0, 0, 0
    for place in range(len(widths)):
        columns = piece_count(widths[place], cut.x_log, cut.overlapped)
        pieces = columns * piece_count(heights[place], cut.y_log, cut.overlapped)
        total += pieces
        most = max(most, pieces)
        room += 1 << ceiling_log(pieces)
    return total, most, room


@kernel
def position_logs(widths: NDArray[np.int64], heights: NDArray[np.int64], cut: Cut, lengths: NDArray[np.int64]) -> None:
    """Of many rectangles: the logarithms of the lengths of the runs that hold their positions."""
    for place in range(len(widths)):
        columns = piece_count(widths[place], cut.x_log, cut.overlapped)
        lengths[place] = ceiling_log(columns * piece_count(heights[place], cut.y_log, cut.overlapped))


@kernel
def write_record(book: Book, cut: Cut, key: int, x: int, y: int, width: int, height: int) -> bool:
    """Give a key of an existing page its rectangle; False where the positions have no room."""
    columns = piece_count(width, cut.x_log, cut.overlapped)
    pieces = columns * piece_count(height, cut.y_log, cut.overlapped)
    positions = take_run(book.positions, ceiling_log(pieces))
    if positions == NO_ROOM:
        return False
    slot = slot_of(book, key)
    book.records[slot, X] = x
    book.records[slot, Y] = y
    book.records[slot, WIDTH] = width
    book.records[slot, HEIGHT] = height
    book.records[slot, POSITIONS] = positions
    return True


@kernel
def write_records(
    book: Book,
    cut: Cut,
    keys: NDArray[np.int64],
    xs: NDArray[np.int64],
    ys: NDArray[np.int64],
    widths: NDArray[np.int64],
    heights: NDArray[np.int64],
) -> int:
    """The same for many; the positions must have room. A key that is there already stops it: its place, or -1."""
    for place in range(len(keys)):
        if holds_key(book, keys[place]):
            return place
        write_record(book, cut, keys[place], xs[place], ys[place], widths[place], heights[place])
    return -1


@kernel
def forget_record(book: Book, cut: Cut, slot: int) -> None:
    pieces = pieces_of(book, cut, slot)
    give_run(book.positions, book.records[slot, POSITIONS], ceiling_log(pieces))
    book.records[slot, WIDTH] = 0


@kernel
def place_of_position(book: Book, cut: Cut, key: int, x: int, y: int, x_log: int, y_log: int) -> int:
    """Where the position of the entry is kept that a key has in the list of one VCR."""
    slot = slot_of(book, key)
    width = book.records[slot, WIDTH]
    height = book.records[slot, HEIGHT]
    column = piece_number(width, cut.x_log, cut.overlapped, x - book.records[slot, X], x_log)
    row = piece_number(height, cut.y_log, cut.overlapped, y - book.records[slot, Y], y_log)
    columns = piece_count(width, cut.x_log, cut.overlapped)
    return int(book.records[slot, POSITIONS]) + row * columns + column


@kernel
def take_run(arena: Arena, log: int) -> int:
    """Where a run of ``2**log`` values begins that nobody else has, or NO_ROOM."""
    free = int(arena.free[log])
    if free >= 0:
        arena.free[log] = arena.values[free]
        return free
    begin = int(arena.used[0])
    end = begin + (1 << int(log))
    if end + SPARE > len(arena.values):
        return NO_ROOM
    arena.used[0] = end
    return begin


@kernel
def give_run(arena: Arena, begin: int, log: int) -> None:
    """Take a run back."""
    arena.values[begin] = arena.free[log]
    arena.free[log] = begin


@kernel
def copy_run(values: NDArray[np.int32], begin: int, count: int, written: int, keys: NDArray[np.int32]) -> None:
    """Copy a run behind what is written, eight values at a time; both arrays have SPARE values behind it.

    Runs are short. A plain loop is compiled into one over 32 values and a slow rest, which is where all the time goes:
    this takes a fifth of it. Indices are unsigned, since a signed one might count from the end and would be tested.
    """
    source, target = np.uint64(begin), np.uint64(written)
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    five, six, seven, eight = np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)
    end = source + np.uint64(count)
    while source < end:
        a, b, c, d = values[source], values[source + one], values[source + two], values[source + three]
        e, f, g, h = values[source + four], values[source + five], values[source + six], values[source + seven]
        keys[target], keys[target + one], keys[target + two], keys[target + three] = a, b, c, d
        keys[target + four], keys[target + five], keys[target + six], keys[target + seven] = e, f, g, h
        source += eight
        target += eight


@kernel
def open_gap(values: NDArray[np.int32], begin: int, end: int) -> None:
    """Move ``values[begin:end]`` one place to the right, from its end, eight values at a time."""
    place = end
    while place - begin >= 8:
        at = np.uint64(place - 8)
        one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
        five, six, seven, eight = np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)
        a, b, c, d = values[at], values[at + one], values[at + two], values[at + three]
        e, f, g, h = values[at + four], values[at + five], values[at + six], values[at + seven]
        values[at + one], values[at + two], values[at + three], values[at + four] = a, b, c, d
        values[at + five], values[at + six], values[at + seven], values[at + eight] = e, f, g, h
        place -= 8
    while place > begin:
        values[place] = values[place - 1]
        place -= 1


@kernel
def close_gap(values: NDArray[np.int32], gap: int, end: int) -> None:
    """Move ``values[gap + 1:end]`` one place to the left, over the gap."""
    place = gap
    while end - place > 8:
        at = np.uint64(place)
        one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
        five, six, seven, eight = np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)
        a, b, c, d = values[at + one], values[at + two], values[at + three], values[at + four]
        e, f, g, h = values[at + five], values[at + six], values[at + seven], values[at + eight]
        values[at], values[at + one], values[at + two], values[at + three] = a, b, c, d
        values[at + four], values[at + five], values[at + six], values[at + seven] = e, f, g, h
        place += 8
    while place < end - 1:
        values[place] = values[place + 1]
        place += 1


@kernel
def list_pieces(book: Book, cut: Cut, keys: NDArray[np.int64], pieces: NDArray[np.int64]) -> None:
    """For checks: of each piece of these keys the key, x, y, both logarithms, what it answers from, and its position.

    ``pieces`` is (all pieces of the keys, 7).
    """
    listed = 0
    for key in keys:
        slot = slot_of(book, key)
        columns = piece_count(book.records[slot, WIDTH], cut.x_log, cut.overlapped)
        for piece in range(pieces_of(book, cut, slot)):
            left, x_log, x_known = piece_at(book.records[slot, WIDTH], cut.x_log, cut.overlapped, piece % columns)
            bottom, y_log, y_known = piece_at(book.records[slot, HEIGHT], cut.y_log, cut.overlapped, piece // columns)
            x, y = book.records[slot, X] + left, book.records[slot, Y] + bottom
            pieces[listed, 0] = key
            pieces[listed, 1] = x
            pieces[listed, 2] = y
            pieces[listed, 3] = x_log
            pieces[listed, 4] = y_log
            pieces[listed, 5] = answers_from(x + x_known, y + y_known)
            pieces[listed, 6] = book.positions.values[book.records[slot, POSITIONS] + piece]
            listed += 1
