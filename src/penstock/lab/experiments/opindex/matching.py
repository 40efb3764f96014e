"""Figure 10 of the OpIndex paper: matching time on synthetic data, by each parameter of its workload."""

from __future__ import annotations

from typing import Final

from penstock.lab.claims import Claim, Kind, both, falls, gap_grows, grow_alike, grows, grows_like, lower, stays
from penstock.lab.experiment import Experiment
from penstock.lab.experiments.opindex.claims import (
    ALL_ANSWER_THE_SAME,
    CANDIDATES,
    FEWER_SEARCHES,
    FEWER_TOUCHED,
    HELD,
    SEARCHED,
    grown,
    quicker,
    scales_better,
)
from penstock.lab.experiments.opindex.series import (
    BE_TREE,
    K_INDEX,
    OP_INDEX,
    OP_INDEX_BS,
    TOUCHED,
    TOUCHED_NOTE,
    TOUCHED_PANEL,
    IndexSeries,
    figure,
    only_matching,
)
from penstock.lab.experiments.opindex.workload import (
    COUNT,
    DOMAIN,
    EQUAL_SHARE,
    EVENT_SIZE,
    MOST_PREDICATES,
    NOT_BUILT_NOTE,
    UP_TO_NOTE,
    ZIPF,
    BooleanParameters,
    Varied,
    scales,
)
from penstock.lab.matching import BATCH, BATCH_PANEL, FOUND, SINGLE_PANEL

_ALL: Final = (OP_INDEX, OP_INDEX_BS, K_INDEX, BE_TREE)


def _figure_10(
    letter: str,
    of: str,
    varied: Varied,
    *,
    small: tuple[float, ...],
    paper: tuple[float, ...],
    claims: tuple[Claim, ...],
    repetitions: tuple[int, int] = (3, 3),
    notes: tuple[str, ...] = (),
) -> Experiment[BooleanParameters, IndexSeries]:
    """A part of the figure: what all parts claim comes after what this one does."""
    return figure(
        f"10({letter})",
        f"matching time by {of}",
        f"How does the time to match an event depend on {of}?",
        varied=varied,
        scales=scales(varied, small=small, paper=paper, repetitions=repetitions, events=(200, 10_000)),
        measured=only_matching,
        panels=(BATCH_PANEL, SINGLE_PANEL, TOUCHED_PANEL),
        claims=(*claims, FEWER_TOUCHED, FEWER_SEARCHES, ALL_ANSWER_THE_SAME),
        notes=(TOUCHED_NOTE, *notes),
    )


def _best(text: str) -> Claim:
    judges = (lower(BATCH, OP_INDEX.name, other.name) for other in (OP_INDEX_BS, K_INDEX, BE_TREE))
    return Claim(text=text, kind=Kind.TIME, judge=both(*judges))


FIGURE_10A: Final = _figure_10(
    "a",
    "the number of subscriptions",
    COUNT,
    small=(10_000, 20_000, 40_000),
    paper=(1_000_000, 2_000_000, 4_000_000),
    repetitions=(3, 1),
    notes=(UP_TO_NOTE,),
    claims=(
        _best("OpIndex takes the least time to match an event."),
        quicker(
            OP_INDEX,
            K_INDEX,
            "OpIndex is more than 10 times quicker than k-index.",
            by=10,
            difference="Our k-index walks its lists together, and has no array of counters that is read at random.",
        ),
        scales_better(
            OP_INDEX,
            OP_INDEX_BS,
            "OpIndex scales better than OpIndex-BS.",
            difference="The longer the lists, the fewer searches do signatures spare.",
        ),
        Claim(
            text="BE-Tree scales well: its time grows less than the number of subscriptions.",
            kind=Kind.TIME,
            judge=grows(BATCH, BE_TREE.name, most=4),
        ),
        Claim(
            text="What BE-Tree checks for an event grows less than the number of subscriptions.",
            kind=Kind.COUNT,
            judge=grows(TOUCHED, BE_TREE.name, most=4),
            ours=True,
        ),
        Claim(
            text="As lemma 8 expects, signatures spare a smaller share of the searches when segments are fuller.",
            kind=Kind.COUNT,
            judge=gap_grows(SEARCHED, OP_INDEX_BS.name, OP_INDEX.name),
            ours=True,
        ),
    ),
)

_LONG_IS_SELECTIVE: Final = (
    "The longer a subscription, the more attributes our BE-Tree can partition it by: it checks fewer, as counted below."
)

FIGURE_10B: Final = _figure_10(
    "b",
    "the size of subscriptions",
    MOST_PREDICATES,
    small=(4, 12, 20),
    paper=(4, 8, 12, 16, 20),
    claims=(
        scales_better(OP_INDEX, K_INDEX, "OpIndex scales better than k-index."),
        scales_better(OP_INDEX, BE_TREE, "OpIndex scales better than BE-Tree.", difference=_LONG_IS_SELECTIVE),
        Claim(
            text="The time of k-index grows with the size of subscriptions.",
            kind=Kind.TIME,
            judge=grows(BATCH, K_INDEX.name, least=2),
        ),
        Claim(
            text="BE-Tree takes far more time when subscriptions become long.",
            kind=Kind.TIME,
            judge=grows(BATCH, BE_TREE.name, least=2),
            difference=_LONG_IS_SELECTIVE,
        ),
        Claim(
            text="What an event touches grows with the size of subscriptions in k-index, in OpIndex less.",
            kind=Kind.COUNT,
            judge=both(grows(TOUCHED, K_INDEX.name, least=2), gap_grows(TOUCHED, OP_INDEX.name, K_INDEX.name)),
            ours=True,
        ),
        Claim(
            text="BE-Tree checks fewer expressions when they are longer.",
            kind=Kind.COUNT,
            judge=falls(TOUCHED, BE_TREE.name),
            ours=True,
        ),
    ),
)

FIGURE_10C: Final = _figure_10(
    "c",
    "the size of events",
    EVENT_SIZE,
    small=(20, 40, 60),
    paper=(20, 40, 60, 80, 100, 120),
    claims=(
        Claim(
            text="All indexes take longer for larger events.",
            kind=Kind.TIME,
            judge=both(*(grows(BATCH, each.name, least=1.5) for each in _ALL)),
        ),
        Claim(
            text="OpIndex scales as BE-Tree does.",
            kind=Kind.TIME,
            judge=grow_alike(BATCH, OP_INDEX.name, BE_TREE.name, factor=1.5),
        ),
        scales_better(OP_INDEX, OP_INDEX_BS, "OpIndex-BS does not scale as well as OpIndex."),
        scales_better(BE_TREE, OP_INDEX_BS, "OpIndex-BS comes nearer to BE-Tree, or falls behind it."),
        Claim(
            text="k-index takes the longest.",
            kind=Kind.TIME,
            judge=both(*(lower(BATCH, other.name, K_INDEX.name) for other in (OP_INDEX, OP_INDEX_BS, BE_TREE))),
        ),
        grown(CANDIDATES, OP_INDEX, "The candidates of OpIndex grow with the size of events.", power=1),
        grown(SEARCHED, OP_INDEX_BS, "The searches of OpIndex-BS grow with its square.", power=2),
        Claim(
            text="Segments and signatures spare a larger share of them.",
            kind=Kind.COUNT,
            judge=gap_grows(SEARCHED, OP_INDEX.name, OP_INDEX_BS.name),
            ours=True,
        ),
    ),
)

FIGURE_10D: Final = _figure_10(
    "d",
    "the share of predicates that ask for equality",
    EQUAL_SHARE,
    small=(0.2, 0.6, 1.0),
    paper=(0.2, 0.4, 0.6, 0.8, 1.0),
    claims=(
        Claim(
            text="All indexes take less time when more predicates ask for equality.",
            kind=Kind.TIME,
            judge=both(*(falls(BATCH, each.name) for each in _ALL)),
        ),
        scales_better(K_INDEX, OP_INDEX, "k-index gains more by it than OpIndex."),
        scales_better(
            BE_TREE,
            OP_INDEX,
            "BE-Tree gains more by it than OpIndex.",
            difference="Our BE-Tree checks fewer expressions, but an event visits as many of its nodes.",
        ),
        Claim(
            text="Equality is hard to satisfy, so that fewer subscriptions match.",
            kind=Kind.COUNT,
            judge=falls(FOUND, OP_INDEX.name, by=5),
        ),
        Claim(
            text="An event touches less in each index.",
            kind=Kind.COUNT,
            judge=both(*(falls(TOUCHED, each.name, by=2) for each in (OP_INDEX, K_INDEX, BE_TREE))),
            ours=True,
        ),
    ),
)


def _holding_share(domain: float, equal_share: float = 0.4) -> float:
    """The probability that a predicate holds: lemma 6, for any share of predicates that ask for equality."""
    return equal_share / domain + (1 - equal_share) / 2 * (1 + 1 / domain)


FIGURE_10E: Final = _figure_10(
    "e",
    "the number of values",
    DOMAIN,
    small=(50, 800, 12_800),
    paper=(50, 200, 800, 3_200, 12_800),
    notes=(NOT_BUILT_NOTE,),
    claims=(
        Claim(
            text="The time of all indexes stays as it is when attributes have more values.",
            kind=Kind.TIME,
            judge=both(*(stays(BATCH, each.name, factor=1.5) for each in _ALL)),
        ),
        Claim(
            text="The number of predicates that hold barely changes.",
            kind=Kind.COUNT,
            judge=stays(HELD, OP_INDEX.name, factor=1.1),
        ),
        Claim(
            text="It changes as lemma 6 expects.",
            kind=Kind.COUNT,
            judge=grows_like(HELD, OP_INDEX.name, _holding_share, within=0.01),
        ),
    ),
)

FIGURE_10F: Final = _figure_10(
    "f",
    "how unevenly attributes and values are spread",
    ZIPF,
    small=(0.0, 0.4, 0.8, 1.0),
    paper=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    claims=(
        _best("OpIndex takes the least time, however uneven."),
        scales_better(OP_INDEX, K_INDEX, "OpIndex scales better than k-index."),
        Claim(
            text="The more uneven, the larger the share that OpIndex does not touch: rare attributes are its pivots.",
            kind=Kind.COUNT,
            judge=gap_grows(TOUCHED, OP_INDEX.name, K_INDEX.name),
            ours=True,
        ),
    ),
)
