"""``partial``: an index with a scope (section 4.3), given or chosen from the workload, which the paper left open.

Entries within the scope are indexed and accurate. All others are returned for every key; their updates cost nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.context.counters import Counters
from penstock.context.leaves import FIRST, LAST
from penstock.context.policies import RENT, Policy
from penstock.context.strategies import Eager
from penstock.context.structures.protocol import Structure

LOOK_EVERY: Final = 4096
"""After so many updates the scope is chosen anew."""
CELLS: Final = 32


class Partial(Eager):
    """Accurate within a scope of keys."""

    def __init__(
        self, structure: Structure, policy: Policy, counters: Counters, scope: tuple[int, int] | None = None
    ) -> None:
        super().__init__(structure, policy, counters)
        self._fixed = scope is not None
        self.scope = (FIRST, LAST) if scope is None else scope
        self._entries: dict[int, tuple[int, int]] = {}
        self._outside: set[int] = set()
        self._updated: list[int] = []
        self._probes = 0
        self.delete = self._delete
        self.probe = self._probe
        self.keys_of = self._keys_of  # type: ignore[assignment]

    def insert(self, profile: int, low: int, high: int) -> None:
        self._entries[profile] = low, high
        if self._in_scope(low, high):
            self._structure.insert(profile, low, high)
        else:
            self._outside.add(profile)

    def update(self, profile: int, low: int, high: int) -> None:
        if not self._fixed:
            self._watch(self._entries[profile][0])
        self._entries[profile] = low, high
        inside = self._in_scope(low, high)
        if profile in self._outside and not inside:
            return
        self._counters.index_updates += 1
        if profile in self._outside:
            self._outside.remove(profile)
        else:
            self._structure.delete(profile)
        if inside:
            self._structure.insert(profile, low, high)
        else:
            self._outside.add(profile)

    def _delete(self, profile: int) -> None:
        del self._entries[profile]
        if profile in self._outside:
            self._outside.remove(profile)
        else:
            self._structure.delete(profile)

    def _probe(self, key: int) -> NDArray[np.int32]:
        self._probes += 1
        outside = np.fromiter(self._outside, np.int32, len(self._outside))
        if not self.scope[0] <= key <= self.scope[1]:
            return outside
        return np.concatenate([self._structure.probe(key), outside])

    def _keys_of(self, profile: int) -> tuple[int, int]:
        return (FIRST, LAST) if profile in self._outside else self._structure.keys_of(profile)

    def _in_scope(self, low: int, high: int) -> bool:
        return self.scope[0] <= low and high <= self.scope[1]

    def _watch(self, key: int) -> None:
        """Note where an update comes from, and choose the scope anew when many have been seen."""
        self._updated.append(key)
        if len(self._updated) < LOOK_EVERY:
            return
        keys = np.array([low for low, _ in self._entries.values()], dtype=np.int64)
        scope = best_scope(keys, np.array(self._updated, dtype=np.int64), self._probes)
        self._updated, self._probes = [], 0
        if scope != self.scope:
            self._rescope(scope)

    def _rescope(self, scope: tuple[int, int]) -> None:
        self.scope = scope
        for profile, (low, high) in self._entries.items():
            inside = self._in_scope(low, high)
            if inside and profile in self._outside:
                self._outside.remove(profile)
                self._structure.insert(profile, low, high)
            elif not inside and profile not in self._outside:
                self._structure.delete(profile)
                self._outside.add(profile)


def best_scope(entries: NDArray[np.int64], updated: NDArray[np.int64], probes: int) -> tuple[int, int]:
    """The range of keys to index: where entries would be returned in vain more often than they are updated.

    Keys are cut into cells with equally many entries. A cell out of scope costs an evaluation for each of its entries
    and each probe; in scope it costs as much as ``RENT`` evaluations for each update. The scope is the run of cells
    that saves most; nothing at all when no cell saves anything.

    >>> entries = np.arange(1000)
    >>> low, high = best_scope(entries, np.full(4096, 900), probes=10)
    >>> low, high < 900
    (-9223372036854775807, True)
    """
    bounds = np.unique(np.sort(entries)[np.linspace(0, len(entries) - 1, CELLS + 1).astype(np.int64)])
    held = np.bincount(_cells(entries, bounds), minlength=len(bounds))
    changed = np.bincount(_cells(updated, bounds), minlength=len(bounds))
    saved = (held * probes - RENT * changed).tolist()
    best, best_run, begin, total = 0, (0, -1), 0, 0
    for cell, saving in enumerate(saved):
        if total <= 0:
            begin, total = cell, 0
        total += saving
        if total > best:
            best, best_run = total, (begin, cell)
    first, last = best_run
    if last < first:
        return LAST, FIRST
    low = FIRST if first == 0 else int(bounds[first])
    high = LAST if last == len(bounds) - 1 else int(bounds[last + 1]) - 1
    return low, high


def _cells(keys: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    cells: NDArray[np.int64] = np.maximum(np.searchsorted(bounds, keys, side="right") - 1, 0)
    return cells
