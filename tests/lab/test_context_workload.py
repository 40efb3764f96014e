"""AGILE's workload: as many messages and updates as are asked for, and values that wander as the parameters say."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.context import ContextFilter
from penstock.lab.context_workload import (
    ATTRIBUTES,
    INDEXED,
    RANGE,
    SELECTIVITIES,
    ContextStream,
    ContextWorkload,
    Steps,
    attribute,
    columns,
    fill,
    parts,
    reaching,
    refers_to_context,
    slots,
    start_values,
    steps,
    updates_per_message,
)

WORKLOAD = ContextWorkload(500, seed=3)


def same(one: Steps, other: Steps) -> bool:
    return all(np.array_equal(first, second) for first, second in zip(one, other, strict=True))


def updates_of(made: Steps) -> Steps:
    """The steps without the messages."""
    which = made.profiles >= 0
    return Steps(made.profiles[which], made.attributes[which], made.values[which], made.changes[which], made.messages)


def test_the_same_seeds_give_the_same_stream_and_others_another() -> None:
    assert same(steps(WORKLOAD, 20, 5.0), steps(WORKLOAD, 20, 5.0))
    assert not same(steps(WORKLOAD, 20, 5.0), steps(WORKLOAD, 20, 5.0, seed=2))
    assert not same(steps(WORKLOAD, 20, 5.0), steps(ContextWorkload(500, seed=4), 20, 5.0))
    assert np.array_equal(start_values(WORKLOAD), start_values(WORKLOAD))
    assert not np.array_equal(start_values(WORKLOAD), start_values(ContextWorkload(500, seed=4)))


@pytest.mark.parametrize("each", [0.0, 0.1, 1.0, 2.5, 40.0])
def test_there_are_as_many_messages_and_updates_as_are_asked_for(each: float) -> None:
    made = steps(WORKLOAD, 70, each)
    assert len(made.messages) == np.count_nonzero(made.profiles < 0) == 70
    assert np.count_nonzero(made.profiles >= 0) == 70 * each
    assert made.profiles[-1] == -1
    between = np.diff(np.flatnonzero(made.profiles < 0), prepend=-1) - 1
    assert set(between.tolist()) <= {int(each), int(np.ceil(each))}


def test_a_stream_goes_on_where_it_stopped() -> None:
    stream = ContextStream(WORKLOAD)
    first, second = stream.steps(33, 0.3), stream.steps(67, 0.3)
    assert [np.count_nonzero(made.profiles >= 0) for made in (first, second)] == [9, 21]
    values = start_values(WORKLOAD)
    for made in (first, second, *(stream.steps(50, 100.0) for _ in range(3))):
        for profile, number, value, changed in zip(*updates_of(made)[:4], strict=True):
            before = values[profile, number]
            assert abs(value - before) <= WORKLOAD.distance + 10  # what wanders is rounded at both ends
            assert changed == (value != before)
            values[profile, number] = value
    now = stream.all_values()
    assert np.array_equal(now.values.reshape(-1, ATTRIBUTES), values)
    assert len(now.messages) == 0


@pytest.mark.parametrize("distance", [1.0, 150.0, 2500.0])
def test_values_stay_in_range_and_have_three_digits(distance: float) -> None:
    made = steps(ContextWorkload(20, distance=distance), 100, 200.0)
    for values in (updates_of(made).values, made.messages):
        assert 0 <= values.min() <= values.max() <= RANGE
        assert np.array_equal(values, np.round(values, -1))


def test_small_steps_lead_away_after_all() -> None:
    made = updates_of(steps(ContextWorkload(1, distance=1.0), 1, 50_000.0))
    assert 0 < np.count_nonzero(made.changes) < 5_000
    assert len(np.unique(made.values[made.attributes == 0])) > 3


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_updates_are_on_indexed_attributes_as_often_as_is_said(share: float) -> None:
    made = updates_of(steps(ContextWorkload(500, indexed_share=share), 100, 200.0))
    assert np.mean(made.attributes < INDEXED) == pytest.approx(share, abs=0.02)
    counts = np.bincount(made.attributes, minlength=ATTRIBUTES) / len(made.attributes)
    assert counts[:INDEXED] == pytest.approx([share / INDEXED] * INDEXED, abs=0.01)
    others = ATTRIBUTES - INDEXED
    assert counts[INDEXED:] == pytest.approx([(1 - share) / others] * others, abs=0.01)
    assert np.bincount(made.profiles, minlength=500).min() > 0


@pytest.mark.parametrize("share", [0.0, 0.9, 1.0])
def test_profiles_refer_to_contexts_as_often_as_is_said(share: float) -> None:
    assert refers_to_context(ContextWorkload(20_000, share)).mean() == pytest.approx(share, abs=0.01)


def test_updates_reach_an_index_when_they_change_what_a_profile_asks_of_it() -> None:
    made = steps(WORKLOAD, 50, 30.0)
    dynamic = refers_to_context(WORKLOAD)
    columns_ = zip(made.profiles, made.attributes, made.changes, strict=True)
    expected = sum(bool(p >= 0 and number < INDEXED and dynamic[p] and changed) for p, number, changed in columns_)
    assert reaching(WORKLOAD, made) == expected > 0


def test_up_is_updates_per_profile_in_ten_thousand_messages() -> None:
    assert updates_per_message(500_000, 1) == 50
    assert updates_per_message(1_000, 1_000) == 100


def test_parts_are_the_stream() -> None:
    made = steps(WORKLOAD, 12, 3.5)
    taken = list(parts(made, 7))
    assert all(len(each.profiles) <= 7 for each in taken)
    assert same(made, Steps(*(np.concatenate(column) for column in zip(*taken, strict=True))))


def test_columns_are_the_same_with_and_without_known_slots() -> None:
    tested = ContextFilter("noindex")
    fill(tested, WORKLOAD)
    made = steps(WORKLOAD, 10, 20.0)
    one, other = columns(tested, made), columns(tested, made, slots(tested, WORKLOAD))
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[0] < 0, made.profiles < 0)
    assert len(one[2]) == 10


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_profiles_ask_for_an_environment_of_their_context_or_of_constants(share: float) -> None:
    workload = ContextWorkload(60, share, seed=5)
    tested = ContextFilter("noindex")
    fill(tested, workload)
    stream = ContextStream(workload)
    tested.process_columns(*columns(tested, stream.steps(1, 3_000.0)))
    asked = stream.all_values().values.reshape(-1, ATTRIBUTES) if share else start_values(workload)
    for profile in range(10):
        for number, selectivity in enumerate(SELECTIVITIES):
            event = {attribute(each): float(asked[profile, each]) for each in range(ATTRIBUTES)}
            event[attribute(number)] += selectivity * RANGE / 2
            assert profile in tested.handle_message(event)
            event[attribute(number)] += 1
            assert profile not in tested.handle_message(event)
