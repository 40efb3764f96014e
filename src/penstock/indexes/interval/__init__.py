"""Interval indexes: VCI in all its schemes, direct listing, and the interval skip list.

:data:`INTERVAL_STORES` has them by the names that the papers use. Each is called with the range of values to begin with
and, if it is not to be chosen from the intervals, the greatest length of construct intervals.

>>> store = INTERVAL_STORES["lci_bv_dt"](low=0, high=99)
>>> store.insert(7, 10, 20)
>>> store.stab(20).tolist(), store.stab(21).tolist()
([7], [])
"""

from __future__ import annotations

from typing import Final, Protocol

from penstock.indexes.interval.choosing import choose_max_length
from penstock.indexes.interval.constructs import ConstructIntervals
from penstock.indexes.interval.dlist import DirectListStore
from penstock.indexes.interval.is_list import IntervalSkipList
from penstock.indexes.interval.schemes import SCHEMES
from penstock.indexes.interval.store import IntervalStore, Stabs
from penstock.indexes.interval.vci import VciStore


class StoreFactory(Protocol):
    """Makes an empty store."""

    def __call__(self, low: int = 0, high: int = 1023, *, max_length: int | None = None) -> IntervalStore: ...


INTERVAL_STORES: Final[dict[str, StoreFactory]] = {
    **SCHEMES,
    DirectListStore.name: DirectListStore,
    IntervalSkipList.name: IntervalSkipList,
}

__all__ = [
    "INTERVAL_STORES",
    "ConstructIntervals",
    "DirectListStore",
    "IntervalSkipList",
    "IntervalStore",
    "Stabs",
    "StoreFactory",
    "VciStore",
    "choose_max_length",
]
