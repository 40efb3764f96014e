"""The experiments of the VCI paper, section 5: storage by the longest construct interval, search time and storage by n.

The paper leaves W and L of its large range unsaid; they are taken to be those of its moderate range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Final

import numpy as np

from penstock.indexes.interval.store import IntervalStore
from penstock.lab.claims import (
    Claim,
    Finding,
    Judge,
    Kind,
    Verdict,
    both,
    crosses,
    crossing_of,
    equal,
    grows,
    lower,
    within,
)
from penstock.lab.experiment import Axis, Experiment, Measurement, Paper, Parameters, Scale, Series, Subject
from penstock.lab.results import Results
from penstock.lab.searching import (
    BATCH,
    BATCH_PANEL,
    DISTANCE_TABLE,
    FOUND,
    LOG_ALL_STORAGE_PANEL,
    LOG_STORAGE_PANEL,
    SINGLE_PANEL,
    STORAGE,
    STORAGE_NOTE,
    Searches,
    storage,
)
from penstock.lab.workloads import intervals, values

VCI: Final = Paper("VCI", "Interval indexing with virtual construct intervals")


@dataclass(frozen=True, kw_only=True)
class IntervalParameters(Parameters):
    """What the paper varies. ``length`` or ``count`` is absent where it is the x axis."""

    domain: Annotated[int, "values of the attribute, R"]
    longest: Annotated[int, "longest predicate interval, W"]
    length: Annotated[int | None, "longest construct interval, L"] = None
    count: Annotated[int | None, "predicate intervals, n"] = None
    searches: Annotated[int | None, "random searches"] = None
    batch: Annotated[int | None, "searches in a batch"] = None
    most: Annotated[Mapping[str, int], "largest n of some series"] = field(default_factory=dict)


_SERIES: Final = {
    name: Series(name=name, label=label, colour=colour)
    for name, label, colour in (
        ("sci", "SCI", 5),
        ("sci_bc", "SCI-BC", 4),
        ("lci", "LCI", 0),
        ("lci_bc", "LCI-BC", 1),
        ("lci_bv", "LCI-BV", 2),
        ("lci_bv_dt", "LCI-BV(DT)", 3),
        ("dlist", "Dlist", 4),
        ("is_list", "IS-lists", 6),
    )
}

_COUNT_AXIS: Final = Axis("predicate intervals, n", logarithmic=True)
_LENGTH_AXIS: Final = Axis("longest construct interval, L", logarithmic=True)


def _series(*names: str) -> tuple[Series, ...]:
    return tuple(_SERIES[name] for name in names)


# What is built and measured.


def _build(name: str, parameters: IntervalParameters, length: int, count: int) -> IntervalStore:
    from penstock.indexes.interval import INTERVAL_STORES  # all their kernels, which a list of experiments can spare

    constructs = name.startswith(("sci", "lci"))  # the rivals have none, so no length to give
    store = INTERVAL_STORES[name](low=1, high=parameters.domain, max_length=length if constructs else None)
    made = intervals(count, parameters.domain, parameters.longest, parameters.seed)
    store.insert_many(np.arange(count), made.lows, made.highs)
    return store


def _storage_by_length(parameters: IntervalParameters, series: Series, x: float) -> Subject:
    assert parameters.count is not None
    found = storage_of(series.name, parameters, int(x), parameters.count)
    return lambda: found


def _storage_by_count(parameters: IntervalParameters, series: Series, x: float) -> Subject | None:
    assert parameters.length is not None
    if x > parameters.most.get(series.name, x):
        return None
    found = storage_of(series.name, parameters, parameters.length, int(x))
    return lambda: found


def _search_by_count(parameters: IntervalParameters, series: Series, x: float) -> Subject | None:
    assert parameters.length is not None
    assert parameters.searches is not None
    assert parameters.batch is not None
    if x > parameters.most.get(series.name, x):
        return None
    store = _build(series.name, parameters, parameters.length, int(x))
    events = values(parameters.searches, parameters.domain, parameters.seed)
    return Searches(store.stab, store.stab_many, [events], parameters.batch).warm_up()


LARGEST_BITMAPS: Final = 200_000_000
"""Full bitmaps of more bytes than this are not built; their size is computed."""


def storage_of(name: str, parameters: IntervalParameters, length: int, count: int) -> list[Measurement]:
    """What a store takes. Where full bitmaps are too large, their size follows from R, L and the scheme.

    The rest of such a store is that of its clipped twin, which has the same headers and lists.
    """
    bitmaps = full_bitmaps(name, parameters.domain, length)
    if bitmaps <= LARGEST_BITMAPS:
        return storage(_build(name, parameters, length, count).memory())
    clipped = _build(f"{name}_bc", parameters, length, count).memory()
    return storage({**clipped, "bitmaps": bitmaps}, computed=True)


def full_bitmaps(name: str, domain: int, length: int) -> int:
    """The bytes of full bitmaps: for each value a bit for each construct interval, and where its words begin.

    A scheme without full bitmaps has none.
    """
    if name not in ("sci", "lci"):
        return 0
    bits = domain * (length if name == "sci" else length.bit_length())
    return domain * 8 * ceil(bits / 64) + 8 * (domain + 1)


# Figure 5.


def _indistinguishable(results: Results) -> Finding:
    """Two lines lie on each other where their distance is less than a hundredth of the plot's height."""
    clipped, virtual = results.medians("lci_bc", STORAGE), results.medians("lci_bv", STORAGE)
    height = max(value for series in results.labels for value in results.medians(series, STORAGE).values())
    share = max(abs(clipped[x] - virtual[x]) for x in clipped) / height
    verdict = Verdict.HELD if share < 0.01 else Verdict.FAILED
    return Finding(verdict, f"They differ by at most {share:.2%} of the largest storage shown.")


def _length_powers(most: int) -> tuple[float, ...]:
    return tuple(float(2**power) for power in range(1, most.bit_length()))


_COMPUTED_NOTE: Final = (
    f"Where full bitmaps would take more than {LARGEST_BITMAPS / 1e6:,.0f} MB they are not built: their size is"
    " computed (R rows of a bit for each construct interval) and added to what the clipped twin takes besides its"
    " bitmaps. Such points have a ring."
)

VCI_5: Final = Experiment(
    name="vci-5",
    paper=VCI,
    figure="5",
    title="storage by the longest construct interval",
    question="How much storage does each scheme take as construct intervals may be longer?",
    scales={
        Scale.SMALL: IntervalParameters(xs=_length_powers(64), domain=1_000, longest=100, count=2_000),
        Scale.PAPER: IntervalParameters(xs=_length_powers(256), domain=5_000, longest=500, count=10_000),
    },
    series=_series("sci", "sci_bc", "lci", "lci_bc", "lci_bv"),
    x=_LENGTH_AXIS,
    panels=(LOG_STORAGE_PANEL, LOG_ALL_STORAGE_PANEL),
    prepare=_storage_by_length,
    claims=(
        Claim(
            text="Clipping the bitmaps saves most of the storage of both SCI and LCI.",
            kind=Kind.STORAGE,
            judge=both(lower(STORAGE, "sci_bc", "sci"), lower(STORAGE, "lci_bc", "lci")),
        ),
        Claim(
            text="Construct intervals of logarithmic lengths need less storage than those of all lengths.",
            kind=Kind.STORAGE,
            judge=both(lower(STORAGE, "lci", "sci", beyond=8), lower(STORAGE, "lci_bc", "sci_bc", beyond=16)),
        ),
        Claim(
            text="As long as L is not among the largest, SCI with clipped bitmaps needs less than LCI with full ones.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, "sci_bc", "lci", until=32),
        ),
        Claim(
            text="LCI-BC and LCI-BV can hardly be told apart in the figure, and need the least of all.",
            kind=Kind.STORAGE,
            judge=both(
                _indistinguishable, lower(STORAGE, "lci_bv", "sci_bc", beyond=8), lower(STORAGE, "lci_bv", "lci")
            ),
        ),
    ),
    notes=(
        "The paper's axis of storage is linear; here it is logarithmic, so that the smallest can be seen.",
        _COMPUTED_NOTE,
        STORAGE_NOTE,
    ),
)


# Figures 6 and 7: a moderate and a large range.

_PAPER_COUNTS: Final = tuple(1000.0 * 2**power for power in range(11))
_SMALL_COUNTS: Final = (250.0, 1000.0, 4000.0, 16_000.0, 64_000.0)
_PAPER_MOST: Final = {"dlist": 128_000, "is_list": 512_000}


def _scales(domain: int, *, timed: bool) -> dict[Scale, IntervalParameters]:
    """The paper's parameters for a range, and a fifth of its range, lengths and searches at small scale."""
    searches, repetitions, batch = (10_000, 5, 250) if timed else (None, 1, None)
    return {
        Scale.SMALL: IntervalParameters(
            xs=_SMALL_COUNTS,
            domain=domain // 5,
            longest=40,
            length=32,
            searches=2_000 if timed else None,
            batch=batch,
            repetitions=5 if timed else 1,
        ),
        Scale.PAPER: IntervalParameters(
            xs=_PAPER_COUNTS,
            domain=domain,
            longest=200,
            length=128,
            searches=searches,
            batch=batch,
            repetitions=repetitions,
            most=_PAPER_MOST,
        ),
    }


_MOST_NOTE: Final = (
    "At the paper's scale Dlist ends at n = 128,000 and IS-lists at 512,000, where the paper's machine had no memory"
    " left."
)
_TIME_NOTE: Final = (
    "A search here hands out every interval that it found. The paper's times of a few microseconds for lists of many"
    " thousand entries can only be those of finding the lists, so our times grow with n where the paper's stay flat."
)

_SKIP_LIST_NOTE: Final = (
    "A skip list has a node for each distinct end point, never more than R. Once compiled and kept in flat arrays, as"
    " here, most of its search is the copying of what was found, as in the other schemes."
)


def _same_answers(*names: str) -> Claim:
    return Claim(
        text="Every scheme finds the same number of intervals in all searches.",
        kind=Kind.COUNT,
        judge=equal(FOUND, *names),
        ours=True,
    )


_FIGURE_6A: Final = ("lci", "lci_bc", "lci_bv", "lci_bv_dt", "dlist", "is_list")

VCI_6A: Final = Experiment(
    name="vci-6a",
    paper=VCI,
    figure="6(a)",
    title="search time over a moderate range",
    question="How long does a search take in each scheme as there are more predicate intervals?",
    scales=_scales(5_000, timed=True),
    series=_series(*_FIGURE_6A),
    x=_COUNT_AXIS,
    panels=(BATCH_PANEL, SINGLE_PANEL),
    prepare=_search_by_count,
    claims=(
        Claim(
            text="Dlist is the fastest of all.",
            kind=Kind.TIME,
            judge=both(*(lower(BATCH, "dlist", name) for name in _FIGURE_6A if name != "dlist")),
        ),
        Claim(
            text="The search time of IS-lists rises quickly with n.",
            kind=Kind.TIME,
            judge=grows(BATCH, "is_list", least=10),
        ),
        Claim(
            text="LCI and LCI-BC stay below 10 microseconds, even with a million intervals.",
            kind=Kind.TIME,
            judge=lambda results: _stays_below(results, 10.0, "lci", "lci_bc"),
        ),
        Claim(
            text="LCI-BC takes only a little more time than LCI.",
            kind=Kind.TIME,
            judge=within(BATCH, "lci", "lci_bc", factor=1.25),
        ),
        Claim(
            text="LCI-BV can take much more time than LCI, because it divides to find where an interval ends.",
            kind=Kind.TIME,
            judge=lower(BATCH, "lci", "lci_bv", beyond=16_000),
        ),
        Claim(
            text="With the distance table, LCI-BV(DT) becomes faster even than LCI.",
            kind=Kind.TIME,
            judge=both(lower(BATCH, "lci_bv_dt", "lci"), lower(BATCH, "lci_bv_dt", "lci_bv")),
        ),
        Claim(
            text="LCI-BV(DT) is faster than IS-lists.",
            kind=Kind.TIME,
            judge=lower(BATCH, "lci_bv_dt", "is_list"),
        ),
        _same_answers(*_FIGURE_6A),
    ),
    notes=(_TIME_NOTE, _SKIP_LIST_NOTE, _MOST_NOTE),
)


def _stays_below(results: Results, bound: float, *names: str) -> Finding:
    slowest = {name: max(results.medians(name, BATCH).values(), default=float("inf")) for name in names}
    verdict = Verdict.HELD if max(slowest.values()) < bound else Verdict.FAILED
    shown = " and ".join(f"{results.label(name)} {time:,.3g} µs" for name, time in slowest.items())
    return Finding(verdict, f"At most {shown}.")


_FIGURE_6B: Final = ("lci_bc", "lci_bv", "lci_bv_dt", "is_list")

VCI_6B: Final = Experiment(
    name="vci-6b",
    paper=VCI,
    figure="6(b)",
    title="search time over a large range",
    question="How long does a search take when the attribute has fifty times as many values?",
    scales=_scales(250_000, timed=True),
    series=_series(*_FIGURE_6B),
    x=_COUNT_AXIS,
    panels=(BATCH_PANEL, SINGLE_PANEL),
    prepare=_search_by_count,
    claims=(
        Claim(
            text="The search time of IS-lists rises quickly with n here too.",
            kind=Kind.TIME,
            judge=grows(BATCH, "is_list", least=3),
        ),
        Claim(
            text="The distance table makes virtual bitmaps faster, most of all with many intervals.",
            kind=Kind.TIME,
            judge=lower(BATCH, "lci_bv_dt", "lci_bv"),
        ),
        Claim(
            text="With many intervals LCI-BV(DT) is faster than IS-lists.",
            kind=Kind.TIME,
            judge=lower(BATCH, "lci_bv_dt", "is_list", beyond=16_000),
        ),
        _same_answers(*_FIGURE_6B),
    ),
    notes=(_TIME_NOTE, _SKIP_LIST_NOTE, _MOST_NOTE),
)


def _dlist_crosses_first(results: Results) -> Finding:
    dlist = crossing_of(results, STORAGE, "dlist", "lci")
    is_list = crossing_of(results, STORAGE, "is_list", "lci")
    found = [f"{label} at n = {x:,.10g}" for label, x in (("Dlist", dlist), ("IS-lists", is_list)) if x is not None]
    held = dlist is not None and is_list is not None and dlist <= is_list
    return Finding(Verdict.HELD if held else Verdict.FAILED, f"First above LCI: {', '.join(found) or 'none'}.")


def _negligible_table(series: str) -> Judge:
    def judge(results: Results) -> Finding:
        tables, totals = results.medians(series, DISTANCE_TABLE), results.medians(series, STORAGE)
        share = max(tables[x] / totals[x] for x in totals)
        verdict = Verdict.HELD if share < 0.01 else Verdict.FAILED
        return Finding(verdict, f"The table is at most {share:.2%} of the storage.")

    return judge


_SMALL_SKIP_LIST: Final = (
    "Our interval skip list is a few flat arrays, much smaller than the one that the paper measured: with few intervals"
    " the clipped bitmaps alone need more than all of it."
)

VCI_7A: Final = Experiment(
    name="vci-7a",
    paper=VCI,
    figure="7(a)",
    title="storage over a moderate range",
    question="How much storage does each scheme take as there are more predicate intervals?",
    scales=_scales(5_000, timed=False),
    series=_series("lci", "lci_bc", "lci_bv_dt", "dlist", "is_list"),
    x=_COUNT_AXIS,
    panels=(LOG_STORAGE_PANEL, LOG_ALL_STORAGE_PANEL),
    prepare=_storage_by_count,
    claims=(
        Claim(
            text="With few intervals LCI needs the most, because of its bitmaps.",
            kind=Kind.STORAGE,
            judge=both(
                *(lower(STORAGE, name, "lci", until=1000) for name in ("lci_bc", "lci_bv_dt", "dlist", "is_list"))
            ),
        ),
        Claim(
            text="With more intervals first Dlist and later IS-lists need more than LCI.",
            kind=Kind.STORAGE,
            judge=_dlist_crosses_first,
        ),
        Claim(
            text="LCI-BV(DT) needs less than IS-lists, even with few intervals.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, "lci_bv_dt", "is_list"),
        ),
        Claim(
            text="LCI-BC needs less than IS-lists, even with few intervals.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, "lci_bc", "is_list"),
            difference=_SMALL_SKIP_LIST,
        ),
        Claim(
            text="The distance table takes next to nothing.",
            kind=Kind.STORAGE,
            judge=_negligible_table("lci_bv_dt"),
        ),
    ),
    notes=(STORAGE_NOTE, _MOST_NOTE),
)

VCI_7B: Final = Experiment(
    name="vci-7b",
    paper=VCI,
    figure="7(b)",
    title="storage over a large range",
    question="How much storage does it take when the attribute has fifty times as many values?",
    scales=_scales(250_000, timed=False),
    series=_series("lci_bc", "lci_bv_dt", "is_list"),
    x=_COUNT_AXIS,
    panels=(LOG_STORAGE_PANEL, LOG_ALL_STORAGE_PANEL),
    prepare=_storage_by_count,
    claims=(
        Claim(
            text="With few intervals IS-lists need less than the LCI schemes, and with many they need more.",
            kind=Kind.STORAGE,
            judge=both(crosses(STORAGE, "is_list", "lci_bc"), crosses(STORAGE, "is_list", "lci_bv_dt")),
        ),
        Claim(
            text="Virtual bitmaps need less than clipped ones.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, "lci_bv_dt", "lci_bc"),
            ours=True,
        ),
    ),
    notes=(STORAGE_NOTE, _MOST_NOTE),
)

VCI_EXPERIMENTS: Final = (VCI_5, VCI_6A, VCI_6B, VCI_7A, VCI_7B)
