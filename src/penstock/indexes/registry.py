"""The indexes by name. The command line, the tests and the benchmarks go through this table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from penstock.errors import UnknownIndexError, did_you_mean
from penstock.indexes.boolean import BOOLEAN_INDEXES
from penstock.indexes.hashing import HASHING_INDEXES
from penstock.indexes.interval import INTERVAL_STORES
from penstock.indexes.protocol import Index
from penstock.indexes.rectangle import RECTANGLE_STORES
from penstock.indexes.scan import ScanIndex
from penstock.indexes.stabbing import FewLineCells, LineCells, PlaneCells, StabbingIndex

# Schemes that keep a bit for each pair of a value and a construct interval.
_FULL_BITMAPS = ("sci", "lci")


def _over(name: str, cells: type[LineCells] | type[PlaneCells], factory: Callable[..., Any]) -> type[StabbingIndex]:
    """The index of conditions over a kind of store."""
    members = {"name": name, "cells": cells, "factory": staticmethod(factory), "__module__": __name__}
    return type(f"StabbingIndex[{name}]", (StabbingIndex,), members)


def _members() -> Iterator[type[Index]]:
    yield ScanIndex
    for name, interval_factory in INTERVAL_STORES.items():
        yield _over(name, FewLineCells if name in _FULL_BITMAPS else LineCells, interval_factory)
    for name, rectangle_factory in RECTANGLE_STORES.items():
        yield _over(name, PlaneCells, rectangle_factory)
    yield from BOOLEAN_INDEXES
    yield from HASHING_INDEXES


REGISTRY: Mapping[str, type[Index]] = MappingProxyType({index.name: index for index in _members()})


def new_index(name: str, **options: Any) -> Index:
    """An empty index of a kind; ``auto`` is the one that serves every condition. Options are those of the kind."""
    if name == "auto":
        return ScanIndex()
    if name not in REGISTRY:
        hint = did_you_mean(name, REGISTRY) or f"; known are auto, {', '.join(sorted(REGISTRY))}"
        raise UnknownIndexError(f"there is no index {name!r}{hint}")
    return REGISTRY[name](**options)
