"""Measures stores of intervals and rectangles: the time of a search and the bytes of each part."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError
from penstock.indexes.interval.store import Stabs
from penstock.lab.experiment import Axis, Measure, Measurement, Panel

SINGLE: Final = Measure("search, one at a time", "µs")
BATCH: Final = Measure("search, in batches", "µs")
FOUND: Final = Measure("found by a search")
STORAGE: Final = Measure("storage", "bytes")
ALL_STORAGE: Final = Measure("storage with all that is ours", "bytes")
DISTANCE_TABLE: Final = Measure("storage: distance table", "bytes")

BATCH_PANEL: Final = Panel(BATCH, Axis("a search, in batches", "µs", logarithmic=True))
SINGLE_PANEL: Final = Panel(SINGLE, Axis("a search, one call each", "µs", logarithmic=True))
_COUNTED: Final = "storage, as the paper counts it"
_EVERYTHING: Final = "storage, with all that is ours"
STORAGE_PANEL: Final = Panel(STORAGE, Axis(_COUNTED, "MB", factor=1e-6))
LOG_STORAGE_PANEL: Final = Panel(STORAGE, Axis(_COUNTED, "MB", logarithmic=True, factor=1e-6))
ALL_STORAGE_PANEL: Final = Panel(ALL_STORAGE, Axis(_EVERYTHING, "MB", factor=1e-6))
LOG_ALL_STORAGE_PANEL: Final = Panel(ALL_STORAGE, Axis(_EVERYTHING, "MB", logarithmic=True, factor=1e-6))

STORAGE_NOTE: Final = (
    "The paper counts headers, bitmaps or hash table, lists of ids and the distance table. All that is ours adds what"
    " lets a deletion go without walking lists, and room to grow; claims are judged without it."
)

_OWN_PARTS: Final = ("bookkeeping", "capacity not used")
"""What our stores keep beyond the papers' structures: where each key's entries are, for deletion, and room to grow."""


@dataclass(frozen=True, slots=True)
class Searches:
    """A subject: a store's two ways to search, and the events to search for, a column for each attribute."""

    stab: Callable[..., NDArray[np.int32]]
    stab_many: Callable[..., Stabs]
    columns: Sequence[NDArray[np.int64]]
    batch: int

    def warm_up(self) -> Searches:
        """Search once in both ways, so that nothing is compiled while it is measured."""
        self.stab(*(int(column[0]) for column in self.columns))
        self.stab_many(*(column[:2] for column in self.columns))
        return self

    def __call__(self) -> list[Measurement]:
        """Search for all events in both ways."""
        searches = len(self.columns[0])
        single, found_single = self._one_at_a_time()
        batch, found_batch = self._in_batches()
        if found_single != found_batch:
            raise InvariantError(
                f"single searches found {found_single:,} and batches {found_batch:,} of the same events"
            )
        return [
            Measurement(SINGLE, single / searches * 1e6),
            Measurement(BATCH, batch / searches * 1e6),
            Measurement(FOUND, found_single / searches),
        ]

    def _one_at_a_time(self) -> tuple[float, int]:
        events = list(zip(*(column.tolist() for column in self.columns), strict=True))
        found = 0
        began = time.perf_counter()
        for event in events:
            found += len(self.stab(*event))
        return time.perf_counter() - began, found

    def _in_batches(self) -> tuple[float, int]:
        """In batches, because the answers to all searches at once may not fit into memory."""
        starts = range(0, len(self.columns[0]), self.batch)
        batches = [[column[start : start + self.batch] for column in self.columns] for start in starts]
        found = 0
        began = time.perf_counter()
        for batch in batches:
            found += len(self.stab_many(*batch).keys)
        return time.perf_counter() - began, found


def storage(memory: Mapping[str, int], *, computed: bool = False) -> list[Measurement]:
    """The bytes of a store: what the papers count, all of it, and each part by itself."""
    counted = sum(size for part, size in memory.items() if part not in _OWN_PARTS)
    parts = [Measurement(Measure(f"storage: {part}", "bytes"), size, computed) for part, size in memory.items()]
    total = Measurement(ALL_STORAGE, sum(memory.values()), computed)
    return [Measurement(STORAGE, counted, computed), total, *parts]
