"""``VciStore``: virtual construct intervals, in every scheme of the VCI paper.

Two choices make the paper's schemes. *Constructs*: ``simple`` (SCI, section 2.2) or ``logarithmic`` (LCI, 2.3).
*Activation*, how the active construct intervals that cover a value are found: ``bitmap`` (2.2), ``clipped`` (BC,
section 3), ``virtual`` (BV, section 4) or ``table`` (BV-DT, 4.1).

What is other than in the paper:

* ID lists are packed, not linked, and numbered length-major (``kernels/packed_lists.py``). The distance table is then a
  run of neighbouring lists for each length, and a query copies a few stretches of memory.
* The pieces of an interval share end points, so a value there would find it twice. Only the last piece of an interval
  answers for its right end.
* An interval of one value is kept as the construct interval of length 1 that begins there, whose end never answers.
* Each key knows where its entries are, so a deletion walks no list.
* The range of values grows by itself, and L is chosen from the intervals unless it is given.
"""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import (
    DuplicateSubscriptionError,
    InvariantError,
    UnknownSubscriptionError,
    ValueRefusedError,
    did_you_mean,
)
from penstock.indexes.interval.choosing import choose_block_shift, choose_max_length
from penstock.indexes.interval.constructs import ConstructIntervals
from penstock.indexes.interval.requests import (
    FARTHEST_CELL,
    Intervals,
    check_interval,
    check_intervals,
    first_repeated,
)
from penstock.indexes.interval.store import Stabs
from penstock.indexes.interval.vci_arrays import (
    count_entries,
    empty_arrays,
    filled_arrays,
    inconsistency,
    with_room,
    with_room_for_key,
)
from penstock.kernels.bitmaps import first_in_row
from penstock.kernels.packed_lists import KEY_MASK, block_row, held_intervals, list_header
from penstock.kernels.vci import (
    BITMAP,
    TABLE,
    VIRTUAL,
    VciArrays,
    copy_stabs,
    count_stabs,
    delete_interval,
    index_of,
    insert_interval,
    insert_intervals,
    stab_value,
)

ACTIVATIONS: Final = {"bitmap": BITMAP, "clipped": BITMAP, "virtual": VIRTUAL, "table": TABLE}
MOST_LISTS: Final = 2**29
FIRST_RECONSIDERED: Final = 64


class VciStore:
    """Closed intervals of cells under keys, in lists of construct intervals."""

    name: ClassVar[str] = "vci"
    fixed_block_shift: ClassVar[int | None] = None
    """How many lists a block has, as a power of 2, where that is not to be chosen."""

    def __init__(
        self,
        low: int = 0,
        high: int = 1023,
        *,
        constructs: str = "logarithmic",
        activation: str = "table",
        max_length: int | None = None,
    ) -> None:
        if low > high:
            raise ValueRefusedError(f"the range begins at {low}, after its end at {high}")
        if activation not in ACTIVATIONS:
            raise ValueRefusedError(f"{activation!r} is no way of activation{did_you_mean(activation, ACTIVATIONS)}")
        self.activation = activation
        self.moves = 0
        """How many entries of others insertions and deletions have moved so far."""
        self._kind = constructs
        self._max_length = max_length
        self._count = 0
        self._reconsidered_at = FIRST_RECONSIDERED
        self._hold(*self._empty(low, high, np.empty(0, dtype=np.int64)), low, high)

    def _hold(self, arrays: VciArrays, constructs: ConstructIntervals, low: int, high: int) -> None:
        self._arrays = arrays
        self.constructs = constructs
        self.low, self.high = low, high
        """The least and the greatest value of the range."""

    @property
    def block_shift(self) -> int:
        """How many lists a block has, as a power of 2."""
        return index_of(self._arrays).lists.block_shift

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: object) -> bool:
        records = self._arrays.records
        return isinstance(key, (int, np.integer)) and 0 <= int(key) < len(records) and bool(records[int(key)])

    def insert(self, key: int, low: int, high: int) -> None:
        key, low, high = index(key), index(low), index(high)
        check_interval(key, low, high)
        if key in self:
            raise DuplicateSubscriptionError(f"the store holds an interval with the key {key} already")
        if low < self.low or high > self.high:
            self._rebuild(*self._stretched(low, high))
        self._arrays = with_room_for_key(self._arrays, key)
        entries, bookkeeping, moves = insert_interval(self._arrays, key, low - self.low, high - low)
        if moves < 0:
            self._arrays = with_room(self._arrays, entries, bookkeeping)
            entries, bookkeeping, moves = insert_interval(self._arrays, key, low - self.low, high - low)
        self.moves += moves
        self._count += 1
        if self._count >= self._reconsidered_at:
            self._reconsider()

    def insert_many(self, keys: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        intervals = check_intervals(keys, lows, highs)
        if len(intervals.keys) == 0:
            return
        self._refuse_held(intervals.keys)
        low, high = int(intervals.lows.min()), int(intervals.highs.max())
        if len(intervals.keys) >= self._count:
            self._rebuild(*self._stretched(low, high), intervals)
            return
        if low < self.low or high > self.high:
            self._rebuild(*self._stretched(low, high))
        self._arrays = with_room_for_key(self._arrays, int(intervals.keys.max()))
        self._insert_each(intervals.keys, intervals.lows - self.low, intervals.highs - intervals.lows)

    def delete(self, key: int) -> None:
        key = index(key)
        if key not in self:
            raise UnknownSubscriptionError(f"the store holds no interval with the key {key}")
        self.moves += delete_interval(self._arrays, key)
        self._count -= 1

    def stab(self, value: int) -> NDArray[np.int32]:
        value = index(value)
        if not -FARTHEST_CELL <= value <= FARTHEST_CELL:
            return np.empty(0, dtype=np.int32)
        return stab_value(self._arrays, value)

    def stab_many(self, values: NDArray[np.int64]) -> Stabs:
        values = np.ascontiguousarray(values, dtype=np.int64)
        order = np.argsort(values)
        offsets = np.zeros(len(values) + 1, dtype=np.int64)
        count_stabs(self._arrays, values, order, offsets[1:])
        np.cumsum(offsets, out=offsets)
        keys = np.empty(int(offsets[-1]), dtype=np.int32)
        copy_stabs(self._arrays, values, order, offsets, keys)
        return Stabs(offsets, keys)

    def memory(self) -> dict[str, int]:
        """The bytes of all arrays, split as the paper splits them, and what deletion needs."""
        arrays = self._arrays
        in_use = 4 * count_entries(arrays)
        return {
            "headers": arrays.headers.nbytes,
            "bitmaps": arrays.bitmap_rows.nbytes + arrays.bitmap_words.nbytes,
            "id lists": in_use,
            "distance table": arrays.distances.nbytes,
            "bookkeeping": arrays.records.nbytes + arrays.bookkeeping.nbytes + arrays.free_bookkeeping.nbytes,
            "capacity not used": arrays.entries.nbytes - in_use + arrays.free_entries.nbytes + arrays.numbers.nbytes,
        }

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Every array that the store is made of."""
        return self._arrays

    def intervals(self) -> Intervals:
        """All intervals, by key."""
        keys, lows, widths = (np.empty(self._count, dtype=np.int64) for _ in range(3))
        held_intervals(index_of(self._arrays).lists, keys, lows, widths)
        lows += self.low
        return Intervals(keys, lows, lows + widths)

    def id_list(self, coordinate: int) -> list[int]:
        """The keys in the list of a construct interval, by the paper's numbering: its H."""
        lists = index_of(self._arrays).lists
        start, length_index = divmod(coordinate, self.constructs.per_start)
        number = length_index * lists.stride + start
        header, run = list_header(lists, number), int(lists.headers[block_row(lists, number >> lists.block_shift)])
        entries = lists.entries.slots[run + lists.headers[header] : run + lists.headers[header + 1]]
        return [int(entry) & KEY_MASK for entry in entries]

    def set_bits(self) -> set[tuple[int, int]]:
        """The bits ``(i, c)`` that are set in the bitmaps: c is active and covers the value i after the first."""
        bitmaps = index_of(self._arrays).bitmaps
        bits = np.unpackbits(bitmaps.words.view(np.uint8), bitorder="little")
        places = np.flatnonzero(bits)
        rows = np.searchsorted(bitmaps.rows * 64, places, side="right") - 1
        constructs = self.constructs.compiled
        return {
            (row, place - int(bitmaps.rows[row]) * 64 + first_in_row(constructs, bitmaps, row))
            for row, place in zip(rows.tolist(), places.tolist(), strict=True)
        }

    def check_invariants(self) -> None:
        wrong = inconsistency(self._arrays, self.constructs, self._count)
        if wrong is None and self.activation in ("bitmap", "clipped") and self.set_bits() != self._active_bits():
            wrong = "the bits that are set are not those of the lists that have entries"
        if wrong is not None:
            raise InvariantError(wrong)

    def _active_bits(self) -> set[tuple[int, int]]:
        """The bits that must be set: those of the pieces of all intervals, in the rows that they cover."""
        intervals = self.intervals()
        active = {
            piece
            for low, high in zip(intervals.lows.tolist(), intervals.highs.tolist(), strict=True)
            for piece in self.constructs.decompose(low - self.low, high - self.low)
        }
        return {
            (row, self.constructs.coordinate(piece))
            for piece in active
            for row in range(piece.start, min(piece.end, self.high - self.low) + 1)
        }

    # Growing

    def _chosen(self, widths: NDArray[np.int64]) -> int:
        if self._max_length is not None:
            return self._max_length
        return choose_max_length(widths, self._kind)

    def _chosen_shift(self, widths: NDArray[np.int64], constructs: ConstructIntervals, size: int) -> int:
        if self.fixed_block_shift is not None:
            return self.fixed_block_shift
        return choose_block_shift(widths, constructs.longest, size * constructs.per_start)

    def _empty(self, low: int, high: int, widths: NDArray[np.int64]) -> tuple[VciArrays, ConstructIntervals]:
        """An empty index of a range for intervals of these widths, L being no more than headers have room for."""
        constructs = ConstructIntervals(self._kind, self._chosen(widths))
        size = high - low + 1
        while size * constructs.per_start > MOST_LISTS and self._max_length is None and constructs.longest > 1:
            constructs = ConstructIntervals(self._kind, constructs.longest // 2)
        if size * constructs.per_start > MOST_LISTS:
            raise ValueRefusedError(
                f"values from {low} to {high} with {constructs.per_start} lengths need more than {MOST_LISTS:,} lists; "
                "rank space makes a range as small as the operands are many"
            )
        clipped = {"bitmap": False, "clipped": True}.get(self.activation)
        shift = self._chosen_shift(widths, constructs, size)
        arrays = empty_arrays(constructs, low, size, shift, ACTIVATIONS[self.activation], clipped)
        return arrays, constructs

    def _stretched(self, low: int, high: int) -> tuple[int, int]:
        """The range that holds these values too; if it grows, then to at least twice its size where it can."""
        old_low, old_high = self.low, self.high
        new_low, new_high = min(low, old_low), max(high, old_high)
        if self._count == 0:
            return new_low, new_high
        size = min(2 * (old_high - old_low + 1), MOST_LISTS // self.constructs.per_start)
        spare = max(0, size - (new_high - new_low + 1))
        if new_low < old_low and new_high > old_high:
            return new_low - spare // 2, new_high + spare - spare // 2
        if new_low < old_low:
            return new_low - spare, new_high
        return (new_low, new_high + spare) if new_high > old_high else (new_low, new_high)

    def _reconsider(self) -> None:
        """Build anew if L or the blocks are not what the intervals so far ask for."""
        self._reconsidered_at = 2 * self._count
        intervals = self.intervals()
        widths = intervals.highs - intervals.lows
        chosen, now = self._chosen(widths), self.constructs.longest
        shift = self._chosen_shift(widths, self.constructs, self.high - self.low + 1)
        if chosen > now or 4 * chosen <= now or shift != self.block_shift:
            self._rebuild(self.low, self.high)

    def _rebuild(self, low: int, high: int, further: Intervals | None = None) -> None:
        """Build the index of a range with the intervals that there are, and further ones."""
        intervals = self.intervals()
        if further is not None:
            joined = (np.concatenate(pair) for pair in zip(intervals, further, strict=True))
            intervals = Intervals(*joined) if self._count else further
        widths = intervals.highs - intervals.lows
        arrays, constructs = self._empty(low, high, widths)
        self._hold(filled_arrays(arrays, intervals.keys, intervals.lows - low, widths), constructs, low, high)
        self._count = len(widths)
        self._reconsidered_at = max(FIRST_RECONSIDERED, 2 * self._count)

    def _insert_each(self, keys: NDArray[np.int64], offsets: NDArray[np.int64], widths: NDArray[np.int64]) -> None:
        reached = 0
        while reached < len(keys):
            reached, entries, bookkeeping, moves = insert_intervals(self._arrays, reached, keys, offsets, widths)
            self.moves += moves
            if reached < len(keys):
                self._arrays = with_room(self._arrays, entries, bookkeeping)
        self._count += len(keys)

    def _refuse_held(self, keys: NDArray[np.int64]) -> None:
        repeated = first_repeated(keys)
        if repeated is not None:
            raise DuplicateSubscriptionError(f"the key {repeated} stands more than once among those to insert")
        records = self._arrays.records
        known = keys[keys < len(records)]
        held = known[records[known] != 0]
        if len(held):
            raise DuplicateSubscriptionError(f"the store holds an interval with the key {int(held[0])} already")
