"""The experiments of the VCR paper, section 3: the size of construct rectangles, the R-tree, hashing, decompositions.

The paper says the range only as a product of its sides; they are taken as 300 x 200 and 2,000 x 1,500. It leaves n and
the skew of its figure 6 unsaid; they are taken as 128,000 and uniform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np

from penstock.lab.claims import Claim, Finding, Kind, Verdict, best_at, both, equal, gap_grows, grows, lower, within
from penstock.lab.experiment import (
    Axis,
    Experiment,
    Measure,
    Measurement,
    Panel,
    Paper,
    Parameters,
    Scale,
    Series,
    Subject,
)
from penstock.lab.results import Results
from penstock.lab.searching import (
    ALL_STORAGE_PANEL,
    BATCH,
    BATCH_PANEL,
    FOUND,
    SINGLE_PANEL,
    STORAGE,
    STORAGE_NOTE,
    STORAGE_PANEL,
    Searches,
    storage,
)
from penstock.lab.workloads import UNIFORM, Skew, points, rectangles

if TYPE_CHECKING:
    from penstock.indexes.rectangle import RectangleStore, VcrStore

VCR: Final = Paper("VCR", "Rectangle indexing with virtual construct rectangles")

LOAD: Final = Measure("load factor")
ACTIVATED: Final = Measure("activated construct rectangles")


@dataclass(frozen=True, kw_only=True)
class RectangleParameters(Parameters):
    """What the paper varies. ``largest_construct`` or ``count`` is absent where it is the x axis."""

    sides: Annotated[tuple[int, int], "range of the attributes, Rx x Ry"]
    largest: Annotated[tuple[int, int], "largest predicate, Wx x Wy"]
    largest_construct: Annotated[tuple[int, int] | None, "largest construct rectangle, Lx x Ly"] = None
    count: Annotated[int | None, "predicates, n"] = None
    searches: Annotated[int | None, "random searches"] = None
    batch: Annotated[int | None, "searches in a batch"] = None
    hash_size: Annotated[int | None, "entries of the hash table"] = None
    hash_share: Annotated[int | None, "entries of the hash table for each predicate"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RectangleSeries(Series):
    """A store, and how its predicates and events are skewed."""

    store: str
    skew: Skew

    @property
    def hashed(self) -> bool:
        return self.store.endswith("_hash")


_COUNT_AXIS: Final = Axis("predicates, n", logarithmic=True)
_LENGTH_AXIS: Final = Axis("longest side of a construct rectangle, L", logarithmic=True)
_LINEAR_TIME_PANEL: Final = Panel(BATCH, Axis("a search, in batches", "µs"))
_MODERATE: Final = (300, 200)
_LARGE: Final = (2_000, 1_500)
_PAPER_COUNTS: Final = (32_000.0, 64_000.0, 128_000.0, 256_000.0)
_SMALL_COUNTS: Final = (2_000.0, 4_000.0, 8_000.0, 16_000.0)


# What is built and measured.


def _build(
    parameters: RectangleParameters, series: RectangleSeries, construct: tuple[int, int], count: int
) -> RectangleStore:
    store = _hashed(parameters, series, construct, count) if series.hashed else _direct(parameters, series, construct)
    made = rectangles(count, parameters.sides, parameters.largest, series.skew, parameters.seed)
    store.insert_many(np.arange(count), made)
    return store


def _direct(parameters: RectangleParameters, series: RectangleSeries, construct: tuple[int, int]) -> RectangleStore:
    from penstock.indexes.rectangle import RECTANGLE_STORES  # all their kernels, which a list can spare

    width, height = parameters.sides
    return RECTANGLE_STORES[series.store](
        x_low=0, x_high=width - 1, y_low=0, y_high=height - 1, max_width=construct[0], max_height=construct[1]
    )


def _hashed(
    parameters: RectangleParameters, series: RectangleSeries, construct: tuple[int, int], count: int
) -> VcrStore:
    """A hashed store with a table of the paper's size, where it would otherwise choose one by itself."""
    from penstock.indexes.rectangle import VcrStore

    share, (width, height) = parameters.hash_share, parameters.sides
    return VcrStore(
        (0, width - 1),
        (0, height - 1),
        decomposition="simple" if series.store == "vcr_sd_hash" else "overlapped",
        storage="hashed",
        max_width=construct[0],
        max_height=construct[1],
        hash_size=parameters.hash_size if share is None else share * count,
    )


def _build_at(parameters: RectangleParameters, series: RectangleSeries, x: float) -> RectangleStore:
    """A store with x predicates, or with construct rectangles of x by x where the number of predicates is given."""
    if parameters.count is not None:
        return _build(parameters, series, (int(x), int(x)), parameters.count)
    assert parameters.largest_construct is not None
    return _build(parameters, series, parameters.largest_construct, int(x))


def _searches(parameters: RectangleParameters, series: RectangleSeries, store: RectangleStore) -> Searches:
    assert parameters.searches is not None
    assert parameters.batch is not None
    events = points(parameters.searches, parameters.sides, series.skew, parameters.seed)
    return Searches(store.stab, store.stab_many, events, parameters.batch).warm_up()


def _prepare_search(parameters: RectangleParameters, series: RectangleSeries, x: float) -> Subject:
    return _searches(parameters, series, _build_at(parameters, series, x))


def _prepare_storage(parameters: RectangleParameters, series: RectangleSeries, x: float) -> Subject:
    # The R-tree's library does not tell what it takes, so its store estimates.
    found = storage(_build_at(parameters, series, x).memory(), computed=series.store == "r_tree")
    return lambda: found


def _prepare_both(parameters: RectangleParameters, series: RectangleSeries, x: float) -> Subject:
    store = _build_at(parameters, series, x)
    searches, taken = _searches(parameters, series, store), storage(store.memory())
    return lambda: [*searches(), *taken]


def _prepare_load(parameters: RectangleParameters, series: RectangleSeries, x: float) -> Subject:
    assert parameters.largest_construct is not None
    store = _hashed(parameters, series, parameters.largest_construct, int(x))
    made = rectangles(int(x), parameters.sides, parameters.largest, series.skew, parameters.seed)
    store.insert_many(np.arange(int(x)), made)
    found = [Measurement(LOAD, store.load_factor()), Measurement(ACTIVATED, store.activated())]
    return lambda: found


def _scales(
    sides: tuple[int, int], *, timed: bool, hash_size: int | None = None, hash_share: int | None = None
) -> dict[Scale, RectangleParameters]:
    """The paper's parameters for a range, and a quarter of every length at small scale."""
    return {
        Scale.SMALL: RectangleParameters(
            xs=_SMALL_COUNTS,
            sides=(sides[0] // 4, sides[1] // 4),
            largest=(10, 5),
            largest_construct=(4, 2),
            searches=2_000 if timed else None,
            batch=250 if timed else None,
            repetitions=5 if timed else 1,
            hash_size=None if hash_size is None else hash_size // 16,
            hash_share=hash_share,
        ),
        Scale.PAPER: RectangleParameters(
            xs=_PAPER_COUNTS,
            sides=sides,
            largest=(40, 20),
            largest_construct=(16, 8),
            searches=100_000 if timed else None,
            batch=1_000 if timed else None,
            repetitions=5 if timed else 1,
            hash_size=hash_size,
            hash_share=hash_share,
        ),
    }


def _same_answers(*names: str) -> Claim:
    return Claim(
        text="Both indexes find the same number of predicates in all searches.",
        kind=Kind.COUNT,
        judge=equal(FOUND, *names),
        ours=True,
    )


# Figure 6: how large construct rectangles should be.


_CHOSEN_N_NOTE: Final = (
    "The paper does not say n, nor how the predicates are skewed; here they are uniform, and n is among the parameters."
    " It matters: the more predicates, the larger the L of least storage. Over 300 x 200, least storage was at the"
    " paper's L with 128,000 predicates, and at half of it with 32,000. The small scale is like the former."
)


def _figure_6(letter: str, largest: int, best_storage: tuple[float, ...], best_time: tuple[float, ...]) -> Any:
    series = RectangleSeries(name="vcr_sd", label="VCR", colour=0, store="vcr_sd", skew=UNIFORM)
    return Experiment(
        name=f"vcr-6{letter}",
        paper=VCR,
        figure=f"6({letter})",
        title=f"the size of construct rectangles when predicates have sides up to {largest}",
        question="How large should construct rectangles be allowed to become?",
        scales={
            Scale.SMALL: RectangleParameters(
                xs=(2.0, 4.0, 8.0, 16.0, 32.0),
                sides=(150, 100),
                largest=(largest, largest),
                count=64_000,
                searches=2_000,
                batch=250,
                repetitions=3,
            ),
            Scale.PAPER: RectangleParameters(
                xs=(2.0, 4.0, 8.0, 16.0, 32.0),
                sides=_MODERATE,
                largest=(largest, largest),
                count=128_000,
                searches=100_000,
                batch=1_000,
                repetitions=3,
            ),
        },
        series=(series,),
        x=_LENGTH_AXIS,
        panels=(_LINEAR_TIME_PANEL, STORAGE_PANEL),
        prepare=_prepare_both,
        claims=(
            Claim(
                text=f"Storage is least at L = {best_storage[0]:g}: neither the smallest nor the largest is best.",
                kind=Kind.STORAGE,
                judge=best_at(STORAGE, "vcr_sd", best_storage),
            ),
            Claim(
                text=f"A search is quickest at L = {best_time[0]:g}.",
                kind=Kind.TIME,
                judge=best_at(BATCH, "vcr_sd", best_time),
            ),
        ),
        notes=(_CHOSEN_N_NOTE,),
    )


VCR_6A: Final = _figure_6("a", 20, (8.0,), (16.0,))
VCR_6B: Final = _figure_6("b", 40, (16.0,), (16.0,))


# Figure 7: the R-tree.

_SKEWED: Final = Skew(0.9, 0.1)

_AGAINST_TREE: Final = tuple(
    RectangleSeries(
        name=f"{store} {skew}",
        label=f"{label}, {skew}",
        colour=colour,
        dashed=skew == UNIFORM,
        store=store,
        skew=skew,
    )
    for store, label, colour in (("r_tree", "R-tree", 1), ("vcr_sd", "VCR", 0))
    for skew in (_SKEWED, UNIFORM)
)


def _wider_when_skewed(results: Results) -> Finding:
    """How much slower the R-tree is: on average over n, when predicates overlap much and when they do not."""
    means = []
    for skew in (_SKEWED, UNIFORM):
        tree, vcr = (results.medians(f"{store} {skew}", BATCH) for store in ("r_tree", "vcr_sd"))
        means.append(float(np.mean([tree[x] - vcr[x] for x in tree])))
    verdict = Verdict.HELD if means[0] > means[1] else Verdict.FAILED
    return Finding(verdict, f"The R-tree takes {means[0]:,.3g} µs more when skewed, {means[1]:,.3g} µs when uniform.")


VCR_7A: Final = Experiment(
    name="vcr-7a",
    paper=VCR,
    figure="7(a)",
    title="search time of VCR and of an R-tree",
    question="How long does a search take when predicates overlap little, and when they overlap much?",
    scales=_scales(_MODERATE, timed=True),
    series=_AGAINST_TREE,
    x=_COUNT_AXIS,
    panels=(BATCH_PANEL, SINGLE_PANEL),
    prepare=_prepare_search,
    claims=(
        Claim(
            text="A search of VCR is several times quicker than one of an R-tree.",
            kind=Kind.TIME,
            judge=both(*(lower(BATCH, f"vcr_sd {skew}", f"r_tree {skew}", by=3) for skew in (_SKEWED, UNIFORM))),
        ),
        Claim(
            text="The gain is larger when predicates overlap much.",
            kind=Kind.TIME,
            judge=_wider_when_skewed,
        ),
        _same_answers(f"vcr_sd {_SKEWED}", f"r_tree {_SKEWED}"),
        _same_answers(f"vcr_sd {UNIFORM}", f"r_tree {UNIFORM}"),
    ),
)

_TREE_NOTE: Final = (
    "The R-tree is that of a library that does not tell its size. It is estimated (ringed points) as a box of four"
    " doubles and an id for each entry, in nodes that are 70% full. It depends on the sizes: over 75 x 50, with"
    " predicates up to 10 x 5 and construct rectangles up to 4 x 2, VCR took 0.6 to 1.4 times the estimate."
)

VCR_7B: Final = Experiment(
    name="vcr-7b",
    paper=VCR,
    figure="7(b)",
    title="storage of VCR and of an R-tree",
    question="How much storage does the quicker search of VCR cost?",
    scales={
        **_scales(_MODERATE, timed=False),
        # A quarter of the area, but not smaller rectangles: fewer sizes of construct rectangles mean fewer headers.
        Scale.SMALL: RectangleParameters(
            xs=(8_000.0, 16_000.0, 32_000.0), sides=(150, 100), largest=(40, 20), largest_construct=(16, 8)
        ),
    },
    series=tuple(series for series in _AGAINST_TREE if series.skew == UNIFORM),
    x=_COUNT_AXIS,
    panels=(STORAGE_PANEL, ALL_STORAGE_PANEL),
    notes=(
        STORAGE_NOTE,
        _TREE_NOTE,
    ),
    prepare=_prepare_storage,
    claims=(
        Claim(
            text="VCR needs more storage than the R-tree at every n.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, f"r_tree {UNIFORM}", f"vcr_sd {UNIFORM}"),
        ),
        Claim(
            text="What VCR needs more is modest.",
            kind=Kind.STORAGE,
            judge=within(STORAGE, f"r_tree {UNIFORM}", f"vcr_sd {UNIFORM}", factor=5),
        ),
    ),
)


# Figure 8: hashing.

_MOST_SKEWED: Final = Skew(0.9, 0.01)

_HASHED_OR_NOT: Final = (
    RectangleSeries(name="vcr_od", label="without hashing", colour=0, store="vcr_od", skew=_MOST_SKEWED),
    RectangleSeries(name="vcr_od_hash", label="with hashing", colour=1, store="vcr_od_hash", skew=_MOST_SKEWED),
)

VCR_8A: Final = Experiment(
    name="vcr-8a",
    paper=VCR,
    figure="8(a)",
    title="search time with and without hashing",
    question="How much time does hashing cost?",
    scales=_scales(_LARGE, timed=True, hash_share=10),
    series=_HASHED_OR_NOT,
    x=_COUNT_AXIS,
    panels=(BATCH_PANEL, SINGLE_PANEL),
    prepare=_prepare_search,
    claims=(
        Claim(
            text="Searches take longer with hashing, because each construct rectangle around the event is hashed.",
            kind=Kind.TIME,
            judge=lower(BATCH, "vcr_od", "vcr_od_hash"),
        ),
        _same_answers("vcr_od", "vcr_od_hash"),
    ),
)

VCR_8B: Final = Experiment(
    name="vcr-8b",
    paper=VCR,
    figure="8(b)",
    title="storage with and without hashing",
    question="How much storage does hashing save?",
    scales=_scales(_LARGE, timed=False, hash_share=10),
    series=_HASHED_OR_NOT,
    x=_COUNT_AXIS,
    panels=(STORAGE_PANEL, ALL_STORAGE_PANEL),
    notes=(STORAGE_NOTE,),
    prepare=_prepare_storage,
    claims=(
        Claim(
            text="Hashing saves storage at every n.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, "vcr_od_hash", "vcr_od"),
        ),
    ),
)


# Figure 9: the two decompositions.

_DECOMPOSITIONS: Final = (
    RectangleSeries(name="vcr_sd_hash", label="simple (SD)", colour=1, store="vcr_sd_hash", skew=_SKEWED),
    RectangleSeries(name="vcr_od_hash", label="overlapped (OD)", colour=0, store="vcr_od_hash", skew=_SKEWED),
)
_HASH_SIZE: Final = 1_800_017

VCR_9A: Final = Experiment(
    name="vcr-9a",
    paper=VCR,
    figure="9(a)",
    title="search time of the two decompositions",
    question="How much time does overlapped decomposition save?",
    scales=_scales(_LARGE, timed=True, hash_size=_HASH_SIZE),
    series=_DECOMPOSITIONS,
    x=_COUNT_AXIS,
    panels=(BATCH_PANEL, SINGLE_PANEL),
    prepare=_prepare_search,
    claims=(
        Claim(
            text="Searches are quicker with overlapped decomposition.",
            kind=Kind.TIME,
            judge=lower(BATCH, "vcr_od_hash", "vcr_sd_hash"),
        ),
        Claim(
            text="The gain grows with n.",
            kind=Kind.TIME,
            judge=gap_grows(BATCH, "vcr_od_hash", "vcr_sd_hash"),
        ),
        _same_answers("vcr_od_hash", "vcr_sd_hash"),
    ),
)

VCR_9B: Final = Experiment(
    name="vcr-9b",
    paper=VCR,
    figure="9(b)",
    title="load of the hash table with the two decompositions",
    question="How much fuller is the hash table with simple decomposition?",
    scales=_scales(_LARGE, timed=False, hash_size=_HASH_SIZE),
    series=_DECOMPOSITIONS,
    x=_COUNT_AXIS,
    panels=(Panel(LOAD, Axis("load factor of the hash table")),),
    prepare=_prepare_load,
    claims=(
        Claim(
            text="Overlapped decomposition activates fewer construct rectangles, so the hash table is less full.",
            kind=Kind.COUNT,
            judge=both(lower(LOAD, "vcr_od_hash", "vcr_sd_hash"), lower(ACTIVATED, "vcr_od_hash", "vcr_sd_hash")),
        ),
        Claim(
            text="The table becomes fuller as n grows.",
            kind=Kind.COUNT,
            judge=both(grows(LOAD, "vcr_od_hash", least=1.01), grows(LOAD, "vcr_sd_hash", least=1.01)),
        ),
    ),
)

VCR_EXPERIMENTS: Final = (VCR_6A, VCR_6B, VCR_7A, VCR_7B, VCR_8A, VCR_8B, VCR_9A, VCR_9B)
