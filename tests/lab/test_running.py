"""Runs: every series at every x, in turns, and what is kept of them."""

from __future__ import annotations

from dataclasses import replace

from penstock.lab.experiment import Measure, Measurement, Parameters, Scale, Series, Subject
from penstock.lab.results import COMPUTED, MEASURED
from penstock.lab.running import Step, run_experiment
from penstock.lab.searching import BATCH, FOUND, SINGLE, STORAGE
from tests.lab.toy import SEARCHES, TOY


def test_every_series_is_measured_at_every_x_in_every_repetition() -> None:
    results = run_experiment(TOY, Scale.SMALL)
    assert list(results.medians("first", STORAGE)) == [10.0, 20.0, 40.0]
    assert list(results.medians("late", STORAGE)) == [20.0, 40.0]
    assert sum(row.measure == BATCH.name and row.series == "first" for row in results.rows) == 9
    assert {row.unit for row in results.rows if row.measure in (BATCH.name, SINGLE.name)} == {"µs"}
    assert all(low <= middle <= high for low, middle, high in results.ranges("first", BATCH).values())


def test_storage_leaves_bookkeeping_out_and_keeps_it_beside() -> None:
    results = run_experiment(TOY, Scale.SMALL)
    assert results.medians("first", STORAGE) == {10.0: 160.0, 20.0: 320.0, 40.0: 640.0}
    assert results.medians("first", Measure("storage: bookkeeping", "bytes"))[10.0] == 80.0


def test_what_was_computed_is_marked() -> None:
    results = run_experiment(TOY, Scale.SMALL)
    assert {row.basis for row in results.rows if row.measure == STORAGE.name and row.series == "late"} == {COMPUTED}
    assert {row.basis for row in results.rows if row.series == "first"} == {MEASURED}
    assert results.is_computed("late", 20.0, STORAGE)
    assert not results.is_computed("first", 20.0, STORAGE)


def test_the_same_seed_gives_the_same_counts() -> None:
    first, second = (run_experiment(TOY, Scale.SMALL).medians("first", FOUND) for _ in range(2))
    assert first == second
    assert all(found * SEARCHES % 1 == 0 for found in first.values())


def test_progress_counts_up_to_the_total() -> None:
    steps: list[Step] = []
    run_experiment(TOY, Scale.SMALL, on_step=steps.append)
    assert [step.done for step in steps] == list(range(len(steps)))
    assert steps[-1] == Step(24, 24, "done")
    assert steps[0].remark == "building First <1> at 10"


def order_of_calls(repetitions: int) -> list[str]:
    """In which order a run builds and measures two series at one x."""
    calls: list[str] = []

    def prepare(_: Parameters, series: Series, x: float) -> Subject:
        calls.append(f"build {series.name}")

        def measure() -> list[Measurement]:
            calls.append(series.name)
            return []

        return measure

    run_experiment(
        replace(TOY, prepare=prepare), Scale.SMALL, parameters=Parameters(xs=(1.0,), repetitions=repetitions)
    )
    return calls


def test_repetitions_take_turns_and_another_series_begins_each_time() -> None:
    assert order_of_calls(2) == ["build first", "build late", "first", "late", "late", "first"]


def test_with_one_repetition_only_one_subject_is_there_at_a_time() -> None:
    assert order_of_calls(1) == ["build first", "first", "build late", "late"]
