"""What the OpIndex paper says of several figures: as it says it, about time, and what of it can be counted."""

from __future__ import annotations

from typing import Final

from penstock.lab.claims import Claim, Kind, equal, gap_grows, grows_like, lower
from penstock.lab.experiment import Measure
from penstock.lab.experiments.opindex.series import BE_TREE, K_INDEX, OP_INDEX, OP_INDEX_BS, TOUCHED, IndexSeries
from penstock.lab.matching import BATCH, CONSTRUCTION, FOUND, work

SEARCHED: Final = work("segments_searched")
CANDIDATES: Final = work("candidates")
HELD: Final = work("predicates_held")

READING: Final = "Reading the conditions takes the same time for every index, and is most of what OpIndex takes here."
LIGHT_TREE: Final = (
    "Our BE-Tree finds the p-nodes of many attributes through a hash table, and weighs no statistics while it grows."
)


def quicker(low: IndexSeries, high: IndexSeries, text: str, *, by: float = 1.0, difference: str = "") -> Claim:
    """One index matches in less time than another at every x."""
    return Claim(text=text, kind=Kind.TIME, judge=lower(BATCH, low.name, high.name, by=by), difference=difference)


def sooner_built(low: IndexSeries, high: IndexSeries, text: str, *, by: float = 1.0, difference: str = "") -> Claim:
    """One index is built in less time than another at every x."""
    judge = lower(CONSTRUCTION, low.name, high.name, by=by)
    return Claim(text=text, kind=Kind.TIME, judge=judge, difference=difference)


def scales_better(low: IndexSeries, high: IndexSeries, text: str, *, difference: str = "") -> Claim:
    """The time of one index grows less over x than that of another."""
    return Claim(text=text, kind=Kind.TIME, judge=gap_grows(BATCH, low.name, high.name), difference=difference)


def counted(
    measure: Measure, low: IndexSeries, high: IndexSeries, text: str, *, by: float = 1.0, difference: str = ""
) -> Claim:
    """A check of our own: one index counts less than another at every x."""
    judge = lower(measure, low.name, high.name, by=by)
    return Claim(text=text, kind=Kind.COUNT, judge=judge, ours=True, difference=difference)


def grown(measure: Measure, series: IndexSeries, text: str, *, power: float) -> Claim:
    """A check of our own: what an index counts grows with a power of x."""
    judge = grows_like(measure, series.name, lambda x: x**power, within=0.1)
    return Claim(text=text, kind=Kind.COUNT, judge=judge, ours=True)


FEWER_TOUCHED: Final = counted(
    TOUCHED,
    OP_INDEX,
    K_INDEX,
    "Partitions by pivot leave more out than partitions by size: an event touches fewer counters in OpIndex.",
)
FEWER_SEARCHES: Final = counted(
    SEARCHED, OP_INDEX, OP_INDEX_BS, "Segments and signatures spare OpIndex at least half of the binary searches.", by=2
)


def same_answers(*series: IndexSeries) -> Claim:
    return Claim(
        text="All indexes find the same number of subscriptions.",
        kind=Kind.COUNT,
        judge=equal(FOUND, *(each.name for each in series)),
        ours=True,
    )


ALL_ANSWER_THE_SAME: Final = same_answers(OP_INDEX, OP_INDEX_BS, K_INDEX, BE_TREE)
