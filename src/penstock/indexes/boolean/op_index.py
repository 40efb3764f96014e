"""``opindex`` and ``opindex_bs``: OpIndex (An Efficient Publish/Subscribe Index for E-Commerce Databases).

A clause is filed under its pivot, the field that the fewest events know (section 4.1), and its predicates go into one
list an operator (section 4.2). ``opindex_bs`` has neither segments nor signatures, as the paper's variant of that name.

Where this goes beyond the paper:

- Predicates that hold when something is missing (``a IS NULL``, ``a NOT LIKE '%x%'``) are lists too: those that refuse.
  They are searched first, and what they refuse cannot be completed. A clause of nothing else is filed under a pivot
  that every event knows.
- A batch opens each partition once for all events that know its pivot, one after the other.
- Deleting marks the counter of a clause, in constant time; all is built anew when half is marked.
- Pivots are chosen again on demand or, with ``repivot=True``, when the events that are seen would make others far
  better. Clauses in conjunctive normal form keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.errors import InvariantError, UnsupportedConditionError
from penstock.indexes.boolean.bulk import Translated
from penstock.indexes.boolean.bulk_index import BulkClauseIndex
from penstock.indexes.boolean.clause_index import ClauseIndex, FoundClauses
from penstock.indexes.boolean.operators import LIST_OPERATORS, ListOperator
from penstock.indexes.boolean.partitions import ClauseColumns, Filing, FilingColumns, Partitions, Place, joined
from penstock.indexes.boolean.predicates import OPERATOR_NAMES, REFUSALS, Clauses, Conjunction, Disjunction, Operator
from penstock.indexes.protocol import Key
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.predicate_lists import MOST_PARTS, WORK_COUNTERS
from penstock.model.conditions import Condition

SEGMENTS: Final = 32
NEVER_PIVOT: Final = 2**40
LEAST_DEAD_TO_BUILD: Final = 64
LEAST_EVENTS_TO_REPIVOT: Final = 1000
WORTH_REPIVOTING: Final = 1.5
_PLACE_BITS: Final = 40


class Work(NamedTuple):
    """What matching took, counted since the index was made."""

    partitions_opened: int
    candidates: int
    """Clauses in the partitions that were opened."""
    segments_probed: int
    segments_searched: int
    """Probed segments whose signature did not rule out that something is found."""
    predicates_held: int


class Touched(NamedTuple):
    """A predicate list that an event has to do with: of which pivot and operator, and with which attribute.

    ``ruled_out`` says that the signature of its segment spared the search.
    """

    pivot: str
    operator: str
    attribute: str
    ruled_out: bool


class OpIndex(BulkClauseIndex):
    """Clauses by pivot, their predicates by operator.

    ``frequencies`` says how many events of a log have each attribute; without it the subscriptions themselves are
    counted. ``form`` is the normal form: ``dnf``, ``cnf``, or ``auto`` for the shorter one.
    """

    name: ClassVar[str] = "opindex"
    segments: ClassVar[int] = SEGMENTS
    signed: ClassVar[bool] = True

    def __init__(
        self,
        *,
        frequencies: Mapping[str, int] | None = None,
        form: str = "auto",
        repivot: bool = False,
        operators: Sequence[ListOperator[Any]] = LIST_OPERATORS,
    ) -> None:
        super().__init__(operators=operators)
        self.form = form
        self._log = None if frequencies is None else dict(frequencies)
        self._repivot = repivot
        count = Operator.LISTED + len(operators)
        self._conjunctions = Partitions(count, segments=self.segments, signed=self.signed, masked=False)
        self._disjunctions = Partitions(count, segments=self.segments, signed=self.signed, masked=True)
        self._places = GrowingArray(np.int32)
        """For each clause its partition and slot; those of disjunctions have the partition's complement."""
        self._uses = GrowingArray(np.int64)
        """How many clauses ask for each field."""
        self._dead: list[int] = []
        self._work = np.zeros(WORK_COUNTERS, dtype=np.int64)
        self._seen = np.zeros(0, dtype=np.int64)
        self._events_seen = 0
        self._next_look = LEAST_EVENTS_TO_REPIVOT
        self.repivots = 0

    # Changing

    def insert_many(self, keys: Iterable[Key], conditions: Iterable[Condition]) -> None:
        """Add many conditions at once; many more than there are already make all be built anew, which is faster."""
        if self.form == "cnf":
            ClauseIndex.insert_many(self, keys, conditions)
        else:
            super().insert_many(keys, conditions)

    def _build_with(self, clauses: NDArray[np.int32], translated: Translated) -> None:
        self._places.extend(np.zeros(2 * self._table.room - len(self._places), dtype=np.int32))
        held, filings = self._conjunctions.columns()
        added = translated.filings._replace(owners=translated.filings.owners + len(held.clauses))
        owners = ClauseColumns(
            np.concatenate([held.pivots, np.zeros(len(clauses), dtype=np.int32)]),
            np.concatenate([held.clauses, clauses]),
            np.concatenate([held.parts, translated.parts]),
        )
        self._count_uses(translated.filings)
        self._build_conjunctions(owners, joined(filings, added))

    def repivot(self) -> bool:
        """Choose all pivots of conjunctions again, by the events seen while matching; whether any did change."""
        return self._choose_again(self._frequencies())

    def _file(self, numbers: list[int], clauses: Clauses) -> None:
        self._places.extend(np.zeros(max(0, 2 * self._table.room - len(self._places)), dtype=np.int32))
        for number, clause in zip(numbers, clauses.conjunctions, strict=False):
            self._file_conjunction(number, clause)
        if clauses.disjunctions:
            self._file_disjunctions(numbers, clauses.disjunctions)

    def _count(self, clauses: Clauses) -> int:
        if clauses.disjunctions:
            return len(_pivot_set(clauses.disjunctions, self._frequency))
        return len(clauses.conjunctions)

    def _serves(self, clauses: Clauses) -> bool:
        parts = max([len(clauses.disjunctions), *map(len, clauses.conjunctions)], default=0)
        if parts > MOST_PARTS:
            raise UnsupportedConditionError(
                f"the condition has a clause of {parts:,} predicates; an index of this kind takes {MOST_PARTS:,}"
            )
        return True

    def _file_conjunction(self, number: int, clause: Conjunction) -> None:
        positive = [part for part in clause if part[0].operator >= REFUSALS]
        fields = dict.fromkeys(predicate.field for part in positive for predicate in part)
        for field in fields:
            self._use(field)
        pivot = min(fields, key=self._frequency)
        filings = [Filing(*predicate, part) for part, each in enumerate(clause) for predicate in each]
        place = self._conjunctions.file(pivot, number, filings, len(positive))
        self._places.values[2 * number : 2 * number + 2] = place

    def _file_disjunctions(self, numbers: list[int], clauses: tuple[Disjunction, ...]) -> None:
        pivots = _pivot_set(clauses, self._frequency)
        filings = [Filing(*predicate, part) for part, clause in enumerate(clauses) for predicate in clause]
        for number, pivot in zip(numbers, pivots, strict=True):
            place = self._disjunctions.file(pivot, number, filings, len(clauses))
            self._places.values[2 * number : 2 * number + 2] = ~place.partition, place.slot

    def _take_out(self, clauses: list[int]) -> None:
        for clause in clauses:
            partition, slot = self._places.values[2 * clause : 2 * clause + 2].tolist()
            if partition < 0:
                self._disjunctions.refuse(Place(~partition, slot))
            else:
                self._conjunctions.refuse(Place(partition, slot))
        self._dead.extend(clauses)
        if len(self._dead) > LEAST_DEAD_TO_BUILD and len(self._dead) > self._table.clause_count:
            self._build_anew()

    def _build_anew(self) -> None:
        """Build from what is left, and forget what only the others needed."""
        clauses, filings = self._conjunctions.columns()
        self._build_conjunctions(clauses, filings)
        owners, others = self._disjunctions.columns()
        self._note_places(owners.clauses, self._disjunctions.build(owners, others), disjunctive=True)
        for clause in self._dead:
            self._table.give_back(clause)
        self._dead = []
        self._uses = GrowingArray(np.int64)
        self._count_uses(filings)
        fields = np.concatenate([filings.fields, others.fields])
        self._vocabulary.keep_only_strings(fields, np.concatenate([filings.operands, others.operands]))

    def _build_conjunctions(self, clauses: ClauseColumns, filings: FilingColumns) -> None:
        pivots = _pivots(filings, len(clauses.clauses), self._frequency_array())
        owners = clauses._replace(pivots=pivots)
        self._note_places(owners.clauses, self._conjunctions.build(owners, filings), disjunctive=False)

    def _note_places(
        self,
        clauses: NDArray[np.int32],
        places: tuple[NDArray[np.int32], NDArray[np.int32]],
        *,
        disjunctive: bool,
    ) -> None:
        partitions, slots = places
        table = self._places.values.reshape(-1, 2)
        table[clauses, 0] = ~partitions if disjunctive else partitions
        table[clauses, 1] = slots

    def _relabel(self, field: int, labels: Mapping[int, int]) -> None:
        old = np.array(sorted(labels), dtype=np.int64)
        new = np.array([labels[label] for label in sorted(labels)], dtype=np.int64)
        for partitions in (self._conjunctions, self._disjunctions):
            partitions.relabel(field, old, new)

    # Frequencies

    def _frequency(self, field: int) -> int:
        """How many events know a field, as far as is known."""
        if field == self._vocabulary.always:
            return NEVER_PIVOT
        if self._log is not None:
            names = self._vocabulary.attributes(field)
            return min((self._log.get(name, 0) for name in names), default=NEVER_PIVOT)
        return int(self._uses.values[field]) if field < len(self._uses) else 0

    def _frequency_array(self) -> NDArray[np.int64]:
        size = len(self._vocabulary)
        if self._log is not None:
            return np.array([self._frequency(field) for field in range(size)], dtype=np.int64)
        frequencies = np.zeros(size, dtype=np.int64)
        frequencies[: len(self._uses)] = self._uses.values[:size]
        frequencies[self._vocabulary.always] = NEVER_PIVOT
        return frequencies

    def _frequencies(self) -> NDArray[np.int64]:
        """How many events of those seen know each field."""
        frequencies = np.zeros(len(self._vocabulary), dtype=np.int64)
        frequencies[: len(self._seen)] = self._seen
        frequencies[self._vocabulary.always] = NEVER_PIVOT
        return frequencies

    def _use(self, field: int) -> None:
        if field >= len(self._uses):
            self._uses.extend(np.zeros(field + 1 - len(self._uses), dtype=np.int64))
        self._uses.values[field] += 1

    def _count_uses(self, filings: FilingColumns) -> None:
        size = len(self._vocabulary)
        self._uses.extend(np.zeros(max(0, size - len(self._uses)), dtype=np.int64))
        positive = filings.operators >= REFUSALS
        pairs = np.sort(filings.owners[positive] * size + filings.fields[positive])
        distinct = np.concatenate([pairs[:1], pairs[1:][pairs[1:] != pairs[:-1]]])
        self._uses.values[:size] += np.bincount(distinct % size, minlength=size)

    # Matching

    def _find(self, events: EventKeys) -> FoundClauses:
        if self._repivot:
            self._watch(events)
        rows, clauses = self._conjunctions.match(events, self._work)
        if len(self._disjunctions):
            more_rows, more_clauses = self._disjunctions.match(events, self._work)
            rows, clauses = np.concatenate([rows, more_rows]), np.concatenate([clauses, more_clauses])
        return FoundClauses(rows, clauses)

    @property
    def work(self) -> Work:
        """What all matching so far took."""
        return Work(*self._work.tolist())

    def trace(self, event: Mapping[str, object]) -> list[Touched]:
        """The predicate lists that matching an event touches, in its order.

        >>> from penstock.language.parser import parse
        >>> index = OpIndex()
        >>> index.insert(1, parse("color = 'red' AND price <= 5"))
        >>> [(each.pivot, each.operator, each.attribute) for each in index.trace({"color": "red", "price": 9})]
        [('color', '=', 'price'), ('color', '=', 'color'), ('color', '<=', 'price'), ('color', '<=', 'color')]
        """
        events = self._vocabulary.encode_event(event)
        entries = list(zip(events.fields.tolist(), events.keys.tolist(), strict=True))
        names = [*OPERATOR_NAMES, *(operator.name for operator in self._vocabulary.operators)]
        touched = []
        for partitions in (self._conjunctions, self._disjunctions):
            for pivot in dict.fromkeys(field for field, _ in entries):
                partition = partitions.partition_of(pivot)
                if partition is None:
                    continue
                for operator, name in enumerate(names):
                    number = partitions.list_of(partition, operator)
                    for field, key in entries if number is not None else ():
                        if field != self._vocabulary.always or field == pivot:
                            ruled_out = not partitions.may_hold(number, operator, field, key)  # type: ignore[arg-type]
                            describe = self._vocabulary.describe
                            touched.append(Touched(describe(pivot), name, describe(field), ruled_out))
        return touched

    def _watch(self, events: EventKeys) -> None:
        """Count what events know, and look from time to time whether other pivots would be far better."""
        counts = np.bincount(events.fields, minlength=len(self._seen))
        counts[: len(self._seen)] += self._seen
        self._seen = counts
        self._events_seen += len(events.offsets) - 1
        if self._events_seen >= self._next_look:
            self._next_look = 2 * self._events_seen
            frequencies = self._frequencies()
            clauses, filings = self._conjunctions.columns()
            best = _pivots(filings, len(clauses.clauses), frequencies)
            if frequencies[clauses.pivots].sum() > WORTH_REPIVOTING * frequencies[best].sum():
                self._choose_again(frequencies)

    def _choose_again(self, frequencies: NDArray[np.int64]) -> bool:
        clauses, filings = self._conjunctions.columns()
        pivots = _pivots(filings, len(clauses.clauses), frequencies)
        if np.array_equal(pivots, clauses.pivots):
            return False
        owners = clauses._replace(pivots=pivots)
        self._note_places(owners.clauses, self._conjunctions.build(owners, filings), disjunctive=False)
        self.repivots += 1
        return True

    # Looking

    def _memory(self) -> Mapping[str, int]:
        memory = self._conjunctions.memory()
        for name, size in self._disjunctions.memory().items():
            memory[name] += size
        memory["places"] = self._places.nbytes + self._uses.nbytes
        return memory

    def _predicate_count(self) -> int:
        return self._conjunctions.entry_count + self._disjunctions.entry_count

    def check_invariants(self) -> None:
        super().check_invariants()
        total = 0
        for partitions in (self._conjunctions, self._disjunctions):
            partitions.check_invariants()
            live = [partitions.clauses_in(partition) for partition in range(len(partitions))]
            total += sum(map(len, live))
        if total != self._table.clause_count:
            raise InvariantError(f"{total} clauses are filed, {self._table.clause_count} belong to keys")


class OpIndexBs(OpIndex):
    """OpIndex without its two optimisations: lists are searched as a whole, and always."""

    name: ClassVar[str] = "opindex_bs"
    segments: ClassVar[int] = 1
    signed: ClassVar[bool] = False


def _pivot_set(clauses: tuple[Disjunction, ...], frequency: Any) -> list[int]:
    """The fields of the shortest clause; of several, of the one that the fewest events have to do with."""
    fields = [list(dict.fromkeys(predicate.field for predicate in clause)) for clause in clauses]
    return min(fields, key=lambda each: (len(each), sum(map(frequency, each))))


def _pivots(filings: FilingColumns, clauses: int, frequencies: NDArray[np.int64]) -> NDArray[np.int32]:
    """The pivot of each clause: the least frequent of its fields, and the first of those that are equally so."""
    if not clauses:
        return np.empty(0, dtype=np.int32)
    _, ranks = np.unique(frequencies, return_inverse=True)
    order = (ranks[filings.fields].astype(np.int64) << _PLACE_BITS) | np.arange(len(filings.fields))
    order[filings.operators < REFUSALS] = np.iinfo(np.int64).max
    begins = np.searchsorted(filings.owners, np.arange(clauses))
    best = np.minimum.reduceat(order, begins)
    pivots: NDArray[np.int32] = filings.fields[best & ((1 << _PLACE_BITS) - 1)]
    return pivots
