"""VCR indexes (Wu, Chen and Yu, "VCR Indexing for Fast Event Matching for Highly-Overlapping Range Predicates").

A rectangle is cut into virtual construct rectangles, by simple or overlapped decomposition, and its key is entered into
the ID list of each; an event reads the lists of all VCRs that cover it. What differs from the paper:

- A rectangle of ``w`` by ``h`` cells is cut as one with sides ``w`` and ``h``, and an event is the centre of its cell
  (see :mod:`.constructs`). Pieces of a simple decomposition then never answer twice for one event, a list entry is a
  bare key, and reading a list is copying it. A zero-width rectangle is one cell wide, and nothing special.
- Pieces of an overlapped decomposition do overlap. Beside each key the first cell is kept that no earlier piece answers
  for, so that duplicates, which the paper reports (section 2.2.2), never appear.
- Direct lists are kept in an order that makes the covering set a few runs (:mod:`penstock.kernels.vcr_direct`).
- Deletion walks no long list (the paper: half of it on average, section 2.4).
- The range has a margin of empty cells at its left and bottom, so that boundary points need no care, and grows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError, ValueRefusedError
from penstock.indexes.interval.store import Stabs
from penstock.indexes.rectangle.book import Cells, KeyBook
from penstock.indexes.rectangle.choosing import DEFAULT_LOGS, SAMPLE, Workload, choose_logs, largest_log
from penstock.indexes.rectangle.direct import DirectStorage
from penstock.indexes.rectangle.hashed import HashedStorage
from penstock.indexes.rectangle.requests import (
    KEY_LIMIT,
    checked_key,
    checked_points,
    checked_rectangle,
    checked_rectangles,
    duplicate,
    refuse_repeated,
    unknown,
)
from penstock.indexes.rectangle.store import Rectangle, Rectangles
from penstock.kernels.vcr import LARGEST_LOG, Cut, total_pieces

Decomposition = Literal["simple", "overlapped"]
Storage = Literal["direct", "hashed"]

MOST_PIECES: Final = 2**22
"""A rectangle of more pieces is refused: larger VCRs are what it needs."""
_MOST_CELLS: Final = 2**31 - 2**14
"""Cells of a range along one axis: they are 32-bit numbers, margins included."""


class VcrStore:
    """Rectangles in the ID lists of the VCRs that they are cut into.

    >>> store = VcrStore((0, 299), (0, 199))
    >>> store.insert(7, Rectangle(3, 3, 14, 9))
    >>> store.stab(14, 9).tolist(), store.stab(15, 9).tolist()
    ([7], [])
    """

    name: ClassVar[str] = "vcr"

    def __init__(
        self,
        x_range: tuple[int, int],
        y_range: tuple[int, int],
        *,
        decomposition: Decomposition = "simple",
        storage: Storage = "direct",
        max_width: int | None = None,
        max_height: int | None = None,
        hash_size: int | None = None,
    ) -> None:
        self._range = checked_rectangle(Rectangle(x_range[0], y_range[0], x_range[1], y_range[1]))
        self._overlapped = _one_of(decomposition, "simple", "overlapped") == "overlapped"
        self._hashed = _one_of(storage, "direct", "hashed") == "hashed"
        self._x_log = _asked_log(max_width, "max_width")
        self._y_log = _asked_log(max_height, "max_height")
        if hash_size is not None and hash_size < 1:
            raise ValueRefusedError(f"hash_size is a positive number; this one is {hash_size}")
        self._hash_size = hash_size
        self._size = 0
        self._chosen = DEFAULT_LOGS
        self._start_empty(self._range)

    def __len__(self) -> int:
        return self._size

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int | np.integer) and 0 <= int(key) < KEY_LIMIT and int(key) in self._book

    @property
    def max_width(self) -> int:
        """Lx: the largest width of a VCR."""
        return 1 << self._book.cut.x_log

    @property
    def max_height(self) -> int:
        """Ly: the largest height of a VCR."""
        return 1 << self._book.cut.y_log

    @property
    def decomposition(self) -> str:
        return "overlapped" if self._overlapped else "simple"

    @property
    def storage(self) -> str:
        return "hashed" if self._hashed else "direct"

    def insert(self, key: int, rectangle: Rectangle) -> None:
        key, new = checked_key(key), checked_rectangle(rectangle)
        bounds = self._range
        if (
            new.x_low < bounds.x_low
            or new.y_low < bounds.y_low
            or new.x_high > bounds.x_high
            or new.y_high > bounds.y_high
        ):
            self.insert_many(np.array([key], dtype=np.int64), _one(new))
            return
        width, height = new.x_high - new.x_low + 1, new.y_high - new.y_low + 1
        if width * height > MOST_PIECES:
            _refuse_pieces(self._book.pieces(width, height), self._book.cut)
        x, y = new.x_low - self._origin[0], new.y_low - self._origin[1]
        if not self._lists.insert(self._book, key, x, y, width, height):
            raise duplicate(key)
        self._size += 1

    def insert_many(self, keys: NDArray[np.int64], rectangles: Rectangles) -> None:
        keys, rectangles = checked_rectangles(keys, rectangles)
        if not len(keys):
            return
        taken = self._book.first_taken(keys)
        if taken >= 0:
            raise duplicate(int(keys[taken]))
        wanted = _joined(self._range, _bounds(rectangles))
        if wanted != self._range or len(keys) > self._size // 2:
            self._rebuild(keys, rectangles, _grown(self._range, wanted))
            return
        refuse_repeated(keys)
        cells = self._cells(rectangles, self._origin)
        _refuse_pieces(total_pieces(cells.widths, cells.heights, self._book.cut)[1], self._book.cut)
        self._book.record_many(keys, cells)
        self._lists.add(self._book, keys)
        self._size += len(keys)

    def delete(self, key: int) -> None:
        if not 0 <= key < KEY_LIMIT or not self._lists.remove(self._book, key):
            raise unknown(key)
        self._size -= 1

    def stab(self, x: int, y: int) -> NDArray[np.int32]:
        bounds = self._range
        if not (bounds.x_low <= x <= bounds.x_high and bounds.y_low <= y <= bounds.y_high):
            return np.empty(0, dtype=np.int32)
        return self._lists.stab(x - self._origin[0], y - self._origin[1])

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> Stabs:
        xs, ys = checked_points(xs, ys)
        bounds = self._range
        outside = (xs < bounds.x_low) | (xs > bounds.x_high) | (ys < bounds.y_low) | (ys > bounds.y_high)
        columns = np.where(outside, -1, xs - self._origin[0])
        return self._lists.stab_many(columns, np.where(outside, -1, ys - self._origin[1]))

    def rectangle(self, key: int) -> Rectangle:
        """The rectangle of a key."""
        if key not in self:
            raise unknown(key)
        cells = self._book.cells(np.array([self._book.slot(int(key))]))
        x, y = int(cells.xs[0]) + self._origin[0], int(cells.ys[0]) + self._origin[1]
        return Rectangle(x, y, x + int(cells.widths[0]) - 1, y + int(cells.heights[0]) - 1)

    def activated(self) -> int:
        """How many VCRs are activated: have an entry in their list."""
        return self._lists.activated()

    def load_factor(self) -> float:
        """Activated VCRs for each place of the hash table, or of the headers where lists are direct."""
        return self._lists.activated() / self._lists.slots()

    def memory(self) -> Mapping[str, int]:
        return {**self._lists.memory(), "bookkeeping": self._book.nbytes()}

    def check_invariants(self) -> None:
        self._book.check(self._size)
        _, slots = self._book.live()
        cells = self._book.cells(slots)
        x_room = self._range.x_high - self._origin[0] + 1
        y_room = self._range.y_high - self._origin[1] + 1
        if np.any(cells.xs + cells.widths > x_room) or np.any(cells.ys + cells.heights > y_room):
            raise InvariantError("a rectangle reaches beyond the range")
        if np.any(cells.xs < self.max_width - 1) or np.any(cells.ys < self.max_height - 1):
            raise InvariantError("a rectangle begins in the margin of the range")
        self._lists.check(self._book)

    def _start_empty(self, bounds: Rectangle) -> None:
        """An empty book and empty lists for a range."""
        x_log = self._x_log if self._x_log is not None else self._chosen[0]
        y_log = self._y_log if self._y_log is not None else self._chosen[1]
        cut = Cut(x_log, y_log, self._overlapped)
        origin = bounds.x_low - (1 << x_log) + 1, bounds.y_low - (1 << y_log) + 1
        columns, rows = bounds.x_high - origin[0] + 1, bounds.y_high - origin[1] + 1
        if max(columns, rows) > _MOST_CELLS:
            raise ValueRefusedError(f"a range has {_MOST_CELLS:,} cells at most; this one has {columns:,} by {rows:,}")
        lists: DirectStorage | HashedStorage
        if self._hashed:
            lists = HashedStorage(cut, columns, rows, self._hash_size)
        else:
            lists = DirectStorage(cut, columns, rows)
        self._book, self._lists, self._range, self._origin = KeyBook(cut), lists, bounds, origin

    def _rebuild(self, keys: NDArray[np.int64], rectangles: Rectangles, bounds: Rectangle) -> None:
        """Build everything anew with more rectangles and a range for all of them; as it was, where that is refused."""
        before = self._book, self._lists, self._range, self._origin, self._chosen
        old_keys, slots = self._book.live()
        old = self._book.cells(slots)
        x_lows = np.concatenate([old.xs + self._origin[0], rectangles.x_lows])
        y_lows = np.concatenate([old.ys + self._origin[1], rectangles.y_lows])
        widths = np.concatenate([old.widths, rectangles.x_highs - rectangles.x_lows + 1])
        heights = np.concatenate([old.heights, rectangles.y_highs - rectangles.y_lows + 1])
        try:
            self._chosen = self._choose(widths, heights, bounds)
            self._start_empty(bounds)
            _refuse_pieces(total_pieces(widths, heights, self._book.cut)[1], self._book.cut)
            all_keys = np.concatenate([old_keys, keys])
            cells = Cells(x_lows - self._origin[0], y_lows - self._origin[1], widths, heights)
            repeated = self._book.record_many(all_keys, cells)
            if repeated >= 0:
                refuse_repeated(all_keys)
            self._lists.fill(self._book)
        except BaseException:
            self._book, self._lists, self._range, self._origin, self._chosen = before
            raise
        self._size += len(keys)

    def _choose(self, widths: NDArray[np.int64], heights: NDArray[np.int64], bounds: Rectangle) -> tuple[int, int]:
        step = -(-len(widths) // SAMPLE)
        columns, rows = bounds.x_high - bounds.x_low + 1, bounds.y_high - bounds.y_low + 1
        workload = Workload(widths[::step], heights[::step], len(widths), columns, rows)
        return choose_logs(workload, overlapped=self._overlapped, hashed=self._hashed)

    def _cells(self, rectangles: Rectangles, origin: tuple[int, int]) -> Cells:
        return Cells(
            rectangles.x_lows - origin[0],
            rectangles.y_lows - origin[1],
            rectangles.x_highs - rectangles.x_lows + 1,
            rectangles.y_highs - rectangles.y_lows + 1,
        )


def _one_of(found: str, *known: str) -> str:
    if found not in known:
        raise ValueRefusedError(f"{found!r} is none of {', '.join(known)}")
    return found


def _asked_log(side: int | None, what: str) -> int | None:
    log = largest_log(side)
    if side is not None and log is None:
        raise ValueRefusedError(f"{what} is a power of two, at most {1 << LARGEST_LOG}; this one is {side}")
    return log


def _refuse_pieces(pieces: int, cut: Cut) -> None:
    if pieces > MOST_PIECES:
        raise ValueRefusedError(
            f"a rectangle would be cut into {pieces:,} pieces of {1 << cut.x_log} by {1 << cut.y_log} cells at most, "
            f"and {MOST_PIECES:,} are allowed; larger ones can be asked for with max_width and max_height"
        )


def _one(rectangle: Rectangle) -> Rectangles:
    return Rectangles(*(np.array([bound], dtype=np.int64) for bound in rectangle))


def _bounds(rectangles: Rectangles) -> Rectangle:
    """The smallest rectangle that holds all of these."""
    lows = int(rectangles.x_lows.min()), int(rectangles.y_lows.min())
    return Rectangle(*lows, int(rectangles.x_highs.max()), int(rectangles.y_highs.max()))


def _joined(one: Rectangle, other: Rectangle) -> Rectangle:
    return Rectangle(
        min(one.x_low, other.x_low),
        min(one.y_low, other.y_low),
        max(one.x_high, other.x_high),
        max(one.y_high, other.y_high),
    )


def _grown(old: Rectangle, wanted: Rectangle) -> Rectangle:
    """The range that is wanted; where a side moved, by half the old length or more, so that growing stays rare."""
    x_step, y_step = (old.x_high - old.x_low + 1) // 2, (old.y_high - old.y_low + 1) // 2
    return Rectangle(
        min(wanted.x_low, old.x_low - x_step) if wanted.x_low < old.x_low else old.x_low,
        min(wanted.y_low, old.y_low - y_step) if wanted.y_low < old.y_low else old.y_low,
        max(wanted.x_high, old.x_high + x_step) if wanted.x_high > old.x_high else old.x_high,
        max(wanted.y_high, old.y_high + y_step) if wanted.y_high > old.y_high else old.y_high,
    )
