"""What the indexes of boolean expressions have in common: conditions go in as clauses, and clauses come out as keys.

An index of this family files conjunctions of simple predicates. What it cannot file (it says so itself) is scanned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.indexes.boolean.clause_table import ClauseTable
from penstock.indexes.boolean.predicates import Clauses, Operator, clauses_of
from penstock.indexes.boolean.vocabulary import LabelsChangedError, Vocabulary
from penstock.indexes.program_table import ProgramTable
from penstock.indexes.protocol import IndexStatistics, Key, Matches
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.matches import order_matches
from penstock.model.conditions import Condition


class FoundClauses(NamedTuple):
    """Pairs of an event and a clause that match."""

    events: NDArray[np.int32]
    clauses: NDArray[np.int32]


class ClauseIndex(ABC):
    """The index protocol over structures that file clauses."""

    name: ClassVar[str]
    form: str = "dnf"

    def __init__(self, **options: Any) -> None:
        self._vocabulary = Vocabulary(self._relabel, **options)
        self._table = ClauseTable()
        self._scanned = ProgramTable()
        self._lists_of: dict[Key, list[tuple[int, int]]] = {}
        """The operands of list operators that a key uses: they are forgotten with the last that does."""

    def insert(self, key: Key, condition: Condition) -> None:
        self._table.check_new(key)
        if key in self._scanned:
            self._scanned.insert(key, condition)  # which refuses it
        try:
            clauses = self._translate(condition)
            if not self._serves(clauses):
                self._scanned.insert(key, condition)
                return
            self._retain_lists(key, clauses)
        finally:
            self._vocabulary.forget_unused()
        self._file(self._table.add(key, self._count(clauses)), clauses)

    def insert_many(self, keys: Iterable[Key], conditions: Iterable[Condition]) -> None:
        """Add many conditions: as :meth:`insert` does, one by one."""
        for key, condition in zip(keys, conditions, strict=True):
            self.insert(key, condition)

    def delete(self, key: Key) -> None:
        if key in self._scanned:
            self._scanned.delete(key)
            return
        self._take_out(self._table.remove(key))
        for field, number in self._lists_of.pop(key, ()):
            self._vocabulary.release(field, number)

    def match(self, event: Mapping[str, object]) -> NDArray[np.int64]:
        keys = np.unique(self._table.keys_of(self._find(self._vocabulary.encode_event(event)).clauses))
        if not len(self._scanned):
            return keys
        return np.union1d(keys, self._scanned.scan(EventBatch.from_events([event])).keys)

    def match_batch(self, batch: EventBatch) -> Matches:
        found = self._find(self._vocabulary.encode(batch))
        rows, keys = found.events, self._table.keys_of(found.clauses)
        if len(self._scanned):
            scanned = self._scanned.scan(batch)
            rows = np.concatenate([rows, scanned.rows.astype(np.int32)])
            keys = np.concatenate([keys, scanned.keys])
        ordered = Matches(np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64))
        count = order_matches(len(batch), rows, keys, ordered.rows, ordered.keys)
        return Matches(ordered.rows[:count], ordered.keys[:count])

    def statistics(self) -> IndexStatistics:
        memory = dict(self._memory())
        memory["subscriptions"] = self._table.nbytes
        memory["operands"] = self._vocabulary.bytes_used()
        if len(self._scanned):
            memory["scanned"] = sum(self._scanned.memory().values())
        count = len(self._table) + len(self._scanned)
        return IndexStatistics(count, self._predicate_count() + self._scanned.test_count, memory)

    def check_invariants(self) -> None:
        self._scanned.check_invariants()

    def _translate(self, condition: Condition) -> Clauses:
        while True:
            try:
                return clauses_of(condition, self._vocabulary, form=self.form)
            except LabelsChangedError:
                continue  # there is room between the labels now

    def _retain_lists(self, key: Key, clauses: Clauses) -> None:
        """Note which operands of list operators a key uses."""
        predicates = {one for clause in clauses.conjunctions for part in clause for one in part}
        predicates.update(one for clause in clauses.disjunctions for one in clause)
        listed = {
            (field, operand)
            for operator, field, operand in predicates
            if operator >= Operator.LISTED or operator == Operator.EXCLUDED
        }
        if listed:
            self._lists_of[key] = list(listed)
            for field, operand in listed:
                self._vocabulary.retain(field, operand)

    def _count(self, clauses: Clauses) -> int:
        """How many clause numbers a condition needs."""
        return len(clauses.conjunctions)

    def _serves(self, clauses: Clauses) -> bool:
        """Whether all clauses of a condition can be filed."""
        return not clauses.disjunctions

    @abstractmethod
    def _file(self, numbers: list[int], clauses: Clauses) -> None:
        """File the clauses of one condition under their numbers."""

    @abstractmethod
    def _take_out(self, clauses: list[int]) -> None:
        """Remove clauses, and give their numbers back."""

    @abstractmethod
    def _find(self, events: EventKeys) -> FoundClauses:
        """All clauses that match, by event."""

    @abstractmethod
    def _memory(self) -> Mapping[str, int]: ...

    @abstractmethod
    def _predicate_count(self) -> int: ...

    @abstractmethod
    def _relabel(self, field: int, labels: Mapping[int, int]) -> None:
        """Exchange the operands of a field of strings: the new label of each old one."""
