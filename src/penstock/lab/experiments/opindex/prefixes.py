"""Figure 14 of the OpIndex paper: the prefix operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from penstock.lab.claims import Claim, Finding, Kind, Verdict, both, falls, grows
from penstock.lab.experiment import Axis, Experiment, Scale
from penstock.lab.experiments.opindex.claims import CANDIDATES, HELD
from penstock.lab.experiments.opindex.parameters import IndexParameters
from penstock.lab.experiments.opindex.series import (
    OP_INDEX,
    TOUCHED_NOTE,
    TOUCHED_PANEL,
    IndexSeries,
    construction_and_matching,
    figure,
)
from penstock.lab.experiments.opindex.workload import Varied
from penstock.lab.matching import BATCH, BATCH_PANEL, FOUND, SINGLE_PANEL, Events
from penstock.lab.prefix_workloads import Kinds, prefix_subscriptions, word_events
from penstock.lab.results import Results
from penstock.model.conditions import Condition


@dataclass(frozen=True, kw_only=True)
class PrefixParameters(IndexParameters):
    """Subscriptions on numbers and on beginnings of words."""

    prefix_share: Annotated[float, "share of prefix predicates"] = 0.5
    prefix_length: Annotated[int, "letters of a prefix"] = 3
    numbers: Annotated[int, "attributes with numbers"] = 10_000
    words: Annotated[int, "attributes with words"] = 100
    event_numbers: Annotated[int, "numbers of an event"] = 16
    event_words: Annotated[int, "words of an event"] = 4

    def conditions(self) -> list[Condition]:
        kinds = Kinds(self.numbers, self.words)
        return prefix_subscriptions(
            self.count, share=self.prefix_share, length=self.prefix_length, kinds=kinds, seed=self.seed
        )

    def matched(self) -> Events:
        assert self.events is not None
        assert self.batch is not None
        sizes, kinds = Kinds(self.event_numbers, self.event_words), Kinds(self.numbers, self.words)
        return Events.of_rows(word_events(self.events, sizes=sizes, kinds=kinds, seed=self.seed), self.batch)


_SHARE: Final = Varied("prefix_share", Axis("share of prefix predicates"))
_LENGTH: Final = Varied("prefix_length", Axis("letters of a prefix"))

_WORKLOAD_NOTE: Final = (
    "The paper takes words from Wikipedia; here 20,000 words are made up, with frequencies after Zipf, and many begin"
    " alike. Strings are asked for by prefix and numbers by equality. The paper does not say how many attributes of an"
    " event have words, nor how long prefixes are while their share grows, nor which share they have while they grow"
    " longer; what is chosen here is among the parameters."
)
_UP_TO_NOTE: Final = (
    "The paper has a million subscriptions. Those with patterns are inserted one at a time here, which takes about half"
    " a millisecond each, so here there are 100,000."
)
_SMALL: Final[dict[str, Any]] = {"count": 1_000, "numbers": 200, "words": 10, "event_words": 3}


def _figure_14(
    letter: str,
    of: str,
    varied: Varied,
    *,
    small: tuple[float, ...],
    paper: tuple[float, ...],
    claims: tuple[Claim, ...],
) -> Experiment[PrefixParameters, IndexSeries]:
    return figure(
        f"14({letter})",
        f"the prefix operator by {of}",
        f"How does the time to match an event with words depend on {of}?",
        varied=varied,
        scales={
            Scale.SMALL: PrefixParameters(xs=small, varied=varied.parameter, events=300, batch=300, **_SMALL),
            Scale.PAPER: PrefixParameters(xs=paper, varied=varied.parameter, count=100_000, events=10_000, batch=1_000),
        },
        series=(OP_INDEX,),
        measured=construction_and_matching,
        panels=(BATCH_PANEL, SINGLE_PANEL, TOUCHED_PANEL),
        claims=claims,
        notes=(_WORKLOAD_NOTE, TOUCHED_NOTE, _UP_TO_NOTE),
    )


def _below_400_microseconds(results: Results) -> Finding:
    times = results.medians(OP_INDEX.name, BATCH)
    slowest = max(times.values(), default=float("inf"))
    return Finding(Verdict.HELD if slowest < 400 else Verdict.FAILED, f"At most {slowest:,.3g} µs.")


FIGURE_14A: Final = _figure_14(
    "a",
    "the share of prefixes",
    _SHARE,
    small=(0.0, 0.5, 1.0),
    paper=(0.0, 0.25, 0.5, 0.75, 1.0),
    claims=(
        Claim(
            text="The more predicates ask for a prefix, the longer an event takes.",
            kind=Kind.TIME,
            judge=grows(BATCH, OP_INDEX.name),
        ),
        Claim(
            text="Even when all do, an event takes less than 0.4 ms.",
            kind=Kind.TIME,
            judge=_below_400_microseconds,
        ),
        Claim(
            text="A prefix holds more often than equality: more predicates hold, and more subscriptions match.",
            kind=Kind.COUNT,
            judge=both(grows(HELD, OP_INDEX.name, least=1.5), grows(FOUND, OP_INDEX.name, least=1.2)),
            ours=True,
        ),
    ),
)

FIGURE_14B: Final = _figure_14(
    "b",
    "the length of prefixes",
    _LENGTH,
    small=(1, 2, 4, 6),
    paper=(1, 2, 3, 4, 5, 6),
    claims=(
        Claim(
            text="The time stays as it is when prefixes become longer, or improves slightly.",
            kind=Kind.TIME,
            judge=grows(BATCH, OP_INDEX.name, least=0.33, most=1.1),
        ),
        Claim(
            text="With longer prefixes fewer subscriptions match.",
            kind=Kind.COUNT,
            judge=falls(FOUND, OP_INDEX.name, by=1.5),
        ),
        Claim(
            text="With longer prefixes fewer predicates hold, and there are no more candidates.",
            kind=Kind.COUNT,
            judge=both(falls(HELD, OP_INDEX.name, by=1.5), falls(CANDIDATES, OP_INDEX.name)),
            ours=True,
        ),
    ),
)

PREFIX_EXPERIMENTS: Final = (FIGURE_14A, FIGURE_14B)
