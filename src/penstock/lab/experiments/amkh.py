"""The experiment of the AMKH paper (Monitoring Web-Based Subscription Services), section 3: unmatched subscriptions.

What is compared is counted, so it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from penstock.lab.amkh_workload import alert_events, alert_subscriptions
from penstock.lab.claims import Claim, Kind, equal, grows, lower
from penstock.lab.experiment import Axis, Experiment, Panel, Paper, Parameters, Scale, Series, Subject
from penstock.lab.matching import FOUND, Events, Matching, Recipe, work

AMKH: Final = Paper("AMKH", "Monitoring Web-based subscription services")

UNMATCHED: Final = work("unmatched")
COORDINATES: Final = work("candidates")


@dataclass(frozen=True, kw_only=True)
class AlertParameters(Parameters):
    """What the paper leaves open: how many subscriptions there are, and how many buckets."""

    count: Annotated[int, "subscriptions"]
    buckets: Annotated[int, "buckets of the hash table, M"] = 2**20
    events: Annotated[int, "events"]
    batch: Annotated[int, "events in a batch"] = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HashingSeries(Series):
    """A way to hash: the name of its index, and with which options."""

    index: str
    options: Mapping[str, Any] = field(default_factory=dict)


AMKH_1_2: Final = HashingSeries(
    name="amkh_1_2", label="AMKH(1,2)", colour=0, index="amkh", options={"general": 1, "residues": 2}
)
MKH: Final = HashingSeries(name="mkh", label="MKH", colour=1, index="mkh")
AMKH_0: Final = HashingSeries(name="amkh_0", label="AMKH(0,-)", colour=2, index="amkh", options={"general": 0})


def _prepare(parameters: AlertParameters, series: HashingSeries, x: float) -> Subject:
    conditions = alert_subscriptions(parameters.count, highest=int(x), seed=parameters.seed)
    events = Events.of(alert_events(parameters.events, seed=parameters.seed), parameters.batch)
    recipe = Recipe(series.index, conditions, {**series.options, "buckets": parameters.buckets})
    recipe.warm_up(events)
    return Matching(recipe.build(), events)


_BUCKETS_NOTE: Final = (
    "The paper says neither how many subscriptions there are nor M. The number of subscriptions makes all lines higher"
    " alike, but M decides the claims. A lookup examines what shares a bucket by chance, and AMKH(1,2) looks up three"
    " coordinates where AMKH(0,-) has one: with fewer than about 300,000 buckets this costs more at x = 95 than it"
    " spares. Here there are a million."
)
_WHOLE_IDS_NOTE: Final = (
    "With whole ids MKH examines in vain only what shares a bucket by chance. Where x is small it looks up few"
    " coordinates, and examines fewer in vain than AMKH(1,2)."
)

AMKH_1: Final = Experiment(
    name="amkh-1",
    paper=AMKH,
    figure="1",
    title="unmatched subscriptions that are examined",
    question="How many subscriptions are examined in vain for an event, as predicates have more values?",
    scales={
        Scale.SMALL: AlertParameters(xs=(15, 35, 55, 75, 95), count=10_000, events=300),
        Scale.PAPER: AlertParameters(xs=(15, 25, 35, 45, 55, 65, 75, 85, 95), count=100_000, events=10_000),
    },
    series=(AMKH_1_2, MKH, AMKH_0),
    x=Axis("largest value of a predicate, x"),
    panels=(
        Panel(UNMATCHED, Axis("examined in vain for an event", logarithmic=True)),
        Panel(COORDINATES, Axis("coordinates looked up for an event", logarithmic=True)),
    ),
    prepare=_prepare,
    claims=(
        Claim(
            text="Including a general attribute helps: AMKH(1,2) examines fewer in vain than AMKH(0,-), at every x.",
            kind=Kind.COUNT,
            judge=lower(UNMATCHED, AMKH_1_2.name, AMKH_0.name),
        ),
        Claim(
            text="Limiting its hash range helps: AMKH(1,2) examines fewer in vain than MKH, unless x is small.",
            kind=Kind.COUNT,
            judge=lower(UNMATCHED, AMKH_1_2.name, MKH.name, beyond=55),
        ),
        Claim(
            text="MKH and AMKH(1,2) both do well where x is small: better than AMKH(0,-).",
            kind=Kind.COUNT,
            judge=lower(UNMATCHED, MKH.name, AMKH_0.name, until=25),
        ),
        Claim(
            text="The coordinates that MKH looks up explode with the number of different clauses.",
            kind=Kind.COUNT,
            judge=grows(COORDINATES, MKH.name, least=100),
        ),
        Claim(
            text="All three find the same number of subscriptions.",
            kind=Kind.COUNT,
            judge=equal(FOUND, AMKH_1_2.name, MKH.name, AMKH_0.name),
            ours=True,
        ),
    ),
    notes=(_BUCKETS_NOTE, _WHOLE_IDS_NOTE),
)

AMKH_EXPERIMENTS: Final = (AMKH_1,)
