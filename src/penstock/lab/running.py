"""Runs an experiment: every series at every x, repeated in turns so that a noisy moment hits all series alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from penstock.lab.experiment import AnyExperiment, Measurement, Parameters, Scale, Series, Subject
from penstock.lab.results import COMPUTED, MEASURED, Machine, Results, Row


class Step(NamedTuple):
    """How far a run has come, and what it does next."""

    done: int
    total: int
    remark: str


OnStep = Callable[[Step], None]


def ignore_step(step: Step) -> None:
    """For whoever does not want to see progress."""
    del step


def run_experiment(
    experiment: AnyExperiment,
    scale: Scale,
    *,
    parameters: Parameters | None = None,
    on_step: OnStep = ignore_step,
) -> Results:
    """Run an experiment with the parameters of a scale, or with others, and return all that was measured."""
    chosen: Parameters = parameters or experiment.scales[scale]
    total = len(chosen.xs) * len(experiment.series) * (1 + chosen.repetitions)
    done = 0
    rows: list[Row] = []

    def step(remark: str) -> None:
        nonlocal done
        on_step(Step(done, total, remark))
        done += 1

    for x in chosen.xs:
        for series, repetition, measurements in _measure(experiment, chosen, x, step):
            rows.extend(_row(experiment.name, scale, series, x, repetition, each) for each in measurements)
    on_step(Step(total, total, "done"))
    return Results(experiment.name, scale, tuple(rows), Machine.this(), experiment.labels)


_Measured = Iterator[tuple[str, int, Sequence[Measurement]]]


def _measure(experiment: AnyExperiment, parameters: Parameters, x: float, step: Callable[[str], None]) -> _Measured:
    """Measure all series at one x.

    With a single repetition there are no turns to take, so each subject is dropped before the next is built: some of
    them fill much of a machine's memory.
    """
    if parameters.repetitions == 1:
        for series in experiment.series:
            yield from _in_turns(_prepare(experiment, parameters, x, [series], step), 1, x, step)
    else:
        subjects = _prepare(experiment, parameters, x, experiment.series, step)
        yield from _in_turns(subjects, parameters.repetitions, x, step)


def _prepare(
    experiment: AnyExperiment,
    parameters: Parameters,
    x: float,
    series: Sequence[Series],
    step: Callable[[str], None],
) -> dict[str, Subject | None]:
    subjects = {}
    for each in series:
        step(f"building {each.label} at {x:,.10g}")
        subjects[each.name] = experiment.prepare(parameters, each, x)
    return subjects


def _in_turns(
    subjects: dict[str, Subject | None], repetitions: int, x: float, step: Callable[[str], None]
) -> _Measured:
    names = list(subjects)
    for repetition in range(repetitions):
        # Another one goes first each time, so that none always follows the same neighbour's use of the caches.
        turn = repetition % len(names)
        for name in names[turn:] + names[:turn]:
            step(f"measuring {name} at {x:,.10g}")
            subject = subjects[name]
            if subject is not None:
                yield name, repetition, subject()


def _row(experiment: str, scale: Scale, series: str, x: float, repetition: int, measurement: Measurement) -> Row:
    measure, value, computed = measurement
    basis = COMPUTED if computed else MEASURED
    return Row(experiment, scale.value, series, float(x), repetition, measure.name, float(value), measure.unit, basis)
