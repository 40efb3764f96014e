"""Figures 1, 7 and 9 of the OpIndex paper: how long indexes take to be built, and what that buys."""

from __future__ import annotations

from typing import Final

from penstock.lab.claims import Claim, Finding, Kind, Verdict, falls, grows, lower, within
from penstock.lab.experiment import Axis, Experiment, Panel
from penstock.lab.experiments.opindex.claims import (
    FEWER_TOUCHED,
    LIGHT_TREE,
    READING,
    quicker,
    same_answers,
    scales_better,
    sooner_built,
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
    construction_and_matching,
    figure,
    only_construction,
)
from penstock.lab.experiments.opindex.workload import (
    COUNT,
    DIMENSIONS,
    LEAF_SIZE,
    MOST_PREDICATES,
    UP_TO_NOTE,
    BooleanParameters,
    Varied,
    scales,
)
from penstock.lab.matching import (
    BATCH,
    BATCH_PANEL,
    CONSTRUCTION,
    CONSTRUCTION_PANEL,
    FOUND,
    INSERTION_PANEL,
    STORAGE_PANEL,
    built_with,
)
from penstock.lab.results import Results
from penstock.lab.searching import STORAGE

SPLITS: Final = built_with("splits")

_READING_NOTE: Final = (
    "Construction begins with conditions, which all indexes translate into numbers in the same way. An index that takes"
    " many at once is given all of them at once."
)

FIGURE_1: Final = figure(
    "1",
    "construction and matching with many attributes",
    "How do indexes fare when there are more and more attributes?",
    varied=DIMENSIONS,
    scales=scales(
        DIMENSIONS,
        small=(200, 400, 600),
        paper=(20_000, 30_000, 40_000, 50_000, 60_000),
        repetitions=(3, 1),
        events=(200, 10_000),
    ),
    series=(OP_INDEX, K_INDEX, BE_TREE),
    measured=construction_and_matching,
    panels=(CONSTRUCTION_PANEL, BATCH_PANEL, TOUCHED_PANEL, STORAGE_PANEL),
    notes=(TOUCHED_NOTE, _READING_NOTE),
    claims=(
        sooner_built(K_INDEX, BE_TREE, "A k-index is built much sooner than a BE-Tree.", by=2, difference=LIGHT_TREE),
        scales_better(
            K_INDEX, BE_TREE, "With more attributes, the matching time of k-index scales better than that of BE-Tree."
        ),
        Claim(
            text="A k-index takes more memory than a BE-Tree.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, BE_TREE.name, K_INDEX.name),
        ),
        sooner_built(OP_INDEX, K_INDEX, "OpIndex is built much sooner than k-index.", by=2),
        sooner_built(
            OP_INDEX,
            BE_TREE,
            "OpIndex is built much sooner than BE-Tree.",
            by=2,
            difference=f"{LIGHT_TREE} {READING}",
        ),
        quicker(OP_INDEX, K_INDEX, "OpIndex matches in less time than k-index."),
        quicker(OP_INDEX, BE_TREE, "OpIndex matches in less time than BE-Tree."),
        FEWER_TOUCHED,
        same_answers(OP_INDEX, K_INDEX, BE_TREE),
    ),
)


def _rarely_matches(results: Results) -> Finding:
    """An event matches less than one in a hundred subscriptions: how many there are is said by the scale."""
    found = results.medians(BE_TREE.name, FOUND)
    share = max(found.values(), default=1.0) / FIGURE_7.scales[results.scale].count
    return Finding(Verdict.HELD if share < 0.01 else Verdict.FAILED, f"An event matches {share:.3%} of them.")


FIGURE_7: Final = figure(
    "7",
    "the size of BE-Tree's leaves",
    "How many expressions should a leaf of a BE-Tree hold before it is split?",
    varied=LEAF_SIZE,
    scales=scales(
        LEAF_SIZE,
        small=(5, 50, 100, 150, 200, 250),
        paper=(5, 50, 100, 150, 200, 250),
        repetitions=(3, 1),
        events=(200, 10_000),
    ),
    series=(BE_TREE,),
    measured=construction_and_matching,
    panels=(CONSTRUCTION_PANEL, BATCH_PANEL, TOUCHED_PANEL, Panel(SPLITS, Axis("splits", logarithmic=True))),
    notes=(_READING_NOTE,),
    claims=(
        Claim(
            text="From 5 expressions in a leaf to 150, construction becomes 15 times quicker.",
            kind=Kind.TIME,
            judge=falls(CONSTRUCTION, BE_TREE.name, by=15, until=150),
            difference="There are far fewer splits, but here they are not most of the time: reading the conditions is.",
        ),
        Claim(
            text="From 5 expressions in a leaf to 150, matching becomes 15 times slower.",
            kind=Kind.TIME,
            judge=grows(BATCH, BE_TREE.name, least=15, until=150),
            difference="More expressions are checked, but in fewer leaves, where they stand side by side.",
        ),
        Claim(
            text="With larger leaves there are fewer splits.",
            kind=Kind.COUNT,
            judge=falls(SPLITS, BE_TREE.name, by=10),
            ours=True,
        ),
        Claim(
            text="With larger leaves an event has more expressions checked.",
            kind=Kind.COUNT,
            judge=grows(TOUCHED, BE_TREE.name, least=3),
            ours=True,
        ),
        Claim(
            text="With many attributes an event matches less than 1% of all subscriptions.",
            kind=Kind.COUNT,
            judge=_rarely_matches,
        ),
    ),
)


def _figure_9(
    letter: str,
    of: str,
    varied: Varied,
    *,
    small: tuple[float, ...],
    paper: tuple[float, ...],
    notes: tuple[str, ...] = (),
) -> Experiment[BooleanParameters, IndexSeries]:
    return figure(
        f"9({letter})",
        f"construction time by {of}",
        f"How does the time to build an index depend on {of}?",
        varied=varied,
        scales=scales(varied, small=small, paper=paper, repetitions=(3, 1), more=(50, 1_000)),
        measured=only_construction,
        panels=(CONSTRUCTION_PANEL, INSERTION_PANEL, STORAGE_PANEL),
        notes=(_READING_NOTE, *notes),
        claims=(
            sooner_built(
                OP_INDEX,
                BE_TREE,
                "OpIndex is built three orders of magnitude sooner than BE-Tree.",
                by=1000,
                difference=f"{LIGHT_TREE} {READING}",
            ),
            sooner_built(
                OP_INDEX,
                K_INDEX,
                "OpIndex is built an order of magnitude sooner than k-index.",
                by=10,
                difference=READING,
            ),
            Claim(
                text="OpIndex takes slightly longer than without segments and signatures.",
                kind=Kind.TIME,
                judge=within(CONSTRUCTION, OP_INDEX_BS.name, OP_INDEX.name, factor=1.5, least=1),
            ),
            Claim(
                text="A k-index enters a predicate under each value that satisfies it, and takes more storage for it.",
                kind=Kind.STORAGE,
                judge=lower(STORAGE, OP_INDEX.name, K_INDEX.name, by=2),
                ours=True,
            ),
        ),
    )


FIGURE_9A: Final = _figure_9(
    "a",
    "the number of subscriptions",
    COUNT,
    small=(5_000, 10_000, 20_000),
    paper=(1_000_000, 2_000_000, 4_000_000),
    notes=(UP_TO_NOTE,),
)
FIGURE_9B: Final = _figure_9(
    "b", "the size of subscriptions", MOST_PREDICATES, small=(4, 12, 20), paper=(4, 8, 12, 16, 20)
)
