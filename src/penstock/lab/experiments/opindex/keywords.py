"""Figure 11 of the OpIndex paper: keyword subscriptions, matched with short and with long documents.

The paper's parts (a) and (b) are the construction of the indexes that its parts (c) to (f) match with, so they are
measured together with the first of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, NamedTuple

from penstock.lab.claims import Claim, Finding, Kind, Verdict, both, lower, within
from penstock.lab.experiment import Experiment, Scale
from penstock.lab.experiments.opindex.claims import (
    ALL_ANSWER_THE_SAME,
    CANDIDATES,
    FEWER_SEARCHES,
    LIGHT_TREE,
    READING,
    counted,
    quicker,
    sooner_built,
)
from penstock.lab.experiments.opindex.parameters import ComparedParameters
from penstock.lab.experiments.opindex.series import (
    BE_TREE,
    K_INDEX,
    OP_INDEX,
    TOUCHED,
    TOUCHED_NOTE,
    TOUCHED_PANEL,
    IndexSeries,
    construction_and_matching,
    figure,
)
from penstock.lab.experiments.opindex.workload import COUNT
from penstock.lab.keyword_workloads import documents, occurrence, queries, query_conditions
from penstock.lab.matching import (
    BATCH,
    BATCH_PANEL,
    CONSTRUCTION,
    CONSTRUCTION_PANEL,
    FOUND,
    SINGLE_PANEL,
    STORAGE_PANEL,
    Events,
)
from penstock.lab.results import Results
from penstock.lab.searching import STORAGE
from penstock.model.conditions import Condition


@dataclass(frozen=True, kw_only=True)
class KeywordParameters(ComparedParameters):
    """Keyword queries and documents over one vocabulary."""

    operator: Annotated[str, "operator"]
    vocabulary: Annotated[int, "keywords of the vocabulary"] = 50_000
    keywords: Annotated[float, "keywords of a document, on average"]
    repeats: Annotated[float, "term frequency of a keyword of a document, on average"]
    most_frequent: Annotated[int, "largest term frequency"] = 20

    @property
    def bounds(self) -> tuple[int, int]:
        return 1, self.most_frequent

    def conditions(self) -> list[Condition]:
        made = queries(self.count, vocabulary=self.vocabulary, most_frequent=self.most_frequent, seed=self.seed)
        return query_conditions(made, intervals=self.operator == INTERVAL)

    def matched(self) -> Events:
        assert self.events is not None
        assert self.batch is not None
        made = documents(
            self.events,
            keywords=self.keywords,
            repeats=self.repeats,
            vocabulary=self.vocabulary,
            most_frequent=self.most_frequent,
            seed=self.seed,
        )
        return Events.of(made if self.operator == INTERVAL else occurrence(made), self.batch)


EQUAL, INTERVAL = "=", "BETWEEN"


class _Documents(NamedTuple):
    """A kind of documents: what the paper says of them, how often keywords occur, and how many there are in a run."""

    name: str
    keywords: float
    repeats: float
    few: int
    many: int


_SHORT: Final = _Documents("short documents", 5.4, 1.2, 200, 10_000)
_LONG: Final = _Documents("long documents", 123.0, 2.0, 30, 1_000)


def _scales(texts: _Documents, operator: str) -> dict[Scale, KeywordParameters]:
    of_both: dict[str, Any] = {
        "varied": COUNT.parameter,
        "operator": operator,
        "keywords": texts.keywords,
        "repeats": texts.repeats,
    }
    return {
        Scale.SMALL: KeywordParameters(
            xs=(2_500, 5_000, 10_000),
            vocabulary=1_000,
            events=texts.few,
            batch=texts.few,
            repetitions=3,
            **of_both,
        ),
        Scale.PAPER: KeywordParameters(xs=(1_000_000, 2_000_000), events=texts.many, batch=1_000, **of_both),
    }


_WORKLOAD_NOTE: Final = (
    "The paper's queries are from AOL's log, its documents from Twitter and Wikipedia. Here both are random, with as"
    " many keywords a document as the paper says. The paper does not say how long queries are; here they have 1 to 5"
    " keywords, 2.4 on average. Frequencies of keywords follow Zipf's law, the same for queries and documents."
)
_INTERVAL_NOTE: Final = (
    "Intervals of term frequencies begin at 2 on average and end anywhere up to 20. For k-index that is the declared"
    " domain: an interval is a posting for each number in it."
)
_UP_TO_NOTE: Final = (
    "The paper goes up to 5 million queries and 10,000 documents. As objects of Python so many queries would need tens"
    " of gigabytes, so this ends at 2 million; and of long documents, which match many of them, there are 1,000."
)
_TWO_PREDICATES: Final = (
    "An interval is two predicates of OpIndex, each with its own count, and one posting of k-index, which also skips"
    " postings that cannot match."
)


def _prunes_well(results: Results) -> Finding:
    """Pivots are rare enough when a good part of the candidates matches."""
    found, candidates = results.medians(OP_INDEX.name, FOUND), results.medians(OP_INDEX.name, CANDIDATES)
    share = min((found[x] / candidates[x] for x in found), default=0.0)
    return Finding(Verdict.HELD if share > 0.2 else Verdict.FAILED, f"At least {share:.0%} of the candidates match.")


_PRUNING: Final = Claim(
    text="With uneven frequencies pivots prune well: one in five candidates of OpIndex matches, or more.",
    kind=Kind.COUNT,
    judge=_prunes_well,
    ours=True,
)


def _fewer_touched(operator: str) -> Claim:
    return counted(
        TOUCHED,
        OP_INDEX,
        K_INDEX,
        "An event touches fewer counters of OpIndex than postings of k-index.",
        difference=_TWO_PREDICATES if operator == INTERVAL else "",
    )


def _figure_11(
    number: str, texts: _Documents, operator: str, claims: tuple[Claim, ...]
) -> Experiment[KeywordParameters, IndexSeries]:
    """Queries of one operator and documents of one kind; what all parts claim comes last."""
    asked = "that keywords occur" if operator == EQUAL else "how often keywords occur"
    return figure(
        number,
        f"queries that ask {asked}, matched with {texts.name}",
        f"How long does it take to build an index of queries that ask {asked}, and to match {texts.name} with it?",
        varied=COUNT,
        scales=_scales(texts, operator),
        measured=construction_and_matching,
        panels=(CONSTRUCTION_PANEL, BATCH_PANEL, SINGLE_PANEL, TOUCHED_PANEL, STORAGE_PANEL),
        claims=(*claims, _PRUNING, _fewer_touched(operator), FEWER_SEARCHES, ALL_ANSWER_THE_SAME),
        notes=(_WORKLOAD_NOTE, *([_INTERVAL_NOTE] if operator == INTERVAL else []), TOUCHED_NOTE, _UP_TO_NOTE),
    )


_BUILT_LATER: Final = sooner_built(
    OP_INDEX,
    BE_TREE,
    "BE-Tree takes two orders of magnitude longer to build than OpIndex.",
    by=100,
    difference=f"{LIGHT_TREE} {READING}",
)
_MUCH_QUICKER: Final = (
    quicker(OP_INDEX, BE_TREE, "OpIndex matches short documents at least 4 times as fast as BE-Tree.", by=4),
    quicker(
        OP_INDEX,
        K_INDEX,
        "OpIndex matches short documents two orders of magnitude faster than k-index.",
        by=100,
        difference="Our k-index is compiled as OpIndex is, and skips postings that cannot match.",
    ),
)
_STILL_BEST: Final = Claim(
    text="OpIndex is the fastest with long documents, too.",
    kind=Kind.TIME,
    judge=both(lower(BATCH, OP_INDEX.name, K_INDEX.name), lower(BATCH, OP_INDEX.name, BE_TREE.name)),
)

FIGURE_11AC: Final = _figure_11(
    "11(a), (c)",
    _SHORT,
    EQUAL,
    claims=(
        Claim(
            text="When queries only ask for equality, k-index takes about as long to build as OpIndex.",
            kind=Kind.TIME,
            judge=within(CONSTRUCTION, OP_INDEX.name, K_INDEX.name, factor=2, least=0.5),
        ),
        Claim(
            text="A k-index takes hardly more storage than OpIndex: both have an entry for each predicate.",
            kind=Kind.STORAGE,
            judge=within(STORAGE, OP_INDEX.name, K_INDEX.name, factor=1.5),
            ours=True,
        ),
        _BUILT_LATER,
        *_MUCH_QUICKER,
    ),
)
FIGURE_11BD: Final = _figure_11(
    "11(b), (d)",
    _SHORT,
    INTERVAL,
    claims=(
        sooner_built(OP_INDEX, K_INDEX, "With intervals k-index takes longer to build than OpIndex."),
        Claim(
            text="A k-index takes more storage than OpIndex: it has an entry for each number of an interval.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, OP_INDEX.name, K_INDEX.name),
            ours=True,
        ),
        _BUILT_LATER,
        *_MUCH_QUICKER,
    ),
)
FIGURE_11E: Final = _figure_11("11(e)", _LONG, EQUAL, claims=(_STILL_BEST,))
FIGURE_11F: Final = _figure_11("11(f)", _LONG, INTERVAL, claims=(_STILL_BEST,))

KEYWORD_EXPERIMENTS: Final = (FIGURE_11AC, FIGURE_11BD, FIGURE_11E, FIGURE_11F)
