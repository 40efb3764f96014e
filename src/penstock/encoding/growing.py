"""Arrays that grow at their end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item", bound=np.generic)


class GrowingArray(Generic[Item]):
    """A one-dimensional array with room at its end, doubled when it runs out."""

    def __init__(self, dtype: type[Item]) -> None:
        self._room: NDArray[Item] = np.empty(16, dtype=dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def values(self) -> NDArray[Item]:
        """The array as it is now: a view, good until the next growth."""
        return self._room[: self._size]

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        needed = self._size + len(values)
        if needed > len(self._room):
            room = np.empty(max(needed, 2 * len(self._room)), dtype=self._room.dtype)
            room[: self._size] = self.values
            self._room = room
        self._room[self._size : needed] = values
        self._size = needed

    def replace(self, values: NDArray[Item]) -> None:
        """Hold these values instead."""
        self._room, self._size = values.copy(), len(values)

    @property
    def nbytes(self) -> int:
        return self._room.nbytes
