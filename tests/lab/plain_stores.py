"""Stores of intervals and rectangles without any cleverness, to be measured while the lab itself is tested."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from penstock.indexes.interval.store import Stabs
from penstock.indexes.rectangle.store import Rectangles


def stabs(answers: list[NDArray[np.int32]]) -> Stabs:
    offsets = np.cumsum([0, *map(len, answers)], dtype=np.int64)
    return Stabs(offsets, np.concatenate([np.empty(0, np.int32), *answers]))


class PlainIntervals:
    """All intervals in columns, each of them looked at by each search."""

    name: ClassVar[str] = "plain"

    def __init__(self, **_: Any) -> None:
        self.keys = self.lows = self.highs = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self.keys)

    def insert_many(self, keys: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        self.keys, self.lows, self.highs = (
            np.concatenate(pair) for pair in ((self.keys, keys), (self.lows, lows), (self.highs, highs))
        )

    def stab(self, value: int) -> NDArray[np.int32]:
        return self.keys[(self.lows <= value) & (value <= self.highs)].astype(np.int32)

    def stab_many(self, values: NDArray[np.int64]) -> Stabs:
        return stabs([self.stab(value) for value in values.tolist()])

    def memory(self) -> dict[str, int]:
        return {"id lists": self.lows.nbytes + self.highs.nbytes, "bookkeeping": self.keys.nbytes}


class PlainRectangles:
    """The same for rectangles."""

    name: ClassVar[str] = "plain"

    def __init__(self, **_: Any) -> None:
        self.keys = np.empty(0, np.int64)
        self.sides = Rectangles(*(np.empty(0, np.int64) for _ in range(4)))

    def __len__(self) -> int:
        return len(self.keys)

    def insert_many(self, keys: NDArray[np.int64], rectangles: Rectangles) -> None:
        self.keys = np.concatenate([self.keys, keys])
        self.sides = Rectangles(*map(np.concatenate, zip(self.sides, rectangles, strict=True)))

    def stab(self, x: int, y: int) -> NDArray[np.int32]:
        sides = self.sides
        inside = (sides.x_lows <= x) & (x <= sides.x_highs) & (sides.y_lows <= y) & (y <= sides.y_highs)
        return self.keys[inside].astype(np.int32)

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> Stabs:
        return stabs([self.stab(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)])

    def memory(self) -> dict[str, int]:
        return {"id lists": sum(side.nbytes for side in self.sides), "bookkeeping": self.keys.nbytes}

    def load_factor(self) -> float:
        return len(self) / 1000

    def activated(self) -> int:
        return len(self)
