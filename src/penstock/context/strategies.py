"""What an index does about a context update: the ways that the paper compares, and the one it proposes.

An entry is a profile in the index of one attribute, with the interval that its predicates leave there now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from penstock.context.counters import Counters
from penstock.context.policies import Policy
from penstock.context.structures.protocol import Structure


class Strategy(Protocol):
    """Keeps the entries of one index."""

    def insert(self, profile: int, low: int, high: int) -> None: ...

    def delete(self, profile: int) -> None: ...

    def update(self, profile: int, low: int, high: int) -> None:
        """The interval of a profile is another one."""

    def probe(self, key: int) -> NDArray[np.int32]:
        """All profiles whose interval may hold a key."""

    def found_in_vain(self, profile: int, low: int, high: int) -> None:
        """A profile was returned for a key outside of its interval."""

    def keys_of(self, profile: int) -> tuple[int, int]:
        """Between which keys the index returns a profile."""

    def check_invariants(self) -> None: ...

    def memory(self) -> int: ...


class Eager:
    """Accurate at all times: an update deletes the entry and inserts it anew (section 4.2)."""

    def __init__(self, structure: Structure, policy: Policy, counters: Counters) -> None:
        self._structure = structure
        self._policy = policy
        self._counters = counters
        self.delete: Callable[[int], None] = structure.delete
        self.probe: Callable[[int], NDArray[np.int32]] = structure.probe
        self.keys_of = structure.keys_of
        self.check_invariants = structure.check_invariants
        self.memory = structure.memory

    def insert(self, profile: int, low: int, high: int) -> None:
        self._structure.insert(profile, low, high)

    def update(self, profile: int, low: int, high: int) -> None:
        self._counters.index_updates += 1
        self._structure.delete(profile)
        self._structure.insert(profile, low, high)

    def found_in_vain(self, profile: int, low: int, high: int) -> None:
        """What cannot be more accurate stays."""


class Gbu(Eager):
    """As eager, but an entry that stays within its leaf is not moved (section 4.4)."""

    def update(self, profile: int, low: int, high: int) -> None:
        if self._structure.covers(profile, low, high) or self._structure.widen(profile, low, high):
            return
        super().update(profile, low, high)


class Agile(Eager):
    """Escalates entries that are updated and deescalates those that are found in vain (section 5)."""

    def update(self, profile: int, low: int, high: int) -> None:
        if self._structure.covers(profile, low, high):
            return
        self._counters.index_updates += 1
        self._counters.escalations += 1
        self._structure.escalate(profile, low, high)
        self._policy.forget(profile)

    def found_in_vain(self, profile: int, low: int, high: int) -> None:
        if self._policy.deescalates(profile, self._counters) and self._structure.deescalate(profile, low, high):
            self._counters.deescalations += 1
