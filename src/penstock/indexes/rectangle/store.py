"""What a rectangle index is: closed rectangles of integer cells under keys, and which of them a point stabs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from penstock.indexes.interval.store import Stabs


class Rectangle(NamedTuple):
    """All points with ``x_low <= x <= x_high`` and ``y_low <= y <= y_high``."""

    x_low: int
    y_low: int
    x_high: int
    y_high: int


class Rectangles(NamedTuple):
    """Many rectangles, in columns."""

    x_lows: NDArray[np.int64]
    y_lows: NDArray[np.int64]
    x_highs: NDArray[np.int64]
    y_highs: NDArray[np.int64]


class RectangleStore(Protocol):
    """Closed rectangles of cells under keys."""

    name: ClassVar[str]

    def __len__(self) -> int: ...

    def __contains__(self, key: object) -> bool: ...

    def insert(self, key: int, rectangle: Rectangle) -> None:
        """Add a rectangle under a key (from 0, below 2**30) not in use."""

    def insert_many(self, keys: NDArray[np.int64], rectangles: Rectangles) -> None:
        """Add many rectangles at once: all of them, or none where one is refused."""

    def delete(self, key: int) -> None:
        """Remove the rectangle of a key; a key that is not there is refused."""

    def stab(self, x: int, y: int) -> NDArray[np.int32]:
        """The keys of all rectangles that hold a point, each once, in no particular order."""

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> Stabs:
        """The same for many points."""

    def memory(self) -> Mapping[str, int]:
        """The bytes of all arrays, by what they are for."""

    def check_invariants(self) -> None:
        """Raise :class:`~penstock.errors.InvariantError` unless the structure is as it must always be."""
