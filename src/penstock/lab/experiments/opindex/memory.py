"""Figure 8 of the OpIndex paper: memory, as there are more subscriptions and as attributes have more values."""

from __future__ import annotations

from typing import Final

from penstock.lab.claims import Claim, Kind, both, grow_alike, grows, lower, stays, within
from penstock.lab.experiments.opindex.series import BE_TREE, K_INDEX, OP_INDEX, figure, only_construction
from penstock.lab.experiments.opindex.workload import COUNT, DOMAIN, NOT_BUILT_NOTE, UP_TO_NOTE, scales
from penstock.lab.matching import STORAGE_PANEL
from penstock.lab.searching import STORAGE

_PROCESS_NOTE: Final = (
    "The paper reports the memory of whole processes; here it is the bytes of the arrays of each index, with all that"
    " it needs to take subscriptions out again."
)

FIGURE_8A: Final = figure(
    "8(a)",
    "memory by the number of subscriptions",
    "How much memory do more and more subscriptions take?",
    varied=COUNT,
    scales=scales(COUNT, small=(10_000, 20_000, 40_000), paper=(1_000_000, 2_000_000, 4_000_000)),
    series=(OP_INDEX, K_INDEX, BE_TREE),
    measured=only_construction,
    panels=(STORAGE_PANEL,),
    notes=(_PROCESS_NOTE, UP_TO_NOTE),
    claims=(
        Claim(
            text="The memory of OpIndex grows slowly: no more than the subscriptions do.",
            kind=Kind.STORAGE,
            judge=grows(STORAGE, OP_INDEX.name, most=4),
        ),
        Claim(
            text="That of BE-Tree grows alike.",
            kind=Kind.STORAGE,
            judge=grow_alike(STORAGE, OP_INDEX.name, BE_TREE.name, factor=1.5),
        ),
        Claim(
            text="OpIndex takes the least memory.",
            kind=Kind.STORAGE,
            judge=both(*(lower(STORAGE, OP_INDEX.name, other.name) for other in (BE_TREE, K_INDEX))),
        ),
        Claim(
            text="BE-Tree takes about twice as much.",
            kind=Kind.STORAGE,
            judge=within(STORAGE, OP_INDEX.name, BE_TREE.name, factor=2.5, least=1.5),
            difference="The leaves of our BE-Tree have no lists of bitmaps, only expressions.",
        ),
        Claim(
            text="A k-index takes 7 times as much as OpIndex.",
            kind=Kind.STORAGE,
            judge=lower(STORAGE, OP_INDEX.name, K_INDEX.name, by=7),
            difference=(
                "It holds about 16 postings for a predicate, but of 4 bytes each, where OpIndex needs several numbers."
            ),
        ),
        Claim(
            text="A k-index takes more memory than BE-Tree, and at least three times as much as OpIndex.",
            kind=Kind.STORAGE,
            judge=both(lower(STORAGE, BE_TREE.name, K_INDEX.name), lower(STORAGE, OP_INDEX.name, K_INDEX.name, by=3)),
            ours=True,
        ),
    ),
)

FIGURE_8B: Final = figure(
    "8(b)",
    "memory by the number of values",
    "How much memory is taken when attributes have more and more values?",
    varied=DOMAIN,
    scales=scales(DOMAIN, small=(50, 200, 800, 3_200, 12_800), paper=(50, 200, 800, 3_200, 12_800)),
    series=(OP_INDEX, K_INDEX, BE_TREE),
    measured=only_construction,
    panels=(STORAGE_PANEL,),
    notes=(_PROCESS_NOTE, NOT_BUILT_NOTE),
    claims=(
        Claim(
            text="The memory of OpIndex does not depend on the number of values.",
            kind=Kind.STORAGE,
            judge=stays(STORAGE, OP_INDEX.name, factor=1.01),
        ),
        Claim(
            text="That of k-index grows with it, until there is no more.",
            kind=Kind.STORAGE,
            judge=grows(STORAGE, K_INDEX.name, least=10, until=800),
        ),
        Claim(
            text="That of BE-Tree becomes ten times as much from 50 to 12,800 values.",
            kind=Kind.STORAGE,
            judge=grows(STORAGE, BE_TREE.name, least=10),
            difference=(
                "The paper blames lists by attribute and value in the leaves. Ours hold expressions, as many for any"
                " number of values."
            ),
        ),
    ),
)
