"""Interval and rectangle stores that look at everything: what the others are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from penstock.indexes.interval.store import Stabs
from penstock.indexes.rectangle.store import Rectangle, Rectangles


class NaiveIntervals:
    """Intervals in a dictionary."""

    name: ClassVar[str] = "naive"

    def __init__(self, low: int = 0, high: int = 0, max_length: int | None = None) -> None:
        self.intervals: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self.intervals)

    def __contains__(self, key: object) -> bool:
        return key in self.intervals

    def insert(self, key: int, low: int, high: int) -> None:
        assert key not in self.intervals
        self.intervals[key] = low, high

    def insert_many(self, keys: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        for key, low, high in zip(keys.tolist(), lows.tolist(), highs.tolist(), strict=True):
            self.insert(key, low, high)

    def delete(self, key: int) -> None:
        del self.intervals[key]

    def stab(self, value: int) -> NDArray[np.int32]:
        return np.array([key for key, (low, high) in self.intervals.items() if low <= value <= high], dtype=np.int32)

    def stab_many(self, values: NDArray[np.int64]) -> Stabs:
        return joined([self.stab(value) for value in values.tolist()])

    def memory(self) -> Mapping[str, int]:
        return {"id lists": 8 * len(self.intervals)}

    def check_invariants(self) -> None:
        assert all(low <= high for low, high in self.intervals.values())


class NaiveRectangles:
    """Rectangles in a dictionary."""

    name: ClassVar[str] = "naive"

    def __init__(self, x_low: int = 0, x_high: int = 0, y_low: int = 0, y_high: int = 0) -> None:
        self.rectangles: dict[int, Rectangle] = {}

    def __len__(self) -> int:
        return len(self.rectangles)

    def __contains__(self, key: object) -> bool:
        return key in self.rectangles

    def insert(self, key: int, rectangle: Rectangle) -> None:
        assert key not in self.rectangles
        self.rectangles[key] = rectangle

    def insert_many(self, keys: NDArray[np.int64], rectangles: Rectangles) -> None:
        for key, *sides in zip(keys.tolist(), *(side.tolist() for side in rectangles), strict=True):
            self.insert(key, Rectangle(*sides))

    def delete(self, key: int) -> None:
        del self.rectangles[key]

    def stab(self, x: int, y: int) -> NDArray[np.int32]:
        found = [
            key
            for key, each in self.rectangles.items()
            if each.x_low <= x <= each.x_high and each.y_low <= y <= each.y_high
        ]
        return np.array(found, dtype=np.int32)

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> Stabs:
        return joined([self.stab(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)])

    def memory(self) -> Mapping[str, int]:
        return {"id lists": 16 * len(self.rectangles)}

    def check_invariants(self) -> None:
        assert all(each.x_low <= each.x_high and each.y_low <= each.y_high for each in self.rectangles.values())


def joined(answers: list[NDArray[np.int32]]) -> Stabs:
    offsets = np.cumsum([0, *(len(answer) for answer in answers)], dtype=np.int64)
    return Stabs(offsets, np.concatenate([np.empty(0, dtype=np.int32), *answers]))
