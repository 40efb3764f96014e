"""Fields as the dimensions of a space in which a conjunction is a point: its coordinates are ids of constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.errors import InvariantError
from penstock.indexes.hashing.constraint_table import ConstraintTable
from penstock.indexes.hashing.interval_lookup import IntervalLookup
from penstock.indexes.hashing.positions import Intervals, is_equality, operands_of, relabelled
from penstock.indexes.hashing.selectivity import share_let_through
from penstock.kernels import amkh as kernels
from penstock.kernels.amkh_constraints import NONE, Offers, offer_equalities, offer_intervals
from penstock.kernels.event_keys import EventKeys

MOST_SAMPLED: Final = 1000
"""So many constraints are enough to estimate what share of the values they let through."""
UNKNOWN_SHARE: Final = 0.5


class Axis:
    """One field: its constraints under ids from 1, which are given again when nothing uses them."""

    __slots__ = ("free_ids", "intervals", "lookup", "next_id", "numbers", "share")

    def __init__(self) -> None:
        self.numbers: dict[Intervals, int] = {}
        self.intervals = 0
        """How many constraints are no equality."""
        self.free_ids: list[int] = []
        self.next_id = 1
        self.lookup: IntervalLookup | None = None
        self.share = UNKNOWN_SHARE
        """The share of values that a constraint that is no equality lets through, by the latest estimate."""

    @property
    def is_equality_only(self) -> bool:
        return self.intervals == 0 and bool(self.numbers)

    @property
    def is_general(self) -> bool:
        return self.intervals > 0

    def take_id(self) -> int:
        if self.free_ids:
            return self.free_ids.pop()
        self.next_id += 1
        return self.next_id - 1

    def general_constraints(self) -> Iterator[tuple[int, Intervals]]:
        """The constraints that are no equality."""
        return ((number, intervals) for intervals, number in self.numbers.items() if not is_equality(intervals))


class Axes:
    """All fields that conjunctions mention, their weights, and the constraints on them."""

    def __init__(self, seed: int, residues: int) -> None:
        self.constraints = ConstraintTable()
        self.equality_only = 0
        """How many fields have constraints, and only equalities."""
        self.removed = 0
        """How many constraints have gone since this was last set to 0."""
        self._random = np.random.default_rng(seed)
        self._first_residues = residues
        self._axes: dict[int, Axis] = {}
        self._sets: list[Intervals] = []
        """What each constraint is."""
        self._uses = GrowingArray(np.int32)
        self._asked = GrowingArray(np.int64)
        self._weights = GrowingArray(np.uint64)
        self._residues = GrowingArray(np.int64)
        self._looked_up = GrowingArray(np.bool_)

    def __getitem__(self, field: int) -> Axis:
        return self._axes[field]

    def items(self) -> Iterable[tuple[int, Axis]]:
        return self._axes.items()

    @property
    def asked(self) -> NDArray[np.int64]:
        """How many conjunctions mention each field."""
        return self._asked.values

    @property
    def residues(self) -> NDArray[np.int64]:
        """B of each field; 0 if it is larger than any id."""
        return self._residues.values

    @property
    def weights(self) -> NDArray[np.uint64]:
        return self._weights.values

    @property
    def uses(self) -> NDArray[np.int32]:
        """How many conjunctions use each constraint."""
        return self._uses.values

    # Changing

    def make_room(self, fields: int) -> bool:
        """Know of so many fields; whether they are more than before."""
        more = fields - len(self._weights)
        if more <= 0:
            return False
        self._asked.extend(np.zeros(more, dtype=np.int64))
        self._weights.extend(2 * self._random.integers(2**61, 2**62, size=more, dtype=np.uint64) + np.uint64(1))
        self._residues.extend(np.full(more, self._first_residues, dtype=np.int64))
        self._looked_up.extend(np.zeros(more, dtype=np.bool_))
        return True

    def intern(self, fields: Sequence[int], sets: Sequence[Intervals]) -> NDArray[np.int32]:
        """The numbers of constraints, those that are new added; no use is counted."""
        numbers = np.empty(len(sets), dtype=np.int32)
        new: dict[tuple[int, Intervals], int] = {}
        waiting = []
        for place, (field, intervals) in enumerate(zip(fields, sets, strict=True)):
            axis = self._axes.get(field)
            if axis is None:
                axis = self._axes[field] = Axis()
            number = axis.numbers.get(intervals)
            if number is None:
                waiting.append((place, new.setdefault((field, intervals), len(new))))
            else:
                numbers[place] = number
        if new:
            added = self._add(list(new))
            for place, which in waiting:
                numbers[place] = added[which]
        return numbers

    def _add(self, wanted: list[tuple[int, Intervals]]) -> NDArray[np.int32]:
        fields, sets = [field for field, _ in wanted], [intervals for _, intervals in wanted]
        identities = [self._axes[field].take_id() for field in fields]
        numbers = self.constraints.add(fields, identities, sets)
        more = self.constraints.room - len(self._uses)
        self._uses.extend(np.zeros(more, dtype=np.int32))
        self._sets.extend([()] * more)
        for number, field, intervals in zip(numbers.tolist(), fields, sets, strict=True):
            axis = self._axes[field]
            self.equality_only -= axis.is_equality_only
            axis.numbers[intervals] = number
            self._sets[number] = intervals
            if not is_equality(intervals):
                axis.intervals += 1
                if axis.lookup is not None:
                    axis.lookup.add(number, intervals)
            self.equality_only += axis.is_equality_only
        return numbers

    def use(self, numbers: NDArray[np.int32]) -> None:
        """Conjunctions use these constraints."""
        np.add.at(self._uses.values, numbers, 1)
        np.add.at(self._asked.values, self.constraints.fields[numbers], 1)

    def release(self, numbers: Iterable[int]) -> None:
        """A conjunction does not use these constraints any more."""
        for number in numbers:
            self._uses.values[number] -= 1
            self._asked.values[self.constraints.fields[number]] -= 1
            if not self._uses.values[number]:
                self.forget(number)

    def forget(self, number: int) -> None:
        """Forget a constraint that nothing uses; its id may be given again."""
        axis, intervals = self._axes[int(self.constraints.fields[number])], self._sets[number]
        self.equality_only -= axis.is_equality_only
        del axis.numbers[intervals]
        if not is_equality(intervals):
            axis.intervals -= 1
            if axis.lookup is not None:
                axis.lookup.remove(number)
        self.equality_only += axis.is_equality_only
        axis.free_ids.append(int(self.constraints.identities[number]))
        self.constraints.remove(number)
        self.removed += 1

    def relabel(self, field: int, labels: Mapping[int, int]) -> None:
        """Exchange the operands of a field for others in the same order. Ids stay."""
        axis = self._axes.get(field)
        if axis is None:
            return
        known = dict(labels)
        axis.numbers = {relabelled(each, known): number for each, number in axis.numbers.items()}
        for intervals, number in axis.numbers.items():
            self._sets[number] = intervals
        self.constraints.rewrite(list(axis.numbers.values()), list(axis.numbers))
        if axis.lookup is not None:
            axis.lookup = IntervalLookup(axis.general_constraints())

    def look_up(self, fields: Iterable[int]) -> None:
        """Have the intervals of these fields, and of no others, ready to be looked up."""
        wanted = set(fields)
        for field, axis in self._axes.items():
            if axis.lookup is not None and field not in wanted:
                axis.lookup = None
                self._looked_up.values[field] = False
        for field in wanted:
            self.look_up_also(field)

    def look_up_also(self, field: int) -> None:
        axis = self._axes[field]
        if axis.lookup is None:
            axis.lookup = IntervalLookup(axis.general_constraints())
            self._looked_up.values[field] = True

    # Events

    def offers(self, events: EventKeys) -> Offers:
        """The coordinates that each entry of events offers; intervals count where they are looked up."""
        entries = np.flatnonzero(self._looked_up.values[events.fields])
        groups = _by_field(entries, events.fields) if len(entries) else []
        found = [self._axes[field].lookup.find(events.keys[mine]) for field, mine in groups]  # type: ignore[union-attr]
        count = len(events.fields)
        most = count + sum(
            len(each.constraints) + len(mine) * (1 + len(each.waiting))
            for each, (_, mine) in zip(found, groups, strict=True)
        )
        offers = Offers(np.empty(count, np.int64), np.empty(count, np.int32), np.empty(most, np.int32))
        constraints = self.constraints.arrays()
        offer_equalities(events, constraints, self.constraints.equalities(), offers)
        written = count
        for (field, mine), candidates in zip(groups, found, strict=True):
            seen = np.full(self._axes[field].next_id, NONE, dtype=np.int64)
            residues = int(self._residues.values[field])
            offsets, stabbed, waiting = candidates
            written = offer_intervals(
                mine, offsets, stabbed, waiting, residues, events, constraints, seen, offers, written
            )
        return offers

    def most_stabs(self, events: EventKeys) -> int:
        """How many intervals events may stab at most, all together."""
        fields, counts = np.unique(events.fields[self._looked_up.values[events.fields]], return_counts=True)
        lookups = [self._axes[field].lookup for field in fields.tolist()]
        return sum(count * len(lookup) for count, lookup in zip(counts.tolist(), lookups, strict=True) if lookup)

    def arrays(self) -> kernels.Axes:
        return kernels.Axes(self._weights.values, self._residues.values)

    # Looking

    def estimate_shares(self) -> None:
        """Estimate for each field what share of values its constraints that are no equalities let through."""
        for axis in self._axes.values():
            if axis.is_general:
                axis.share = self._share(axis)

    def _share(self, axis: Axis) -> float:
        general = islice(axis.general_constraints(), 0, None, 1 + axis.intervals // MOST_SAMPLED)
        others = islice(axis.numbers, 0, None, 1 + len(axis.numbers) // MOST_SAMPLED)
        return share_let_through([(intervals, int(self.uses[number])) for number, intervals in general], others)

    def operands(self, fields: Iterable[int]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """All operands of constraints on these fields, each with its field."""
        pairs = [
            (field, key)
            for field in fields
            if field in self._axes
            for intervals in self._axes[field].numbers
            for key in operands_of(intervals)
        ]
        return np.array([field for field, _ in pairs], np.int32), np.array([key for _, key in pairs], np.int64)

    def memory(self) -> dict[str, int]:
        lookups = sum(axis.lookup.nbytes for axis in self._axes.values() if axis.lookup is not None)
        columns: tuple[GrowingArray[Any], ...] = (
            self._uses,
            self._asked,
            self._weights,
            self._residues,
            self._looked_up,
        )
        return {
            "constraints": self.constraints.nbytes,
            "interval lookups": lookups,
            "axes": sum(column.nbytes for column in columns),
        }

    def check_invariants(self, used: NDArray[np.int32]) -> None:
        """Constraints are known by what they are, have ids of their own, and are used as often as ``used`` has them."""
        uses = np.bincount(used, minlength=self.constraints.room)
        if not np.array_equal(uses, self.uses):
            raise InvariantError("a constraint is used by more or fewer conjunctions than it counts")
        held = sum(len(axis.numbers) for axis in self._axes.values())
        if held != len(self.constraints) or held != int(np.count_nonzero(uses)):
            raise InvariantError(f"{held} constraints are known, {len(self.constraints)} are in the table")
        if self.equality_only != sum(axis.is_equality_only for axis in self._axes.values()):
            raise InvariantError("fields with nothing but equalities are not counted well")
        for field, axis in self._axes.items():
            self._check_axis(field, axis)

    def _check_axis(self, field: int, axis: Axis) -> None:
        numbers = list(axis.numbers.values())
        identities = self.constraints.identities[numbers].tolist()
        if sorted(identities + axis.free_ids) != list(range(1, axis.next_id)):
            raise InvariantError(f"the ids of field {field} are not each a constraint's or free")
        if any(self.constraints.fields[number] != field for number in numbers):
            raise InvariantError(f"a constraint of field {field} says that it is another's")
        for intervals, number in axis.numbers.items():
            if self._sets[number] != intervals:
                raise InvariantError(f"constraint {number} is not known by its intervals")
            self.constraints.check(number, intervals)
        general = dict(axis.general_constraints())
        if len(general) != axis.intervals or (axis.lookup is not None) != self._looked_up.values[field]:
            raise InvariantError(f"field {field} does not know what constraints it has, or whether it looks them up")
        if axis.lookup is not None:
            axis.lookup.check_invariants(general)
        asked = sum(int(self.uses[number]) for number in numbers)
        if asked != self.asked[field]:
            raise InvariantError(f"field {field} is mentioned {asked} times and counts {self.asked[field]}")


def _by_field(entries: NDArray[np.int64], fields: NDArray[np.int32]) -> list[tuple[int, NDArray[np.int64]]]:
    """Entries of events field by field."""
    entries = entries[np.argsort(fields[entries], kind="stable")]
    begins = np.flatnonzero(np.diff(fields[entries])) + 1
    return [(int(fields[mine[0]]), mine) for mine in np.split(entries, begins)]
