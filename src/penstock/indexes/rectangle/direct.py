"""ID lists of all VCRs in one array of headers: the fastest, where the range is not too large."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError, ValueRefusedError
from penstock.indexes.interval.store import Stabs
from penstock.indexes.rectangle.arena import bytes_of, check_runs, new_arena, widened
from penstock.indexes.rectangle.book import KeyBook, Pieces
from penstock.kernels.vcr import NO_POSITIONS, SPARE, TAKEN, Cut
from penstock.kernels.vcr_direct import (
    BLOCK,
    HEADER,
    SEARCHED_LOG,
    DirectLists,
    Runs,
    add_rectangle,
    add_rectangles,
    copy_many_stabs,
    count_entries,
    count_many_stabs,
    fill_entries,
    insert_rectangle,
    remove_rectangle,
    stab_cell,
)

MOST_HEADERS: Final = 2**30
"""List headers that one store may have: 4 GiB of them."""


def header_count(cut: Cut, columns: int, rows: int) -> int:
    """How many list headers a range of so many columns and rows needs."""
    return (cut.x_log + 1) * (cut.y_log + 1) * rows * (-(-columns // BLOCK)) * HEADER


class DirectStorage:
    """Lists by size, y and x, packed in blocks of neighbouring x (:mod:`penstock.kernels.vcr_direct`)."""

    def __init__(self, cut: Cut, columns: int, rows: int) -> None:
        headers = header_count(cut, columns, rows)
        if headers > MOST_HEADERS:
            raise ValueRefusedError(
                f"a range of {columns:,} by {rows:,} cells needs {headers:,} list headers, and direct storage has "
                f"{MOST_HEADERS:,} at most; hashed storage keeps only the lists that are in use"
            )
        blocks = headers // HEADER
        self.lists = DirectLists(
            np.zeros(headers, dtype=np.int32),
            np.full(blocks, -1, dtype=np.int8),
            new_arena(64),
            np.empty(64 + SPARE if cut.overlapped else 0, dtype=np.int32),
            rows,
            -(-columns // BLOCK),
            cut,
        )
        self.runs = runs_of(cut, rows, self.lists.columns)

    def fill(self, book: KeyBook) -> None:
        """Enter all keys of a book into these lists, which are empty."""
        keys, slots = book.live()
        self._widen(int(count_entries(book.arrays, self.lists, slots)))
        fill_entries(book.arrays, self.lists, keys)

    def insert(self, book: KeyBook, key: int, x: int, y: int, width: int, height: int) -> bool:
        """Enter one key into the book and the lists; False where it is there already."""
        book.open_page(key)
        pieces, done = insert_rectangle(book.arrays, self.lists, key, x, y, width, height)
        if pieces == NO_POSITIONS:
            book.widen_positions(width, height)
            pieces, done = insert_rectangle(book.arrays, self.lists, key, x, y, width, height)
        while done < pieces:
            self._widen(len(self.lists.entries.values) // 4)
            done = add_rectangle(book.arrays, self.lists, key, done)
        return bool(pieces != TAKEN)

    def add(self, book: KeyBook, keys: NDArray[np.int64]) -> None:
        """Enter keys that the book has just got."""
        key, piece = add_rectangles(book.arrays, self.lists, keys, 0, 0)
        while key < len(keys):
            self._widen(len(self.lists.entries.values) // 4)
            key, piece = add_rectangles(book.arrays, self.lists, keys, key, piece)

    def remove(self, book: KeyBook, key: int) -> bool:
        """Take a key out of the lists and the book; False where it is not there."""
        return bool(remove_rectangle(book.arrays, self.lists, key))

    def stab(self, x: int, y: int) -> NDArray[np.int32]:
        keys: NDArray[np.int32] = stab_cell(self.lists, self.runs, x, y)
        return keys

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> Stabs:
        """The headers tell beforehand how much room the answers need: exactly, unless pieces overlap."""
        offsets = np.empty(len(xs) + 1, dtype=np.int64)
        count_many_stabs(self.lists, self.runs, xs, ys, offsets)
        keys = np.empty(int(offsets[-1]) + SPARE, dtype=np.int32)
        copy_many_stabs(self.lists, self.runs, xs, ys, offsets, keys)
        return Stabs(offsets, keys[: int(offsets[-1])])

    def activated(self) -> int:
        """How many VCRs have an entry."""
        return int(np.count_nonzero(np.diff(self.lists.headers.reshape(-1, HEADER), axis=1)))

    def slots(self) -> int:
        """How many VCRs there are."""
        return len(self.lists.capacities) * BLOCK

    def memory(self) -> dict[str, int]:
        return {
            "headers": self.lists.headers.nbytes + self.lists.capacities.nbytes,
            "hash table": 0,
            "id lists": bytes_of(self.lists.entries) + self.lists.answers.nbytes,
            "distance table": self.runs.distances.nbytes + self.runs.reaches.nbytes,
        }

    def check(self, book: KeyBook) -> None:
        """Raise unless each block is a run of its own, and each piece has its entry in the list of its VCR."""
        headers = self.lists.headers.reshape(-1, HEADER).astype(np.int64)
        sizes = headers[:, -1] - headers[:, 0]
        logs = self.lists.capacities.astype(np.int64)
        if np.any(np.diff(headers, axis=1) < 0) or np.any(sizes > np.where(logs < 0, 0, 1 << np.maximum(logs, 0))):
            raise InvariantError("a block has a list of negative length, or more entries than its run has room for")
        if np.any((logs >= 0) & (sizes == 0)):
            raise InvariantError("a block without entries holds a run")
        held = np.flatnonzero(logs >= 0)
        check_runs(self.lists.entries, headers[held, 0], logs[held], "the blocks")
        self._check_pieces(headers, book.all_pieces())

    def _check_pieces(self, headers: NDArray[np.int64], pieces: Pieces) -> None:
        cut = self.lists.cut
        sizes = pieces.y_logs * (cut.x_log + 1) + pieces.x_logs
        blocks = (sizes * self.lists.rows + pieces.ys) * self.lists.columns + pieces.xs // BLOCK
        wanted = [blocks * BLOCK + pieces.xs % BLOCK, pieces.keys]
        lengths = np.diff(headers, axis=1).ravel()
        found_lists = np.repeat(np.arange(len(lengths)), lengths)
        starts = headers[:, :-1].ravel() - (np.cumsum(lengths) - lengths)
        places = np.arange(len(found_lists)) + np.repeat(starts, lengths)
        found = [found_lists, self.lists.entries.values[places].astype(np.int64)]
        if cut.overlapped:
            wanted.append(pieces.answers)
            found.append(self.lists.answers[places].astype(np.int64))
        if not np.array_equal(_ordered(wanted), _ordered(found)):
            raise InvariantError("the entries of the lists are not the pieces of the rectangles")
        known = self.lists.capacities[blocks] > SEARCHED_LOG
        told = headers[blocks[known], 0] + pieces.positions[known]
        if np.any(self.lists.entries.values[told] != pieces.keys[known]):
            raise InvariantError("a key is not where its position says")

    def _widen(self, least: int) -> None:
        entries = self.lists.entries
        entries = widened(entries, least)
        answers = self.lists.answers
        if self.lists.cut.overlapped:
            answers = np.empty(len(entries.values), dtype=np.int32)
            answers[: len(self.lists.answers)] = self.lists.answers
        self.lists = self.lists._replace(entries=entries, answers=answers)


def runs_of(cut: Cut, rows: int, columns: int) -> Runs:
    """The distance table (section 2.3.2), a row for each run of covering VCRs instead of one for each VCR."""
    distances = []
    reaches = []
    for y_log in range(cut.y_log + 1):
        for below in range(1 << y_log):
            for x_log in range(cut.x_log + 1):
                size = y_log * (cut.x_log + 1) + x_log
                distances.append((size * rows - below) * columns)
                reaches.append((1 << x_log) - 1)
    return Runs(np.array(distances, dtype=np.int64), np.array(reaches, dtype=np.int32))


def _ordered(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Rows of columns in one order, so that two sets of rows can be compared."""
    rows = np.stack(columns)
    return rows[:, np.lexsort(rows)]
