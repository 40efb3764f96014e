"""The indexes that the OpIndex paper compares, how each is built, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from penstock.lab.claims import Claim
from penstock.lab.experiment import Axis, Experiment, Measure, Measurement, Panel, Paper, Scale, Series, Subject
from penstock.lab.experiments.opindex.workload import BooleanParameters, Varied, workload
from penstock.lab.matching import (
    ConstructionAndMatching,
    Constructions,
    Matching,
    Recipe,
    work,
)

OPINDEX: Final = Paper("OpIndex", "An efficient publish/subscribe index for e-commerce databases")

TOUCHED: Final = Measure("touched for an event")
TOUCHED_PANEL: Final = Panel(TOUCHED, Axis("entries that an event touches", logarithmic=True))
TOUCHED_NOTE: Final = (
    "An event touches a counter for each predicate of OpIndex and each posting of k-index that it satisfies, and each"
    " expression that BE-Tree evaluates for it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSeries(Series):
    """An index by its name in the registry, and which of its counters says how many entries an event touches."""

    touched: str


OP_INDEX: Final = IndexSeries(name="opindex", label="OpIndex", colour=0, touched="predicates_held")
OP_INDEX_BS: Final = IndexSeries(
    name="opindex_bs", label="OpIndex-BS", colour=0, dashed=True, touched="predicates_held"
)
K_INDEX: Final = IndexSeries(name="k_index", label="k-index", colour=1, touched="postings_read")
BE_TREE: Final = IndexSeries(name="be_tree", label="BE-Tree", colour=2, touched="expressions_checked")

_OPTIONS: Final[dict[str, Callable[[BooleanParameters], dict[str, Any]]]] = {
    K_INDEX.name: lambda parameters: {"domain": (1, parameters.domain)},
    BE_TREE.name: lambda parameters: {"leaf_size": parameters.leaf_size},
}

Measured = Callable[[Recipe, BooleanParameters], Subject]
"""What is measured of an index that is built by a recipe."""


def only_construction(recipe: Recipe, parameters: BooleanParameters) -> Subject:
    """The time to build, the bytes, and the time of single insertions where the parameters want some."""
    return Constructions(recipe, workload(parameters).conditions[parameters.count :])


def only_matching(recipe: Recipe, parameters: BooleanParameters) -> Subject:
    """The time to match, and what was counted: of an index that is built once."""
    return Matching(recipe.build(), workload(parameters).events)


def construction_and_matching(recipe: Recipe, parameters: BooleanParameters) -> Subject:
    """All of it, and the index is built in each repetition."""
    return ConstructionAndMatching(recipe, workload(parameters).events)


@dataclass(frozen=True, slots=True)
class Preparing:
    """How the figures of the paper prepare: the workload at x, an index of the series, and what is measured of it."""

    measured: Measured

    def __call__(self, parameters: BooleanParameters, series: IndexSeries, x: float) -> Subject | None:
        chosen = parameters.at(x)
        if series == K_INDEX and chosen.postings > chosen.most_postings:
            return None
        made = workload(chosen)
        options = _OPTIONS[series.name](chosen) if series.name in _OPTIONS else {}
        recipe = Recipe(series.name, made.conditions[: chosen.count], options)
        recipe.warm_up(made.events)
        return _with_touched(self.measured(recipe, chosen), series)


def _with_touched(subject: Subject, series: IndexSeries) -> Subject:
    """The subject, with the counter of touched entries under the name that all series share."""

    def measure() -> list[Measurement]:
        found = list(subject())
        counter = work(series.touched)
        return found + [Measurement(TOUCHED, each.value) for each in found if each.measure == counter]

    return measure


def figure(
    number: str,
    title: str,
    question: str,
    *,
    varied: Varied,
    scales: dict[Scale, BooleanParameters],
    measured: Measured,
    panels: tuple[Panel, ...],
    claims: tuple[Claim, ...],
    series: tuple[IndexSeries, ...] = (OP_INDEX, OP_INDEX_BS, K_INDEX, BE_TREE),
    notes: tuple[str, ...] = (),
) -> Experiment[BooleanParameters, IndexSeries]:
    """An experiment of the paper: ``10(a)`` is ``opindex-10a``."""
    return Experiment(
        name=f"opindex-{number.replace('(', '').replace(')', '')}",
        paper=OPINDEX,
        figure=number,
        title=title,
        question=question,
        scales=scales,
        series=series,
        x=varied.axis,
        panels=panels,
        claims=claims,
        prepare=Preparing(measured),
        notes=notes,
    )
