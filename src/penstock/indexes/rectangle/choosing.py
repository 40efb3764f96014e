"""Choosing the largest sides Lx and Ly of VCRs from a sample of rectangles (VCR paper, section 3.2).

Small VCRs mean many pieces for each rectangle, large ones many lists for each event. What an event costs differs by
storage: direct lists are read in ``(2 Ly - 1)(kx + 1)`` runs, so a wide VCR costs little; hashed ones are looked up one
by one, ``(2 Lx - 1)(2 Ly - 1)`` of them. The weights are nanoseconds, measured on the paper's workload: what a run or
a look-up adds to an event, and what a piece adds to it by being one more place to read from memory. Headers are memory
that is there whether used or not, so they are weighed against the entries.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.vcr import LARGEST_LOG, Cut, total_pieces

SAMPLE: Final = 4096
DEFAULT_LOGS: Final = (4, 2)
"""Sides of 16 by 4 where nothing is known of the rectangles."""

RUN_COST: Final = 40.0
LOOK_UP_COST: Final = 10.0
PIECE_COST: Final = 60.0
HEADER_COST: Final = 0.5
"""A list header, for each rectangle that is there to pay for it."""

_LARGEST_CHOSEN: Final = 10


class Workload(NamedTuple):
    """What is known when sides are chosen: a sample of sizes in cells, how many rectangles, how large the range."""

    widths: NDArray[np.int64]
    heights: NDArray[np.int64]
    rectangles: int
    columns: int
    rows: int


def choose_logs(workload: Workload, *, overlapped: bool, hashed: bool) -> tuple[int, int]:
    """The logarithms of the sides that cost least."""
    if not len(workload.widths):
        return DEFAULT_LOGS
    x_most = min(int(workload.widths.max()).bit_length() - 1, _LARGEST_CHOSEN)
    y_most = min(int(workload.heights.max()).bit_length() - 1, _LARGEST_CHOSEN)
    candidates = [(x_log, y_log) for x_log in range(x_most + 1) for y_log in range(y_most + 1)]
    return min(candidates, key=lambda logs: cost(Cut(logs[0], logs[1], overlapped), workload, hashed=hashed))


def cost(cut: Cut, workload: Workload, *, hashed: bool) -> float:
    """What an event costs if rectangles are cut this way, in nanoseconds; memory counts as time to read it."""
    pieces, _, _ = total_pieces(workload.widths, workload.heights, cut)
    per_rectangle = pieces / len(workload.widths)
    if hashed:
        look_ups = ((2 << cut.x_log) - 1) * ((2 << cut.y_log) - 1)
        return LOOK_UP_COST * look_ups + PIECE_COST * per_rectangle
    runs = ((2 << cut.y_log) - 1) * (cut.x_log + 1)
    headers = (cut.x_log + 1) * (cut.y_log + 1) * workload.columns * workload.rows
    return RUN_COST * runs + PIECE_COST * per_rectangle + HEADER_COST * headers / max(workload.rectangles, 1)


def largest_log(side: int | None) -> int | None:
    """The logarithm of a side that was asked for, or None where that is no power of two in range."""
    if side is None or side < 1 or side & (side - 1) or side > 1 << LARGEST_LOG:
        return None
    return side.bit_length() - 1
