"""Conditions of any kind through an index of intervals or of rectangles.

A condition is filed by the intervals that it needs of one field (or of two, as a rectangle); the index of those fields
is stabbed by the values of each event, and what the intervals do not say is checked on the candidates. A condition
without such intervals is scanned.

Cells are rank codes. An index of cells cannot take an operand that was not there when it was built, so conditions with
new operands wait in the scanned part, and are filed when those have become many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.encoding.derived import DerivedColumns
from penstock.encoding.fields import Field, FieldTable
from penstock.encoding.programs import compile_condition
from penstock.encoding.ranks import FIRST_CODE, Codes, RankSpace
from penstock.errors import DuplicateSubscriptionError, InvariantError, UnknownSubscriptionError
from penstock.indexes.access import Access, End, access_of, preference
from penstock.indexes.interval.store import IntervalStore, Stabs
from penstock.indexes.program_table import ProgramTable
from penstock.indexes.protocol import IndexStatistics, Key, Matches
from penstock.indexes.rectangle.store import Rectangle, Rectangles, RectangleStore
from penstock.model.conditions import Condition

Fields: TypeAlias = tuple[Field, ...]

LEAST_WAITING = 64


class LineCells:
    """Intervals of codes in an interval store; where there are very many codes, several make one cell."""

    dimensions: ClassVar[int] = 1
    most_cells: ClassVar[int] = 2**24

    def __init__(self, factory: Callable[..., IntervalStore], last_codes: list[int]) -> None:
        self._shift = _shift(last_codes[0], self.most_cells)
        self._store = factory(low=0, high=last_codes[0] >> self._shift)
        self.memory = self._store.memory
        self.delete = self._store.delete
        self.check_invariants = self._store.check_invariants
        self.exact = self._shift == 0

    def insert(self, key: Key, lows: list[int], highs: list[int]) -> None:
        self._store.insert(key, lows[0] >> self._shift, highs[0] >> self._shift)

    def insert_many(self, keys: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        self._store.insert_many(keys, lows[0] >> self._shift, highs[0] >> self._shift)

    def stab_many(self, cells: list[NDArray[np.int64]]) -> Stabs:
        return self._store.stab_many(cells[0] >> self._shift)


class FewLineCells(LineCells):
    """For stores whose memory grows with the square of the number of cells."""

    most_cells: ClassVar[int] = 1024


class PlaneCells:
    """Rectangles of codes in a rectangle store; where there are many codes, several make one cell."""

    dimensions: ClassVar[int] = 2
    most_cells_a_side: ClassVar[int] = 1024

    def __init__(self, factory: Callable[..., RectangleStore], last_codes: list[int]) -> None:
        self._shifts = [_shift(code, self.most_cells_a_side) for code in last_codes]
        self.exact = self._shifts == [0, 0]
        x_high, y_high = (code >> shift for code, shift in zip(last_codes, self._shifts, strict=True))
        self._store = factory(x_low=0, x_high=x_high, y_low=0, y_high=y_high)
        self.memory = self._store.memory
        self.delete = self._store.delete
        self.check_invariants = self._store.check_invariants

    def insert(self, key: Key, lows: list[int], highs: list[int]) -> None:
        x, y = self._shifts
        self._store.insert(key, Rectangle(lows[0] >> x, lows[1] >> y, highs[0] >> x, highs[1] >> y))

    def insert_many(self, keys: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        x, y = self._shifts
        self._store.insert_many(keys, Rectangles(lows[0] >> x, lows[1] >> y, highs[0] >> x, highs[1] >> y))

    def stab_many(self, cells: list[NDArray[np.int64]]) -> Stabs:
        x, y = self._shifts
        return self._store.stab_many(cells[0] >> x, cells[1] >> y)


def _shift(last_code: int, most_cells: int) -> int:
    """How many codes make one cell, as a power of 2, for no more cells than given."""
    return (last_code // most_cells).bit_length()


class Filed(NamedTuple):
    """A condition that goes in by some fields, and whether it must be checked beyond them."""

    condition: Condition
    access: Access


class Group:
    """All conditions that go in by the same fields."""

    def __init__(self, fields: Fields, cells: type[LineCells] | type[PlaneCells], factory: Callable[..., Any]) -> None:
        self.fields = fields
        self._cells_type = cells
        self._factory = factory
        self.filed: dict[Key, Filed] = {}
        self.waiting: dict[Key, Filed] = {}
        self._held: set[Key] = set()
        """Those in the index; a condition whose intervals are empty is filed but never found."""
        self._spaces: list[RankSpace[Any]] = [field.new_space() for field in fields]
        self._index = cells(factory, [space.last_code for space in self._spaces])

    @property
    def cells_exact(self) -> bool:
        return self._index.exact

    def insert(self, key: Key, filed: Filed) -> bool:
        """File a condition, or let it wait when it has operands that the index does not know."""
        if not self._knows(filed.access):
            self.waiting[key] = filed
            return False
        self.filed[key] = filed
        lows, highs = self._boxes([filed.access])
        if np.all(lows <= highs):
            self._index.insert(key, lows[:, 0].tolist(), highs[:, 0].tolist())
            self._held.add(key)
        return True

    def delete(self, key: Key) -> None:
        if self.waiting.pop(key, None) is None:
            del self.filed[key]
            if key in self._held:
                self._held.remove(key)
                self._index.delete(key)

    def build(self) -> None:
        """File all conditions anew, those that waited too."""
        self.filed.update(self.waiting)
        self.waiting = {}
        self._spaces = [field.new_space() for field in self.fields]
        for filed in self.filed.values():
            for field, space in zip(self.fields, self._spaces, strict=True):
                for span in filed.access.spans[field]:
                    for end in span:
                        if end is not None:
                            space.bound(end.operand, end.place)
        self._index = self._cells_type(self._factory, [space.last_code for space in self._spaces])
        lows, highs = self._boxes([filed.access for filed in self.filed.values()])
        keys = np.array(list(self.filed), dtype=np.int64)
        real = np.all(lows <= highs, axis=0)
        self._held = set(keys[real].tolist())
        self._index.insert_many(keys[real], np.ascontiguousarray(lows[:, real]), np.ascontiguousarray(highs[:, real]))

    def candidates(self, columns: DerivedColumns) -> Matches:
        """The pairs of a row and a key whose intervals hold, ordered by row."""
        codes = np.zeros((len(self.fields), len(columns)), dtype=np.int64)
        for dimension, (field, space) in enumerate(zip(self.fields, self._spaces, strict=True)):
            encoded = field.encode(columns, space)
            codes[dimension, encoded.rows] = encoded.codes
        rows = np.flatnonzero(np.all(codes >= FIRST_CODE, axis=0))
        found = self._index.stab_many([np.ascontiguousarray(line[rows]) for line in codes])
        return Matches(np.repeat(rows, np.diff(found.offsets)), found.keys.astype(np.int64))

    def memory(self) -> dict[str, int]:
        operands = sum(space.bytes_used() for space in self._spaces)
        return {**self._index.memory(), "operands": operands}

    def check_invariants(self) -> None:
        self._index.check_invariants()
        if not self._held <= self.filed.keys() or self.filed.keys() & self.waiting.keys():
            raise InvariantError("a condition is in the index and not filed, or filed and waiting at once")

    def _knows(self, access: Access) -> bool:
        return all(
            end is None or space.knows(end.operand)
            for field, space in zip(self.fields, self._spaces, strict=True)
            for span in access.spans[field]
            for end in span
        )

    def _boxes(self, accesses: list[Access]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells that all spans of each condition leave: a line of low and a line of high cells a dimension."""
        lows = np.empty((len(self.fields), len(accesses)), dtype=np.int64)
        highs = np.empty_like(lows)
        for dimension, (field, space) in enumerate(zip(self.fields, self._spaces, strict=True)):
            ends = [(number, span) for number, access in enumerate(accesses) for span in access.spans[field]]
            lows[dimension], highs[dimension] = FIRST_CODE, space.last_code
            below = [(number, span.low) for number, span in ends if span.low is not None]
            above = [(number, span.high) for number, span in ends if span.high is not None]
            np.maximum.at(lows[dimension], [number for number, _ in below], _codes([end for _, end in below], space))
            np.minimum.at(highs[dimension], [number for number, _ in above], _codes([end for _, end in above], space))
        return lows, highs


def _codes(ends: list[End], space: RankSpace[Any]) -> Codes:
    return space.resolve(np.array([space.bound(end.operand, end.place) for end in ends], dtype=np.int64))


class StabbingIndex:
    """The index protocol over interval or rectangle stores. Members of the registry say which store they use."""

    name: ClassVar[str]
    cells: ClassVar[type[LineCells] | type[PlaneCells]]
    factory: ClassVar[Callable[..., Any]]

    def __init__(self) -> None:
        self._homes: dict[Key, Group | None] = {}
        self._groups: dict[Fields, Group] = {}
        self._scanned = ProgramTable()
        self._checked = ProgramTable()

    def insert(self, key: Key, condition: Condition) -> None:
        if key in self._homes:
            raise DuplicateSubscriptionError(f"the index holds a condition with the key {key} already")
        compile_condition(condition, FieldTable())  # refuses what cannot be matched before anything changes
        access = access_of(condition)
        fields = self._fields_for(access)
        if fields is None:
            self._scanned.insert(key, condition)
            self._homes[key] = None
            return
        group = self._groups.get(fields)
        if group is None:
            group = self._groups[fields] = Group(fields, self.cells, type(self).factory)
        filed = Filed(condition, access.only(fields))
        self._homes[key] = group
        if group.insert(key, filed):
            self._check_later(key, filed, group)
            return
        self._scanned.insert(key, condition)
        if len(group.waiting) > max(LEAST_WAITING, len(group.filed) // 4):
            self._file_waiting(group)

    def delete(self, key: Key) -> None:
        if key not in self._homes:
            raise UnknownSubscriptionError(f"the index holds no condition with the key {key}")
        group = self._homes.pop(key)
        if group is not None:
            group.delete(key)
        for table in (self._scanned, self._checked):
            if key in table:
                table.delete(key)

    def match(self, event: Mapping[str, object]) -> NDArray[np.int64]:
        return self.match_batch(EventBatch.from_events([event])).keys

    def match_batch(self, batch: EventBatch) -> Matches:
        columns = DerivedColumns(batch)
        filed = [group.candidates(columns) for group in self._groups.values() if group.filed]
        found = [self._scanned.scan(batch), *(self._confirmed(batch, candidates) for candidates in filed)]
        rows = np.concatenate([each.rows for each in found])
        keys = np.concatenate([each.keys for each in found])
        order = np.lexsort((keys, rows))
        return Matches(rows[order], keys[order])

    def statistics(self) -> IndexStatistics:
        memory: dict[str, int] = {}
        parts = [self._scanned.memory(), self._checked.memory(), *(group.memory() for group in self._groups.values())]
        for part in parts:
            for name, size in part.items():
                memory[name] = memory.get(name, 0) + size
        filed = sum(len(group.filed) * len(group.fields) for group in self._groups.values())
        return IndexStatistics(len(self._homes), filed + self._scanned.test_count, memory)

    def check_invariants(self) -> None:
        for group in self._groups.values():
            group.check_invariants()
        self._scanned.check_invariants()
        self._checked.check_invariants()
        for key, home in self._homes.items():
            filed = home is not None and key in home.filed
            if filed == (key in self._scanned):
                raise InvariantError(f"key {key} is {'both filed and' if filed else 'neither filed nor'} scanned")

    def _fields_for(self, access: Access) -> Fields | None:
        """The fields to go in by: as many as there are dimensions, the most telling ones."""
        ordered = sorted(access.spans, key=lambda field: preference(field, access.spans[field]))
        chosen = ordered[: self.cells.dimensions]
        return tuple(chosen) if len(chosen) == self.cells.dimensions else None

    def _check_later(self, key: Key, filed: Filed, group: Group) -> None:
        if not (filed.access.exact and group.cells_exact):
            self._checked.insert(key, filed.condition)

    def _file_waiting(self, group: Group) -> None:
        arrived = dict(group.waiting)
        was_exact = group.cells_exact
        group.build()
        for key in arrived:
            self._scanned.delete(key)
        affected = arrived if was_exact == group.cells_exact else group.filed
        for key, filed in affected.items():
            if key not in self._checked:
                self._check_later(key, filed, group)

    def _confirmed(self, batch: EventBatch, candidates: Matches) -> Matches:
        """Candidates without those that their condition as a whole refuses."""
        if not len(self._checked):
            return candidates
        doubtful = np.flatnonzero([key in self._checked for key in candidates.keys.tolist()])
        answers = np.ones(len(candidates.rows), dtype=np.bool_)
        answers[doubtful] = self._checked.check(batch, Matches(candidates.rows[doubtful], candidates.keys[doubtful]))
        return Matches(candidates.rows[answers], candidates.keys[answers])
