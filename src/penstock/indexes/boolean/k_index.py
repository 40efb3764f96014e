"""``k_index``: the k-index (Whang et al., Indexing Boolean Expressions, PVLDB 2009), as OpIndex's section 3 has it.

A clause is filed under each value of each of its fields that satisfies it: the posting list of a size K, a field and a
value holds the clauses with K fields that the value satisfies, in ascending order. An event opens the lists of all its
values, partition by partition from min(largest K, number of values) down to 1, and a clause that stands in K lists of
partition K matches. The lists are walked together, ordered by the clause at which each stands: if the first and the
K-th stand at the same one it matches, else all before the K-th skip to where that stands.

The limits are those of the original:

- Values must be countable. A comparison other than equality is one posting for each value of a *declared domain*, a
  range of integers: ``domain`` for every attribute as a number, ``domains`` for single attributes. The declaration is a
  promise; once a condition was filed that relies on it, an event with another number in that attribute is refused with
  a :class:`~penstock.errors.ValueRefusedError`.
- All that a clause asks of one field is one set of values: ``a >= 3 AND a <= 12 AND a != 5`` is nine postings. Where a
  part asks for equality, the set is within that part, and no domain is needed.
- Conditions that sets of values cannot express are scanned instead: comparisons without a declared domain (all those of
  strings, timestamps and computed numbers among them), IS NULL and IS NOT NULL, patterns and regular expressions.

Where this differs from the original:

- The original's entries that refuse (its NOT IN) are left out: they hold for events that lack the attribute, and
  ``a NOT IN (3, 6)`` does not. With a domain it is the other values; without one it is scanned.
- Top-k ranking is left out: there are no weights.
- Skipping is by steps that double. Deleting, which the original does not describe, removes the postings; to find them,
  and to build anew when many conditions come, the predicates are kept beside the lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.encoding.runs import Runs
from penstock.errors import InvariantError
from penstock.indexes.boolean.bulk import Translated
from penstock.indexes.boolean.bulk_index import BulkClauseIndex
from penstock.indexes.boolean.clause_index import FoundClauses
from penstock.indexes.boolean.domains import Bounds, DeclaredDomains
from penstock.indexes.boolean.operators import LIST_OPERATORS, ListOperator
from penstock.indexes.boolean.partitions import FilingColumns, chosen, joined
from penstock.indexes.boolean.posting_lists import PostingTable
from penstock.indexes.boolean.predicates import Clauses, Conjunction, Operator
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.k_index import (
    WORK_COUNTERS,
    Groups,
    Predicates,
    build_lists,
    candidates,
    count_postings,
    match_by_size,
    most_candidates,
    satisfying,
)
from penstock.kernels.posting_lists import cell_of

LEAST_DELETED_TO_SWEEP: Final = 64


class Work(NamedTuple):
    """What matching took, counted since the index was made."""

    lookups: int
    """Posting lists that were looked for: one for each value of an event and each size."""
    lists_opened: int
    postings_read: int
    """Clauses at which a list stood while its partition was walked."""


class _Group(NamedTuple):
    """What a clause asks of one field: the keys that satisfy it, and whether it takes a declared domain to know."""

    field: int
    keys: NDArray[np.int64]
    relies: bool


class KIndex(BulkClauseIndex):
    """Clauses by size, field and value. ``domain`` and ``domains`` declare what values attributes may have."""

    name: ClassVar[str] = "k_index"

    def __init__(
        self,
        *,
        domain: Bounds | None = None,
        domains: Mapping[str, Bounds] | None = None,
        operators: Sequence[ListOperator[Any]] = LIST_OPERATORS,
    ) -> None:
        super().__init__(operators=operators)
        self._domains = DeclaredDomains(self._vocabulary, domain, domains)
        self._asked = Runs(np.int8, np.int32, np.int64, np.int32)
        """For each clause the operators, fields, operands and parts of its predicates, ordered by field and part."""
        self._lists = PostingTable()
        self._held = GrowingArray(np.int64)
        """How many clauses there are of each size."""
        self._relied = GrowingArray(np.int64)
        """For each field how many clauses rely on its domain."""
        self._deleted = 0
        self._work = np.zeros(WORK_COUNTERS, dtype=np.int64)

    # What can be filed

    def _serves(self, clauses: Clauses) -> bool:
        return all(map(self._serves_clause, clauses.conjunctions))

    def _serves_clause(self, clause: Conjunction) -> bool:
        predicates = [predicate for part in clause for predicate in part]
        if not all(Operator.EQUAL <= predicate.operator <= Operator.DIFFERENT for predicate in predicates):
            return False
        by_equality = {predicate.field for predicate in predicates if predicate.operator == Operator.EQUAL}
        return all(predicate.field in by_equality or self._domains.has(predicate.field) for predicate in predicates)

    def _serves_plain(self, translated: Translated) -> NDArray[np.bool_]:
        filings = translated.filings
        pairs = filings.owners * len(self._vocabulary) + filings.fields
        by_equality = np.isin(pairs, pairs[filings.operators == Operator.EQUAL])
        served = np.ones(len(translated.plain), dtype=np.bool_)
        served[filings.owners[~by_equality & ~self._domains.declared()[filings.fields]]] = False
        return served

    # Changing

    def _file(self, numbers: list[int], clauses: Clauses) -> None:
        for number, clause in zip(numbers, clauses.conjunctions, strict=True):
            self._ask(number, clause)
            groups = self._groups(number)
            self._count_clause(groups, 1)
            for group in groups:
                self._lists.add(cell_of(len(groups), group.field), group.keys, number)

    def _ask(self, number: int, clause: Conjunction) -> None:
        """Keep the predicates of a clause."""
        predicates = [(*predicate, part) for part, each in enumerate(clause) for predicate in each]
        predicates.sort(key=lambda predicate: (predicate[1], predicate[3]))
        while len(self._asked) <= number:
            self._asked.new()
        self._asked.make_room(number, len(predicates))
        start = int(self._asked.starts[number])
        for column, values in zip(self._asked.columns, zip(*predicates, strict=True), strict=True):
            column[start : start + len(predicates)] = values
        self._asked.sizes[number] = len(predicates)

    def _count_clause(self, groups: list[_Group], change: int) -> None:
        """One clause more or less, of a size and with fields whose domains it relies on."""
        _reach(self._held, len(groups))
        _reach(self._relied, max(group.field for group in groups))
        self._held.values[len(groups)] += change
        for group in groups:
            if group.relies:
                self._relied.values[group.field] += change

    def _take_out(self, clauses: list[int]) -> None:
        for number in clauses:
            groups = self._groups(number)
            self._count_clause(groups, -1)
            for group in groups:
                self._lists.remove(cell_of(len(groups), group.field), group.keys, number)
            self._asked.sizes[number] = 0
            self._table.give_back(number)
        self._deleted += len(clauses)
        if self._deleted > LEAST_DELETED_TO_SWEEP and self._deleted > self._table.clause_count:
            self._deleted = 0
            places = self._asked.used()[1]
            _, fields, operands, _ = self._asked.columns
            self._vocabulary.keep_only_strings(fields[places], operands[places])

    def _groups(self, number: int) -> list[_Group]:
        """What a clause asks, by field."""
        begin = int(self._asked.starts[number])
        operators, fields, operands, parts = (
            column[begin : begin + int(self._asked.sizes[number])] for column in self._asked.columns
        )
        predicates, domains = Predicates(operators, operands, parts), self._domains.arrays()
        starts = [*np.flatnonzero(np.diff(fields, prepend=-1)).tolist(), len(fields)]
        groups = []
        for first, last in pairwise(starts):
            field = int(fields[first])
            among, relies = candidates(predicates, first, last, domains, field)
            keys = np.empty(len(among), dtype=np.int64)
            keys = keys[: satisfying(predicates, first, last, domains, field, keys)]
            groups.append(_Group(field, keys, relies))
        return groups

    def _build_with(self, clauses: NDArray[np.int32], translated: Translated) -> None:
        numbers, places = self._asked.used()
        held = FilingColumns(numbers, *(column[places] for column in self._asked.columns))
        added = translated.filings
        asked = joined(held, added._replace(owners=clauses[added.owners].astype(np.int64)))
        pairs = asked.owners * len(self._vocabulary) + asked.fields
        order = np.argsort(pairs, kind="stable")  # within a clause and a field they are in the order of parts
        asked, pairs = chosen(asked, order), pairs[order]
        sizes = np.bincount(asked.owners, minlength=self._table.room)
        self._asked.replace(sizes, asked.operators, asked.fields, asked.operands, asked.parts)
        self._build(asked, np.append(np.flatnonzero(np.diff(pairs, prepend=-1)), len(pairs)))

    def _build(self, asked: FilingColumns, begins: NDArray[np.int64]) -> None:
        """Build all posting lists from predicates, those of one clause and field together from each beginning."""
        clauses, fields = asked.owners[begins[:-1]].astype(np.int32), asked.fields[begins[:-1]]
        sizes = np.bincount(clauses, minlength=self._table.room)
        cells = (sizes[clauses] << 32) | fields
        predicates = Predicates(asked.operators, asked.operands, asked.parts)
        groups = Groups(begins, clauses, fields, cells, np.argsort(cells, kind="stable"))
        domains = self._domains.arrays()
        relied = np.zeros(len(self._vocabulary), dtype=np.int64)
        keys = np.empty(most_candidates(predicates, groups, domains, relied), dtype=np.int64)
        entries = self._lists.room_for(count_postings(predicates, groups, domains, keys))
        self._lists.replace(entries, *build_lists(predicates, groups, domains, keys, entries))
        self._relied.replace(relied)
        held = np.bincount(sizes, minlength=1)
        held[0] = 0
        self._held.replace(held)

    def _relabel(self, field: int, labels: Mapping[int, int]) -> None:
        old = np.array(sorted(labels), dtype=np.int64)
        new = np.array([labels[label] for label in sorted(labels)], dtype=np.int64)
        places = self._asked.used()[1]
        _, fields, operands, _ = self._asked.columns
        places = places[fields[places] == field]
        operands[places] = new[np.searchsorted(old, operands[places])]
        self._lists.exchange_keys(field, old, new)

    # Matching

    def _find(self, events: EventKeys) -> FoundClauses:
        self._domains.check(events, self._relied.values)
        found = match_by_size(events, self._vocabulary.always, self._lists.arrays, self._held.values, self._work)
        return FoundClauses(*found)

    # Looking

    @property
    def work(self) -> Work:
        """What all matching so far took."""
        return Work(*self._work.tolist())

    @property
    def posting_count(self) -> int:
        """How many postings there are: a clause has one for each value that each of its fields may have."""
        return self._lists.posting_count

    def posting_lists(self) -> dict[tuple[int, int, int], list[int]]:
        """The clauses of each list, by size, field and key."""
        return self._lists.all_lists()

    def _memory(self) -> Mapping[str, int]:
        memory = self._lists.memory()
        memory["predicates"] = self._asked.nbytes
        memory["domains"] = self._domains.nbytes + self._held.nbytes + self._relied.nbytes
        return memory

    def _predicate_count(self) -> int:
        return int(self._asked.sizes.sum())

    def check_invariants(self) -> None:
        """The posting lists are those of the predicates, and each is found; what is counted is what there is."""
        super().check_invariants()
        self._lists.check_invariants()
        expected: dict[tuple[int, int, int], list[int]] = {}
        held, relied = np.zeros_like(self._held.values), np.zeros_like(self._relied.values)
        live = np.flatnonzero(self._asked.sizes).tolist()
        if len(live) != self._table.clause_count:
            raise InvariantError(f"{len(live)} clauses are filed, {self._table.clause_count} belong to keys")
        for number in live:
            groups = self._groups(number)
            held[len(groups)] += 1
            for group in groups:
                relied[group.field] += group.relies
                for key in group.keys.tolist():
                    expected.setdefault((len(groups), group.field, key), []).append(number)
        if self.posting_lists() != expected:
            raise InvariantError("the posting lists are not those that the predicates ask for")
        if not np.array_equal(held, self._held.values) or not np.array_equal(relied, self._relied.values):
            raise InvariantError("the clauses are not counted by size, or not by the domains that they rely on")


def _reach(column: GrowingArray[np.int64], place: int) -> None:
    """See to it that a column of counts has a place."""
    column.extend(np.zeros(max(0, place + 1 - len(column)), dtype=np.int64))
