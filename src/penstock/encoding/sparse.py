"""The columns of a map of numbers: thousands of attributes with few values each, kept together until asked for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.columns import Column, Part, Rows


class SparseColumns(Mapping[str, Column]):
    """A mapping from attribute to column over entries: ``entry_values[i]`` of ``names[entry_names[i]]`` in a row.

    Values are all integers or all doubles. Entries are put in the order of attributes when a column is first asked for.
    """

    def __init__(
        self, names: list[str], entry_names: NDArray[np.int32], entry_rows: Rows, entry_values: NDArray[Any]
    ) -> None:
        self.names = names
        self.entry_names = entry_names
        self.entry_rows = entry_rows
        self.entry_values = entry_values
        self._places: dict[str, int] | None = None
        self._order: NDArray[np.int64] | None = None
        self._bounds: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers()

    def __getitem__(self, name: str) -> Column:
        number = self._numbers()[name]
        if self._order is None or self._bounds is None:
            self._order = np.argsort(self.entry_names, kind="stable")
            self._bounds = np.searchsorted(self.entry_names[self._order], np.arange(len(self.names) + 1))
        entries = self._order[self._bounds[number] : self._bounds[number + 1]]
        part = Part(self.entry_rows[entries], self.entry_values[entries])
        return Column(integers=part) if self.entry_values.dtype == np.int64 else Column(doubles=part)

    def _numbers(self) -> dict[str, int]:
        if self._places is None:
            self._places = {name: number for number, name in enumerate(self.names)}
        return self._places
