"""Indexes over standing conditions: one protocol, one registry, a file an algorithm."""

from penstock.indexes.protocol import Index, IndexStatistics, Matches
from penstock.indexes.registry import REGISTRY, new_index

__all__ = ["REGISTRY", "Index", "IndexStatistics", "Matches", "new_index"]
