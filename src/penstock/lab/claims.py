"""What a paper claims, as functions of results that say whether it held and show the numbers that decide.

A claim about storage or counts holds or does not. A claim about time may also be too close to call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.lab.experiment import Measure
    from penstock.lab.results import Results

NOISE: Final = 0.05
"""Times whose ratio is nearer to the claimed bound than this are too close to call."""


class Kind(StrEnum):
    """What a claim is about: only storage and counts are the same on every machine."""

    STORAGE = "storage"
    COUNT = "count"
    TIME = "time"


class Verdict(StrEnum):
    """How a claim fared."""

    HELD = "held"
    CLOSE = "too close to call"
    FAILED = "did not hold"


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict and the numbers behind it."""

    verdict: Verdict
    evidence: str


Judge = Callable[["Results"], Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence, what it is about, and the function that judges it.

    ``ours`` marks a check that the paper does not state. ``difference`` says why a claim is known not to hold here.
    """

    text: str
    kind: Kind
    judge: Judge
    ours: bool = False
    difference: str = ""

    def reason(self, finding: Finding) -> str:
        """The numbers behind a finding, and why it was to be expected if the claim is known not to hold."""
        known = self.difference and finding.verdict != Verdict.HELD
        return f"{finding.evidence} {self.difference}" if known else finding.evidence


def lower(measure: Measure, low: str, high: str, *, by: float = 1.0, beyond: float = 0, until: float = 1e300) -> Judge:
    """One series is less than ``1 / by`` of another at every x they share (``beyond <= x <= until``)."""

    def judge(results: Results) -> Finding:
        lows, highs = results.medians(low, measure), results.medians(high, measure)
        shared = [x for x in lows if x in highs and beyond <= x <= until]
        if not shared:
            return _nothing(results, low, high)
        ratios = [_ratio(highs[x], lows[x]) for x in shared]
        evidence = f"{results.label(high)} is {_times(ratios)} {results.label(low)}"
        return Finding(_above(min(ratios), by, measure), f"{evidence}{_where(shared, lows)}.")

    return judge


def lower_somewhere(measure: Measure, low: str, high: str, *, by: float = 1.0) -> Judge:
    """At some x that they share, one series is less than ``1 / by`` of another."""

    def judge(results: Results) -> Finding:
        lows, highs = results.medians(low, measure), results.medians(high, measure)
        ratios = {x: _ratio(highs[x], lows[x]) for x in lows if x in highs}
        if not ratios:
            return _nothing(results, low, high)
        best = max(ratios, key=ratios.__getitem__)
        evidence = (
            f"{results.label(high)} is up to {ratios[best]:.3g} times {results.label(low)}, at x = {_number(best)}."
        )
        return Finding(_above(ratios[best], by, measure), evidence)

    return judge


def lower_on_average(
    measure: Measure, low: str, high: str, *, by: float = 1.0, beyond: float = 0, until: float = 1e300
) -> Judge:
    """The mean of one series over all x (``beyond <= x <= until``) is less than ``1 / by`` of another's."""

    def judge(results: Results) -> Finding:
        means = []
        for series in (low, high):
            values = [value for x, value in results.medians(series, measure).items() if beyond <= x <= until]
            if not values:
                return _nothing(results, low, high)
            means.append(sum(values) / len(values))
        names = f"{_short(means[1])} with {results.label(high)} and {_short(means[0])} with {results.label(low)}"
        ratio = _ratio(means[1], means[0])
        return Finding(_above(ratio, by, measure), f"On average {names}: {ratio:.3g} times.")

    return judge


def in_order(measure: Measure, *series: str, beyond: float = 0) -> Judge:
    """At every x that they share (``beyond <= x``), no series is above the one after it."""

    def judge(results: Results) -> Finding:
        columns = [results.medians(each, measure) for each in series]
        xs = [x for x in columns[0] if beyond <= x and all(x in column for column in columns)]
        if not xs:
            return _nothing(results, *series)
        held = sum(all(low[x] <= high[x] for low, high in pairwise(columns)) for x in xs)
        pairs = zip(series, columns, strict=True)
        last = ", ".join(f"{results.label(each)} {_short(column[xs[-1]])}" for each, column in pairs)
        evidence = f"So for {held} of {len(xs)} x; at the last: {last}."
        return Finding(Verdict.HELD if held == len(xs) else Verdict.FAILED, evidence)

    return judge


def never(measure: Measure, series: str) -> Judge:
    """A series is zero at every x."""

    def judge(results: Results) -> Finding:
        values = results.medians(series, measure).values()
        if not values:
            return _nothing(results, series)
        verdict = Verdict.FAILED if any(values) else Verdict.HELD
        return Finding(verdict, f"{results.label(series)} has at most {_short(max(values))}.")

    return judge


def within(measure: Measure, first: str, second: str, *, factor: float, least: float = 1e-300) -> Judge:
    """The second series is less than ``factor`` times the first at every x, and more than ``least`` times."""

    def judge(results: Results) -> Finding:
        base, other = results.medians(first, measure), results.medians(second, measure)
        ratios = [other[x] / base[x] for x in base if x in other]
        if not ratios:
            return _nothing(results, first, second)
        evidence = f"{results.label(second)} is {_times(ratios)} {results.label(first)}."
        verdict = min(_above(factor, max(ratios), measure), _above(min(ratios), least, measure), key=_rank)
        return Finding(verdict, evidence)

    return judge


def grows(measure: Measure, series: str, *, least: float = 1.0, most: float = 1e300, until: float = 1e300) -> Judge:
    """From its first to its last x (``x <= until``), a series grows by a factor of ``least`` to ``most``."""

    def judge(results: Results) -> Finding:
        values = {x: value for x, value in results.medians(series, measure).items() if x <= until}
        if len(values) < 2:
            return _nothing(results, series)
        (first_x, first), *_, (last_x, last) = values.items()
        growth = _ratio(last, first)
        verdict = min(_above(growth, least, measure), _above(most, growth, measure), key=_rank)
        evidence = f"{results.label(series)} grows {growth:.3g} times from x = {_number(first_x)} to {_number(last_x)}."
        return Finding(verdict, evidence)

    return judge


def falls(measure: Measure, series: str, *, by: float = 1.0, beyond: float = 0, until: float = 1e300) -> Judge:
    """From its first to its last x (``beyond <= x <= until``), a series falls to less than ``1 / by``."""

    def judge(results: Results) -> Finding:
        values = {x: value for x, value in results.medians(series, measure).items() if beyond <= x <= until}
        if len(values) < 2:
            return _nothing(results, series)
        (first_x, first), *_, (last_x, last) = values.items()
        evidence = f"{results.label(series)} goes from {_short(first)} at x = {_number(first_x)} to {_short(last)} at"
        return Finding(_above(_ratio(first, last), by, measure), f"{evidence} {_number(last_x)}.")

    return judge


def stays(measure: Measure, series: str, *, factor: float) -> Judge:
    """The largest value of a series is less than ``factor`` times its smallest."""

    def judge(results: Results) -> Finding:
        values = results.medians(series, measure).values()
        if len(values) < 2:
            return _nothing(results, series)
        ratio = max(values) / min(values)
        evidence = f"The largest value of {results.label(series)} is {ratio:.4g} times its smallest."
        return Finding(_above(factor, ratio, measure), evidence)

    return judge


def gap_grows(measure: Measure, low: str, high: str) -> Judge:
    """The ratio of two series is larger at the last x than at the first."""

    def judge(results: Results) -> Finding:
        lows, highs = results.medians(low, measure), results.medians(high, measure)
        ratios = [_ratio(highs[x], lows[x]) for x in lows if x in highs]
        if len(ratios) < 2:
            return _nothing(results, low, high)
        evidence = f"{results.label(high)} / {results.label(low)} goes from {ratios[0]:.3g} to {ratios[-1]:.3g}."
        return Finding(_above(_ratio(ratios[-1], ratios[0]), 1.0, measure), evidence)

    return judge


def grow_alike(measure: Measure, first: str, second: str, *, factor: float) -> Judge:
    """From the first to the last x, two series grow by factors whose ratio is less than ``factor``."""

    def judge(results: Results) -> Finding:
        one, other = results.medians(first, measure), results.medians(second, measure)
        if len(one) < 2 or len(other) < 2:
            return _nothing(results, first, second)
        growths = [values[max(values)] / values[min(values)] for values in (one, other)]
        names = f"{results.label(first)} grows {growths[0]:.3g} times, {results.label(second)} {growths[1]:.3g} times."
        return Finding(_above(factor, max(growths) / min(growths), measure), names)

    return judge


def grows_like(measure: Measure, series: str, law: Callable[[float], float], *, within: float) -> Judge:
    """From its first to its last x, a series grows as a function of x does, but for a share ``within`` of it."""

    def judge(results: Results) -> Finding:
        values = results.medians(series, measure)
        if len(values) < 2:
            return _nothing(results, series)
        (first_x, first), *_, (last_x, last) = values.items()
        growth, expected = last / first, law(last_x) / law(first_x)
        verdict = _above(within, abs(growth / expected - 1), measure)
        return Finding(verdict, f"{results.label(series)} grows {growth:.3g} times, and {expected:.3g} were expected.")

    return judge


def proportional(measure: Measure, series: str, *, within: float) -> Judge:
    """A series is proportional to x: off the line to its last value by at most a share ``within``, and 0 at 0."""

    def judge(results: Results) -> Finding:
        values = results.medians(series, measure)
        last = max(values, default=0)
        if not last:
            return _nothing(results, series)
        slope = values[last] / last
        off = max(abs(value / (slope * x) - 1) if x else float(value != 0) for x, value in values.items())
        evidence = f"{results.label(series)} is off the line by at most {off:.1%}."
        return Finding(Verdict.HELD if off <= within else Verdict.FAILED, evidence)

    return judge


def crosses(measure: Measure, rising: str, flat: str) -> Judge:
    """A series starts below another and ends above it."""

    def judge(results: Results) -> Finding:
        crossing = crossing_of(results, measure, rising, flat)
        names = f"{results.label(rising)} and {results.label(flat)}"
        if crossing is None:
            return Finding(Verdict.FAILED, f"{names} do not cross.")
        return Finding(Verdict.HELD, f"{results.label(rising)} is first above at x = {_number(crossing)}.")

    return judge


def crossing_of(results: Results, measure: Measure, rising: str, flat: str) -> float | None:
    """The first x at which a series that starts below another is above it."""
    risings, flats = results.medians(rising, measure), results.medians(flat, measure)
    above = [risings[x] > flats[x] for x in risings if x in flats]
    shared = [x for x in risings if x in flats]
    if not above or above[0] or not above[-1]:
        return None
    return shared[above.index(True)]


def best_at(measure: Measure, series: str, expected: Sequence[float]) -> Judge:
    """A series is lowest at one of the expected values of x."""

    def judge(results: Results) -> Finding:
        values = results.medians(series, measure)
        if not values:
            return _nothing(results, series)
        best = min(values, key=values.__getitem__)
        nearest = min((values[x] for x in expected if x in values), default=float("inf"))
        verdict = _above(values[best] / nearest, 1.0, measure) if best not in expected else Verdict.HELD
        return Finding(verdict, f"{results.label(series)} is lowest at x = {_number(best)}.")

    return judge


def equal(measure: Measure, *series: str) -> Judge:
    """All series have the same values at the x that they share."""

    def judge(results: Results) -> Finding:
        first, *others = (results.medians(each, measure) for each in series)
        pairs = [(first[x], other[x]) for other in others for x in other if x in first]
        if not pairs:
            return _nothing(results, *series)
        same = sum(one == other for one, other in pairs)
        verdict = Verdict.HELD if same == len(pairs) else Verdict.FAILED
        return Finding(verdict, f"{same} of {len(pairs)} comparisons are equal.")

    return judge


def both(*judges: Judge) -> Judge:
    """All of several claims hold."""

    def judge(results: Results) -> Finding:
        findings = [each(results) for each in judges]
        verdict = min((finding.verdict for finding in findings), key=_rank)
        return Finding(verdict, " ".join(finding.evidence for finding in findings))

    return judge


def _rank(verdict: Verdict) -> int:
    return (Verdict.FAILED, Verdict.CLOSE, Verdict.HELD).index(verdict)


def _above(value: float, bound: float, measure: Measure) -> Verdict:
    """Whether a value is above a bound; a time that is near to it is too close to call."""
    if measure.is_time and abs(value / bound - 1) < NOISE:
        return Verdict.CLOSE
    return Verdict.HELD if value > bound else Verdict.FAILED


def _ratio(value: float, base: float) -> float:
    """How many times the base a value is; nothing is once nothing."""
    if base:
        return value / base
    return float("inf") if value else 1.0


def _times(ratios: Sequence[float]) -> str:
    smallest, largest = (f"{each:.3g}".replace("inf", "infinitely many") for each in (min(ratios), max(ratios)))
    return f"{smallest} times" if smallest == largest else f"{smallest} to {largest} times"


def _number(x: float) -> str:
    """A value of x for people: never in scientific notation."""
    return f"{x:,.0f}" if x == round(x) else f"{x:,}"


def _short(value: float) -> str:
    """A value for people, in three digits or as a whole number."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _where(shared: Sequence[float], all_xs: dict[float, float]) -> str:
    if len(shared) == len(all_xs):
        return ""
    if len(shared) == 1:
        return f" at x = {_number(shared[0])}"
    return f" for x from {_number(shared[0])} to {_number(shared[-1])}"


def _nothing(results: Results, *series: str) -> Finding:
    names = " and ".join(results.label(each) for each in series)
    return Finding(Verdict.FAILED, f"There are no results of {names} to judge by.")
