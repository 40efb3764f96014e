"""The book of a VCR store: the rectangle of each key, and where the entries of its pieces are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError
from penstock.indexes.rectangle.arena import bytes_of, check_runs, new_arena, widened
from penstock.kernels.vcr import (
    HEIGHT,
    PAGE_BITS,
    POSITIONS,
    RECORD,
    SPARE,
    WIDTH,
    Book,
    Cut,
    X,
    Y,
    ceiling_log,
    first_taken,
    holds_key,
    list_pieces,
    piece_count,
    position_logs,
    slot_of,
    total_pieces,
    write_records,
)

_PAGE = 1 << PAGE_BITS


class Cells(NamedTuple):
    """Rectangles as a book holds them: where they begin, counted from the origin, and how many cells they have."""

    xs: NDArray[np.int64]
    ys: NDArray[np.int64]
    widths: NDArray[np.int64]
    heights: NDArray[np.int64]


class Pieces(NamedTuple):
    """Pieces of rectangles, for checks: keys, VCRs, the cells they answer from, and their recorded positions."""

    keys: NDArray[np.int64]
    xs: NDArray[np.int64]
    ys: NDArray[np.int64]
    x_logs: NDArray[np.int64]
    y_logs: NDArray[np.int64]
    answers: NDArray[np.int64]
    positions: NDArray[np.int64]


class KeyBook:
    """Records in pages of neighbouring keys, and an arena of positions. The kernels see :attr:`arrays`."""

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        self.arrays = Book(np.full(1, -1, dtype=np.int32), np.zeros((0, RECORD), dtype=np.int32), new_arena(64))
        self._pages = 0

    def __contains__(self, key: int) -> bool:
        return bool(holds_key(self.arrays, key))

    def slot(self, key: int) -> int:
        """The record of a key in use."""
        return int(slot_of(self.arrays, key))

    def first_taken(self, keys: NDArray[np.int64]) -> int:
        """The place of the first key that is in use, or -1."""
        return int(first_taken(self.arrays, keys))

    def open_page(self, key: int) -> None:
        """Make sure that there is a record for a key."""
        page = key >> PAGE_BITS
        if page >= len(self.arrays.pages) or self.arrays.pages[page] < 0:
            self._open_pages(np.array([page]))

    def widen_positions(self, width: int, height: int) -> None:
        """Make room for the positions of one more rectangle."""
        least = 1 << ceiling_log(self.pieces(width, height))
        self.arrays = self.arrays._replace(positions=widened(self.arrays.positions, least))

    def record_many(self, keys: NDArray[np.int64], cells: Cells) -> int:
        """The same for many; returns the place of the first key that is there already, at which it stops, or -1."""
        self._open_pages(np.unique(keys >> PAGE_BITS))
        _, _, room = total_pieces(cells.widths, cells.heights, self.cut)
        free = len(self.arrays.positions.values) - int(self.arrays.positions.used[0])
        if room + SPARE > free:
            self.arrays = self.arrays._replace(positions=widened(self.arrays.positions, room))
        return int(write_records(self.arrays, self.cut, keys, *cells))

    def pieces(self, width: int, height: int) -> int:
        """Into how many pieces a rectangle of so many cells is cut."""
        columns = piece_count(width, self.cut.x_log, self.cut.overlapped)
        return int(columns * piece_count(height, self.cut.y_log, self.cut.overlapped))

    def live(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All keys in use, and the slots of their records."""
        pages = np.flatnonzero(self.arrays.pages >= 0)
        key_of_page = np.zeros(self._pages, dtype=np.int64)
        key_of_page[self.arrays.pages[pages]] = pages << PAGE_BITS
        slots = np.flatnonzero(self.arrays.records[: self._pages << PAGE_BITS, WIDTH])
        return key_of_page[slots >> PAGE_BITS] + (slots & (_PAGE - 1)), slots

    def cells(self, slots: NDArray[np.int64]) -> Cells:
        """The rectangles of these slots."""
        records = self.arrays.records[slots].astype(np.int64)
        return Cells(records[:, X], records[:, Y], records[:, WIDTH], records[:, HEIGHT])

    def all_pieces(self) -> Pieces:
        """The pieces of all keys."""
        keys, slots = self.live()
        cells = self.cells(slots)
        total, _, _ = total_pieces(cells.widths, cells.heights, self.cut)
        pieces = np.empty((total, len(Pieces._fields)), dtype=np.int64)
        list_pieces(self.arrays, self.cut, keys, pieces)
        return Pieces(*pieces.T)

    def nbytes(self) -> int:
        return self.arrays.pages.nbytes + self.arrays.records.nbytes + bytes_of(self.arrays.positions)

    def check(self, keys: int) -> None:
        """Raise unless so many keys are in use, each with a run of positions of its own."""
        live, slots = self.live()
        if len(live) != keys:
            raise InvariantError(f"{len(live)} keys have a record, and the store counts {keys}")
        cells = self.cells(slots)
        logs = np.zeros(len(slots), dtype=np.int64)
        position_logs(cells.widths, cells.heights, self.cut, logs)
        begins = self.arrays.records[slots, POSITIONS].astype(np.int64)
        check_runs(self.arrays.positions, begins, logs, "the positions of pieces")

    def _open_pages(self, pages: NDArray[np.int64]) -> None:
        """Make records for pages of keys that have none yet."""
        directory = self.arrays.pages
        if int(pages[-1]) >= len(directory):
            directory = np.full(max(int(pages[-1]) + 1, 2 * len(directory)), -1, dtype=np.int32)
            directory[: len(self.arrays.pages)] = self.arrays.pages
            self.arrays = self.arrays._replace(pages=directory)
        new = pages[directory[pages] < 0]
        if not len(new):
            return
        directory[new] = np.arange(self._pages, self._pages + len(new))
        self._pages += len(new)
        if self._pages << PAGE_BITS > len(self.arrays.records):
            records = np.zeros((max(self._pages << PAGE_BITS, 2 * len(self.arrays.records)), RECORD), dtype=np.int32)
            records[: len(self.arrays.records)] = self.arrays.records
            self.arrays = self.arrays._replace(records=records)
