"""AGILE's figures: their parameters are the paper's, runs are cut as they say, and a burst is one stream."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.lab.context_workload import ContextWorkload
from penstock.lab.experiment import Scale
from penstock.lab.experiments.agile import AGILE_EXPERIMENTS
from penstock.lab.experiments.agile.bursts import FIGURE_14, FIGURE_15
from penstock.lab.experiments.agile.series import AGILE, AGILE_AUTO, EAGER, NOINDEX
from penstock.lab.experiments.agile.steady import FIGURE_11, FIGURE_12, FIGURE_13
from penstock.lab.filtering import INDEX_UPDATES, POSTFILTERED, REACHING, FilterKind
from penstock.lab.running import run_experiment

STEADY = (FIGURE_11, FIGURE_12, FIGURE_13)


def test_the_papers_scale_has_the_papers_parameters() -> None:
    for experiment in AGILE_EXPERIMENTS:
        assert experiment.scales[Scale.PAPER].workload == ContextWorkload(500_000, 0.9, 150.0, 0.25, 1)
    assert all(figure.scales[Scale.PAPER].updates == 1_000 for figure in STEADY)
    assert [series.kind for series in FIGURE_11.series] == [
        FilterKind("noindex", "fixed(1000)"),
        FilterKind("eager", "fixed(1000)"),
        FilterKind("gbu", "fixed(1000)"),
        FilterKind("agile", "fixed(1000)"),
    ]
    policies = ["auto", "fixed(10)", "fixed(100)", "fixed(1000)", "rental"]
    assert [series.kind.policy for series in FIGURE_15.series] == policies


def test_figures_vary_what_they_say() -> None:
    parameters = FIGURE_11.scales[Scale.PAPER]
    assert list(parameters.xs) == [1, 10, 100, 1_000, 10_000]
    at = parameters.at(10)
    assert at.per_message(at.updates) == 500
    assert FIGURE_12.scales[Scale.PAPER].at(0.5).workload.indexed_share == 0.5
    assert (FIGURE_13.scales[Scale.PAPER].xs[0], FIGURE_13.scales[Scale.PAPER].xs[-1]) == (1, 2_500)
    assert FIGURE_13.scales[Scale.PAPER].at(2_500).workload.distance == 2_500
    for figure, varied in zip(STEADY, ("UP", "UpdAtt", "ΔU"), strict=True):
        assert not any(varied in meaning for meaning, _ in figure.scales[Scale.SMALL].described())


@pytest.mark.parametrize(
    "updates, measured, warm_up", [(1, 500, 800), (100, 500, 800), (1_000, 100, 800), (10_000, 10, 200), (10**7, 1, 1)]
)
def test_runs_are_cut_by_messages_and_by_updates(updates: float, measured: int, warm_up: int) -> None:
    cut = replace(
        FIGURE_11.scales[Scale.SMALL], messages=500, measured_updates=10.0, warm_up=800, warm_up_updates=200.0
    ).at(updates)
    assert (cut.measured_messages, cut.warm_up_messages) == (measured, warm_up)


def test_without_updates_of_indexed_attributes_agile_is_eager() -> None:
    small = replace(FIGURE_12.scales[Scale.SMALL], xs=(0,), profiles=200, messages=50, warm_up=50, repetitions=1)
    results = run_experiment(FIGURE_12, Scale.SMALL, parameters=small)
    assert results.medians(AGILE.name, INDEX_UPDATES) == results.medians(EAGER.name, INDEX_UPDATES) == {0: 0}
    assert results.medians(AGILE.name, POSTFILTERED) == results.medians(EAGER.name, POSTFILTERED)


def test_a_burst_has_three_phases() -> None:
    for figure in (FIGURE_14, FIGURE_15):
        parameters = figure.scales[Scale.PAPER]
        rates = [parameters.updates_before(x) for x in parameters.xs]
        assert rates == [1] * 10 + [1_000] * 10 + [1] * 30
        assert parameters.xs[-1] == 5_000


def test_a_burst_is_one_stream_and_each_repetition_has_it_anew() -> None:
    small = replace(
        FIGURE_14.scales[Scale.SMALL],
        xs=(20.0, 40.0, 60.0),
        part=20,
        begins=20,
        ends=40,
        profiles=100,
        warm_up=10,
        repetitions=2,
    )
    results = run_experiment(FIGURE_14, Scale.SMALL, parameters=small)
    before, during, after = results.medians(EAGER.name, REACHING).values()
    assert during > 50 * max(before, after)
    assert results.medians(NOINDEX.name, POSTFILTERED) == dict.fromkeys(small.xs, 100)
    for low, middle, high in results.ranges(AGILE_AUTO.name, INDEX_UPDATES).values():
        assert low == middle == high
