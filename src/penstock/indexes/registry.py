"""The indexes by name. The command line, the tests and the benchmarks go through this table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from penstock.errors import UnknownIndexError, did_you_mean
from penstock.indexes.protocol import Index
from penstock.indexes.scan import ScanIndex

REGISTRY: Mapping[str, type[Index]] = MappingProxyType({index.name: index for index in (ScanIndex,)})


def new_index(name: str) -> Index:
    """An empty index of a kind; ``auto`` is the one that serves every condition."""
    if name == "auto":
        return ScanIndex()
    if name not in REGISTRY:
        hint = did_you_mean(name, REGISTRY) or f"; known are auto, {', '.join(sorted(REGISTRY))}"
        raise UnknownIndexError(f"there is no index {name!r}{hint}")
    return REGISTRY[name]()
