"""The indexes that the OpIndex paper compares, how each is built, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from penstock.lab.claims import Claim
from penstock.lab.experiment import Axis, Experiment, Measure, Measurement, Panel, Paper, Scale, Series, Subject
from penstock.lab.experiments.opindex.parameters import IndexParameters
from penstock.lab.experiments.opindex.workload import Varied, workload
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

P = TypeVar("P", bound=IndexParameters)

Measured = Callable[[Recipe, P], Subject]
"""What is measured of an index that is built by a recipe."""


def only_construction(recipe: Recipe, parameters: IndexParameters) -> Subject:
    """The time to build, the bytes, and the time of single insertions where the parameters want some."""
    return Constructions(recipe, workload(parameters).conditions[parameters.count :])


def only_matching(recipe: Recipe, parameters: IndexParameters) -> Subject:
    """The time to match, and what was counted: of an index that is built once."""
    return Matching(recipe.build(), workload(parameters).events)


def construction_and_matching(recipe: Recipe, parameters: IndexParameters) -> Subject:
    """All of it, and the index is built in each repetition."""
    return ConstructionAndMatching(recipe, workload(parameters).events)


@dataclass(frozen=True, slots=True)
class Preparing(Generic[P]):
    """How the figures of the paper prepare: the workload at x, an index of the series, and what is measured of it."""

    measured: Measured[P]

    def __call__(self, parameters: P, series: IndexSeries, x: float) -> Subject | None:
        chosen = parameters.at(x)
        options = chosen.options(series.name)
        if options is None:
            return None
        made = workload(chosen)
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
    scales: dict[Scale, P],
    measured: Measured[P],
    panels: tuple[Panel, ...],
    claims: tuple[Claim, ...],
    series: tuple[IndexSeries, ...] = (OP_INDEX, OP_INDEX_BS, K_INDEX, BE_TREE),
    notes: tuple[str, ...] = (),
    name: str | None = None,
) -> Experiment[P, IndexSeries]:
    """An experiment of the paper. Unless it has a name of its own, ``10(a)`` is ``opindex-10a``."""
    return Experiment(
        name=name or f"opindex-{''.join(filter(str.isalnum, number))}",
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
