"""OpIndex's figure 14: attributes with numbers and with words, and prefixes in the shares and lengths of x."""

from __future__ import annotations

import pytest

from penstock.lab.experiment import Scale
from penstock.lab.experiments.opindex.prefixes import FIGURE_14A, FIGURE_14B
from penstock.model.conditions import And, Condition, Like


def parts(conditions: list[Condition]) -> list[Condition]:
    return [part for each in conditions for part in (each.children if isinstance(each, And) else (each,))]


def test_at_the_papers_scale_attributes_are_as_many_as_the_papers() -> None:
    for experiment in (FIGURE_14A, FIGURE_14B):
        parameters = experiment.scales[Scale.PAPER]
        assert (parameters.numbers, parameters.words) == (10_000, 100)


def test_x_is_the_share_or_the_length_of_prefixes() -> None:
    half = parts(FIGURE_14A.scales[Scale.SMALL].at(0.5).conditions())
    assert sum(isinstance(part, Like) for part in half) / len(half) == pytest.approx(0.5, abs=0.05)
    short = parts(FIGURE_14B.scales[Scale.SMALL].at(2.0).conditions())
    assert {len(str(part.pattern.parts[0])) for part in short if isinstance(part, Like)} == {2}


def test_events_have_numbers_and_words() -> None:
    parameters = FIGURE_14A.scales[Scale.SMALL]
    event = parameters.matched().dictionaries[0]
    assert sum(isinstance(value, str) for value in event.values()) == parameters.event_words
    assert len(event) == parameters.event_words + parameters.event_numbers


def test_only_what_matters_is_described() -> None:
    described = dict(FIGURE_14A.scales[Scale.PAPER].described())
    assert described["attributes with words"] == "100"
    assert described["letters of a prefix"] == "3"
    assert "share of prefix predicates" not in described
    assert not any("BE-Tree" in meaning or "k-index" in meaning for meaning in described)
