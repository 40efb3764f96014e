"""A small experiment over plain stores: quick, with one claim of each kind and verdict."""

from __future__ import annotations

import numpy as np

from penstock.lab.claims import Claim, Finding, Kind, Verdict, equal, grows, lower
from penstock.lab.experiment import Axis, Experiment, Paper, Parameters, Scale, Series, Subject
from penstock.lab.searching import BATCH_PANEL, FOUND, LOG_STORAGE_PANEL, STORAGE, STORAGE_PANEL, Searches, storage
from penstock.lab.workloads import intervals, values
from tests.lab.plain_stores import PlainIntervals

SEARCHES = 20


def prepare(parameters: Parameters, series: Series, x: float) -> Subject | None:
    if series.name == "late" and x < 20:
        return None
    store = PlainIntervals()
    made = intervals(int(x), domain=100, longest=10, seed=parameters.seed)
    store.insert_many(np.arange(int(x)), made.lows, made.highs)
    events = values(SEARCHES, domain=100, seed=parameters.seed)
    search = Searches(store.stab, store.stab_many, [events], batch=7).warm_up()
    taken = storage(store.memory(), computed=series.name == "late")
    return lambda: [*search(), *taken]


TOY = Experiment(
    name="toy-1",
    paper=Paper("TOY", "A paper & its <toys>"),
    figure="1",
    title="toys",
    question="Is 1 < 2?",
    scales={
        Scale.SMALL: Parameters(xs=(10.0, 20.0, 40.0), repetitions=3),
        Scale.PAPER: Parameters(xs=(1000.0, 2000.0), repetitions=1),
    },
    series=(
        Series(name="first", label="First <1>", colour=0),
        Series(name="late", label="Late", colour=1, dashed=True),
    ),
    x=Axis("toys, n", logarithmic=True),
    panels=(BATCH_PANEL, STORAGE_PANEL, LOG_STORAGE_PANEL),
    prepare=prepare,
    claims=(
        Claim(text="Storage grows with n.", kind=Kind.STORAGE, judge=grows(STORAGE, "first", least=2)),
        Claim(text="Answers & answers are equal.", kind=Kind.COUNT, judge=equal(FOUND, "first", "late"), ours=True),
        Claim(
            text="The late one needs less.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, "late", "first"),
            difference="They are the same here.",
        ),
        Claim(text="Who knows.", kind=Kind.TIME, judge=lambda _: Finding(Verdict.CLOSE, "1 µs against 1 µs.")),
    ),
    notes=("A note with a < in it.",),
)
