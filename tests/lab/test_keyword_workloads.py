"""Keyword queries and documents: as long as was asked for, and asking for what they say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from penstock import evaluate
from penstock.lab.boolean_workloads import SparseEvents, event_dictionaries
from penstock.lab.keyword_workloads import QUERY_LENGTHS, Queries, documents, occurrence, queries, query_conditions
from penstock.model.conditions import And, Between, Comparison
from penstock.model.expressions import Attribute, Literal


def columns(made: Queries | SparseEvents) -> list[list[int]]:
    return [column.tolist() for column in made]


def test_queries_have_the_chosen_lengths() -> None:
    made = queries(20_000, vocabulary=500, most_frequent=20, seed=3)
    sizes = np.diff(made.offsets)
    assert np.bincount(sizes)[1:] / len(sizes) == pytest.approx(list(QUERY_LENGTHS), abs=0.01)
    assert sum(QUERY_LENGTHS) == pytest.approx(1)
    assert (made.lows.min(), made.highs.max()) == (1, 20)
    assert (made.lows <= made.highs).all()


def test_frequent_keywords_are_frequent_in_queries_and_in_documents() -> None:
    for made in (queries(20_000, vocabulary=500).keywords, documents(2_000, keywords=5.4, repeats=1.2).attributes):
        counts = np.bincount(made)
        assert counts[0] > counts[9] > counts[99]


@pytest.mark.parametrize("keywords, repeats", [(5.4, 1.2), (123.0, 2.0)])
def test_documents_have_as_many_keywords_as_was_asked_for(keywords: float, repeats: float) -> None:
    made = documents(4_000, keywords=keywords, repeats=repeats)
    assert np.diff(made.offsets).mean() == pytest.approx(keywords, rel=0.05)
    assert made.values.mean() == pytest.approx(repeats, rel=0.05)
    assert (made.values.min(), made.values.max()) <= (1, 20)
    assert made.attributes.max() < 50_000
    assert set(occurrence(made).values.tolist()) == {1}


def test_keywords_of_a_document_are_distinct_and_at_most_half_of_all() -> None:
    made = documents(300, keywords=20, repeats=1.2, vocabulary=30)
    assert np.diff(made.offsets).max() == 15
    assert [len(event) for event in event_dictionaries(made)] == np.diff(made.offsets).tolist()


def test_the_same_seed_gives_the_same_workload_and_another_seed_another() -> None:
    first, same, other = (columns(queries(50, seed=seed)) for seed in (1, 1, 2))
    assert first == same != other
    one, again, another = (columns(documents(50, keywords=5, repeats=2, seed=seed)) for seed in (1, 1, 2))
    assert one == again != another


def test_conditions_say_what_the_columns_say() -> None:
    made = queries(100, vocabulary=20, seed=4)
    exact, between = query_conditions(made, intervals=False), query_conditions(made, intervals=True)
    for query, (begin, end) in enumerate(pairwise(made.offsets.tolist())):
        names = [Attribute(f"a{number}") for number in made.keywords[begin:end]]
        ends = zip(made.lows[begin:end].tolist(), made.highs[begin:end].tolist(), strict=True)
        assert _parts(exact[query]) == [Comparison("=", name, Literal(1)) for name in names]
        assert _parts(between[query]) == [
            Between(name, Literal(low), Literal(high)) for name, (low, high) in zip(names, ends, strict=True)
        ]


def _parts(condition: object) -> list[object]:
    return list(condition.children) if isinstance(condition, And) else [condition]


def test_a_query_matches_the_documents_with_all_its_keywords() -> None:
    made, texts = queries(40, vocabulary=15, seed=2), documents(40, keywords=4, repeats=2, vocabulary=15, seed=2)
    conditions = query_conditions(made, intervals=False)
    found = 0
    for event in event_dictionaries(occurrence(texts)):
        for condition, (begin, end) in zip(conditions, pairwise(made.offsets.tolist()), strict=True):
            expected = all(f"a{number}" in event for number in made.keywords[begin:end])
            assert (evaluate(condition, event) is True) == expected
            found += expected
    assert found > 20
