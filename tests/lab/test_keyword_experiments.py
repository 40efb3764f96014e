"""OpIndex's figure 11: what the paper says of keywords is what is made at its scale."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.lab.experiment import AnyExperiment, Scale
from penstock.lab.experiments.opindex.keywords import FIGURE_11AC, FIGURE_11BD, KEYWORD_EXPERIMENTS
from penstock.lab.experiments.opindex.series import BE_TREE, K_INDEX, OP_INDEX
from penstock.model.conditions import And, Between, Comparison

every_figure = pytest.mark.parametrize("experiment", KEYWORD_EXPERIMENTS, ids=lambda each: each.name)


def test_each_part_has_its_name() -> None:
    assert [each.name for each in KEYWORD_EXPERIMENTS] == ["opindex-11ac", "opindex-11bd", "opindex-11e", "opindex-11f"]


@every_figure
def test_at_the_papers_scale_the_vocabulary_is_the_papers(experiment: AnyExperiment) -> None:
    parameters = experiment.scales[Scale.PAPER]
    assert parameters.vocabulary == 50_000
    assert parameters.keywords == (5.4 if experiment.figure.startswith(("11(a)", "11(b)")) else 123)


@every_figure
def test_predicates_are_of_the_operator(experiment: AnyExperiment) -> None:
    parameters = experiment.scales[Scale.SMALL].at(500.0)
    wanted = Between if parameters.operator == "BETWEEN" else Comparison
    conditions = parameters.conditions()
    assert len(conditions) == 500
    for each in conditions:
        assert all(isinstance(part, wanted) for part in (each.children if isinstance(each, And) else (each,)))


@every_figure
def test_documents_are_as_long_as_the_papers(experiment: AnyExperiment) -> None:
    parameters = experiment.scales[Scale.SMALL]
    events = parameters.matched()
    assert len(events.dictionaries) == parameters.events
    assert np.mean([len(event) for event in events.dictionaries]) == pytest.approx(parameters.keywords, rel=0.3)


def test_documents_say_how_often_only_where_queries_ask_for_it() -> None:
    exact, between = (each.scales[Scale.SMALL].matched() for each in (FIGURE_11AC, FIGURE_11BD))
    assert {value for event in exact.dictionaries for value in event.values()} == {1}
    assert {value for event in between.dictionaries for value in event.values()} > {1, 2}
    assert [set(event) for event in exact.dictionaries] == [set(event) for event in between.dictionaries]


def test_rivals_are_made_with_what_they_need() -> None:
    parameters = FIGURE_11BD.scales[Scale.PAPER]
    assert parameters.options(K_INDEX.name) == {"domain": (1, 20)}
    assert parameters.options(BE_TREE.name) == {"leaf_size": 5}
    assert parameters.options(OP_INDEX.name) == {}
