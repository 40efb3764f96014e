"""Measures context filters: how long a message and the updates before it take, and what was counted meanwhile."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.context import ContextFilter
from penstock.lab.context_workload import (
    INDEXED,
    ContextStream,
    ContextWorkload,
    Steps,
    attribute,
    columns,
    fill,
    reaching,
    slots,
)
from penstock.lab.experiment import Axis, Measure, Measurement, Panel

TIME: Final = Measure("a message and its updates", "µs")
THROUGHPUT: Final = Measure("throughput", "messages/s")
FOUND: Final = Measure("found for a message")
REACHING: Final = Measure("updates that reach an index, for a message")
INDEX_UPDATES: Final = Measure("index updates for a message")
ESCALATIONS: Final = Measure("escalations for a message")
DEESCALATIONS: Final = Measure("deescalations for a message")
POSTFILTERED: Final = Measure("postfiltered for a message")
FALSE_POSITIVES: Final = Measure("false positives for a message")

COUNTED: Final = {
    "index_updates": INDEX_UPDATES,
    "escalations": ESCALATIONS,
    "deescalations": DEESCALATIONS,
    "postfiltered": POSTFILTERED,
    "false_positives": FALSE_POSITIVES,
}
"""The counters of a filter that are measured, each as what it rises by for a message."""

TIME_PANEL: Final = Panel(TIME, Axis("a message and its updates", "ms", logarithmic=True, factor=1e-3))
THROUGHPUT_PANEL: Final = Panel(THROUGHPUT, Axis("messages a second", logarithmic=True))
INDEX_UPDATES_PANEL: Final = Panel(INDEX_UPDATES, Axis("index updates for a message", logarithmic=True))
POSTFILTERED_PANEL: Final = Panel(POSTFILTERED, Axis("profiles postfiltered for a message", logarithmic=True))
DEESCALATIONS_PANEL: Final = Panel(DEESCALATIONS, Axis("deescalations for a message"))
FALSE_POSITIVES_PANEL: Final = Panel(FALSE_POSITIVES, Axis("false positives for a message"))

MOST_STEPS: Final = 1_000_000
"""A stream is made and handed over in parts of about so many steps, or of one message."""

LEAD_IN: Final = 0.1
"""The last share of a warm-up, which every filter goes through."""


class FilterKind(NamedTuple):
    """How a filter treats its indexes."""

    strategy: str
    policy: str = "fixed(1000)"

    @property
    def adapts(self) -> bool:
        """Whether its indexes depend on more than the last few updates of each context."""
        return self.strategy == "agile"


def filled(kind: FilterKind, workload: ContextWorkload) -> tuple[ContextFilter, NDArray[np.int32]]:
    """A filter with the profiles of a workload, with accurate indexes, and where it keeps their contexts."""
    filter_, kept_in = pickle.loads(_filled(kind, replace(workload, distance=0.0, indexed_share=0.0)))
    return filter_, kept_in


@lru_cache(maxsize=4)
def _filled(kind: FilterKind, workload: ContextWorkload) -> bytes:
    """A filled filter in bytes: to read it from them takes a small part of the time that filling takes."""
    indexed = [attribute(number) for number in range(INDEXED)]
    made = ContextFilter(kind.strategy, "is_list", kind.policy, indexed)
    fill(made, workload)
    made.counters.take(np.zeros_like(made.counters.as_array()))  # policies go by what happens from here on
    return pickle.dumps((made, slots(made, workload)))


class Filtering:
    """A filter and the stream that goes through it: measured part by part, each goes on from the one before."""

    def __init__(self, kind: FilterKind, workload: ContextWorkload) -> None:
        self._kind = kind
        self._filter, self._kept_in = filled(kind, workload)
        self._stream = ContextStream(workload)

    def warm_up(self, messages: int, updates_per_message: float) -> None:
        """Have messages before those that are measured.

        A filter whose indexes follow from the last updates alone is spared most of them: it is told the values that
        they lead to.
        """
        last = ceil(messages * LEAD_IN)
        for part in _parts(messages - last, updates_per_message):
            made = self._stream.steps(part, updates_per_message)
            if self._kind.adapts:
                self._process(made)
        if not self._kind.adapts:
            self._process(self._stream.all_values())
        for part in _parts(last, updates_per_message):
            self._process(self._stream.steps(part, updates_per_message))

    def measure(self, messages: int, updates_per_message: float) -> list[Measurement]:
        """Have the next messages, with the updates before each, and measure them."""
        before = {counter: getattr(self._filter.counters, counter) for counter in COUNTED}
        seconds, found, reached = 0.0, 0, 0
        for part in _parts(messages, updates_per_message):
            made = self._stream.steps(part, updates_per_message)
            taken, rows = self._process(made)
            seconds += taken
            found += rows
            reached += reaching(self._stream.workload, made)
        return [
            Measurement(TIME, seconds / messages * 1e6),
            Measurement(THROUGHPUT, messages / seconds),
            Measurement(FOUND, found / messages),
            Measurement(REACHING, reached / messages),
            *(
                Measurement(measure, (getattr(self._filter.counters, counter) - before[counter]) / messages)
                for counter, measure in COUNTED.items()
            ),
        ]

    def _process(self, made: Steps) -> tuple[float, int]:
        """Have steps; the seconds that they took, and how many profiles were found."""
        taken = columns(self._filter, made, self._kept_in)
        began = time.perf_counter()
        rows, _ = self._filter.process_columns(*taken)
        return time.perf_counter() - began, len(rows)


def _parts(messages: int, updates_per_message: float) -> Iterator[int]:
    """Messages in parts of not too many steps."""
    size = max(1, int(MOST_STEPS / (1 + updates_per_message)))
    for begin in range(0, messages, size):
        yield min(size, messages - begin)
