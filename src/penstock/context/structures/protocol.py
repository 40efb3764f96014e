"""What AGILE asks of an index structure: identifiers under sets of keys that may be larger than they need be.

The paper writes k(i) for the key of an identifier and K(i) for the set of keys that the index associates it with. Here
k(i) is a closed interval of 64-bit keys; K(i) must hold it, and ``probe(k)`` finds every i with k in K(i).
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Structure(Protocol):
    """An index structure that can be made less accurate for one identifier at a time."""

    def __len__(self) -> int:
        """How many identifiers there are."""

    def __contains__(self, identifier: object) -> bool: ...

    def insert(self, identifier: int, low: int, high: int) -> None:
        """Add an identifier as accurately as the structure can."""

    def delete(self, identifier: int) -> None:
        """Remove an identifier."""

    def probe(self, key: int) -> NDArray[np.int32]:
        """All identifiers whose K(i) holds a key, each once."""

    def covers(self, identifier: int, low: int, high: int) -> bool:
        """Whether K(i) holds all keys from low to high: an update to them is a no-operation."""

    def escalate(self, identifier: int, low: int, high: int) -> None:
        """Make K(i) larger, so that it holds low to high: as little as the next level of the structure allows."""

    def deescalate(self, identifier: int, low: int, high: int) -> bool:
        """Make K(i) smaller, still holding low to high, by one level; ``False`` when it cannot be smaller."""

    def widen(self, identifier: int, low: int, high: int) -> bool:
        """Let K(i) hold low to high if that stays within the leaf that the identifier is in (GBU); else ``False``."""

    def keys_of(self, identifier: int) -> tuple[int, int]:
        """The lowest and the highest key of K(i)."""

    def memory(self) -> int:
        """The bytes that the structure takes, or an estimate where it is made of objects."""

    def check_invariants(self) -> None:
        """Raise :class:`~penstock.errors.InvariantError` unless the structure is as it must always be."""
