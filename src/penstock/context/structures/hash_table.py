"""AGILE on a hash table (section 5.4.2, 1): an identifier is under one key, or in a list that every probe returns.

A hash table has two levels only. Escalation takes an identifier out of the table and associates it with all keys;
deescalation puts it back under its key. An interval of more than one key has no place in the table: it is in the list
from the beginning and stays there.
"""

from __future__ import annotations

import sys
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from penstock.context.leaves import FIRST, LAST
from penstock.context.structures.requests import check_known, check_new
from penstock.errors import InvariantError


class HashTable:
    """Identifiers by key, and those that are found whatever the key."""

    name: ClassVar[str] = "hash_table"

    def __init__(self) -> None:
        self._table: dict[int, set[int]] = {}
        self._keys: dict[int, int] = {}
        self._everywhere: set[int] = set()

    def __len__(self) -> int:
        return len(self._keys) + len(self._everywhere)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._keys or identifier in self._everywhere

    def insert(self, identifier: int, low: int, high: int) -> None:
        check_new(identifier, low, high, self)
        if low == high:
            self._table.setdefault(low, set()).add(identifier)
            self._keys[identifier] = low
        else:
            self._everywhere.add(identifier)

    def delete(self, identifier: int) -> None:
        check_known(identifier, self)
        if identifier in self._everywhere:
            self._everywhere.remove(identifier)
            return
        key = self._keys.pop(identifier)
        self._table[key].remove(identifier)
        if not self._table[key]:
            del self._table[key]

    def probe(self, key: int) -> NDArray[np.int32]:
        return np.array([*self._table.get(key, ()), *self._everywhere], dtype=np.int32)

    def covers(self, identifier: int, low: int, high: int) -> bool:
        begin, end = self.keys_of(identifier)
        return begin <= low and high <= end

    def escalate(self, identifier: int, low: int, high: int) -> None:
        if not self.covers(identifier, low, high):
            self.delete(identifier)
            self._everywhere.add(identifier)

    def deescalate(self, identifier: int, low: int, high: int) -> bool:
        check_known(identifier, self)
        if identifier in self._keys or low != high:
            return False
        self.delete(identifier)
        self.insert(identifier, low, high)
        return True

    def widen(self, identifier: int, low: int, high: int) -> bool:
        """A place of the table has one key, and no room around it."""
        return self.covers(identifier, low, high)

    def keys_of(self, identifier: int) -> tuple[int, int]:
        check_known(identifier, self)
        key = self._keys.get(identifier)
        return (FIRST, LAST) if key is None else (key, key)

    def memory(self) -> int:
        places = sum(sys.getsizeof(identifiers) for identifiers in self._table.values())
        return places + sum(sys.getsizeof(each) for each in (self._table, self._keys, self._everywhere))

    def check_invariants(self) -> None:
        placed = {identifier: key for key, identifiers in self._table.items() for identifier in identifiers}
        if placed != self._keys or not all(self._table.values()):
            raise InvariantError("the table does not hold the identifiers that have a key, each under it")
        if not self._everywhere.isdisjoint(self._keys):
            raise InvariantError("an identifier is in the table and in the list for every probe")
