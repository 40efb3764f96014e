"""Measuring context filters: streams go on from part to part, and what is counted is what the filters count."""

from __future__ import annotations

import pytest

from penstock.context import ContextFilter
from penstock.lab import filtering
from penstock.lab.context_workload import ContextStream, ContextWorkload, attribute, columns, fill
from penstock.lab.experiment import Measurement
from penstock.lab.filtering import (
    DEESCALATIONS,
    ESCALATIONS,
    FALSE_POSITIVES,
    FOUND,
    INDEX_UPDATES,
    POSTFILTERED,
    REACHING,
    THROUGHPUT,
    TIME,
    Filtering,
    FilterKind,
    filled,
)

WORKLOAD = ContextWorkload(150, seed=2)
COUNTED = (FOUND, REACHING, INDEX_UPDATES, ESCALATIONS, DEESCALATIONS, POSTFILTERED, FALSE_POSITIVES)


def values(measurements: list[Measurement]) -> dict[str, float]:
    return {each.measure.name: each.value for each in measurements}


def counts(measurements: list[Measurement]) -> dict[str, float]:
    found = values(measurements)
    return {measure.name: found[measure.name] for measure in COUNTED}


def test_a_part_is_timed_and_counted() -> None:
    measured = values(Filtering(FilterKind("noindex"), WORKLOAD).measure(40, 3.0))
    assert measured[TIME.name] == pytest.approx(1e6 / measured[THROUGHPUT.name])
    assert measured[POSTFILTERED.name] == WORKLOAD.profiles
    assert measured[INDEX_UPDATES.name] == measured[FALSE_POSITIVES.name] == 0


@pytest.mark.parametrize("strategy", ["eager", "gbu", "agile"])
def test_counts_are_those_of_the_filter(strategy: str) -> None:
    kind = FilterKind(strategy, "fixed(5)")
    tested = Filtering(kind, WORKLOAD)
    first, second = counts(tested.measure(30, 40.0)), counts(tested.measure(20, 10.0))
    plain = ContextFilter(strategy, "is_list", "fixed(5)", [attribute(0), attribute(1)])
    fill(plain, WORKLOAD)
    stream = ContextStream(WORKLOAD)
    for messages, updates, found in ((30, 40.0, first), (20, 10.0, second)):
        before = plain.counters.as_array()
        rows, _ = plain.process_columns(*columns(plain, stream.steps(messages, updates)))
        rise = dict(zip(plain.counters.__slots__, (plain.counters.as_array() - before) / messages, strict=True))
        assert found[FOUND.name] == len(rows) / messages == rise["matches"]
        assert found[INDEX_UPDATES.name] == rise["index_updates"] > 0
        assert found[POSTFILTERED.name] == rise["postfiltered"]
        assert found[DEESCALATIONS.name] == rise["deescalations"]


def test_an_eager_filter_updates_an_index_for_each_update_that_reaches_it() -> None:
    measured = values(Filtering(FilterKind("eager"), WORKLOAD).measure(30, 40.0))
    assert measured[INDEX_UPDATES.name] == measured[REACHING.name] > 0


def test_parts_that_are_too_long_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filtering, "MOST_STEPS", 100)
    measured = values(Filtering(FilterKind("eager"), WORKLOAD).measure(30, 40.0))
    assert measured[INDEX_UPDATES.name] == measured[REACHING.name] > 0
    assert measured[THROUGHPUT.name] > 0


@pytest.mark.parametrize("strategy", ["noindex", "eager"])
def test_what_is_spared_of_a_warm_up_makes_no_difference(strategy: str) -> None:
    spared, whole = (Filtering(FilterKind(strategy), WORKLOAD) for _ in range(2))
    spared.warm_up(50, 30.0)
    for part in (45, 5):
        whole.measure(part, 30.0)
    assert counts(spared.measure(40, 30.0)) == counts(whole.measure(40, 30.0))


def test_filters_that_adapt_go_through_the_whole_warm_up() -> None:
    kind = FilterKind("agile")
    warm, cold = Filtering(kind, WORKLOAD), Filtering(kind, WORKLOAD)
    warm.warm_up(100, 60.0)
    warmed, fresh = counts(warm.measure(20, 60.0)), counts(cold.measure(20, 60.0))
    assert warmed[INDEX_UPDATES.name] < fresh[INDEX_UPDATES.name] / 2
    assert warmed[FALSE_POSITIVES.name] > fresh[FALSE_POSITIVES.name]


def test_filled_filters_are_accurate_and_do_not_share_anything() -> None:
    kind = FilterKind("agile")
    one, kept_in = filled(kind, WORKLOAD)
    assert len(one) == WORKLOAD.profiles
    assert kept_in.shape == (WORKLOAD.profiles, 8)
    assert not one.counters.as_array().any()
    one.update_context(3, "a0", 77.0)
    one.remove(5)
    other, _ = filled(kind, ContextWorkload(150, distance=9.0, indexed_share=1.0, seed=2))
    assert 5 in other
    assert other.context(3)["a0"] != 77.0
    assert not other.counters.as_array().any()
    other.check_invariants()
