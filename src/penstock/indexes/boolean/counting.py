"""``counting``: the predicate counting algorithm that the indexes of boolean expressions are measured against.

For each field and operator there is a list of predicates, sorted by operand. What an event knows of a field finds the
predicates that hold as one stretch of each list, and each of them brings up the counter of its clause, in one array for
all clauses. A clause whose counter reaches the number of its parts matches.

This is the algorithm before anything is done to visit fewer clauses (Yan and Garcia-Molina, Index Structures for
Selective Dissemination of Information under the Boolean Model, TODS 1994, and what followed it): there are neither
pivots nor segments, and an event pays for every predicate that it satisfies, whatever becomes of the clause. In three
ways it is more than a textbook has it:

- It serves every condition, in disjunctive normal form. Predicates that hold when something is missing are lists of
  what they refuse; these are searched first, and a clause that is refused cannot be completed.
- Counters are not cleared for each event: those that it touched are remembered, and only they are.
- Deleting marks a clause, in constant time; all is built anew when half is marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.encoding.runs import Runs
from penstock.errors import InvariantError
from penstock.indexes.boolean.bulk import Translated
from penstock.indexes.boolean.bulk_index import BulkClauseIndex
from penstock.indexes.boolean.clause_index import FoundClauses
from penstock.indexes.boolean.operators import LIST_OPERATORS, ListOperator
from penstock.indexes.boolean.predicates import REFUSALS, Clauses, Conjunction, Operator
from penstock.kernels.counting import WORK_COUNTERS, Counters, OperandLists, insert_predicate, match_by_counting
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.predicate_lists import MOST_PARTS, NO_LIST

DEAD: Final = np.int16(32_767)
"""More parts than any clause has: of one that is deleted."""
LEAST_DEAD_TO_BUILD: Final = 64


class Work(NamedTuple):
    """What matching took, counted since the index was made."""

    lists_searched: int
    predicates_held: int
    clauses_touched: int
    """Clauses of which at least one predicate held."""


class _Entries(NamedTuple):
    """Predicates in columns: the field and operator of each as one number, its operand and its clause."""

    kinds: NDArray[np.int64]
    operands: NDArray[np.int64]
    clauses: NDArray[np.int32]


class Counting(BulkClauseIndex):
    """Predicates by field and operator, counted by clause."""

    name: ClassVar[str] = "counting"

    def __init__(self, *, operators: Sequence[ListOperator[Any]] = LIST_OPERATORS) -> None:
        super().__init__(operators=operators)
        self._operators = Operator.LISTED + len(operators)
        self._list_of = GrowingArray(np.int32)
        """For each field its list for each operator."""
        self._kinds = GrowingArray(np.int64)
        """For each list its field times the number of operators, plus its operator."""
        self._entries = Runs(np.int64, np.int32)
        self._parts = GrowingArray(np.int16)
        self._counts = GrowingArray(np.int16)
        self._touched = GrowingArray(np.int32)
        self._dead: list[int] = []
        self._work = np.zeros(WORK_COUNTERS, dtype=np.int64)

    # Changing

    def _serves(self, clauses: Clauses) -> bool:
        return all(len(clause) <= MOST_PARTS for clause in clauses.conjunctions)

    def _file(self, numbers: list[int], clauses: Clauses) -> None:
        self._make_counters()
        for number, clause in zip(numbers, clauses.conjunctions, strict=True):
            self._file_clause(number, clause)

    def _file_clause(self, number: int, clause: Conjunction) -> None:
        self._parts.values[number] = sum(part[0].operator >= REFUSALS for part in clause)
        for part in clause:
            for operator, field, operand in part:
                entries = self._list(field, operator)
                self._entries.make_room(entries)
                insert_predicate(self._lists(), entries, operand, number)

    def _build_with(self, clauses: NDArray[np.int32], translated: Translated) -> None:
        self._make_counters()
        self._parts.values[clauses] = translated.parts
        filings = translated.filings
        kinds = filings.fields.astype(np.int64) * self._operators + filings.operators
        held = self._live_entries()
        self._build(
            _Entries(
                np.concatenate([held.kinds, kinds]),
                np.concatenate([held.operands, filings.operands]),
                np.concatenate([held.clauses, clauses[filings.owners]]),
            )
        )

    def _take_out(self, clauses: list[int]) -> None:
        self._parts.values[clauses] = DEAD
        self._dead.extend(clauses)
        if len(self._dead) > LEAST_DEAD_TO_BUILD and len(self._dead) > self._table.clause_count:
            entries = self._live_entries()
            self._build(entries)
            self._vocabulary.keep_only_strings((entries.kinds // self._operators).astype(np.int32), entries.operands)

    def _build(self, entries: _Entries) -> None:
        """Hold these predicates instead of all others; the numbers of deleted clauses may be used again."""
        order = np.lexsort((entries.operands, entries.kinds))
        kinds, sizes = np.unique(entries.kinds, return_counts=True)
        list_of = np.full(len(self._vocabulary) * self._operators, NO_LIST, dtype=np.int32)
        list_of[kinds] = np.arange(len(kinds))
        self._list_of.replace(list_of)
        self._kinds.replace(kinds)
        self._entries.replace(sizes, entries.operands[order], entries.clauses[order])
        for clause in self._dead:
            self._table.give_back(clause)
        self._dead = []

    def _relabel(self, field: int, labels: Mapping[int, int]) -> None:
        old = np.array(sorted(labels), dtype=np.int64)
        new = np.array([labels[label] for label in sorted(labels)], dtype=np.int64)
        lists, places = self._entries.used()
        places = places[self._kinds.values[lists] // self._operators == field]
        operands = self._entries.columns[0]
        operands[places] = new[np.searchsorted(old, operands[places])]

    def _make_counters(self) -> None:
        """A counter for each clause."""
        for column in (self._parts, self._counts, self._touched):
            column.extend(np.zeros(max(0, self._table.room - len(column)), dtype=column.values.dtype))

    def _list(self, field: int, operator: int) -> int:
        kind = field * self._operators + operator
        missing = (field + 1) * self._operators - len(self._list_of)
        self._list_of.extend(np.full(max(0, missing), NO_LIST, dtype=np.int32))
        number = int(self._list_of.values[kind])
        if number == NO_LIST:
            number = self._entries.new()
            self._list_of.values[kind] = number
            self._kinds.extend([kind])
        return number

    # Matching

    def _find(self, events: EventKeys) -> FoundClauses:
        counters = Counters(self._parts.values, self._counts.values, self._touched.values)
        return FoundClauses(*match_by_counting(events, self._lists(), counters, self._work))

    def _lists(self) -> OperandLists:
        entries = self._entries
        of_field = self._list_of.values.reshape(-1, self._operators)
        return OperandLists(of_field, entries.starts, entries.sizes, *entries.columns)

    # Looking

    @property
    def work(self) -> Work:
        """What all matching so far took."""
        return Work(*self._work.tolist())

    def _memory(self) -> Mapping[str, int]:
        return {
            "predicate lists": self._entries.nbytes,
            "directories": self._list_of.nbytes + self._kinds.nbytes,
            "counters": self._parts.nbytes + self._counts.nbytes + self._touched.nbytes,
        }

    def _predicate_count(self) -> int:
        return int(self._entries.sizes.sum())

    def _live_entries(self) -> _Entries:
        """All predicates of clauses that are not deleted."""
        lists, places = self._entries.used()
        operands, clauses = (column[places] for column in self._entries.columns)
        live = self._parts.values[clauses] != DEAD
        return _Entries(self._kinds.values[lists[live]], operands[live], clauses[live])

    def check_invariants(self) -> None:
        """Lists are sorted and found by field and operator; counters are 0, and each can reach what it must."""
        super().check_invariants()
        kinds = self._kinds.values
        if not np.array_equal(np.sort(kinds), np.flatnonzero(self._list_of.values != NO_LIST)):
            raise InvariantError("the lists are not those that the fields and operators name")
        if np.any(self._list_of.values[kinds] != np.arange(len(kinds))):
            raise InvariantError("a list is named by another field or operator than its own")
        starts, rooms = self._entries.starts, self._entries.rooms
        if np.any(self._entries.sizes > rooms):
            raise InvariantError("a list is longer than its room")
        order = np.argsort(starts[rooms > 0])
        if np.any((starts + rooms)[rooms > 0][order][:-1] > starts[rooms > 0][order][1:]):
            raise InvariantError("two lists overlap")
        lists, places = self._entries.used()
        operands = self._entries.columns[0][places]
        if np.any((operands[1:] < operands[:-1]) & (lists[1:] == lists[:-1])):
            raise InvariantError("a list is not sorted by operand")
        if self._counts.values.any():
            raise InvariantError("a counter is not 0 between events")
        self._check_clauses()

    def _check_clauses(self) -> None:
        entries = self._live_entries()
        if len(np.unique(entries.clauses)) != self._table.clause_count:
            raise InvariantError(
                f"{len(np.unique(entries.clauses))} clauses are filed, {self._table.clause_count} belong to keys"
            )
        demanding = entries.clauses[entries.kinds % self._operators >= REFUSALS]
        live = np.unique(entries.clauses)
        found = np.bincount(demanding, minlength=self._table.room)[live]
        parts = self._parts.values[live]
        if np.any(parts < 1) or np.any(found < parts):
            raise InvariantError("a clause waits for no part, or for more than it has predicates")
