"""The members of the registry as test parameters: one of each family by default, the others with the slower tests."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from penstock.errors import NormalFormTooLargeError
from penstock.indexes import REGISTRY, Index
from penstock.indexes.boolean.clause_index import ClauseIndex
from penstock.model.conditions import Condition

ONE_OF_EACH_FAMILY = {"scan", "lci_bv_dt", "vcr_sd", "opindex"}

every_index = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ONE_OF_EACH_FAMILY else pytest.mark.slow) for name in sorted(REGISTRY)],
)


def insert_all(index: Index, conditions: Mapping[int, Condition]) -> dict[int, Condition]:
    """Insert conditions; those that are in then. An index of normal forms may refuse one whose form is too large."""
    held = {}
    for key, condition in conditions.items():
        try:
            index.insert(key, condition)
        except NormalFormTooLargeError:
            assert isinstance(index, ClauseIndex)
            continue
        held[key] = condition
    return held
