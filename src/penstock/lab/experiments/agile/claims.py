"""What the AGILE paper says of several figures, and why some of it cannot be seen here."""

from __future__ import annotations

from typing import Final

from penstock.lab.claims import Claim, Finding, Judge, Kind, Verdict, equal, in_order, lower, never
from penstock.lab.experiments.agile.series import AGILE, EAGER, GBU, NOINDEX, FilterSeries
from penstock.lab.filtering import FOUND, INDEX_UPDATES, POSTFILTERED, REACHING, TIME
from penstock.lab.results import Results

CHEAP_EVALUATION: Final = (
    "Compiled programs evaluate a profile in a fraction of the paper's time, while a change of a skip list costs about"
    " what it did there: to go without an index is cheaper here, above all with few profiles."
)
SHORT_LEAVES: Final = (
    "A leaf of our skip list is the space between two neighbouring end points, and hardly any update stays within."
)


def quicker(low: FilterSeries, high: FilterSeries, text: str, *, difference: str = "", **where: float) -> Claim:
    """One filter takes less time than another at every x, or as ``lower`` is told."""
    judge = lower(TIME, low.name, high.name, **where)
    return Claim(text=text, kind=Kind.TIME, judge=judge, difference=difference)


def all_updates(series: FilterSeries) -> Judge:
    """A filter changes an index exactly when an update reaches it."""

    def judge(results: Results) -> Finding:
        made, reached = results.medians(series.name, INDEX_UPDATES), results.medians(series.name, REACHING)
        same = sum(made[x] == reached[x] for x in made)
        verdict = Verdict.HELD if same == len(made) else Verdict.FAILED
        return Finding(verdict, f"{series.label} has as many index updates as such updates at {same} of {len(made)} x.")

    return judge


def same_answers(*series: FilterSeries) -> Claim:
    return Claim(
        text="All filters find the same number of profiles.",
        kind=Kind.COUNT,
        judge=equal(FOUND, *(each.name for each in series)),
        ours=True,
    )


NO_INDEX_UPDATES: Final = Claim(
    text="NOINDEX never updates an index.", kind=Kind.COUNT, judge=never(INDEX_UPDATES, NOINDEX.name)
)
EAGER_UPDATES_ALL: Final = Claim(
    text="EAGER updates an index for each update that changes what a profile asks of an indexed attribute.",
    kind=Kind.COUNT,
    judge=all_updates(EAGER),
    ours=True,
)


def ordered_postfilters(agile: FilterSeries) -> Claim:
    return Claim(
        text="EAGER postfilters the fewest profiles, GBU more, AGILE still more, and NOINDEX all of them.",
        kind=Kind.COUNT,
        judge=in_order(POSTFILTERED, EAGER.name, GBU.name, agile.name, NOINDEX.name),
    )


ORDERED_POSTFILTERS: Final = ordered_postfilters(AGILE)
ALL_ANSWER_THE_SAME: Final = same_answers(NOINDEX, EAGER, GBU, AGILE)
