"""Indexes on any structure, step by step: for structures, strategies and policies that are plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from penstock.context.attribute_index import AttributeIndex
from penstock.context.counters import Counters
from penstock.context.entries import Bounds
from penstock.context.leaves import UNKNOWN
from penstock.context.profiles import Profiles
from penstock.context.strategies import Strategy
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.readings import clear_keys, filter_profiles, put_keys


class GenericIndexes:
    """An index for each of some attributes, each kept by a strategy of its own."""

    def __init__(self, profiles: Profiles, new_strategy: Callable[[], Strategy], counters: Counters) -> None:
        self._profiles = profiles
        self._new_strategy = new_strategy
        self._counters = counters
        self._indexes: dict[str, AttributeIndex] = {}
        self._alive = np.zeros(0, dtype=np.bool_)
        self._needed = np.zeros(0, dtype=np.int64)
        self._keys = np.empty(0, dtype=np.int64)

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(self._indexes)

    def index_by(self, attributes: Sequence[str], bounds: Mapping[int, Mapping[str, Bounds]]) -> None:
        """Have indexes of these attributes, with the bounds that profiles have."""
        self._indexes = {name: AttributeIndex(name, self._profiles, self._new_strategy()) for name in attributes}
        self._needed[:] = 0
        for profile, mine in bounds.items():
            self._enter(profile, mine)

    def add(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        if profile >= len(self._alive):
            more = max(16, len(self._alive), profile + 1 - len(self._alive))
            self._alive = np.concatenate([self._alive, np.zeros(more, np.bool_)])
            self._needed = np.concatenate([self._needed, np.zeros(more, np.int64)])
        self._alive[profile] = profile not in self._profiles.general
        self._enter(profile, bounds)

    def remove(self, profile: int) -> None:
        for index in self._indexes.values():
            if profile in index:
                index.remove(profile)
        self._alive[profile] = False
        self._needed[profile] = 0

    def refresh(self, profile: int) -> None:
        """See what is left for the entries of a profile."""
        for index in self._indexes.values():
            if profile in index:
                index.refresh(profile)

    def answer(self, events: EventKeys) -> list[int]:
        """The profiles that the one event satisfies, of those that have programs."""
        if len(self._keys) < len(self._profiles.vocabulary):
            self._keys = np.full(2 * len(self._profiles.vocabulary), UNKNOWN, dtype=np.int64)
        put_keys(events, 0, self._keys)
        keys = {name: int(self._keys[index.field]) for name, index in self._indexes.items()}
        candidates = self._merge(keys)
        accepted = np.zeros(len(candidates), dtype=np.bool_)
        filter_profiles(candidates, self._profiles.starts, self._profiles.tests, self._keys, accepted)
        clear_keys(events, 0, self._keys)
        self._counters.postfiltered += len(candidates)
        self._note_false_positives(candidates[~accepted], keys)
        found: list[int] = candidates[accepted].tolist()
        return found

    def memory(self) -> dict[str, int]:
        return {f"index of {name}": index.memory() for name, index in self._indexes.items()}

    def check_invariants(self) -> None:
        for index in self._indexes.values():
            index.check_invariants()

    def _enter(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        for name, index in self._indexes.items():
            if name in bounds:
                index.add(profile, bounds[name])
                self._needed[profile] += 1

    def _merge(self, keys: Mapping[str, int]) -> NDArray[np.int32]:
        """The profiles that no index rules out: found by as many as they are in."""
        found = [index.probe(keys[name]) for name, index in self._indexes.items()]
        counts = np.bincount(np.concatenate([np.empty(0, np.int32), *found]), minlength=len(self._alive))
        return np.flatnonzero((counts == self._needed) & self._alive).astype(np.int32)

    def _note_false_positives(self, refused: NDArray[np.int32], keys: Mapping[str, int]) -> None:
        """Tell the first index that returned a profile although its own predicate refuses the message."""
        for profile in refused.tolist():
            for name, index in self._indexes.items():
                if profile in index and not index.test(profile, keys[name]):
                    self._counters.false_positives += 1
                    index.found_in_vain(profile)
                    break
