"""Figures 11 to 13 of the AGILE paper: messages and updates in a proportion that stays."""

from __future__ import annotations

from typing import Any, Final

from penstock.lab.claims import (
    Claim,
    Kind,
    both,
    gap_grows,
    grows,
    lower,
    lower_somewhere,
    proportional,
    stays,
)
from penstock.lab.experiment import Axis, Experiment, Panel, Scale, Subject
from penstock.lab.experiments.agile.claims import (
    ALL_ANSWER_THE_SAME,
    CHEAP_EVALUATION,
    EAGER_UPDATES_ALL,
    NO_INDEX_UPDATES,
    ORDERED_POSTFILTERS,
    SHORT_LEAVES,
    quicker,
)
from penstock.lab.experiments.agile.parameters import SteadyParameters
from penstock.lab.experiments.agile.series import AGILE, AGILE_PAPER, EAGER, GBU, NOINDEX, FilterSeries
from penstock.lab.filtering import (
    INDEX_UPDATES,
    INDEX_UPDATES_PANEL,
    POSTFILTERED,
    POSTFILTERED_PANEL,
    THROUGHPUT,
    THROUGHPUT_PANEL,
    TIME,
    TIME_PANEL,
    Filtering,
)

_TIME_AND_COUNTS: Final = (TIME_PANEL, INDEX_UPDATES_PANEL, POSTFILTERED_PANEL)

_SHORT_RUN_NOTE: Final = (
    "UP counts updates per profile over the paper's run of 10,000 messages. Runs are cut here: fewer messages, with as"
    " many updates before each as the paper has. They come after a warm-up at the same rate, which in the paper has 500"
    " messages. Filters whose indexes follow from the last updates alone are spared most of it."
)
_COMPLETION_NOTE: Final = "The paper's completion time is that of 10,000 messages and all updates before them."
_SHORT_RUNS: Final = (
    "In the paper's run AGILE has less than a twentieth of EAGER's index updates at UP = 10,000. It takes that long: in"
    " the shorter run there are more escalations."
)
_LITTLE_SPARED: Final = (
    "At UP = 10 most entries have been updated once or never, so that AGILE spares next to nothing yet."
)
_VISIBLE_ESCALATIONS: Final = (
    "An update that reaches no index takes next to nothing here, so that also few escalations can be seen."
)
_SAME_DIGITS: Final = (
    "Values have three digits. With small distances most updates repeat the value that there was, and EAGER then leaves"
    " its indexes as they are."
)

_ALL: Final = (NOINDEX, EAGER, GBU, AGILE)

_SMALL: Final[dict[str, Any]] = {
    "profiles": 1_000,
    "messages": 2_000,
    "measured_updates": 20.0,
    "warm_up": 2_000,
    "warm_up_updates": 200.0,
    "repetitions": 3,
}
_PAPER: Final[dict[str, Any]] = {
    "messages": 1_000,
    "measured_updates": 10.0,
    "warm_up": 2_000,
    "warm_up_updates": 200.0,
}


def _prepare(parameters: SteadyParameters, series: FilterSeries, x: float) -> Subject:
    chosen = parameters.at(x)
    updates = chosen.per_message(chosen.updates)
    filtering = Filtering(series.kind, chosen.workload)
    filtering.warm_up(chosen.warm_up_messages, updates)
    return lambda: filtering.measure(chosen.measured_messages, updates)


def _figure(
    number: str,
    title: str,
    question: str,
    *,
    varied: str,
    x: Axis,
    xs: tuple[float, ...],
    panels: tuple[Panel, ...],
    claims: tuple[Claim, ...],
    notes: tuple[str, ...] = (),
) -> Experiment[SteadyParameters, FilterSeries]:
    return Experiment(
        name=f"agile-{number}",
        paper=AGILE_PAPER,
        figure=number,
        title=title,
        question=question,
        scales={
            Scale.SMALL: SteadyParameters(xs=xs, varied=varied, **_SMALL),
            Scale.PAPER: SteadyParameters(xs=xs, varied=varied, **_PAPER),
        },
        series=_ALL,
        x=x,
        panels=panels,
        claims=claims,
        prepare=_prepare,
        notes=(_SHORT_RUN_NOTE, *notes),
    )


FIGURE_11: Final = _figure(
    "11",
    "throughput by the rate of updates",
    "How many messages a second does each filter handle as contexts are updated more often?",
    varied="updates",
    x=Axis("updates per profile in 10,000 messages, UP", logarithmic=True),
    xs=(1, 10, 100, 1_000, 10_000),
    panels=(
        Panel(THROUGHPUT, Axis("throughput, as a multiple of AGILE's"), base=AGILE.name),
        THROUGHPUT_PANEL,
        INDEX_UPDATES_PANEL,
        POSTFILTERED_PANEL,
    ),
    claims=(
        *(
            quicker(
                AGILE,
                other,
                f"From UP = 10 on, AGILE handles more messages a second than {other.label}.",
                beyond=10,
                difference=_LITTLE_SPARED,
            )
            for other in (EAGER, GBU)
        ),
        quicker(
            AGILE,
            NOINDEX,
            "AGILE handles more messages a second than NOINDEX, however many updates there are.",
            difference=CHEAP_EVALUATION,
        ),
        quicker(AGILE, EAGER, "At UP = 1, AGILE is behind EAGER by a small margin at most.", by=1 / 1.1, until=1),
        *(
            Claim(
                text=f"At some rate of updates, AGILE handles ten times as many messages a second as {other.label}.",
                kind=Kind.TIME,
                judge=lower_somewhere(TIME, AGILE.name, other.name, by=10),
                difference=reason,
            )
            for other, reason in ((EAGER, _SHORT_RUNS), (GBU, _SHORT_RUNS), (NOINDEX, CHEAP_EVALUATION))
        ),
        quicker(
            EAGER,
            NOINDEX,
            "At UP = 1, NOINDEX is slower than the others by more than an order of magnitude.",
            by=10,
            until=1,
            difference=CHEAP_EVALUATION,
        ),
        quicker(
            GBU,
            EAGER,
            "With many updates, GBU handles more messages a second than EAGER.",
            beyond=1_000,
            difference=SHORT_LEAVES,
        ),
        NO_INDEX_UPDATES,
        Claim(
            text="The index updates of EAGER are proportional to UP.",
            kind=Kind.COUNT,
            judge=proportional(INDEX_UPDATES, EAGER.name, within=0.15),
        ),
        EAGER_UPDATES_ALL,
        Claim(
            text="The index updates of AGILE grow far less than those of EAGER, to less than a fifth of them.",
            kind=Kind.COUNT,
            judge=both(
                gap_grows(INDEX_UPDATES, AGILE.name, EAGER.name),
                lower(INDEX_UPDATES, AGILE.name, EAGER.name, by=5, beyond=1_000),
            ),
        ),
        Claim(
            text="GBU has fewer index updates than EAGER, and from UP = 100 on more than AGILE.",
            kind=Kind.COUNT,
            judge=both(
                lower(INDEX_UPDATES, GBU.name, EAGER.name),
                lower(INDEX_UPDATES, AGILE.name, GBU.name, beyond=100),
            ),
        ),
        ORDERED_POSTFILTERS,
        Claim(
            text="What EAGER and NOINDEX postfilter does not depend on UP.",
            kind=Kind.COUNT,
            judge=both(stays(POSTFILTERED, EAGER.name, factor=1.25), stays(POSTFILTERED, NOINDEX.name, factor=1.01)),
        ),
        Claim(
            text="With more updates AGILE has more profiles to postfilter.",
            kind=Kind.COUNT,
            judge=grows(POSTFILTERED, AGILE.name, least=3),
        ),
        ALL_ANSWER_THE_SAME,
    ),
)

FIGURE_12: Final = _figure(
    "12",
    "time by the share of updates on indexed attributes",
    "How does it matter whether updates concern the attributes that have an index?",
    varied="indexed_share",
    x=Axis("share of updates on indexed attributes, UpdAtt"),
    xs=(0, 0.25, 0.5, 0.75, 1),
    panels=_TIME_AND_COUNTS,
    claims=(
        Claim(
            text="The time of NOINDEX does not depend on which attributes are updated.",
            kind=Kind.TIME,
            judge=stays(TIME, NOINDEX.name, factor=1.5),
        ),
        Claim(
            text="The time of AGILE hardly depends on it.",
            kind=Kind.TIME,
            judge=stays(TIME, AGILE.name, factor=1.5),
            difference=_VISIBLE_ESCALATIONS,
        ),
        Claim(
            text="EAGER and GBU suffer severely when indexed attributes are updated.",
            kind=Kind.TIME,
            judge=both(grows(TIME, EAGER.name, least=5), grows(TIME, GBU.name, least=5)),
        ),
        Claim(
            text="The index updates of EAGER and GBU are proportional to the share.",
            kind=Kind.COUNT,
            judge=both(*(proportional(INDEX_UPDATES, each.name, within=0.05) for each in (EAGER, GBU))),
            ours=True,
        ),
        Claim(
            text="AGILE adapts: of the index updates of EAGER it has less than a fifth, and ever fewer.",
            kind=Kind.COUNT,
            judge=both(
                lower(INDEX_UPDATES, AGILE.name, EAGER.name, by=5, beyond=0.25),
                gap_grows(INDEX_UPDATES, AGILE.name, EAGER.name),
            ),
            ours=True,
        ),
        NO_INDEX_UPDATES,
        EAGER_UPDATES_ALL,
        ORDERED_POSTFILTERS,
        ALL_ANSWER_THE_SAME,
    ),
    notes=(_COMPLETION_NOTE,),
)

FIGURE_13: Final = _figure(
    "13",
    "time by the distance of updates",
    "How does it matter how far a value moves in an update?",
    varied="distance",
    x=Axis("largest distance of an update, ΔU", logarithmic=True),
    xs=(1, 10, 50, 150, 500, 2_500),
    panels=_TIME_AND_COUNTS,
    claims=(
        Claim(
            text="The time of NOINDEX does not depend on the distance.",
            kind=Kind.TIME,
            judge=stays(TIME, NOINDEX.name, factor=1.5),
        ),
        Claim(
            text="The time of EAGER hardly depends on it.",
            kind=Kind.TIME,
            judge=stays(TIME, EAGER.name, factor=1.5),
            difference=_SAME_DIGITS,
        ),
        Claim(
            text="The index updates of EAGER do not depend on the distance.",
            kind=Kind.COUNT,
            judge=stays(INDEX_UPDATES, EAGER.name, factor=1.25),
            ours=True,
            difference=_SAME_DIGITS,
        ),
        EAGER_UPDATES_ALL,
        Claim(
            text="The farther updates go, the longer GBU takes, until it takes as long as EAGER.",
            kind=Kind.TIME,
            judge=both(grows(TIME, GBU.name, least=1.5), lower(TIME, EAGER.name, GBU.name, by=0.8, beyond=500)),
        ),
        Claim(
            text="GBU spares most index updates when values move little, and soon hardly any.",
            kind=Kind.COUNT,
            judge=both(
                lower(INDEX_UPDATES, GBU.name, EAGER.name, by=2, until=10),
                lower(INDEX_UPDATES, EAGER.name, GBU.name, by=0.9, beyond=500),
            ),
            ours=True,
        ),
        Claim(
            text="The time of AGILE grows less with the distance than that of GBU.",
            kind=Kind.TIME,
            judge=gap_grows(TIME, AGILE.name, GBU.name),
        ),
        Claim(
            text="AGILE has less than a fifth of the index updates of EAGER and GBU, also when updates go far.",
            kind=Kind.COUNT,
            judge=both(*(lower(INDEX_UPDATES, AGILE.name, each.name, by=5, beyond=50) for each in (EAGER, GBU))),
            ours=True,
        ),
        Claim(
            text="The farther updates go, the more AGILE behaves as NOINDEX: it postfilters up to a quarter or more.",
            kind=Kind.COUNT,
            judge=both(
                grows(POSTFILTERED, AGILE.name, least=10),
                lower(POSTFILTERED, NOINDEX.name, AGILE.name, by=0.25, beyond=2_500),
            ),
        ),
        NO_INDEX_UPDATES,
        ORDERED_POSTFILTERS,
        ALL_ANSWER_THE_SAME,
    ),
    notes=(_COMPLETION_NOTE,),
)
