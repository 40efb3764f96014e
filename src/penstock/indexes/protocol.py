"""What an index is: the one small protocol that all of them follow, whatever they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.model.conditions import Condition

Key: TypeAlias = int
"""Indexes know subscriptions by small integers; a matcher keeps the ids that belong to them."""


class Matches(NamedTuple):
    """Pairs that match: row ``rows[i]`` of the batch satisfies the subscription with the key ``keys[i]``."""

    rows: NDArray[np.int64]
    keys: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class IndexStatistics:
    """What an index holds: counts, and the bytes of its arrays by what they are for."""

    subscriptions: int
    predicates: int
    memory: Mapping[str, int] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The bytes of all arrays together."""
        return sum(self.memory.values())


@runtime_checkable
class Index(Protocol):
    """Standing conditions under keys, and which of them an event satisfies."""

    name: ClassVar[str]

    def insert(self, key: Key, condition: Condition) -> None:
        """Add a condition. A key that is there already is refused; so is a condition that the index cannot serve."""

    def delete(self, key: Key) -> None:
        """Remove a condition. A key that is not there is refused."""

    def match(self, event: Mapping[str, object]) -> NDArray[np.int64]:
        """The keys of all conditions that one event satisfies, in ascending order."""

    def match_batch(self, batch: EventBatch) -> Matches:
        """All pairs of a row and a key that match, ordered by row and then by key."""

    def statistics(self) -> IndexStatistics:
        """What the index holds."""

    def check_invariants(self) -> None:
        """Raise :class:`~penstock.errors.InvariantError` unless the structure is as it must always be."""
