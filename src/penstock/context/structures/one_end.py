"""Structures over one key of an interval: its upper end, or its lower end where it has no upper one.

``quantity <= context.stock`` leaves the quantities up to the stock. The stock is the key, and a message about q finds
the identifiers with a key of q or more, as far as the structure knows: the orders and warehouses of section 5.1. So
K(i) goes from the first key of all to the highest that the structure has for i, its *reach*. An interval that is
bounded on both sides is under its upper end, and what lies below its lower end is left to the postfilter. One that is
bounded below only is the mirror image: negated keys are in the opposite order, and a second tree of the same kind holds
them.

An identifier stays in its tree while K(i) holds its interval, even if by now the other tree would suit it better. It
changes trees by way of a set of keys that is everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from penstock.context.leaves import FIRST, LAST
from penstock.context.structures.requests import check_known, check_new
from penstock.errors import InvariantError


class EndTree(Protocol):
    """Identifiers that each have a reach, at least as high as their key."""

    def __len__(self) -> int: ...

    def __contains__(self, identifier: object) -> bool: ...

    def insert(self, identifier: int, key: int) -> None:
        """Add an identifier with its key as its reach."""

    def admit(self, identifier: int, key: int) -> None:
        """Add an identifier as high in the tree as a reach below the last key of all allows."""

    def delete(self, identifier: int) -> None: ...

    def reach(self, identifier: int) -> int: ...

    def probe(self, key: int) -> list[int]:
        """All identifiers that reach a key."""

    def escalate(self, identifier: int, key: int) -> bool:
        """Move an identifier up until it reaches a key; ``False``, and nothing is moved, if nothing above does."""

    def deescalate(self, identifier: int, key: int) -> bool:
        """Move an identifier down until its reach is lower, but not below a key; ``False`` when it cannot be."""

    def widen(self, identifier: int, key: int) -> bool:
        """Let an identifier reach a key if the leaf it is in does."""

    def memory(self) -> int: ...

    def check_invariants(self) -> None: ...


class OneEnd:
    """A tree of upper ends, a tree of lower ends, and the identifiers that are out of scope."""

    def __init__(self, new_tree: Callable[[], EndTree]) -> None:
        self._uppers = new_tree()
        self._lowers = new_tree()
        """Their keys are negated."""
        self._outside: set[int] = set()

    def __len__(self) -> int:
        return len(self._uppers) + len(self._lowers) + len(self._outside)

    def __contains__(self, identifier: object) -> bool:
        return any(identifier in part for part in (self._uppers, self._lowers, self._outside))

    def insert(self, identifier: int, low: int, high: int) -> None:
        check_new(identifier, low, high, self)
        if (low, high) == (FIRST, LAST):
            self._outside.add(identifier)
        else:
            tree = self._suited(high)
            tree.insert(identifier, self._key(tree, low, high))

    def delete(self, identifier: int) -> None:
        tree = self._tree_of(identifier)
        if tree is None:
            self._outside.remove(identifier)
        else:
            tree.delete(identifier)

    def probe(self, key: int) -> NDArray[np.int32]:
        return np.array([*self._uppers.probe(key), *self._lowers.probe(-key), *self._outside], dtype=np.int32)

    def covers(self, identifier: int, low: int, high: int) -> bool:
        begin, end = self.keys_of(identifier)
        return begin <= low and high <= end

    def escalate(self, identifier: int, low: int, high: int) -> None:
        tree = self._tree_of(identifier)
        if tree is None or self.covers(identifier, low, high):
            return
        if not tree.escalate(identifier, self._key(tree, low, high)):
            tree.delete(identifier)
            self._outside.add(identifier)

    def deescalate(self, identifier: int, low: int, high: int) -> bool:
        keys = self.keys_of(identifier)
        tree, suited = self._tree_of(identifier), self._suited(high)
        if tree is not None and (tree is suited or keys != (FIRST, LAST)):
            return tree.deescalate(identifier, self._key(tree, low, high))
        if keys == (low, high):
            return False
        self.delete(identifier)
        suited.admit(identifier, self._key(suited, low, high))
        return True

    def widen(self, identifier: int, low: int, high: int) -> bool:
        tree = self._tree_of(identifier)
        if tree is None or self.covers(identifier, low, high):
            return True
        return tree.widen(identifier, self._key(tree, low, high))

    def keys_of(self, identifier: int) -> tuple[int, int]:
        tree = self._tree_of(identifier)
        if tree is None:
            return FIRST, LAST
        return (FIRST, tree.reach(identifier)) if tree is self._uppers else (-tree.reach(identifier), LAST)

    def memory(self) -> int:
        return self._uppers.memory() + self._lowers.memory() + self._outside.__sizeof__()

    def check_invariants(self) -> None:
        self._uppers.check_invariants()
        self._lowers.check_invariants()
        for identifier in self._outside:
            if identifier in self._uppers or identifier in self._lowers:
                raise InvariantError(f"identifier {identifier} is out of scope and in a tree")

    def _tree_of(self, identifier: int) -> EndTree | None:
        """The tree that an identifier is in; ``None`` for one out of scope."""
        if identifier in self._uppers:
            return self._uppers
        if identifier in self._lowers:
            return self._lowers
        check_known(identifier, self._outside)
        return None

    def _suited(self, high: int) -> EndTree:
        return self._uppers if high < LAST else self._lowers

    def _key(self, tree: EndTree, low: int, high: int) -> int:
        return high if tree is self._uppers else -low
