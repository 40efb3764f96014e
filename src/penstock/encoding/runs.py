"""Many small lists in a few shared columns, each list a run that may grow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray

LEAST_ROOM = 4


class Runs:
    """Lists under numbers: list ``i`` has ``sizes[i]`` places from ``starts[i]`` in every column.

    A list that needs more room than ``rooms[i]`` moves to the end of the columns, into twice the room; the places that
    it leaves are lost until the columns are written anew.
    """

    def __init__(self, *dtypes: type[np.generic]) -> None:
        self._starts = GrowingArray(np.int64)
        self._sizes = GrowingArray(np.int32)
        self._rooms = GrowingArray(np.int32)
        self._columns: tuple[GrowingArray[Any], ...] = tuple(GrowingArray(dtype) for dtype in dtypes)
        self.lost = 0

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def starts(self) -> NDArray[np.int64]:
        return self._starts.values

    @property
    def sizes(self) -> NDArray[np.int32]:
        return self._sizes.values

    @property
    def rooms(self) -> NDArray[np.int32]:
        return self._rooms.values

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        return tuple(column.values for column in self._columns)

    @property
    def nbytes(self) -> int:
        arrays: tuple[GrowingArray[Any], ...] = (self._starts, self._sizes, self._rooms, *self._columns)
        return sum(array.nbytes for array in arrays)

    def new(self) -> int:
        """The number of a new list, with nothing in it."""
        self._starts.extend([len(self._columns[0])])
        self._sizes.extend([0])
        self._rooms.extend([0])
        return len(self) - 1

    def make_room(self, number: int, more: int = 1) -> None:
        """See to it that a list has room for so many more."""
        size, room, start = int(self.sizes[number]), int(self.rooms[number]), int(self.starts[number])
        if size + more <= room:
            return
        new_room = max(LEAST_ROOM, 2 * room, size + more)
        new_start = len(self._columns[0])
        for column in self._columns:
            column.extend(np.zeros(new_room, dtype=column.values.dtype))
            column.values[new_start : new_start + size] = column.values[start : start + size]
        self.starts[number], self.rooms[number] = new_start, new_room
        self.lost += room

    def append(self, number: int, *values: int) -> int:
        """Put something at the end of a list; its place in it."""
        sizes = self._sizes.values
        place = int(sizes[number])
        if place == self._rooms.values[number]:
            self.make_room(number)
        at = self._starts.values[number] + place
        for column, value in zip(self._columns, values, strict=True):
            column.values[at] = value
        sizes[number] = place + 1
        return place

    def clear(self, number: int) -> None:
        """Nothing is in a list any more; its room stays."""
        self.sizes[number] = 0

    def replace(self, sizes: NDArray[np.integer[Any]], *columns: NDArray[Any]) -> None:
        """Hold lists of these sizes instead, one behind the other without room to grow."""
        self._starts.replace((np.cumsum(sizes) - sizes).astype(np.int64))
        self._sizes.replace(sizes.astype(np.int32))
        self._rooms.replace(sizes.astype(np.int32))
        for held, column in zip(self._columns, columns, strict=True):
            held.replace(column)
        self.lost = 0

    def used(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For every place that is used: the number of its list, and where it is in the columns."""
        sizes = self.sizes.astype(np.int64)
        numbers = np.repeat(np.arange(len(self)), sizes)
        within = np.arange(len(numbers)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return numbers, self.starts[numbers] + within
