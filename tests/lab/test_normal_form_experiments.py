"""OpIndex's figure 13: both forms of the same clauses, and how often a predicate is entered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock import evaluate
from penstock.lab.experiment import Scale, Series
from penstock.lab.experiments.opindex.normal_forms import CNF, DNF, ENTRIES, FIGURE_13A, FIGURE_13B
from penstock.lab.matching import FOUND

FEW = replace(FIGURE_13A.scales[Scale.SMALL], count=60, dimensions=25, events=30, batch=30)


def test_the_papers_default_is_5_clauses() -> None:
    assert FIGURE_13A.scales[Scale.PAPER].most_clauses == 5
    assert 5 in FIGURE_13B.scales[Scale.PAPER].xs


@pytest.mark.parametrize("series", [CNF, DNF], ids=lambda each: each.name)
def test_what_is_found_is_what_holds(series: Series) -> None:
    subject = FIGURE_13A.prepare(FEW, series, 60.0)
    assert subject is not None
    measured = {each.measure: each.value for each in subject()}
    parameters = replace(FEW, form=series.name)
    events = parameters.matched().dictionaries
    expected = sum(evaluate(each, event) is True for each in parameters.conditions() for event in events)
    assert measured[FOUND] == expected / 30
    assert expected > 30


def test_a_predicate_of_a_dnf_is_entered_once_and_of_a_cnf_as_often_as_it_has_pivots() -> None:
    entries = {}
    for series in (CNF, DNF):
        subject = FIGURE_13B.prepare(replace(FEW, varied="most_clauses"), series, 1.0)
        assert subject is not None
        entries[series] = {each.measure: each.value for each in subject()}[ENTRIES]
    assert entries[DNF] == 1
    # With one clause of 1 to 4 predicates each stands in as many lists as there are: (1 + 4 + 9 + 16) / (1 + ... + 4).
    assert entries[CNF] == pytest.approx(3, abs=0.3)
