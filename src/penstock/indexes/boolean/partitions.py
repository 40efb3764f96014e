"""OpIndex's two levels: clauses by pivot, and the predicates of each pivot's clauses by operator (sections 4 and 5).

A partition has a counter for each of its clauses and a predicate list for each operator that occurs. An event opens the
partitions of the fields that it knows; each predicate that holds brings a counter down, and at zero the clause matches.
Clauses of a conjunctive normal form count their disjunctions in the same way, each disjunction once: a mask says which
of them still wait (section 6.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.encoding.runs import Runs
from penstock.errors import InvariantError
from penstock.indexes.boolean.predicates import REFUSALS
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.predicate_lists import (
    NO_LIST,
    REFUSED,
    Lists,
    Masks,
    Pairs,
    Slots,
    index_lists,
    insert_entry,
    match_pairs,
    pair_up,
    signature_bit,
)

LEAST_OUTPUT_ROOM: Final = 65_536
FEW_PAIRS: Final = 1024


class Filing(NamedTuple):
    """What a predicate is, and which part of its clause it is in."""

    operator: int
    field: int
    operand: int
    part: int


class FilingColumns(NamedTuple):
    """The predicates of many clauses, ordered by clause; ``owners`` are places in the clauses that they belong to."""

    owners: NDArray[np.int64]
    operators: NDArray[np.int8]
    fields: NDArray[np.int32]
    operands: NDArray[np.int64]
    parts: NDArray[np.int32]


def chosen(filings: FilingColumns, places: NDArray[Any]) -> FilingColumns:
    """Some of the predicates."""
    columns: list[Any] = [column[places] for column in filings]
    return FilingColumns(*columns)


def joined(one: FilingColumns, other: FilingColumns) -> FilingColumns:
    """All predicates of both."""
    pairs: list[Any] = list(zip(one, other, strict=True))
    return FilingColumns(*(np.concatenate(pair) for pair in pairs))


class ClauseColumns(NamedTuple):
    """Many clauses: the field that each is filed under, its number, and how many parts it has."""

    pivots: NDArray[np.int32]
    clauses: NDArray[np.int32]
    parts: NDArray[np.int16]


class Place(NamedTuple):
    """Where a clause is."""

    partition: int
    slot: int


class _Arrays(NamedTuple):
    """All that matching looks at, and room for what it changes."""

    lists: Lists
    slots: Slots
    masks: Masks
    counters: NDArray[np.int16]
    pending: NDArray[np.uint64]


class Partitions:
    """All clauses of one normal form. ``segments`` is the size of a list's directory, ``signed`` whether to sign."""

    def __init__(self, operators: int, *, segments: int, signed: bool, masked: bool) -> None:
        self._operators = operators
        self._segments = segments
        self._signed = signed
        self._masked = masked
        self._of_field = GrowingArray(np.int32)
        self.pivots = GrowingArray(np.int32)
        self._list_of = GrowingArray(np.int32)
        self._list_operators = GrowingArray(np.int8)
        self._ends = GrowingArray(np.int32)
        self._signatures = GrowingArray(np.uint64)
        self._entries = Runs(np.int32, np.int64, np.int32)
        self._slots = Runs(np.int16, np.int32)
        self._words = Runs(np.uint64, np.int32)
        self._arrays: _Arrays | None = None

    def __len__(self) -> int:
        return len(self.pivots)

    @property
    def entry_count(self) -> int:
        return int(self._entries.sizes.sum())

    # Changing

    def file(self, pivot: int, clause: int, filings: Sequence[Filing], parts: int) -> Place:
        """Add a clause under a pivot (OpIndex, algorithm 1)."""
        self._arrays = None
        partition = self._partition(pivot)
        slot = self._slots.append(partition, parts, clause)
        pointer = slot
        if self._masked:
            pointer = 64 * self._add_words(partition, slot, parts)
        for filing in filings:
            number = self._list(partition, filing.operator)
            self._entries.make_room(number)
            target = pointer + filing.part if self._masked else pointer
            insert_entry(self._lists(), self._segments, number, filing.operator, filing.field, filing.operand, target)
        return Place(partition, slot)

    def refuse(self, place: Place) -> None:
        """From now on a clause never matches; it is gone when all is built anew."""
        parts, _ = self._slots.columns
        parts[self._slots.starts[place.partition] + place.slot] = REFUSED

    def build(self, clauses: ClauseColumns, filings: FilingColumns) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Hold these clauses instead of all others. The partition and slot of each."""
        self._arrays = None
        pivots, partitions = np.unique(clauses.pivots, return_inverse=True)
        order = np.argsort(partitions, kind="stable")
        counts = np.bincount(partitions, minlength=len(pivots))
        slots = np.empty(len(order), dtype=np.int32)
        slots[order] = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        self._slots.replace(counts, clauses.parts[order], clauses.clauses[order])
        self.pivots.replace(pivots.astype(np.int32))
        of_field = np.full(int(pivots.max(initial=-1)) + 1, -1, dtype=np.int32)
        of_field[pivots] = np.arange(len(pivots))
        self._of_field.replace(of_field)
        pointers = slots[filings.owners]
        if self._masked:
            pointers = 64 * self._build_words(clauses, partitions, order)[filings.owners] + filings.parts
        self._build_lists(partitions[filings.owners], filings, pointers.astype(np.int32))
        return partitions.astype(np.int32), slots

    def columns(self) -> tuple[ClauseColumns, FilingColumns]:
        """All that is held, without what was refused."""
        partitions, places = self._slots.used()
        parts, clauses = (column[places] for column in self._slots.columns)
        owner_of_place = np.full(len(self._slots.columns[0]), -1, dtype=np.int64)
        live = np.flatnonzero(parts != REFUSED)
        owner_of_place[places[live]] = np.arange(len(live))
        held = ClauseColumns(self.pivots.values[partitions[live]], clauses[live], parts[live])

        lists, places = self._entries.used()
        fields, operands, pointers = (column[places] for column in self._entries.columns)
        list_partition = np.empty(len(self._entries), dtype=np.int64)
        table = self._list_of.values.reshape(-1, self._operators)
        there = np.nonzero(table != NO_LIST)
        list_partition[table[there]] = there[0]
        partition = list_partition[lists]
        part = np.zeros(len(pointers), dtype=np.int32)
        slot = pointers.astype(np.int64)
        if self._masked:
            word = self._words.starts[partition] + (slot >> 6)
            slot = self._words.columns[1][word].astype(np.int64)
            first_word = self._first_words()[self._slots.starts[partition] + slot]
            part = (64 * (word - first_word) + (pointers & 63)).astype(np.int32)
        owners = owner_of_place[self._slots.starts[partition] + slot]
        kept = np.flatnonzero(owners >= 0)
        kept = kept[np.argsort(owners[kept], kind="stable")]
        operators = self._list_operators.values[lists]
        return held, FilingColumns(owners[kept], operators[kept], fields[kept], operands[kept], part[kept])

    # Matching

    def match(self, events: EventKeys, work: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Pairs of an event and a clause that match. What it took is added to the counters of ``work``."""
        pairs = self._pairs(events)
        count = len(pairs.partitions)
        if self._arrays is None:
            self._arrays = self._gather_arrays()
        lists, slots, masks, counters, pending = self._arrays
        size = max(LEAST_OUTPUT_ROOM if count > FEW_PAIRS else FEW_PAIRS, len(counters))
        found_events, found_clauses = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        rows: list[NDArray[np.int32]] = []
        clauses: list[NDArray[np.int32]] = []
        pair = 0
        while pair < count:
            pair, written = match_pairs(
                pair,
                pairs,
                events,
                lists,
                self._segments,
                self._signed,
                slots,
                counters,
                self._masked,
                masks,
                pending,
                found_events,
                found_clauses,
                work,
            )
            rows.append(found_events[:written].copy())
            clauses.append(found_clauses[:written].copy())
        nothing = np.empty(0, dtype=np.int32)
        return np.concatenate([nothing, *rows]), np.concatenate([nothing, *clauses])

    def _pairs(self, events: EventKeys) -> Pairs:
        """The partitions to open, and for which events."""
        if len(events.offsets) == 2:  # for one event it is not worth it to count by partition
            known = events.fields[events.fields < len(self._of_field)]
            found = {partition for partition in self._of_field.values[known].tolist() if partition >= 0}
            partitions = np.fromiter(found, np.int32, len(found))
            return Pairs(partitions, np.zeros(len(partitions), dtype=np.int32))
        room = Pairs(np.empty(len(events.fields), np.int32), np.empty(len(events.fields), np.int32))
        count = pair_up(events, self._of_field.values, len(self), room)
        return Pairs(room.partitions[:count], room.events[:count])

    # Looking

    def partition_of(self, field: int) -> int | None:
        """The partition of a pivot."""
        known = self._of_field.values
        return int(known[field]) if field < len(known) and known[field] >= 0 else None

    def list_of(self, partition: int, operator: int) -> int | None:
        number = int(self._list_of.values[partition * self._operators + operator])
        return None if number == NO_LIST else number

    def may_hold(self, number: int, operator: int, field: int, key: int) -> bool:
        """Whether the signature of the segment of a field lets a value through."""
        signature = self._signatures.values[number * self._segments + field % self._segments]
        return not self._signed or bool(signature & signature_bit(operator, field, key))

    def clauses_in(self, partition: int) -> NDArray[np.int32]:
        """The clauses of a partition that match some events."""
        start, size = int(self._slots.starts[partition]), int(self._slots.sizes[partition])
        parts, clauses = (column[start : start + size] for column in self._slots.columns)
        live: NDArray[np.int32] = clauses[parts != REFUSED]
        return live

    def relabel(self, field: int, old: NDArray[np.int64], new: NDArray[np.int64]) -> None:
        """Exchange the operands of a field for others in the same order; ``old`` is sorted."""
        fields, operands, _ = self._entries.columns
        places = self._entries.used()[1]
        places = places[fields[places] == field]
        operands[places] = new[np.searchsorted(old, operands[places])]
        self._index_lists()

    def memory(self) -> dict[str, int]:
        """The bytes of all arrays, by what they are for."""
        return {
            "predicate lists": self._entries.nbytes,
            "directories": self._ends.nbytes + self._list_of.nbytes + self._list_operators.nbytes,
            "signatures": self._signatures.nbytes if self._signed else 0,
            "counters": self._slots.nbytes + self._words.nbytes,
            "pivots": self._of_field.nbytes + self.pivots.nbytes,
        }

    def check_invariants(self) -> None:
        """Lists are sorted by segment, attribute and operand; directories, signatures and counters fit them."""
        entries = self._entries
        fields, operands, _ = entries.columns
        for number in range(len(entries)):
            start, size = int(entries.starts[number]), int(entries.sizes[number])
            mine = slice(start, start + size)
            segment = fields[mine] % self._segments
            order = np.lexsort((operands[mine], fields[mine], segment))
            if not np.array_equal(order, np.arange(size)):
                raise InvariantError(f"list {number} is not sorted by segment, attribute and operand")
            base = number * self._segments
            ends = np.cumsum(np.bincount(segment, minlength=self._segments))
            if not np.array_equal(ends, self._ends.values[base : base + self._segments]):
                raise InvariantError(f"the directory of list {number} does not say where its segments end")
            operator = int(self._list_operators.values[number])
            for field, operand in zip(fields[mine].tolist(), operands[mine].tolist(), strict=True):
                if not self.may_hold(number, operator, field, operand):
                    raise InvariantError(f"the signature of list {number} would hide an entry of field {field}")
        clauses, filings = self.columns()
        positive = filings.operators >= REFUSALS
        held = np.unique(np.stack([filings.owners[positive], filings.parts[positive]]), axis=1)
        counted = held if self._masked else np.stack([filings.owners[positive]] * 2)
        found = np.bincount(counted[0], minlength=len(clauses.clauses))
        if np.any(found < clauses.parts):
            raise InvariantError("a clause waits for more parts than it has predicates")

    # Inside

    def _partition(self, pivot: int) -> int:
        known = len(self._of_field)
        if pivot >= known:
            self._of_field.extend(np.full(pivot + 1 - known, -1, dtype=np.int32))
        partition = int(self._of_field.values[pivot])
        if partition < 0:
            partition = self._of_field.values[pivot] = len(self.pivots)
            self.pivots.extend([pivot])
            self._list_of.extend(np.full(self._operators, NO_LIST, dtype=np.int32))
            self._slots.new()
            if self._masked:
                self._words.new()
        return int(partition)

    def _list(self, partition: int, operator: int) -> int:
        number = int(self._list_of.values[partition * self._operators + operator])
        if number == NO_LIST:
            number = self._list_of.values[partition * self._operators + operator] = self._entries.new()
            self._list_operators.extend([operator])
            self._ends.extend(np.zeros(self._segments, dtype=np.int32))
            self._signatures.extend(np.zeros(self._segments, dtype=np.uint64))
        return int(number)

    def _add_words(self, partition: int, slot: int, parts: int) -> int:
        """Masks with a bit for each part of a slot; the first of their words."""
        first = int(self._words.sizes[partition])
        for word in _full_words(parts):
            self._words.append(partition, word, slot)
        return first

    def _build_words(
        self, clauses: ClauseColumns, partitions: NDArray[np.int64], order: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Masks of all clauses; the first word of each within its partition."""
        needed = (clauses.parts.astype(np.int64) + 63) // 64
        words = [word for parts in clauses.parts[order].tolist() for word in _full_words(parts)]
        slot_counts = np.bincount(partitions, minlength=len(self.pivots))
        slots = np.arange(len(order)) - np.repeat(np.cumsum(slot_counts) - slot_counts, slot_counts)
        word_counts = np.bincount(partitions, weights=needed, minlength=len(self.pivots)).astype(np.int64)
        owners = np.repeat(slots, needed[order]).astype(np.int32)
        self._words.replace(word_counts, np.array(words, dtype=np.uint64), owners)
        first = np.empty(len(order), dtype=np.int64)
        before = np.cumsum(needed[order]) - needed[order]
        first[order] = before - np.repeat(np.cumsum(word_counts) - word_counts, slot_counts)
        return first

    def _first_words(self) -> NDArray[np.int64]:
        """For every place of a slot: where its first word is."""
        first = np.full(len(self._slots.columns[0]), -1, dtype=np.int64)
        partitions, places = self._words.used()
        owners = self._slots.starts[partitions] + self._words.columns[1][places]
        first[owners[::-1]] = places[::-1]
        return first

    def _build_lists(self, partitions: NDArray[np.int64], filings: FilingColumns, pointers: NDArray[np.int32]) -> None:
        numbers = partitions * self._operators + filings.operators
        fields = filings.fields.astype(np.int64)
        most = int(fields.max(initial=0)) + 1
        in_order = (numbers * self._segments + fields % self._segments) * most + fields
        order = np.lexsort((filings.operands, in_order))
        present, sizes = np.unique(numbers, return_counts=True)
        list_of = np.full(len(self) * self._operators, NO_LIST, dtype=np.int32)
        list_of[present] = np.arange(len(present))
        self._list_of.replace(list_of)
        self._list_operators.replace((present % self._operators).astype(np.int8))
        self._ends.replace(np.zeros(len(present) * self._segments, dtype=np.int32))
        self._signatures.replace(np.zeros(len(present) * self._segments, dtype=np.uint64))
        self._entries.replace(sizes, filings.fields[order], filings.operands[order], pointers[order])
        self._index_lists()

    def _index_lists(self) -> None:
        index_lists(self._lists(), self._segments, self._list_operators.values)

    def _lists(self) -> Lists:
        table = self._list_of.values.reshape(-1, self._operators)
        entries = self._entries
        return Lists(
            table,
            entries.starts,
            entries.sizes,
            self._ends.values,
            self._signatures.values,
            *entries.columns,
        )

    def _gather_arrays(self) -> _Arrays:
        slots = Slots(self._slots.starts, self._slots.sizes, *self._slots.columns)
        masks = Masks(self._words.starts, self._words.sizes, *self._words.columns)
        counters = np.empty(int(slots.counts.max(initial=0)), dtype=np.int16)
        pending = np.empty(int(masks.counts.max(initial=0)), dtype=np.uint64)
        return _Arrays(self._lists(), slots, masks, counters, pending)


def _full_words(parts: int) -> list[int]:
    """Words with a bit for each part."""
    return [(1 << min(64, parts - start)) - 1 for start in range(0, parts, 64)]
