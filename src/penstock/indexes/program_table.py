"""Conditions as programs in flat arrays, run on all events or on chosen pairs of an event and a condition.

Programs stand one behind the other; a deleted one is skipped until the arrays are packed again. New operands change the
codes of older conditions, so those are worked out again before the next run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.encoding.derived import DerivedColumns
from penstock.encoding.fields import FieldTable
from penstock.encoding.growing import GrowingArray
from penstock.encoding.programs import compile_condition
from penstock.errors import DuplicateSubscriptionError, InvariantError, UnknownSubscriptionError
from penstock.indexes.protocol import Key, Matches
from penstock.kernels.programs import ACCEPT, REJECT, EventCodes, Tests, run_programs_on_pairs, scan_programs
from penstock.model.conditions import Condition

LEAST_OUTPUT_ROOM = 65_536
LEAST_DEAD_TO_PACK = 64


class ProgramTable:
    """The programs of conditions under keys."""

    def __init__(self) -> None:
        self._table = FieldTable()
        self._places: dict[Key, int | None] = {}
        """Where the program of each key is; ``None`` for conditions that are never TRUE and so have no program."""
        self._keys = GrowingArray(np.int64)
        self._starts = GrowingArray(np.int64)
        self._alive = GrowingArray(np.bool_)
        self._fields = GrowingArray(np.int32)
        self._lows = GrowingArray(np.int64)
        self._highs = GrowingArray(np.int64)
        self._on_true = GrowingArray(np.int32)
        self._on_false = GrowingArray(np.int32)
        self._dead = 0
        self._codes: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def insert(self, key: Key, condition: Condition) -> None:
        if key in self._places:
            raise DuplicateSubscriptionError(f"the index holds a condition with the key {key} already")
        program = compile_condition(condition, self._table)
        if program is None:
            self._places[key] = None
            return
        self._places[key] = len(self._keys)
        self._keys.extend([key])
        self._starts.extend([len(self._fields)])
        self._alive.extend([True])
        self._fields.extend(program.fields)
        self._lows.extend(program.lows)
        self._highs.extend(program.highs)
        self._on_true.extend(program.on_true)
        self._on_false.extend(program.on_false)
        self._codes = None

    def delete(self, key: Key) -> None:
        if key not in self._places:
            raise UnknownSubscriptionError(f"the index holds no condition with the key {key}")
        place = self._places.pop(key)
        if place is None:
            return
        self._alive.values[place] = False
        self._dead += 1
        if self._dead > LEAST_DEAD_TO_PACK and 2 * self._dead > len(self._keys):
            self._pack()

    def scan(self, batch: EventBatch) -> Matches:
        """All pairs of a row and a key that match, ordered by row and then by key."""
        live = np.flatnonzero(self._alive.values)
        keys = self._keys.values[live]
        order = np.argsort(keys, kind="stable")
        live, keys = live[order], keys[order]
        starts = self._starts.values[live]
        if not len(starts):
            return Matches(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        events, tests = self._encode(batch), self._tests()
        room = max(LEAST_OUTPUT_ROOM, len(starts))
        found_rows, found_programs = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
        codes = np.zeros(len(self._table), dtype=np.int32)
        rows: list[NDArray[np.int64]] = []
        programs: list[NDArray[np.int64]] = []
        event = 0
        while event < len(batch):
            event, written = scan_programs(event, events, starts, tests, codes, found_rows, found_programs)
            rows.append(found_rows[:written].copy())
            programs.append(found_programs[:written].copy())
        return Matches(_joined(rows), keys[_joined(programs)])

    def check(self, batch: EventBatch, candidates: Matches) -> NDArray[np.bool_]:
        """Which of the pairs of a row and a key match; the pairs are ordered by row."""
        answers = np.zeros(len(candidates.rows), dtype=np.bool_)
        if len(answers):
            places = self._places
            starts = np.array(
                [
                    -1 if (place := places[key]) is None else self._starts.values[place]
                    for key in candidates.keys.tolist()
                ],
                dtype=np.int64,
            )
            codes = np.zeros(len(self._table), dtype=np.int32)
            run_programs_on_pairs(candidates.rows, starts, self._encode(batch), self._tests(), codes, answers)
        return answers

    def memory(self) -> dict[str, int]:
        """The bytes of all arrays, by what they are for."""
        programs = (self._fields, self._lows, self._highs, self._on_true, self._on_false)
        return {
            "programs": sum(array.nbytes for array in programs),
            "subscriptions": self._keys.nbytes + self._starts.nbytes + self._alive.nbytes,
            "operands": sum(space.bytes_used() for space in self._table.spaces),
        }

    @property
    def test_count(self) -> int:
        """The number of tests in all programs."""
        return len(self._fields)

    def check_invariants(self) -> None:
        live = int(np.count_nonzero(self._alive.values))
        with_program = [place for place in self._places.values() if place is not None]
        if live != len(with_program) or len(self._keys) - live != self._dead:
            raise InvariantError(f"{live} live programs for {len(with_program)} keys, {self._dead} dead")
        for key, place in self._places.items():
            if place is not None and (self._keys.values[place] != key or not self._alive.values[place]):
                raise InvariantError(f"key {key} does not stand at its place {place}")
        sizes = np.diff(np.append(self._starts.values, len(self._fields)))
        lengths = np.repeat(sizes, sizes)
        within = np.arange(len(self._fields)) - np.repeat(self._starts.values, sizes)
        for targets in (self._on_true.values, self._on_false.values):
            forward = (targets > within) & (targets < lengths)
            if not np.all(forward | (targets == ACCEPT) | (targets == REJECT)):
                raise InvariantError("a test goes on at a place outside its program, or backwards")

    def _encode(self, batch: EventBatch) -> EventCodes:
        columns = DerivedColumns(batch)
        used = np.unique(self._fields.values)
        encoded = [self._table.encode(columns, number) for number in used.tolist()]
        rows = _joined([each.rows for each in encoded])
        codes = _joined([each.codes for each in encoded]).astype(np.int32)
        fields = np.repeat(used, [len(each.rows) for each in encoded]).astype(np.int32)
        order = np.argsort(rows, kind="stable")
        offsets = np.zeros(len(batch) + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows, minlength=len(batch)), out=offsets[1:])
        return EventCodes(offsets, fields[order], codes[order])

    def _tests(self) -> Tests:
        if self._codes is None:
            lows = np.empty(len(self._fields), dtype=np.int32)
            highs = np.empty(len(self._fields), dtype=np.int32)
            for number, tests in self._tests_by_field():
                space = self._table.spaces[number]
                lows[tests] = space.resolve(self._lows.values[tests])
                highs[tests] = space.resolve(self._highs.values[tests])
            self._codes = lows, highs
        return Tests(self._fields.values, *self._codes, self._on_true.values, self._on_false.values)

    def _tests_by_field(self) -> list[tuple[int, NDArray[np.int64]]]:
        order = np.argsort(self._fields.values, kind="stable")
        numbers, begins = np.unique(self._fields.values[order], return_index=True)
        ends = np.append(begins[1:], len(order))
        return [(int(numbers[i]), order[begins[i] : ends[i]]) for i in range(len(numbers))]

    def _pack(self) -> None:
        """Drop the programs of deleted conditions, and the operands that only they used."""
        keep = np.flatnonzero(self._alive.values)
        sizes = np.diff(np.append(self._starts.values, len(self._fields)))
        tests = np.repeat(self._alive.values, sizes)
        for narrow in (self._fields, self._on_true, self._on_false):
            narrow.replace(narrow.values[tests])
        for wide in (self._lows, self._highs):
            wide.replace(wide.values[tests])
        self._keys.replace(self._keys.values[keep])
        self._starts.replace(np.cumsum(sizes[keep]) - sizes[keep])
        self._alive.replace(np.ones(len(keep), dtype=np.bool_))
        self._dead = 0
        for place, key in enumerate(self._keys.values.tolist()):
            self._places[key] = place
        self._forget_operands()
        self._codes = None

    def _forget_operands(self) -> None:
        tests_by_field = dict(self._tests_by_field())
        for number, space in enumerate(self._table.spaces):
            if number not in tests_by_field:
                space.keep_only(np.empty(0, dtype=np.int64))
        for number, tests in tests_by_field.items():
            bounds = np.concatenate([self._lows.values[tests], self._highs.values[tests]])
            renumbered = self._table.spaces[number].keep_only(np.unique(bounds[bounds >= 0] >> 2))
            for array in (self._lows, self._highs):
                ranked = tests[array.values[tests] >= 0]
                old = array.values[ranked]
                array.values[ranked] = 4 * renumbered[old >> 2] + (old & 3)


def _joined(arrays: list[NDArray[np.int64]] | list[NDArray[np.int32]]) -> NDArray[np.int64]:
    return np.concatenate(arrays).astype(np.int64) if arrays else np.empty(0, dtype=np.int64)
