"""Choosing the greatest length L of construct intervals, and how many lists a block has, from a sample of intervals.

A longer L makes fewer pieces of each interval. It costs a header for each value and length, and a query visits as many
blocks as L takes. With logarithmic constructs the pieces are about as few as they get once nearly all intervals have
at most four of length L. With simple constructs headers and the work of a query grow with L itself, and L stays
moderate (the VCI paper's figure 5 shows where it goes otherwise).

More lists in a block make the stretches that a query copies longer, and more entries move with each insertion and
deletion: one for each list of the block that has any. So blocks have about as many lists that are not empty.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

SAMPLE: Final = 4096
DEFAULT_LENGTH: Final = 32
"""L where no interval is known yet."""
MOST_SIMPLE: Final = 32
MOST_LOGARITHMIC: Final = 2**24
LEAST_BLOCK_SHIFT: Final = 4
MOST_BLOCK_SHIFT: Final = 8
_REACHED_BY: Final = 0.99
_PIECES_OF_LONGEST: Final = 4


def choose_max_length(widths: NDArray[np.int64], constructs: str) -> int:
    """L for intervals whose high ends are this far from their low ends.

    >>> choose_max_length(np.arange(1, 201), "logarithmic")
    64
    """
    if constructs == "points":
        return 0
    if len(widths) == 0:
        return DEFAULT_LENGTH
    step = -(-len(widths) // SAMPLE)
    typical = max(1, int(np.quantile(widths[::step], _REACHED_BY, method="higher")))
    if constructs == "simple":
        return min(typical, MOST_SIMPLE)
    quarter = -(-typical // _PIECES_OF_LONGEST)
    return min(1 << (quarter - 1).bit_length(), MOST_LOGARITHMIC)


def choose_block_shift(widths: NDArray[np.int64], longest: int, lists: int) -> int:
    """The number of lists of a block, as a power of 2, where intervals of these widths go to so many lists.

    >>> choose_block_shift(np.full(1000, 100), 64, 1000), choose_block_shift(np.full(1000, 100), 64, 50_000)
    (4, 7)
    """
    if len(widths) == 0:
        return LEAST_BLOCK_SHIFT
    # About half of the shorter lengths are in a decomposition, and as many of the longest as fit.
    pieces = len(widths) * (longest.bit_length() / 2 + float(np.mean(widths)) / longest)
    sparse = max(1.0, lists / pieces)
    return min(MOST_BLOCK_SHIFT, LEAST_BLOCK_SHIFT + int(np.log2(sparse)))
