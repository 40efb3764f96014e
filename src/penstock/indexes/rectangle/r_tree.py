"""``r_tree``: the rival of the VCR paper (section 3.3), an R-tree of the library ``rtree`` under the same protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError, MissingExtraError, ValueRefusedError
from penstock.indexes.interval.store import Stabs
from penstock.indexes.rectangle.requests import (
    checked_key,
    checked_points,
    checked_rectangle,
    checked_rectangles,
    duplicate,
    refuse_repeated,
    unknown,
)
from penstock.indexes.rectangle.store import Rectangle, Rectangles

_EXACT: Final = 2**53
"""The library keeps doubles; every integer up to here is one of them."""


class RTreeStore:
    """Rectangles in an R-tree. The library keeps the tree; rectangles are kept here too, since it deletes by box."""

    name: ClassVar[str] = "r_tree"

    def __init__(self) -> None:
        self._tree = _new_tree(None)
        self._rectangles: dict[int, Rectangle] = {}

    def __len__(self) -> int:
        return len(self._rectangles)

    def __contains__(self, key: object) -> bool:
        return key in self._rectangles

    def insert(self, key: int, rectangle: Rectangle) -> None:
        key, new = checked_key(key), checked_rectangle(rectangle)
        if key in self._rectangles:
            raise duplicate(key)
        _refuse_inexact(min(new.x_low, new.y_low), max(new.x_high, new.y_high))
        self._tree.insert(key, new)
        self._rectangles[key] = new

    def insert_many(self, keys: NDArray[np.int64], rectangles: Rectangles) -> None:
        keys, rectangles = checked_rectangles(keys, rectangles)
        if not len(keys):
            return
        refuse_repeated(keys)
        _refuse_inexact(
            min(int(rectangles.x_lows.min()), int(rectangles.y_lows.min())),
            max(int(rectangles.x_highs.max()), int(rectangles.y_highs.max())),
        )
        new = dict(zip(keys.tolist(), _rows(rectangles), strict=True))
        taken = next((key for key in new if key in self._rectangles), None)
        if taken is not None:
            raise duplicate(taken)
        if len(new) > len(self._rectangles):
            # The library packs a whole tree from a stream; it cannot pour a stream into a tree that is there.
            self._tree = _new_tree({**self._rectangles, **new})
        else:
            for key, rectangle in new.items():
                self._tree.insert(key, rectangle)
        self._rectangles.update(new)

    def delete(self, key: int) -> None:
        if key not in self._rectangles:
            raise unknown(key)
        self._tree.delete(key, self._rectangles.pop(key))

    def stab(self, x: int, y: int) -> NDArray[np.int32]:
        if max(abs(x), abs(y)) > _EXACT:
            return np.empty(0, dtype=np.int32)
        return np.fromiter(self._tree.intersection((x, y, x, y)), dtype=np.int32)

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> Stabs:
        xs, ys = checked_points(xs, ys)
        found = [self.stab(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
        offsets = np.zeros(len(xs) + 1, dtype=np.int64)
        np.cumsum([len(keys) for keys in found], out=offsets[1:])
        return Stabs(offsets, np.concatenate(found) if found else np.empty(0, dtype=np.int32))

    def memory(self) -> Mapping[str, int]:
        """An estimate: an entry of the tree is a box of four doubles and an id, in nodes that are 70% full."""
        return {"tree": int(len(self._rectangles) * (4 * 8 + 8) / 0.7)}

    def check_invariants(self) -> None:
        bounds = self._tree.bounds
        everywhere = list(self._tree.intersection(bounds)) if self._rectangles else []
        if sorted(everywhere) != sorted(self._rectangles):
            raise InvariantError(f"the tree holds {len(everywhere)} keys, and the store {len(self._rectangles)}")


def _rows(rectangles: Rectangles) -> Iterator[Rectangle]:
    return map(Rectangle._make, zip(*(column.tolist() for column in rectangles), strict=True))


def _new_tree(rectangles: Mapping[int, Rectangle] | None) -> Any:
    try:
        from rtree.index import Index
    except ImportError as error:
        raise MissingExtraError("an R-tree needs the package rtree: pip install 'penstock[lab]'") from error
    if not rectangles:
        return Index()
    return Index((key, rectangle, None) for key, rectangle in rectangles.items())


def _refuse_inexact(low: int, high: int) -> None:
    if low < -_EXACT or high > _EXACT:
        raise ValueRefusedError(f"an R-tree holds cells from -2**53 to 2**53; these reach from {low} to {high}")
