"""Columns of many attributes with few values each: numbers are kept together until a column is asked for."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.columns import Column, ColumnBuilder, Part, Rows
from penstock.kernels.event_keys import last_of_each
from penstock.model.values import Value


class Entries(NamedTuple):
    """Numbers of one type: entry ``i`` is the value of attribute ``names[i]`` (a number) in row ``rows[i]``."""

    names: NDArray[np.int32]
    rows: Rows
    values: NDArray[Any]

    def last_of_each(self, names: int) -> Entries:
        """Without all but the last of entries for the same attribute of the same row; rows must be in order."""
        kept = last_of_each(self.names, self.rows, names)
        return self if kept.all() else Entries(self.names[kept], self.rows[kept], self.values[kept])


class SparseColumns(Mapping[str, Column]):
    """A mapping from attribute to column. Numbers are entries; what else there is are columns already."""

    def __init__(
        self, names: list[str], integers: Entries | None, doubles: Entries | None, others: Mapping[str, Column]
    ) -> None:
        self.names = names
        """The attributes that have numbers."""
        self.integers = integers
        self.doubles = doubles
        self._others = others

    def __len__(self) -> int:
        return len(self._numbers.keys() | self._others.keys())

    def __iter__(self) -> Iterator[str]:
        yield from self.names
        yield from (name for name in self._others if name not in self._numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers or name in self._others

    def __getitem__(self, name: str) -> Column:
        other = self._others.get(name)
        number = self._numbers.get(name)
        if number is None:
            if other is None:
                raise KeyError(name)
            return other
        integers = _part(self.integers, self._integer_order, number)
        doubles = _part(self.doubles, self._double_order, number)
        if other is None:
            return Column(integers, doubles)
        return Column(integers, doubles, other.strings, other.booleans, other.timestamps, other.lists)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _integer_order(self) -> _Order | None:
        return None if self.integers is None else _order(self.integers, len(self.names))

    @cached_property
    def _double_order(self) -> _Order | None:
        return None if self.doubles is None else _order(self.doubles, len(self.names))


class _Order(NamedTuple):
    """Entries by attribute: those of attribute ``n`` are ``order[bounds[n]]`` to ``order[bounds[n + 1]]``."""

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


def _order(entries: Entries, names: int) -> _Order:
    order = np.argsort(entries.names, kind="stable")
    return _Order(order, np.searchsorted(entries.names[order], np.arange(names + 1)))


def _part(entries: Entries | None, order: _Order | None, number: int) -> Part | None:
    if entries is None or order is None:
        return None
    chosen = order.order[order.bounds[number] : order.bounds[number + 1]]
    return Part(entries.rows[chosen], entries.values[chosen]) if len(chosen) else None


def columns_of_events(events: Iterable[Mapping[str, Value]]) -> SparseColumns:
    """The columns of events whose attributes are values of the model, row by row."""
    numbers: dict[str, int] = {}
    integers: tuple[Any, Any, Any] = array("i"), array("i"), array("q")
    doubles: tuple[Any, Any, Any] = array("i"), array("i"), array("d")
    builders: dict[str, ColumnBuilder] = {}
    for row, event in enumerate(events):
        for name, value in event.items():
            kind = type(value)
            if kind is int or kind is float:
                number = numbers.get(name)
                if number is None:
                    number = numbers[name] = len(numbers)
                entry_names, entry_rows, entry_values = integers if kind is int else doubles
                entry_names.append(number)
                entry_rows.append(row)
                entry_values.append(value)
            elif value is not None:
                builder = builders.get(name)
                if builder is None:
                    builder = builders[name] = ColumnBuilder()
                builder.append(row, value)
    others = {name: builder.build() for name, builder in builders.items()}
    return SparseColumns(list(numbers), _entries(integers), _entries(doubles), others)


def _entries(columns: tuple[Any, Any, Any]) -> Entries | None:
    return Entries(*(np.array(column) for column in columns)) if len(columns[0]) else None
