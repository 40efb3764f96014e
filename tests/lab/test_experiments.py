"""The papers' experiments: all of them run, and what they claim about storage and counts holds. Times are free."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.errors import UnknownExperimentError
from penstock.indexes.interval import INTERVAL_STORES
from penstock.lab.claims import Kind, Verdict
from penstock.lab.experiment import AnyExperiment, Parameters, Scale
from penstock.lab.experiments import EXPERIMENTS, find_experiments
from penstock.lab.experiments.vci import VCI_5, full_bitmaps
from penstock.lab.report import judge
from penstock.lab.running import run_experiment
from penstock.lab.searching import FOUND

FIGURES = (
    "vci-5 vci-6a vci-6b vci-7a vci-7b vcr-6a vcr-6b vcr-7a vcr-7b vcr-8a vcr-8b vcr-9a vcr-9b"
    " opindex-1 opindex-7 opindex-8a opindex-8b opindex-9a opindex-9b"
    " opindex-10a opindex-10b opindex-10c opindex-10d opindex-10e opindex-10f"
    " opindex-11ac opindex-11bd opindex-11e opindex-11f"
    " opindex-12ac opindex-12bd opindex-12e opindex-12f opindex-12-parts opindex-12-events"
    " opindex-13a opindex-13b opindex-14a opindex-14b amkh-1"
    " agile-11 agile-12 agile-13 agile-14 agile-15"
)


def each_experiment(*slow: str) -> pytest.MarkDecorator:
    """All experiments, of which some are slow."""
    params = [
        pytest.param(experiment, id=name, marks=pytest.mark.slow if name.startswith(slow) else ())
        for name, experiment in EXPERIMENTS.items()
    ]
    return pytest.mark.parametrize("experiment", params)


def tiny(experiment: AnyExperiment) -> Parameters:
    """The small scale with two x, few subscriptions or profiles, and few searches or messages."""
    small: Parameters = experiment.scales[Scale.SMALL]
    most = {"searches": 20, "events": 20, "count": 2_000, "more": 5, "profiles": 100, "messages": 20, "warm_up": 20}
    fewer = {name: min(number, getattr(small, name)) for name, number in most.items() if getattr(small, name, None)}
    return replace(small, xs=small.xs[:2], repetitions=min(2, small.repetitions), **fewer)


def test_all_figures_are_there() -> None:
    assert " ".join(EXPERIMENTS) == FIGURES


@each_experiment("vcr-7a", "opindex-1", "opindex-8b", "opindex-9")  # an R-tree takes its time, and many indexes theirs
def test_it_runs_and_measures_what_it_shows(experiment: AnyExperiment) -> None:
    parameters = tiny(experiment)
    results = run_experiment(experiment, Scale.SMALL, parameters=parameters)
    for panel in experiment.panels:
        for series in experiment.series:
            assert list(results.medians(series.name, panel.measure)) == list(parameters.xs)


@each_experiment()
def test_it_says_what_it_is(experiment: AnyExperiment) -> None:
    assert experiment.question.endswith("?")
    assert experiment.claims
    assert all(claim.text.endswith(".") for claim in experiment.claims)
    assert set(experiment.scales) == set(Scale)
    assert len({series.name for series in experiment.series}) == len(experiment.series)
    assert experiment.heading.startswith(f"{experiment.paper.name} figure ")
    for parameters in experiment.scales.values():
        assert dict(parameters.described())["repetitions"]


@each_experiment("vcr-7a", "opindex", "amkh-1", "agile")
def test_claims_about_storage_and_counts_hold(experiment: AnyExperiment) -> None:
    results = run_experiment(experiment, Scale.SMALL, parameters=untimed(experiment))
    for claim, finding in judge(experiment, results).findings:
        if claim.kind != Kind.TIME:
            expected = {Verdict.FAILED} if claim.difference else {Verdict.HELD}
            assert finding.verdict in expected, f"{claim.text} {finding.evidence}"


def untimed(experiment: AnyExperiment) -> Parameters:
    """The small scale without its repetitions, which only times need."""
    small: Parameters = experiment.scales[Scale.SMALL]
    return replace(small, repetitions=1)


@pytest.mark.parametrize("name", ["vci-6a", "vcr-7a"])
def test_searches_find_something(name: str) -> None:
    experiment = EXPERIMENTS[name]
    results = run_experiment(experiment, Scale.SMALL, parameters=tiny(experiment))
    assert all(found > 0 for series in experiment.series for found in results.medians(series.name, FOUND).values())


@pytest.mark.parametrize("length", [2, 4, 16, 64])
@pytest.mark.parametrize("name", ["sci", "lci"])
def test_the_computed_size_of_full_bitmaps_is_that_of_real_ones(name: str, length: int) -> None:
    for domain in (50, 64, 333):
        store = INTERVAL_STORES[name](low=1, high=domain, max_length=length)
        assert store.memory()["bitmaps"] == full_bitmaps(name, domain, length)


def test_schemes_without_full_bitmaps_are_always_built() -> None:
    assert {full_bitmaps(series.name, 5_000, 256) > 0 for series in VCI_5.series if series.name[3:]} == {False}


def test_experiments_are_found_by_name_in_the_order_of_the_table() -> None:
    assert [each.name for each in find_experiments(["vcr-9b", "vci-5", "vci-5"])] == ["vci-5", "vcr-9b"]
    assert len(find_experiments(["all"])) == len(EXPERIMENTS)


def test_an_unknown_experiment_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownExperimentError, match="there is no experiment 'vci-6c'; did you mean vci-6"):
        find_experiments(["vci-6c"])
    with pytest.raises(UnknownExperimentError, match="known are all, vci-5"):
        find_experiments(["figure"])
