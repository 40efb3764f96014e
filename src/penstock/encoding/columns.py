"""The values of one attribute over a batch of events, kept by type.

An attribute may hold an integer in one event and a string in the next, and be absent from most. So a column is a few
*parts*, one for each type that occurs, each with the rows that it speaks of. A dense column of one type is one part
with all rows; a sparse attribute is one with few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.model.values import Value

Rows: TypeAlias = NDArray[np.int32]

EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Part:
    """Values of one fixed-width type: ``values[i]`` is the value in row ``rows[i]``."""

    rows: Rows
    values: NDArray[Any]


@dataclass(frozen=True, slots=True)
class StringPart:
    """Strings, each distinct one kept once: the value in row ``rows[i]`` is ``distinct[codes[i]]``."""

    rows: Rows
    codes: NDArray[np.int32]
    distinct: pa.LargeStringArray


@dataclass(frozen=True, slots=True)
class ListPart:
    """Lists: the value in row ``rows[i]`` is items ``offsets[i]`` to ``offsets[i + 1]``; items are a column too."""

    rows: Rows
    offsets: NDArray[np.int64]
    items: Column


@dataclass(frozen=True, slots=True)
class Column:
    """All values of one attribute in a batch. Timestamps are microseconds since 1970 in UTC."""

    integers: Part | None = None
    doubles: Part | None = None
    strings: StringPart | None = None
    booleans: Part | None = None
    timestamps: Part | None = None
    lists: ListPart | None = None

    def present(self) -> list[Rows]:
        """The rows that have a value, part by part."""
        parts = (self.integers, self.doubles, self.strings, self.booleans, self.timestamps, self.lists)
        return [part.rows for part in parts if part is not None]


def microseconds(value: datetime) -> int:
    """A timestamp as microseconds since 1970, exactly."""
    return (value - EPOCH) // timedelta(microseconds=1)


def timestamp(value: int) -> datetime:
    """The timestamp that many microseconds after 1970 began."""
    return EPOCH + timedelta(microseconds=value)


@dataclass(slots=True)
class ColumnBuilder:
    """Gathers the values of an attribute one by one and makes a column of them."""

    rows: dict[type, list[int]] = field(default_factory=dict)
    values: dict[type, list[Value]] = field(default_factory=dict)

    def append(self, row: int, value: Value) -> None:
        if value is None:
            return
        kind = type(value)
        if kind not in self.rows:
            self.rows[kind], self.values[kind] = [], []
        self.rows[kind].append(row)
        self.values[kind].append(value)

    def build(self) -> Column:
        return Column(
            integers=self._part(int, np.int64),
            doubles=self._part(float, np.float64),
            strings=self._strings(),
            booleans=self._part(bool, np.bool_),
            timestamps=self._timestamps(),
            lists=self._lists(),
        )

    def _part(self, kind: type, dtype: type[np.generic]) -> Part | None:
        if kind not in self.rows:
            return None
        return Part(_rows(self.rows[kind]), np.array(self.values[kind], dtype=dtype))

    def _strings(self) -> StringPart | None:
        if str not in self.rows:
            return None
        return string_part(_rows(self.rows[str]), pa.array(self.values[str], pa.large_string()))

    def _timestamps(self) -> Part | None:
        if datetime not in self.rows:
            return None
        values = [microseconds(value) for value in self.values[datetime]]  # type: ignore[arg-type]
        return Part(_rows(self.rows[datetime]), np.array(values, dtype=np.int64))

    def _lists(self) -> ListPart | None:
        if tuple not in self.rows:
            return None
        items = ColumnBuilder()
        offsets = [0]
        for values in self.values[tuple]:
            for place, item in enumerate(values, start=offsets[-1]):  # type: ignore[arg-type]
                items.append(place, item)
            offsets.append(offsets[-1] + len(values))  # type: ignore[arg-type]
        return ListPart(_rows(self.rows[tuple]), np.array(offsets, dtype=np.int64), items.build())


def string_part(rows: Rows, strings: pa.Array) -> StringPart:
    """A part from strings without nulls, plain or already dictionary-encoded."""
    if not pa.types.is_dictionary(strings.type):
        strings = strings.dictionary_encode()
    codes = strings.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    return StringPart(rows, codes, strings.dictionary.cast(pa.large_string()))


def _rows(rows: Sequence[int]) -> Rows:
    return np.array(rows, dtype=np.int32)
