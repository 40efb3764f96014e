"""Figure 12 of the OpIndex paper: products with many attributes, made up from the paper's statistics, and real ones.

The paper's parts (a) and (b) are the construction of the indexes that its parts (c) and (d) match with, so they are
measured together with these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Self

from penstock.lab.claims import Claim, Kind, both, falls, grows, lower, within
from penstock.lab.datasets import GH_EVENTS, PC_PARTS, DataSet
from penstock.lab.experiment import Axis, Experiment, Measure, Measurement, Scale, Subject
from penstock.lab.experiments.opindex.claims import (
    ALL_ANSWER_THE_SAME,
    CANDIDATES,
    FEWER_TOUCHED,
    HELD,
    LIGHT_TREE,
    READING,
    counted,
    scales_better,
)
from penstock.lab.experiments.opindex.parameters import ComparedParameters
from penstock.lab.experiments.opindex.series import (
    BE_TREE,
    K_INDEX,
    OP_INDEX,
    TOUCHED,
    TOUCHED_NOTE,
    TOUCHED_PANEL,
    IndexSeries,
    construction_and_matching,
    figure,
)
from penstock.lab.experiments.opindex.workload import COUNT, MOST_PREDICATES, Varied
from penstock.lab.matching import (
    BATCH,
    BATCH_PANEL,
    CONSTRUCTION,
    CONSTRUCTION_PANEL,
    FOUND,
    SINGLE_PANEL,
    Events,
    Recipe,
)
from penstock.lab.product_workloads import Row, products, row_subscriptions, some_rows
from penstock.model.conditions import Condition

ROWS: Final = Measure("rows of the data")


@dataclass(frozen=True, kw_only=True)
class RowParameters(ComparedParameters):
    """Subscriptions that are made from rows, and some of the rows as events."""

    most_predicates: Annotated[int, "most predicates of a subscription, Γmax"] = 4
    set_share: Annotated[float, "share of predicates that ask for any of several values"] = 0.0

    def rows(self) -> Sequence[Row]:
        raise NotImplementedError

    def conditions(self) -> list[Condition]:
        return row_subscriptions(
            self.rows(),
            self.count,
            set_share=self.set_share,
            most_predicates=self.most_predicates,
            seed=self.seed,
        )

    def matched(self) -> Events:
        assert self.events is not None
        assert self.batch is not None
        return Events.of_rows(some_rows(self.rows(), self.events, self.seed), self.batch)


@dataclass(frozen=True, kw_only=True)
class ProductParameters(RowParameters):
    """Products with the frequencies of the paper's."""

    products: Annotated[int, "products"] = 296_846
    attributes: Annotated[int, "attributes of all products"] = 10_204

    def rows(self) -> Sequence[Row]:
        return _products(self.products, self.attributes, self.seed)


@dataclass(frozen=True, kw_only=True)
class DataParameters(RowParameters):
    """Real rows: those of the sample, or of the whole set in the folder ``data``."""

    of: DataSet
    data: Path | None = None

    def with_data(self, folder: Path) -> Self:
        self.of.path(folder)  # which must be there
        return replace(self, data=folder)

    def rows(self) -> Sequence[Row]:
        return _real_rows(self.of, self.data)


@lru_cache(maxsize=1)
def _products(count: int, attributes: int, seed: int) -> Sequence[Row]:
    return products(count, attributes=attributes, seed=seed)


@lru_cache(maxsize=1)
def _real_rows(data: DataSet, folder: Path | None) -> Sequence[Row]:
    return data.rows(folder)


# Figure 12: products made up from the paper's statistics.

_SMALL: Final[dict[str, Any]] = {"count": 2_000, "products": 2_000, "attributes": 200}

_WORKLOAD_NOTE: Final = (
    "The paper's products are from eBay. Here they are random, with as many attributes in all: 31% of the products have"
    " the most frequent one and 17% the second, as the paper says, and a power law through these two says how many have"
    " each of the others. Values are strings, 100 for each attribute, with frequencies after Zipf; a set has 2 to 5."
)
_UP_TO_NOTE: Final = (
    "The paper's text does not say how many subscriptions there are. Here there are up to 2 million of up to 4"
    " predicates, and 250,000 where they grow longer."
)


def _scales(
    varied: Varied, *, small: tuple[float, ...], paper: tuple[float, ...], set_share: float
) -> dict[Scale, ProductParameters]:
    return {
        Scale.SMALL: ProductParameters(
            xs=small,
            varied=varied.parameter,
            set_share=set_share,
            events=200,
            batch=200,
            repetitions=2,
            **_SMALL,
        ),
        Scale.PAPER: ProductParameters(
            xs=paper,
            varied=varied.parameter,
            set_share=set_share,
            count=250_000,
            events=10_000,
            batch=1_000,
        ),
    }


def _best(of: str) -> Claim:
    judges = (lower(BATCH, OP_INDEX.name, other.name) for other in (K_INDEX, BE_TREE))
    return Claim(text=f"OpIndex takes the least time to match, {of}.", kind=Kind.TIME, judge=both(*judges))


_BUILT_ALIKE: Final = (
    Claim(
        text="A k-index takes about as long to build as OpIndex.",
        kind=Kind.TIME,
        judge=within(CONSTRUCTION, OP_INDEX.name, K_INDEX.name, factor=2, least=0.5),
    ),
    Claim(
        text="Both are built orders of magnitude sooner than BE-Tree.",
        kind=Kind.TIME,
        judge=both(*(lower(CONSTRUCTION, each.name, BE_TREE.name, by=100) for each in (OP_INDEX, K_INDEX))),
        difference=f"{LIGHT_TREE} {READING}",
    ),
)


def _asked(set_share: float) -> str:
    return "one of several values" if set_share else "one value"


def _by_count(number: str, set_share: float) -> Experiment[ProductParameters, IndexSeries]:
    return figure(
        number,
        f"subscriptions that ask attributes of products for {_asked(set_share)}",
        "How long does it take to build an index of more and more subscriptions, and to match a product with it?",
        varied=COUNT,
        scales=_scales(COUNT, small=(2_000, 4_000, 8_000), paper=(1_000_000, 2_000_000), set_share=set_share),
        measured=construction_and_matching,
        panels=(CONSTRUCTION_PANEL, BATCH_PANEL, SINGLE_PANEL, TOUCHED_PANEL),
        claims=(
            *_BUILT_ALIKE,
            _best("however many subscriptions there are"),
            FEWER_TOUCHED,
            ALL_ANSWER_THE_SAME,
        ),
        notes=(_WORKLOAD_NOTE, TOUCHED_NOTE, _UP_TO_NOTE),
    )


def _by_size(number: str, set_share: float, claims: tuple[Claim, ...]) -> Experiment[ProductParameters, IndexSeries]:
    return figure(
        number,
        f"longer subscriptions that ask attributes of products for {_asked(set_share)}",
        "How does the time to match a product depend on the size of subscriptions?",
        varied=MOST_PREDICATES,
        scales=_scales(MOST_PREDICATES, small=(4, 12, 20), paper=(4, 8, 12, 16, 20), set_share=set_share),
        measured=construction_and_matching,
        panels=(BATCH_PANEL, SINGLE_PANEL, TOUCHED_PANEL),
        claims=(
            _best("however long subscriptions are"),
            scales_better(OP_INDEX, BE_TREE, "The longer subscriptions are, the more OpIndex gains over BE-Tree."),
            Claim(
                text="Longer subscriptions more often have a pivot that few products have: there are fewer candidates.",
                kind=Kind.COUNT,
                judge=falls(CANDIDATES, OP_INDEX.name, by=1.2),
            ),
            *claims,
            counted(
                TOUCHED, OP_INDEX, BE_TREE, "An event touches fewer entries of OpIndex than of BE-Tree, at every size."
            ),
            counted(
                TOUCHED,
                OP_INDEX,
                K_INDEX,
                "An event touches fewer entries of OpIndex than of k-index, at every size.",
                difference="A k-index never opens its partitions of subscriptions that are longer than the event.",
            ),
            ALL_ANSWER_THE_SAME,
        ),
        notes=(_WORKLOAD_NOTE, TOUCHED_NOTE, _UP_TO_NOTE),
    )


FIGURE_12AC: Final = _by_count("12(a), (c)", 0.0)
FIGURE_12BD: Final = _by_count("12(b), (d)", 1.0)
FIGURE_12E: Final = _by_size("12(e)", 0.0, ())
FIGURE_12F: Final = _by_size(
    "12(f)",
    1.0,
    (
        Claim(
            text="With sets, BE-Tree takes longer and longer as subscriptions grow.",
            kind=Kind.TIME,
            judge=grows(BATCH, BE_TREE.name, least=1.2),
        ),
        Claim(
            text="BE-Tree checks more expressions for an event as subscriptions grow.",
            kind=Kind.COUNT,
            judge=grows(TOUCHED, BE_TREE.name),
            ours=True,
            difference="An expression is in one place of the tree, however long: only to check one takes longer.",
        ),
    ),
)


# Real rows in place of the paper's.

_SET_SHARE: Final = Varied("set_share", Axis("share of predicates that ask for any of several values"))
_DATA_NOTE: Final = (
    "The paper has no such figure: here the same is done with rows that anybody can have. They are those of the sample"
    " that comes with Penstock, or of the whole set with --data; the CSV says how many there were. No subscription asks"
    " for lists or truth values."
)


def _with_rows(recipe: Recipe, parameters: RowParameters) -> Subject:
    """All that is measured, and how many rows there were: a sample and a whole set should not be mixed up."""
    measure, rows = construction_and_matching(recipe, parameters), len(parameters.rows())
    return lambda: [*measure(), Measurement(ROWS, rows)]


def _on_data(name: str, of: DataSet, what: str) -> Experiment[DataParameters, IndexSeries]:
    varied = _SET_SHARE.parameter
    return figure(
        "12",
        f"subscriptions made from real rows: {what}",
        f"How long does it take to match {what}, as more predicates ask for any of several values?",
        name=f"opindex-12-{name}",
        varied=_SET_SHARE,
        scales={
            Scale.SMALL: DataParameters(
                xs=(0.0, 0.5, 1.0), varied=varied, of=of, count=2_000, events=100, batch=100, repetitions=3
            ),
            Scale.PAPER: DataParameters(
                xs=(0.0, 0.25, 0.5, 0.75, 1.0), varied=varied, of=of, count=250_000, events=10_000, batch=1_000
            ),
        },
        measured=_with_rows,
        panels=(CONSTRUCTION_PANEL, BATCH_PANEL, SINGLE_PANEL, TOUCHED_PANEL),
        claims=(
            *_BUILT_ALIKE,
            _best("whatever is asked for"),
            Claim(
                text="Sets prune less than single values: more predicates hold, and more subscriptions match.",
                kind=Kind.COUNT,
                judge=both(grows(HELD, OP_INDEX.name, least=1.5), grows(FOUND, OP_INDEX.name, least=1.5)),
            ),
            FEWER_TOUCHED,
            ALL_ANSWER_THE_SAME,
        ),
        notes=(_DATA_NOTE, TOUCHED_NOTE),
    )


ON_PARTS: Final = _on_data("parts", PC_PARTS, "computer parts")
ON_EVENTS: Final = _on_data("events", GH_EVENTS, "events of GitHub")

PRODUCT_EXPERIMENTS: Final = (FIGURE_12AC, FIGURE_12BD, FIGURE_12E, FIGURE_12F, ON_PARTS, ON_EVENTS)
