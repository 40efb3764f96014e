"""Figure 13 of the OpIndex paper: subscriptions in conjunctive and in disjunctive normal form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from penstock.lab.boolean_workloads import sparse_events
from penstock.lab.claims import Claim, Kind, both, falls, gap_grows, lower, stays
from penstock.lab.experiment import Axis, Experiment, Measure, Measurement, Panel, Scale, Series, Subject
from penstock.lab.experiments.opindex.claims import CANDIDATES
from penstock.lab.experiments.opindex.parameters import IndexParameters
from penstock.lab.experiments.opindex.series import OP_INDEX, OPINDEX
from penstock.lab.experiments.opindex.workload import COUNT, Varied, workload
from penstock.lab.matching import (
    BATCH,
    BATCH_PANEL,
    CONSTRUCTION_PANEL,
    SINGLE_PANEL,
    Events,
    Matching,
    Recipe,
    construct,
)
from penstock.lab.normal_form_workloads import normal_forms
from penstock.model.conditions import Condition, children_of

ENTRIES: Final = Measure("entries for a predicate")
"""In how many predicate lists a predicate stands, on average."""

CNF: Final = Series(name="cnf", label="CNF", colour=1)
DNF: Final = Series(name="dnf", label="DNF", colour=0)


@dataclass(frozen=True, kw_only=True)
class NormalFormParameters(IndexParameters):
    """Subscriptions of several clauses, over the workload of the other figures. ``form`` is that of the series."""

    form: str = ""
    most_clauses: Annotated[int, "most clauses of a subscription"] = 5
    most_predicates: Annotated[int, "most predicates of a clause"] = 4
    dimensions: Annotated[int, "attributes, d"] = 20_000
    event_size: Annotated[int, "attributes of an event, m"] = 20

    def conditions(self) -> list[Condition]:
        return normal_forms(
            self.count,
            self.form,
            most_clauses=self.most_clauses,
            most_predicates=self.most_predicates,
            dimensions=self.dimensions,
            seed=self.seed,
        )

    def matched(self) -> Events:
        assert self.events is not None
        assert self.batch is not None
        made = sparse_events(self.events, dimensions=self.dimensions, size=self.event_size, seed=self.seed)
        return Events.of(made, self.batch)


def _prepare(parameters: NormalFormParameters, series: Series, x: float) -> Subject:
    made = workload(replace(parameters.at(x), form=series.name))
    recipe = Recipe(OP_INDEX.name, made.conditions, {"form": series.name})
    recipe.warm_up(made.events)
    predicates = sum(map(_predicates, made.conditions))

    def measure() -> list[Measurement]:
        built = construct(recipe)
        entries = Measurement(ENTRIES, built.index.statistics().predicates / predicates)
        return [*built.measurements, entries, *Matching(built.index, made.events)()]

    return measure


def _predicates(condition: Condition) -> int:
    """How many predicates a condition has."""
    return sum(map(_predicates, children_of(condition))) or 1


_CLAUSES: Final = Varied("most_clauses", Axis("most clauses of a subscription"))

_WORKLOAD_NOTE: Final = (
    "A subscription has 1 to the given number of clauses, all numbers alike, and a clause has 1 to 4 predicates on"
    " distinct attributes; the paper says neither. Both forms have the same clauses, so an AND of ORs stands against an"
    " OR of ANDs. The first matches far more often."
)
_UP_TO_NOTE: Final = (
    "The paper goes up to 20 million subscriptions. Those of several clauses are inserted one at a time here, which"
    " takes about a millisecond each, so this ends at 100,000."
)
_SMALL: Final[dict[str, Any]] = {"count": 200, "dimensions": 80, "events": 100, "batch": 100}
_PAPER: Final[dict[str, Any]] = {"count": 40_000, "events": 10_000, "batch": 1_000}


def _figure_13(
    letter: str,
    of: str,
    varied: Varied,
    *,
    small: tuple[float, ...],
    paper: tuple[float, ...],
    claims: tuple[Claim, ...],
) -> Experiment[NormalFormParameters, Series]:
    return Experiment(
        name=f"opindex-13{letter}",
        paper=OPINDEX,
        figure=f"13({letter})",
        title=f"normal forms by {of}",
        question=f"How does the time to match subscriptions in either normal form depend on {of}?",
        scales={
            Scale.SMALL: NormalFormParameters(xs=small, varied=varied.parameter, **_SMALL),
            Scale.PAPER: NormalFormParameters(xs=paper, varied=varied.parameter, **_PAPER),
        },
        series=(CNF, DNF),
        x=varied.axis,
        panels=(
            BATCH_PANEL,
            SINGLE_PANEL,
            Panel(ENTRIES, Axis("entries for a predicate")),
            Panel(CANDIDATES, Axis("candidates for an event")),
            CONSTRUCTION_PANEL,
        ),
        prepare=_prepare,
        claims=claims,
        notes=(_WORKLOAD_NOTE, _UP_TO_NOTE),
    )


FIGURE_13A: Final = _figure_13(
    "a",
    "the number of subscriptions",
    COUNT,
    small=(100, 200, 400),
    paper=(25_000, 50_000, 100_000),
    claims=(
        Claim(
            text="The matching time of DNF scales better with the number of subscriptions than that of CNF.",
            kind=Kind.TIME,
            judge=gap_grows(BATCH, DNF.name, CNF.name),
            difference="Both grow in proportion to the subscriptions, as do their candidates.",
        ),
        Claim(
            text="A CNF may be filed under several pivots, and then its predicates stand in several lists.",
            kind=Kind.COUNT,
            judge=lower(ENTRIES, DNF.name, CNF.name, by=1.3),
        ),
        Claim(
            text="A clause of a DNF is filed under one pivot, so each of its predicates stands in one list.",
            kind=Kind.COUNT,
            judge=stays(ENTRIES, DNF.name, factor=1.01),
            ours=True,
        ),
        Claim(
            text="An event has more candidates among CNFs, because they are in several lists.",
            kind=Kind.COUNT,
            judge=lower(CANDIDATES, DNF.name, CNF.name),
            ours=True,
            difference="A DNF is a candidate once for each of its clauses, which are more than the pivots of a CNF.",
        ),
    ),
)

FIGURE_13B: Final = _figure_13(
    "b",
    "the number of clauses",
    _CLAUSES,
    small=(1, 3, 5, 10),
    paper=(1, 3, 5, 7, 9),
    claims=(
        Claim(
            text="The matching time of CNF scales better with the number of clauses than that of DNF.",
            kind=Kind.TIME,
            judge=gap_grows(BATCH, CNF.name, DNF.name),
        ),
        Claim(
            text="With more clauses there is more often one with a single predicate: CNFs are replicated less.",
            kind=Kind.COUNT,
            judge=falls(ENTRIES, CNF.name, by=1.5),
        ),
        Claim(
            text="With more clauses an event has fewer candidates among CNFs and more among DNFs.",
            kind=Kind.COUNT,
            judge=both(falls(CANDIDATES, CNF.name), gap_grows(CANDIDATES, CNF.name, DNF.name)),
            ours=True,
        ),
    ),
)

NORMAL_FORM_EXPERIMENTS: Final = (FIGURE_13A, FIGURE_13B)
