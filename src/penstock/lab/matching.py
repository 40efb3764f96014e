"""Measures indexes of conditions: how long they take to build and to match, their bytes, and what matching took.

An index that counts its work (a property ``work``, a named tuple of numbers that only grow) has each counter measured
under its name: what it rose by while the index was built, and what it rose by for an event. Counts are the same on
every machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.errors import InvariantError
from penstock.indexes import Index, new_index
from penstock.lab.boolean_workloads import SparseEvents, event_dictionaries, events_table
from penstock.lab.experiment import Axis, Measure, Measurement, Panel
from penstock.lab.searching import STORAGE, storage
from penstock.model.conditions import Condition

CONSTRUCTION: Final = Measure("construction", "s")
INSERTION: Final = Measure("insertion, one at a time", "µs")
SINGLE: Final = Measure("match, one at a time", "µs")
BATCH: Final = Measure("match, in batches", "µs")
FOUND: Final = Measure("found for an event")

CONSTRUCTION_PANEL: Final = Panel(CONSTRUCTION, Axis("construction", "s", logarithmic=True))
INSERTION_PANEL: Final = Panel(INSERTION, Axis("an insertion, one call each", "µs", logarithmic=True))
BATCH_PANEL: Final = Panel(BATCH, Axis("an event, in batches", "µs", logarithmic=True))
SINGLE_PANEL: Final = Panel(SINGLE, Axis("an event, one call each", "µs", logarithmic=True))
STORAGE_PANEL: Final = Panel(STORAGE, Axis("storage", "MB", logarithmic=True, factor=1e-6))

_WARM_UP: Final = 300
"""So many conditions warm an index up: enough that it splits and grows, and few enough to take no time."""


def work(counter: str) -> Measure:
    """The measure of a counter of an index: what it rises by for an event, on average.

    >>> work("segments_searched").name
    'work: segments searched'
    """
    return Measure(f"work: {counter.replace('_', ' ')}")


def built_with(counter: str) -> Measure:
    """The measure of a counter of an index: what it rose by while the index was built."""
    return Measure(f"construction: {counter.replace('_', ' ')}")


@dataclass(frozen=True, slots=True)
class Recipe:
    """An index to build: its name in the registry, the options of its kind, and the conditions to put in."""

    name: str
    conditions: Sequence[Condition]
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Index:
        """Build the index, ready for the first event."""
        index = new_index(self.name, **self.options)
        insert_many = getattr(index, "insert_many", None)
        if insert_many is not None:
            insert_many(range(len(self.conditions)), self.conditions)
        else:
            for key, condition in enumerate(self.conditions):
                index.insert(key, condition)
        index.match({})  # what an index puts off until it is asked belongs to its construction
        return index

    def warm_up(self, events: Events) -> None:
        """Build and use a tiny index of the kind, so that nothing is compiled while it is measured."""
        first, last = self.conditions[:_WARM_UP], self.conditions[-1]
        tiny = Recipe(self.name, first, self.options).build()
        tiny.insert(len(first), last)
        tiny.match(events.dictionaries[0])
        tiny.match_batch(events.batches[0])


@dataclass(frozen=True, slots=True)
class Built:
    """An index and what was measured of it while it was built."""

    index: Index
    measurements: list[Measurement]


def construct(recipe: Recipe) -> Built:
    """Build an index, and measure the time, the bytes and what was counted."""
    began = time.perf_counter()
    index = recipe.build()
    seconds = time.perf_counter() - began
    counted = [Measurement(built_with(counter), count) for counter, count in _work_of(index).items() if count]
    return Built(index, [Measurement(CONSTRUCTION, seconds), *storage(index.statistics().memory), *counted])


@dataclass(frozen=True, slots=True)
class Constructions:
    """A subject: each call builds the index once more, and then inserts some conditions one at a time."""

    recipe: Recipe
    more: Sequence[Condition] = ()

    def __call__(self) -> list[Measurement]:
        built = construct(self.recipe)
        if not self.more:
            return built.measurements
        insert = built.index.insert
        began = time.perf_counter()
        for key, condition in enumerate(self.more, start=len(self.recipe.conditions)):
            insert(key, condition)
        seconds = time.perf_counter() - began
        return [*built.measurements, Measurement(INSERTION, seconds / len(self.more) * 1e6)]


class Events(NamedTuple):
    """Events to match, as both ways of matching take them."""

    dictionaries: Sequence[Mapping[str, object]]
    batches: Sequence[EventBatch]

    @classmethod
    def of(cls, made: SparseEvents, batch: int) -> Events:
        """Events in batches of a size, made beforehand: reading them is no part of matching."""
        table = events_table(made)
        slices = (table.slice(start, batch) for start in range(0, table.num_rows, batch))
        return cls(event_dictionaries(made), [EventBatch.from_arrow(each, attributes="attributes") for each in slices])

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, object]], batch: int) -> Events:
        """Events with values of any type, in batches of a size, made beforehand too."""
        starts = range(0, len(rows), batch)
        return cls(rows, [EventBatch.from_events(rows[start : start + batch]) for start in starts])


@dataclass(frozen=True, slots=True)
class Matching:
    """A subject: each call matches all events in both ways."""

    index: Index
    events: Events

    def __call__(self) -> list[Measurement]:
        count = len(self.events.dictionaries)
        before = _work_of(self.index)
        single, found_single = self._one_at_a_time()
        after = _work_of(self.index)
        batch, found_batch = self._in_batches()
        _require_same(found_single, found_batch)
        return [
            Measurement(SINGLE, single / count * 1e6),
            Measurement(BATCH, batch / count * 1e6),
            Measurement(FOUND, int(found_single.sum()) / count),
            *(Measurement(work(counter), (after[counter] - before[counter]) / count) for counter in after),
        ]

    def _one_at_a_time(self) -> tuple[float, NDArray[np.int64]]:
        match = self.index.match
        began = time.perf_counter()
        found = [len(match(event)) for event in self.events.dictionaries]
        return time.perf_counter() - began, np.array(found, dtype=np.int64)

    def _in_batches(self) -> tuple[float, NDArray[np.int64]]:
        began = time.perf_counter()
        rows = [self.index.match_batch(batch).rows for batch in self.events.batches]
        seconds = time.perf_counter() - began
        pairs = zip(rows, self.events.batches, strict=True)
        return seconds, np.concatenate([np.bincount(each, minlength=len(batch)) for each, batch in pairs])


@dataclass(frozen=True, slots=True)
class ConstructionAndMatching:
    """A subject: each call builds the index once more, and matches all events."""

    recipe: Recipe
    events: Events

    def __call__(self) -> list[Measurement]:
        built = construct(self.recipe)
        return [*built.measurements, *Matching(built.index, self.events)()]


def _work_of(index: Index) -> dict[str, int]:
    """What an index has counted so far; nothing for one that does not count."""
    counters = getattr(index, "work", None)
    return {} if counters is None else dict(counters._asdict())


def _require_same(single: NDArray[np.int64], batch: NDArray[np.int64]) -> None:
    differ = np.flatnonzero(single != batch)
    if len(differ):
        first = int(differ[0])
        raise InvariantError(
            f"event {first:,} matches {single[first]:,} conditions by itself and {batch[first]:,} in a batch"
        )
