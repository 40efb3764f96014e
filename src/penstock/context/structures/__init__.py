"""The index structures that a context filter can be built on, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from penstock.context.structures.b_plus_tree import BPlusTree
from penstock.context.structures.binary_tree import BinaryTree
from penstock.context.structures.hash_table import HashTable
from penstock.context.structures.is_list import AgileSkipList
from penstock.context.structures.protocol import Structure
from penstock.context.structures.r_tree import RTree
from penstock.errors import PenstockError, did_you_mean

STRUCTURES: Final[Mapping[str, Callable[[], Structure]]] = MappingProxyType(
    {each.name: each for each in (AgileSkipList, BinaryTree, HashTable, BPlusTree, RTree)}
)


class UnknownStructureError(PenstockError, ValueError):
    """A name that is no index structure."""


def new_structure(name: str) -> Structure:
    """An empty structure of a kind."""
    if name not in STRUCTURES:
        hint = did_you_mean(name, STRUCTURES) or f"; known are {', '.join(STRUCTURES)}"
        raise UnknownStructureError(f"there is no structure {name!r}{hint}")
    return STRUCTURES[name]()
