"""Claims: each way to judge, with results for which it holds, fails and is too close to call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.lab.claims import (
    Judge,
    Verdict,
    best_at,
    both,
    crosses,
    equal,
    falls,
    gap_grows,
    grow_alike,
    grows,
    grows_like,
    in_order,
    lower,
    lower_on_average,
    lower_somewhere,
    never,
    proportional,
    stays,
    within,
)
from penstock.lab.experiment import Measure, Scale
from penstock.lab.results import Machine, Results, Row

BYTES = Measure("storage", "bytes")
TIME = Measure("time", "µs")
HELD, CLOSE, FAILED = Verdict.HELD, Verdict.CLOSE, Verdict.FAILED


def results(measure: Measure, **series: list[float]) -> Results:
    """Values of series at x = 1, 2, 4, ..."""
    rows = tuple(
        Row("e", "small", name, 2.0**place, 0, measure.name, value, measure.unit, "measured")
        for name, values in series.items()
        for place, value in enumerate(values)
    )
    return Results("e", Scale.SMALL, rows, Machine("cpu", 2, "3.11", "0.61", "2026-01-01T00:00:00+00:00"))


@pytest.mark.parametrize(
    "judge, a, b, measure, verdict",
    [
        (lower(BYTES, "a", "b"), [1, 2], [2, 3], BYTES, HELD),
        (lower(BYTES, "a", "b"), [1, 2], [2, 2], BYTES, FAILED),
        (lower(BYTES, "a", "b", until=1), [1, 2], [2, 2], BYTES, HELD),
        (lower(BYTES, "a", "b", beyond=2), [1, 2], [2, 2], BYTES, FAILED),
        (lower(BYTES, "a", "b", by=3), [1, 2], [4, 5], BYTES, FAILED),
        (lower(TIME, "a", "b"), [100, 100], [150, 102], TIME, CLOSE),
        (lower(TIME, "a", "b"), [100, 100], [150, 90], TIME, FAILED),
        (lower(BYTES, "a", "b", by=9), [0, 0], [1, 2], BYTES, HELD),
        (lower(BYTES, "a", "b"), [0, 0], [1, 0], BYTES, FAILED),
        (lower_somewhere(BYTES, "a", "b", by=3), [1, 2], [1, 8], BYTES, HELD),
        (lower_somewhere(BYTES, "a", "b", by=3), [1, 2], [1, 5], BYTES, FAILED),
        (lower_on_average(BYTES, "a", "b"), [1, 9], [6, 5], BYTES, HELD),
        (lower_on_average(BYTES, "a", "b"), [2, 9], [5, 6], BYTES, FAILED),
        (lower_on_average(BYTES, "a", "b", until=1), [2, 9], [5, 6], BYTES, HELD),
        (lower_on_average(BYTES, "a", "b", beyond=2), [2, 9], [50, 6], BYTES, FAILED),
        (lower_on_average(BYTES, "a", "b", by=9), [0, 0], [0, 1], BYTES, HELD),
        (lower_on_average(TIME, "a", "b"), [99, 101], [80, 123], TIME, CLOSE),
        (in_order(BYTES, "a", "b"), [0, 2], [0, 3], BYTES, HELD),
        (in_order(BYTES, "a", "b"), [1, 2], [0, 3], BYTES, FAILED),
        (in_order(BYTES, "a", "b", beyond=2), [1, 2], [0, 3], BYTES, HELD),
        (in_order(BYTES, "b", "a"), [1, 2], [0, 3], BYTES, FAILED),
        (never(BYTES, "a"), [0, 0], [], BYTES, HELD),
        (never(BYTES, "a"), [0, 1], [], BYTES, FAILED),
        (within(BYTES, "a", "b", factor=2), [1, 2], [1.5, 3.9], BYTES, HELD),
        (within(BYTES, "a", "b", factor=2), [1, 2], [1.5, 4.1], BYTES, FAILED),
        (within(BYTES, "a", "b", factor=2, least=1.2), [1, 2], [1.5, 3.9], BYTES, HELD),
        (within(BYTES, "a", "b", factor=2, least=1.6), [1, 2], [1.5, 3.9], BYTES, FAILED),
        (within(TIME, "a", "b", factor=2, least=1), [100, 100], [101, 150], TIME, CLOSE),
        (grows(BYTES, "a", least=3), [1, 9, 4], [], BYTES, HELD),
        (grows(BYTES, "a", least=3), [1, 2], [], BYTES, FAILED),
        (grows(BYTES, "a", most=3), [1, 4], [], BYTES, FAILED),
        (grows(BYTES, "a", least=3), [1], [], BYTES, FAILED),
        (grows(BYTES, "a", least=3, until=2), [1, 2, 4], [], BYTES, FAILED),
        (falls(BYTES, "a", by=2), [9, 1, 4], [], BYTES, HELD),
        (falls(BYTES, "a", by=2), [9, 1, 5], [], BYTES, FAILED),
        (falls(BYTES, "a", by=2, until=2), [9, 1, 5], [], BYTES, HELD),
        (falls(BYTES, "a", by=2, beyond=2), [1, 9, 4], [], BYTES, HELD),
        (falls(TIME, "a"), [100, 99], [], TIME, CLOSE),
        (stays(BYTES, "a", factor=2), [9, 5, 8], [], BYTES, HELD),
        (stays(BYTES, "a", factor=2), [9, 4, 8], [], BYTES, FAILED),
        (gap_grows(BYTES, "a", "b"), [1, 1], [2, 3], BYTES, HELD),
        (gap_grows(BYTES, "a", "b"), [1, 2], [2, 3], BYTES, FAILED),
        (gap_grows(BYTES, "a", "b"), [0, 1], [0, 3], BYTES, HELD),
        (proportional(BYTES, "a", within=0.1), [2.1, 3.9, 8], [], BYTES, HELD),
        (proportional(BYTES, "a", within=0.1), [2.3, 3.9, 8], [], BYTES, FAILED),
        (grow_alike(BYTES, "a", "b", factor=2), [1, 3], [2, 4], BYTES, HELD),
        (grow_alike(BYTES, "a", "b", factor=2), [1, 2], [2, 8], BYTES, FAILED),
        (grow_alike(BYTES, "a", "b", factor=2), [1, 2], [2], BYTES, FAILED),
        (grows_like(BYTES, "a", lambda x: x * x, within=0.1), [1, 3, 17], [], BYTES, HELD),
        (grows_like(BYTES, "a", lambda x: x * x, within=0.1), [1, 4, 14], [], BYTES, FAILED),
        (crosses(BYTES, "a", "b"), [1, 3, 5], [2, 2, 2], BYTES, HELD),
        (crosses(BYTES, "a", "b"), [3, 3], [2, 2], BYTES, FAILED),
        (crosses(BYTES, "a", "b"), [1, 1], [2, 2], BYTES, FAILED),
        (best_at(BYTES, "a", [2]), [3, 1, 2], [], BYTES, HELD),
        (best_at(BYTES, "a", [2]), [3, 2, 1], [], BYTES, FAILED),
        (best_at(TIME, "a", [2]), [300, 101, 100], [], TIME, CLOSE),
        (equal(BYTES, "a", "b"), [1, 2], [1, 2], BYTES, HELD),
        (equal(BYTES, "a", "b"), [1, 2], [1, 3], BYTES, FAILED),
        (both(equal(BYTES, "a", "b"), lower(BYTES, "a", "b")), [1, 2], [1, 2], BYTES, FAILED),
    ],
)
def test_verdicts(judge: Judge, a: list[float], b: list[float], measure: Measure, verdict: Verdict) -> None:
    assert judge(results(measure, a=a, b=b)).verdict == verdict


@pytest.mark.parametrize(
    "judge",
    [
        lower(BYTES, "a", "b"),
        lower_somewhere(BYTES, "a", "b"),
        lower_on_average(BYTES, "a", "b"),
        in_order(BYTES, "a", "b"),
        never(BYTES, "a"),
        proportional(BYTES, "a", within=0.1),
        within(BYTES, "a", "b", factor=2),
        grows(BYTES, "a"),
        falls(BYTES, "a"),
        stays(BYTES, "a", factor=2),
        grow_alike(BYTES, "a", "b", factor=2),
        grows_like(BYTES, "a", abs, within=0.1),
        gap_grows(BYTES, "a", "b"),
        best_at(BYTES, "a", [1]),
        equal(BYTES, "a", "b"),
    ],
)
def test_without_results_nothing_holds(judge: Judge) -> None:
    finding = judge(results(BYTES))
    assert finding.verdict == FAILED
    assert finding.evidence.startswith("There are no results of a")


def test_evidence_says_the_numbers() -> None:
    found = results(BYTES, a=[1, 2, 4], b=[2, 8, 4])
    assert lower(BYTES, "a", "b")(found).evidence == "b is 1 to 4 times a."
    assert lower(BYTES, "a", "b", until=2)(found).evidence == "b is 2 to 4 times a for x from 1 to 2."
    assert lower(BYTES, "a", "b", until=1)(found).evidence == "b is 2 times a at x = 1."
    assert lower_somewhere(BYTES, "a", "b")(found).evidence == "b is up to 4 times a, at x = 2."
    on_average = "On average 4.67 with b and 2.33 with a: 2 times."
    assert lower_on_average(BYTES, "a", "b")(found).evidence == on_average
    assert in_order(BYTES, "b", "a")(found).evidence == "So for 1 of 3 x; at the last: b 4, a 4."
    assert never(BYTES, "b")(found).evidence == "b has at most 8."
    assert proportional(BYTES, "b", within=0.1)(found).evidence == "b is off the line by at most 300.0%."
    assert grows(BYTES, "b")(found).evidence == "b grows 2 times from x = 1 to 4."
    assert falls(BYTES, "b")(found).evidence == "b goes from 2 at x = 1 to 4 at 4."
    alike = "a grows 4 times, b 2 times."
    assert grow_alike(BYTES, "a", "b", factor=2)(found).evidence == alike
    like = "b grows 2 times, and 4 were expected."
    assert grows_like(BYTES, "b", abs, within=0.1)(found).evidence == like
    assert stays(BYTES, "b", factor=2)(found).evidence == "The largest value of b is 4 times its smallest."
    assert crosses(BYTES, "a", "b")(found).evidence == "a and b do not cross."


def test_what_is_zero_at_zero_can_be_proportional() -> None:
    def at_zero(value: float) -> Results:
        found = results(BYTES, a=[1, 2])
        return replace(found, rows=(*found.rows, replace(found.rows[0], x=0.0, value=value)))

    judge = proportional(BYTES, "a", within=0.1)
    assert judge(at_zero(0)).verdict == HELD
    assert judge(at_zero(1)).verdict == FAILED


def test_a_multiple_of_nothing_is_told_in_words() -> None:
    found = results(BYTES, a=[0, 1], b=[1, 1])
    assert lower(BYTES, "a", "b")(found).evidence == "b is 1 to infinitely many times a."
