"""Rectangle indexes: VCR in all its schemes, and an R-tree.

>>> from penstock.indexes.rectangle import RECTANGLE_STORES, Rectangle
>>> store = RECTANGLE_STORES["vcr_sd"](x_high=299, y_high=199)
>>> store.insert(1, Rectangle(10, 10, 30, 20))
>>> store.insert(2, Rectangle(30, 20, 40, 40))
>>> sorted(store.stab(30, 20).tolist())
[1, 2]
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from penstock.indexes.rectangle.circles import Circle, CircleStore
from penstock.indexes.rectangle.r_tree import RTreeStore
from penstock.indexes.rectangle.store import Rectangle, Rectangles, RectangleStore
from penstock.indexes.rectangle.vcr import Decomposition, Storage, VcrStore


class RectangleStoreFactory(Protocol):
    """Makes an empty store. The range is where rectangles are expected: those outside are taken too."""

    def __call__(
        self,
        x_low: int = 0,
        x_high: int = 63,
        y_low: int = 0,
        y_high: int = 63,
        max_width: int | None = None,
        max_height: int | None = None,
    ) -> RectangleStore: ...


class _VcrFactory:
    """A VCR store of one decomposition and one storage."""

    def __init__(self, decomposition: Decomposition, storage: Storage) -> None:
        self._decomposition: Decomposition = decomposition
        self._storage: Storage = storage

    def __call__(
        self,
        x_low: int = 0,
        x_high: int = 63,
        y_low: int = 0,
        y_high: int = 63,
        max_width: int | None = None,
        max_height: int | None = None,
    ) -> VcrStore:
        return VcrStore(
            (x_low, x_high),
            (y_low, y_high),
            decomposition=self._decomposition,
            storage=self._storage,
            max_width=max_width,
            max_height=max_height,
        )


def _r_tree(
    x_low: int = 0,  # noqa: ARG001 - an R-tree needs no range
    x_high: int = 63,  # noqa: ARG001
    y_low: int = 0,  # noqa: ARG001
    y_high: int = 63,  # noqa: ARG001
    max_width: int | None = None,  # noqa: ARG001
    max_height: int | None = None,  # noqa: ARG001
) -> RTreeStore:
    return RTreeStore()


RECTANGLE_STORES: Mapping[str, RectangleStoreFactory] = MappingProxyType(
    {
        "vcr_sd": _VcrFactory("simple", "direct"),
        "vcr_od": _VcrFactory("overlapped", "direct"),
        "vcr_sd_hash": _VcrFactory("simple", "hashed"),
        "vcr_od_hash": _VcrFactory("overlapped", "hashed"),
        "r_tree": _r_tree,
    }
)

__all__ = [
    "RECTANGLE_STORES",
    "Circle",
    "CircleStore",
    "RTreeStore",
    "Rectangle",
    "RectangleStore",
    "RectangleStoreFactory",
    "Rectangles",
    "VcrStore",
]
