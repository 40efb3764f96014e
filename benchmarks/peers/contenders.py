"""Who takes part: our indexes in this process, in batches and event by event, and other libraries in their own.

Every contender is built once and then does a round when it is told to. A round gives, for each measure, how many
matches there were, the sum of their keys, and the microseconds for an event by the processor's clock and by the wall's.
The measures: ``match`` takes events that were parsed before, in whatever form the contender likes best; ``text +
match`` begins with JSON text, and for our batches ``encode`` (from a map column of Arrow) stands alone and together
with matching.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from benchmarks.measuring import resident

import penstock
from penstock.encoding.batch import EventBatch, attributes_from_json
from penstock.indexes import Index, new_index
from penstock.lab.boolean_workloads import (
    Conjunctions,
    SparseEvents,
    conditions_of,
    conjunctions,
    event_dictionaries,
    events_table,
    sparse_events,
)
from penstock.model.conditions import Condition


class ContenderError(Exception):
    """A contender could not go on."""


@dataclass(frozen=True)
class Timing:
    """Microseconds for an event."""

    cpu: float
    wall: float

    def __add__(self, other: Timing) -> Timing:
        return Timing(self.cpu + other.cpu, self.wall + other.wall)


class Answer(NamedTuple):
    """What a round found: equal for all contenders, unless one is wrong."""

    matches: int
    keys: int


class Round(NamedTuple):
    """The timings by measure, and what was found by each measure that looks for matches."""

    timings: dict[str, Timing]
    answers: dict[str, Answer]


class Contender(Protocol):
    name: str
    version: str
    built: dict[str, float]
    """Seconds and megabytes, by what they are."""

    def round(self) -> Round: ...
    def close(self) -> None: ...


class Stopwatch:
    """Time for each event since it was made or last read."""

    def __init__(self, events: int) -> None:
        self._events = events
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def lap(self) -> Timing:
        cpu, wall = time.process_time(), time.perf_counter()
        passed = Timing((cpu - self._cpu) / self._events * 1e6, (wall - self._wall) / self._events * 1e6)
        self._cpu, self._wall = cpu, wall
        return passed


def insert_all(index: Index, conditions: list[Condition]) -> None:
    if hasattr(index, "insert_many"):
        index.insert_many(np.arange(len(conditions)), conditions)
    else:
        for key, condition in enumerate(conditions):
            index.insert(key, condition)


class Batches:
    """One of our indexes, with all events in one batch."""

    version = penstock.__version__

    def __init__(self, name: str, made: Conjunctions, events: SparseEvents, texts: list[str]) -> None:
        self.name = name
        self._table, self._texts = events_table(events), pa.array(texts)
        compile_kernels(name)
        before = resident()
        conditions = conditions_of(made)
        self.index = new_index(name)
        begin = time.perf_counter()
        insert_all(self.index, conditions)
        seconds = time.perf_counter() - begin
        # Without the conditions, unless the index itself has kept them.
        del conditions
        self.built = {
            "build, s": seconds,
            "memory, MB": self.index.statistics().bytes / 1e6,
            "resident, MB": (resident() - before) / 1e6,
        }

    def round(self) -> Round:
        watch = Stopwatch(self._table.num_rows)
        batch = EventBatch.from_arrow(self._table, attributes="attributes")
        encode = watch.lap()
        matches = self.index.match_batch(batch)
        match = watch.lap()
        from_text = self.index.match_batch(EventBatch.from_json(self._texts)[0])
        text = watch.lap()
        return Round(
            {"encode": encode, "match": match, "encode + match": encode + match, "text + match": text},
            {"match": answer([matches.keys]), "text + match": answer([from_text.keys])},
        )

    def close(self) -> None:
        pass


class OneByOne:
    """The same index, with one event at a time."""

    version = penstock.__version__

    def __init__(self, batches: Batches, events: SparseEvents, texts: list[str]) -> None:
        self.name = f"{batches.name}, one by one"
        self.built: dict[str, float] = {}
        self._index, self._events, self._texts = batches.index, event_dictionaries(events), texts

    def round(self) -> Round:
        find = self._index.match
        watch = Stopwatch(len(self._events))
        parsed = [find(event) for event in self._events]
        match = watch.lap()
        from_text = [find(attributes_from_json(text)) for text in self._texts]
        text = watch.lap()
        return Round(
            {"match": match, "text + match": text},
            {"match": answer(parsed), "text + match": answer(from_text)},
        )

    def close(self) -> None:
        pass


def compile_kernels(name: str) -> None:
    """Use an index of this kind on very little, so that what is to be compiled is neither timed nor weighed."""
    few = conjunctions(200, dimensions=20)
    events = sparse_events(20, dimensions=20, size=10)
    index = new_index(name)
    insert_all(index, conditions_of(few))
    index.match_batch(EventBatch.from_arrow(events_table(events), attributes="attributes"))
    index.match(event_dictionaries(events)[0])


def answer(found: Sequence[np.ndarray]) -> Answer:
    return Answer(sum(len(keys) for keys in found), sum(int(keys.sum()) for keys in found))


class PeerProcess:
    """A library in a process of its own, which builds at once and then does a round for each line that it is sent."""

    def __init__(self, name: str, command: Sequence[str], folder: Path) -> None:
        self.name = name
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            built = self._read()
        except ContenderError:
            self.close()
            raise
        self.version: str = built["version"]
        self.built = {"build, s": built["build"], "memory, MB": built["bytes"] / 1e6}

    def round(self) -> Round:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("round\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ContenderError("its process has ended") from None
        figures = self._read()
        return Round(
            {measure: Timing(each["cpu"], each["wall"]) for measure, each in figures.items()},
            {measure: Answer(each["matches"], each["keys"]) for measure, each in figures.items()},
        )

    def close(self) -> None:
        # Nothing more on its standard input is what tells a peer to end.
        self._process.communicate()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ContenderError(f"its process has ended with code {self._process.wait()}")
        return json.loads(line)
