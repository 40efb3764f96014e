"""OpIndex's workloads: within their bounds, in the shares that were asked for, and the same for the same seed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from penstock import evaluate
from penstock.encoding.batch import EventBatch
from penstock.lab.boolean_workloads import (
    OPERATORS,
    Conjunctions,
    SparseEvents,
    conditions_of,
    conjunctions,
    event_dictionaries,
    events_table,
    sparse_events,
)
from penstock.model.conditions import And, Comparison
from penstock.model.expressions import Attribute, Literal


def same(left: Conjunctions | SparseEvents, right: Conjunctions | SparseEvents) -> bool:
    return [column.tolist() for column in left] == [column.tolist() for column in right]


def are_distinct(made: Conjunctions | SparseEvents) -> bool:
    owners = np.repeat(np.arange(len(made.offsets) - 1), np.diff(made.offsets))
    return len(set(zip(owners.tolist(), made.attributes.tolist(), strict=True))) == len(owners)


def test_conjunctions_are_as_the_paper_says() -> None:
    made = conjunctions(40_000, dimensions=500, most_predicates=6, equal_share=0.2, domain=30, seed=3)
    sizes = np.diff(made.offsets)
    assert np.bincount(sizes)[1:] / len(sizes) == pytest.approx([1 / 6] * 6, abs=0.01)
    assert made.offsets[0] == 0
    assert made.offsets[-1] == len(made.attributes) == len(made.operators) == len(made.values)
    assert (made.attributes.min(), made.attributes.max()) == (0, 499)
    assert np.bincount(made.values)[1:] / len(made.values) == pytest.approx([1 / 30] * 30, abs=0.005)
    assert np.bincount(made.operators) / len(made.operators) == pytest.approx([0.2, 0.4, 0.4], abs=0.01)
    assert [column.dtype for column in made] == [np.int64, np.int32, np.int8, np.int64]


@pytest.mark.parametrize("share, operators", [(0.0, {1, 2}), (1.0, {0})])
def test_all_or_no_predicates_ask_for_equality(share: float, operators: set[int]) -> None:
    assert set(conjunctions(1000, equal_share=share).operators.tolist()) == operators


def test_events_are_as_the_paper_says() -> None:
    made = sparse_events(10_000, dimensions=500, size=20, domain=30, seed=3)
    assert set(np.diff(made.offsets).tolist()) == {20}
    assert (made.attributes.min(), made.attributes.max()) == (0, 499)
    assert (made.values.min(), made.values.max()) == (1, 30)
    assert [column.dtype for column in made] == [np.int64, np.int32, np.int64]


@pytest.mark.parametrize("zipf", [0.0, 1.0])
@pytest.mark.parametrize("dimensions", [8, 100])
def test_attributes_of_one_owner_are_distinct(zipf: float, dimensions: int) -> None:
    assert are_distinct(conjunctions(2000, dimensions=dimensions, most_predicates=8, zipf=zipf))
    assert are_distinct(sparse_events(500, dimensions=dimensions, size=8, zipf=zipf))


def test_more_attributes_than_there_are_cannot_be_distinct() -> None:
    with pytest.raises(ValueError, match="9 distinct attributes"):
        conjunctions(1, dimensions=8, most_predicates=9)
    with pytest.raises(ValueError, match="9 distinct attributes"):
        sparse_events(1, dimensions=8, size=9)


def test_zipf_makes_the_first_attributes_and_the_lowest_values_frequent() -> None:
    made = conjunctions(50_000, dimensions=100, most_predicates=1, domain=10, zipf=1.0, seed=2)
    by_attribute, by_value = np.bincount(made.attributes), np.bincount(made.values)[1:]
    for counts in (by_attribute, by_value):
        shares = 1 / np.arange(1, len(counts) + 1)
        assert counts / counts.sum() == pytest.approx(shares / shares.sum(), abs=0.01)


def test_the_same_seed_gives_the_same_workload_and_another_seed_another() -> None:
    assert same(conjunctions(100, seed=1), conjunctions(100, seed=1))
    assert not same(conjunctions(100, seed=1), conjunctions(100, seed=2))
    assert same(sparse_events(100, zipf=0.5, seed=1), sparse_events(100, zipf=0.5, seed=1))
    assert not same(sparse_events(100, seed=1), sparse_events(100, seed=2))


def test_subscriptions_do_not_change_when_there_are_more_events() -> None:
    first = conjunctions(100, seed=1)
    sparse_events(1000, seed=1)
    assert same(first, conjunctions(100, seed=1))


def test_conditions_say_what_the_columns_say() -> None:
    made = conjunctions(200, dimensions=30, seed=4)
    for condition, (begin, end) in zip(conditions_of(made), pairwise(made.offsets.tolist()), strict=True):
        children = condition.children if isinstance(condition, And) else (condition,)
        assert len(children) == end - begin
        for child, place in zip(children, range(begin, end), strict=True):
            left, right = Attribute(f"a{made.attributes[place]}"), Literal(int(made.values[place]))
            assert child == Comparison(OPERATORS[made.operators[place]], left, right)


def test_conditions_match_the_events_that_their_columns_match() -> None:
    made, events = conjunctions(60, dimensions=6, domain=5, seed=4), sparse_events(30, dimensions=6, size=4, domain=5)
    compare = (np.equal, np.less_equal, np.greater_equal)
    matched = 0
    for condition, (begin, end) in zip(conditions_of(made), pairwise(made.offsets.tolist()), strict=True):
        for event in event_dictionaries(events):
            expected = all(
                f"a{made.attributes[place]}" in event
                and compare[made.operators[place]](event[f"a{made.attributes[place]}"], made.values[place])
                for place in range(begin, end)
            )
            assert (evaluate(condition, event) is True) == expected
            matched += expected
    assert matched > 100


def test_tables_and_dictionaries_hold_the_same_events() -> None:
    events = sparse_events(50, dimensions=40, size=7)
    table = events_table(events)
    dictionaries = event_dictionaries(events)
    assert [dict(row) for row in table.column("attributes").to_pylist()] == dictionaries
    assert {len(event) for event in dictionaries} == {7}
    batch = EventBatch.from_arrow(table, attributes="attributes")
    assert set(batch.columns) == {name for event in dictionaries for name in event}


def test_no_subscriptions_and_no_events() -> None:
    assert conditions_of(conjunctions(0)) == []
    assert event_dictionaries(sparse_events(0)) == []
    assert events_table(sparse_events(0)).num_rows == 0
