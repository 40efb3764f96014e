"""The members of the registry as test parameters: one of each family by default, the others with the slower tests."""

from __future__ import annotations

import pytest

from penstock.indexes import REGISTRY

ONE_OF_EACH_FAMILY = {"scan", "lci_bv_dt", "vcr_sd"}

every_index = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ONE_OF_EACH_FAMILY else pytest.mark.slow) for name in sorted(REGISTRY)],
)
