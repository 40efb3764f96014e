"""OpIndex's figures on synthetic data: their parameters are the paper's, and each varies what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from penstock.lab.boolean_workloads import OPERATORS, conjunctions
from penstock.lab.experiment import AnyExperiment, Scale
from penstock.lab.experiments.opindex import SYNTHETIC_EXPERIMENTS
from penstock.lab.experiments.opindex.construction import FIGURE_7, FIGURE_9A
from penstock.lab.experiments.opindex.matching import FIGURE_10A, FIGURE_10D
from penstock.lab.experiments.opindex.memory import FIGURE_8A, FIGURE_8B
from penstock.lab.experiments.opindex.series import BE_TREE, K_INDEX, OP_INDEX, TOUCHED, IndexSeries
from penstock.lab.experiments.opindex.workload import BooleanParameters, workload
from penstock.lab.matching import INSERTION, work
from penstock.lab.searching import STORAGE
from penstock.model.conditions import And, Comparison, Condition

TABLE_3 = {
    "count": (1_000_000, 2_000_000, 4_000_000),
    "dimensions": (20_000, 30_000, 40_000, 50_000, 60_000),
    "most_predicates": (4, 8, 12, 16, 20),
    "event_size": (20, 40, 60, 80, 100, 120),
    "equal_share": (0.2, 0.4, 0.6, 0.8, 1.0),
    "domain": (50, 200, 800, 3_200, 12_800),
    "zipf": (0, 0.2, 0.4, 0.6, 0.8, 1.0),
    "leaf_size": (5, 50, 100, 150, 200, 250),
}
FEW = BooleanParameters(xs=(1,), varied="count", count=300, dimensions=30, events=10, batch=4, more=7)

every_figure = pytest.mark.parametrize("experiment", SYNTHETIC_EXPERIMENTS, ids=lambda each: each.name)


def comparisons(conditions: list[Condition]) -> list[Comparison]:
    parts = [part for each in conditions for part in (each.children if isinstance(each, And) else (each,))]
    return [part for part in parts if isinstance(part, Comparison)]


@every_figure
def test_at_the_papers_scale_the_parameters_are_those_of_table_3(experiment: AnyExperiment) -> None:
    parameters = experiment.scales[Scale.PAPER]
    assert parameters.xs == TABLE_3[parameters.varied]
    others = {name: values[0] for name, values in TABLE_3.items() if name != parameters.varied}
    if "equal_share" in others:
        others["equal_share"] = 0.4
    assert {name: getattr(parameters, name) for name in others} == others


@every_figure
def test_at_small_scale_partitions_are_as_large_as_the_papers(experiment: AnyExperiment) -> None:
    small = experiment.scales[Scale.SMALL]
    assert small.count / small.dimensions == 50
    assert small.varied == experiment.scales[Scale.PAPER].varied


def test_x_takes_the_place_of_what_is_varied() -> None:
    assert FIGURE_10A.scales[Scale.SMALL].at(20_000.0).count == 20_000
    at = FIGURE_10D.scales[Scale.SMALL].at(1.0)
    assert (at.equal_share, at.domain) == (1.0, 50)
    assert {each.operator for each in comparisons(at.conditions()[:100])} == {"="}


def test_what_is_varied_is_not_described() -> None:
    described = dict(FIGURE_8A.scales[Scale.PAPER].described())
    assert "subscriptions, N" not in described
    assert described["attributes, d"] == "20,000"
    assert "events" not in described
    assert dict(FIGURE_7.scales[Scale.PAPER].described())["subscriptions, N"] == "1,000,000"


def test_a_workload_has_what_the_parameters_say() -> None:
    made = workload(FEW)
    assert len(made.conditions) == 300 + 7
    assert len(made.events.dictionaries) == 10
    assert [len(batch) for batch in made.events.batches] == [4, 4, 2]
    assert {each.operator for each in comparisons(made.conditions)} == set(OPERATORS)


def test_series_of_one_x_share_their_workload() -> None:
    assert workload(FEW) is workload(replace(FEW))


def test_the_postings_of_a_k_index_are_foreseen() -> None:
    parameters = BooleanParameters(xs=(), varied="domain", count=4_000, dimensions=50, domain=30)
    made = conjunctions(4_000, dimensions=50, domain=30)
    postings = np.choose(made.operators, [1, made.values, 31 - made.values]).sum()
    assert parameters.postings == pytest.approx(postings, rel=0.03)


@pytest.mark.parametrize("scale", Scale)
def test_a_k_index_is_not_built_where_the_papers_ran_out_of_memory(scale: Scale) -> None:
    parameters = FIGURE_8B.scales[scale]
    built = [x for x in parameters.xs if parameters.at(x).postings <= parameters.most_postings]
    assert built == [50, 200, 800]
    assert FIGURE_8B.prepare(parameters, K_INDEX, 12_800.0) is None


def test_insertions_are_measured_where_some_are_wanted() -> None:
    subject = FIGURE_9A.prepare(FEW, OP_INDEX, 300.0)
    assert subject is not None
    found = {each.measure: each.value for each in subject()}
    assert found[INSERTION] > 0
    assert found[STORAGE] > 0


@pytest.mark.parametrize("series", [OP_INDEX, K_INDEX, BE_TREE], ids=lambda each: each.name)
def test_what_is_touched_is_a_counter_of_the_index(series: IndexSeries) -> None:
    subject = FIGURE_10A.prepare(FEW, series, 300.0)
    assert subject is not None
    found = {each.measure: each.value for each in subject()}
    assert found[TOUCHED] == found[work(series.touched)] > 0
