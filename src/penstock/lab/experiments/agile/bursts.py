"""Figures 14 and 15 of the AGILE paper: what a burst of updates does to each filter, and each policy."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from statistics import fmean
from typing import Final

from penstock.lab.claims import Claim, Finding, Judge, Kind, Verdict, both, falls, lower_on_average
from penstock.lab.experiment import Axis, Experiment, Measure, Measurement, Panel, Scale, Subject
from penstock.lab.experiments.agile.claims import (
    CHEAP_EVALUATION,
    EAGER_UPDATES_ALL,
    NO_INDEX_UPDATES,
    ordered_postfilters,
    same_answers,
)
from penstock.lab.experiments.agile.parameters import BurstParameters
from penstock.lab.experiments.agile.series import (
    AGILE_10,
    AGILE_100,
    AGILE_1000,
    AGILE_AUTO,
    AGILE_PAPER,
    AGILE_RENTAL,
    EAGER,
    GBU,
    NOINDEX,
    FilterSeries,
)
from penstock.lab.filtering import (
    DEESCALATIONS,
    DEESCALATIONS_PANEL,
    ESCALATIONS,
    FALSE_POSITIVES,
    FALSE_POSITIVES_PANEL,
    INDEX_UPDATES,
    POSTFILTERED,
    POSTFILTERED_PANEL,
    THROUGHPUT_PANEL,
    TIME,
    Filtering,
)
from penstock.lab.results import Results

_Parts = dict[float, list[Measurement]]


class Bursts:
    """Prepares a figure over the messages of one stream: a filter goes through all of it at the first x."""

    def __init__(self) -> None:
        self._streams: dict[str, list[_Parts]] = {}

    def __call__(self, parameters: BurstParameters, series: FilterSeries, x: float) -> Subject:
        if x == parameters.xs[0]:
            self._streams[series.name] = [_stream(parameters, series) for _ in range(parameters.repetitions)]
        repetitions = iter(self._streams[series.name])
        return lambda: next(repetitions)[x]


def _stream(parameters: BurstParameters, series: FilterSeries) -> _Parts:
    """What is measured in each part of the stream."""
    filtering = Filtering(series.kind, parameters.workload)
    filtering.warm_up(parameters.warm_up, parameters.per_message(parameters.quiet))
    return {
        x: filtering.measure(parameters.part, parameters.per_message(parameters.updates_before(x)))
        for x in parameters.xs
    }


_XS: Final = tuple(float(message) for message in range(100, 5_001, 100))
_SCALES: Final = {
    Scale.SMALL: BurstParameters(xs=_XS, profiles=1_000),
    Scale.PAPER: BurstParameters(xs=_XS),
}
_BURST_NOTE: Final = (
    "A point is the part of the stream that ends with the message of that number. Before the first message there is a"
    " warm-up of 500, as in the paper."
)
_RENTAL_NOTE: Final = (
    "Rental is a policy of our own: it counts for each profile by itself, and deescalates one that was found in vain as"
    " often as makes up for a deescalation."
)
_MESSAGE_AXIS: Final = Axis("messages")


def _phases(results: Results, series: FilterSeries) -> tuple[float, float, float]:
    """The time of a message before the burst, in it and after it."""
    times = results.medians(series.name, TIME)
    parameters = FIGURE_14.scales[results.scale]
    bounds = (0, parameters.begins, parameters.ends, inf)
    before, during, after = (
        fmean([time for x, time in times.items() if begin < x <= end] or [inf]) for begin, end in pairwise(bounds)
    )
    return before, during, after


def _drops_and_recovers(results: Results) -> Finding:
    """A message takes more than twice as long in the burst, and afterwards less than half as long as in it."""
    evidence, verdict = [], Verdict.HELD
    for series in (EAGER, GBU, AGILE_AUTO):
        before, during, after = _phases(results, series)
        if not (during > 2 * before and during > 2 * after):
            verdict = Verdict.FAILED
        evidence.append(f"{series.label} takes {before:,.3g}, {during:,.3g} and {after:,.3g} µs.")
    return Finding(verdict, " ".join(evidence))


def _on_average(low: FilterSeries, high: FilterSeries, text: str, *, difference: str = "", **where: float) -> Claim:
    """One filter takes less time than another on average, or as ``lower_on_average`` is told."""
    judge = lower_on_average(TIME, low.name, high.name, **where)
    return Claim(text=text, kind=Kind.TIME, judge=judge, difference=difference)


FIGURE_14: Final = Experiment(
    name="agile-14",
    paper=AGILE_PAPER,
    figure="14",
    title="throughput in a burst of updates",
    question="How does each filter cope with a burst of updates, and how soon does it recover?",
    scales=_SCALES,
    series=(NOINDEX, EAGER, GBU, AGILE_AUTO),
    x=_MESSAGE_AXIS,
    panels=(THROUGHPUT_PANEL, Panel(INDEX_UPDATES, Axis("index updates for a message")), POSTFILTERED_PANEL),
    claims=(
        Claim(
            text="The throughput of filters with an index drops in the burst, and rises again when it is over.",
            kind=Kind.TIME,
            judge=_drops_and_recovers,
        ),
        *(
            _on_average(
                AGILE_AUTO,
                other,
                f"Over all messages AGILE has a higher throughput than {other.label}.",
                difference=reason,
            )
            for other, reason in ((EAGER, ""), (GBU, ""), (NOINDEX, CHEAP_EVALUATION))
        ),
        _on_average(
            AGILE_AUTO,
            NOINDEX,
            "In the burst AGILE has almost the throughput of NOINDEX, which has the highest.",
            by=0.8,
            beyond=1_100,
            until=2_000,
            difference=CHEAP_EVALUATION,
        ),
        _on_average(
            AGILE_AUTO, EAGER, "Before the burst AGILE has almost the throughput of EAGER.", by=0.8, until=1_000
        ),
        _on_average(
            AGILE_AUTO,
            EAGER,
            "After the burst AGILE has almost the throughput of EAGER again.",
            by=0.8,
            beyond=2_100,
        ),
        Claim(
            text="In the burst AGILE needs some time to adapt: its index updates fall to less than a third.",
            kind=Kind.COUNT,
            judge=falls(INDEX_UPDATES, AGILE_AUTO.name, by=3, beyond=1_100, until=2_000),
        ),
        Claim(
            text="After the burst AGILE becomes accurate again: it has ever fewer profiles to postfilter.",
            kind=Kind.COUNT,
            judge=falls(POSTFILTERED, AGILE_AUTO.name, by=1.25, beyond=2_100),
        ),
        Claim(
            text="All in all AGILE has less than half of the index updates of EAGER and GBU.",
            kind=Kind.COUNT,
            judge=both(*(lower_on_average(INDEX_UPDATES, AGILE_AUTO.name, each.name, by=2) for each in (EAGER, GBU))),
            ours=True,
        ),
        NO_INDEX_UPDATES,
        EAGER_UPDATES_ALL,
        ordered_postfilters(AGILE_AUTO),
        same_answers(NOINDEX, EAGER, GBU, AGILE_AUTO),
    ),
    prepare=Bursts(),
    notes=(_BURST_NOTE, "AGILE has the policy auto here."),
)

_FIXED: Final = (AGILE_10, AGILE_100, AGILE_1000)
_POLICIES: Final = (AGILE_AUTO, *_FIXED, AGILE_RENTAL)


def _fewer_on_average(measure: Measure, *series: FilterSeries, by: float = 1.0) -> Judge:
    """Each series counts less than the next, all in all."""
    return both(*(lower_on_average(measure, low.name, high.name, by=by) for low, high in pairwise(series)))


def _alike(results: Results) -> Finding:
    """No policy of the paper takes one and a half times as long as another, all in all."""
    means = {each: fmean(results.medians(each.name, TIME).values() or [inf]) for each in (AGILE_AUTO, *_FIXED)}
    ratio = max(means.values()) / min(means.values())
    times = ", ".join(f"{mean:,.3g} µs with {each.label}" for each, mean in means.items())
    verdict = Verdict.HELD if ratio < 1.5 else Verdict.FAILED
    return Finding(verdict, f"On average {times}: the slowest takes {ratio:.3g} times as long as the quickest.")


def _spares_most(results: Results) -> Finding:
    """What each policy spares beyond fixed(1000), which hardly deescalates, for each deescalation beyond its."""

    def after_burst(series: str, measure: Measure) -> float:
        return fmean(value for x, value in results.medians(series, measure).items() if x > 2_100)

    base = AGILE_1000.name
    spared = {}
    for each in _POLICIES:
        more = after_burst(each.name, DEESCALATIONS) - after_burst(base, DEESCALATIONS)
        if more > 0:
            fewer = after_burst(base, FALSE_POSITIVES) - after_burst(each.name, FALSE_POSITIVES)
            spared[each.label] = fewer / more
    best = max(spared, key=spared.__getitem__)
    verdict = Verdict.HELD if best == AGILE_RENTAL.label else Verdict.FAILED
    return Finding(verdict, "; ".join(f"{label}: {number:.3g}" for label, number in spared.items()) + ".")


FIGURE_15: Final = Experiment(
    name="agile-15",
    paper=AGILE_PAPER,
    figure="15",
    title="policies in a burst of updates",
    question="When should an index become accurate again?",
    scales=_SCALES,
    series=_POLICIES,
    x=_MESSAGE_AXIS,
    panels=(THROUGHPUT_PANEL, DEESCALATIONS_PANEL, FALSE_POSITIVES_PANEL, POSTFILTERED_PANEL),
    claims=(
        *(
            _on_average(
                AGILE_AUTO,
                each,
                f"Over all messages, auto has a higher throughput than {each.label.removeprefix('AGILE, ')}.",
            )
            for each in _FIXED
        ),
        Claim(
            text="The throughput of fixed does not depend much on FP, and that of auto is not far away.",
            kind=Kind.TIME,
            judge=_alike,
        ),
        Claim(
            text="The fewer false positives are ignored, the more deescalations there are.",
            kind=Kind.COUNT,
            judge=_fewer_on_average(DEESCALATIONS, *reversed(_FIXED), by=2),
            ours=True,
        ),
        Claim(
            text="And the fewer false positives are left.",
            kind=Kind.COUNT,
            judge=_fewer_on_average(FALSE_POSITIVES, *_FIXED),
            ours=True,
        ),
        Claim(
            text="The more deescalations, the more escalations.",
            kind=Kind.COUNT,
            judge=lower_on_average(ESCALATIONS, AGILE_1000.name, AGILE_10.name),
            ours=True,
        ),
        Claim(
            text="After the burst, a deescalation by rental spares more false positives than one by any other policy.",
            kind=Kind.COUNT,
            judge=_spares_most,
            ours=True,
        ),
        same_answers(*_POLICIES),
    ),
    prepare=Bursts(),
    notes=(
        _BURST_NOTE,
        "The paper's table 6 is the throughput over all messages.",
        _RENTAL_NOTE,
    ),
)
