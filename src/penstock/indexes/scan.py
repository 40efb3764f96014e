"""``scan``: no index at all. Every condition is run on every event, compiled, in rank space.

It serves every condition of the language and is what the others are measured against.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.indexes.program_table import ProgramTable
from penstock.indexes.protocol import IndexStatistics, Key, Matches
from penstock.model.conditions import Condition


class ScanIndex:
    """All conditions as programs, all of them run."""

    name: ClassVar[str] = "scan"

    def __init__(self) -> None:
        self._programs = ProgramTable()

    def insert(self, key: Key, condition: Condition) -> None:
        self._programs.insert(key, condition)

    def delete(self, key: Key) -> None:
        self._programs.delete(key)

    def match(self, event: Mapping[str, object]) -> NDArray[np.int64]:
        return self.match_batch(EventBatch.from_events([event])).keys

    def match_batch(self, batch: EventBatch) -> Matches:
        return self._programs.scan(batch)

    def statistics(self) -> IndexStatistics:
        return IndexStatistics(len(self._programs), self._programs.test_count, self._programs.memory())

    def check_invariants(self) -> None:
        self._programs.check_invariants()
