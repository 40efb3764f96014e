"""The filters that the AGILE paper compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from penstock.lab.experiment import Paper, Series
from penstock.lab.filtering import FilterKind

AGILE_PAPER: Final = Paper("AGILE", "Adaptive indexing for context-aware information filters")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSeries(Series):
    """A filter by how it treats its indexes."""

    kind: FilterKind


NOINDEX: Final = FilterSeries(name="noindex", label="NOINDEX", colour=6, kind=FilterKind("noindex"))
EAGER: Final = FilterSeries(name="eager", label="EAGER", colour=1, kind=FilterKind("eager"))
GBU: Final = FilterSeries(name="gbu", label="GBU", colour=2, kind=FilterKind("gbu"))
AGILE: Final = FilterSeries(name="agile", label="AGILE", colour=0, kind=FilterKind("agile"))
AGILE_AUTO: Final = FilterSeries(name="agile_auto", label="AGILE, auto", colour=0, kind=FilterKind("agile", "auto"))
AGILE_10: Final = FilterSeries(name="agile_10", label="AGILE, FP = 10", colour=3, kind=FilterKind("agile", "fixed(10)"))
AGILE_100: Final = FilterSeries(
    name="agile_100", label="AGILE, FP = 100", colour=4, kind=FilterKind("agile", "fixed(100)")
)
AGILE_1000: Final = FilterSeries(
    name="agile_1000", label="AGILE, FP = 1,000", colour=5, kind=FilterKind("agile", "fixed(1000)")
)
AGILE_RENTAL: Final = FilterSeries(
    name="agile_rental", label="AGILE, rental (ours)", colour=0, dashed=True, kind=FilterKind("agile", "rental")
)
