"""What an interval index is: closed intervals of integers under keys, and which of them a value stabs.

Values are integers, called cells. Whatever has an order becomes cells through rank space, so open ends, doubles and
strings need nothing of their own here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Stabs(NamedTuple):
    """The answers to many queries: query ``i`` found ``keys[offsets[i]:offsets[i + 1]]``, each key once."""

    offsets: NDArray[np.int64]
    keys: NDArray[np.int32]


class IntervalStore(Protocol):
    """Closed intervals of cells under keys."""

    name: ClassVar[str]

    def __len__(self) -> int: ...

    def __contains__(self, key: object) -> bool: ...

    def insert(self, key: int, low: int, high: int) -> None:
        """Add the interval from ``low`` to ``high``, both included, under a key (from 0, below 2**30) not in use."""

    def insert_many(self, keys: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        """Add many intervals at once: all of them, or none where one is refused."""

    def delete(self, key: int) -> None:
        """Remove the interval of a key; a key that is not there is refused."""

    def stab(self, value: int) -> NDArray[np.int32]:
        """The keys of all intervals that hold a value, each once, in no particular order."""

    def stab_many(self, values: NDArray[np.int64]) -> Stabs:
        """The same for many values."""

    def memory(self) -> Mapping[str, int]:
        """The bytes of all arrays, by what they are for."""

    def check_invariants(self) -> None:
        """Raise :class:`~penstock.errors.InvariantError` unless the structure is as it must always be."""
