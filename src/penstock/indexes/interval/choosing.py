"""Choosing the greatest length L of construct intervals from a sample of intervals.

A longer L makes fewer pieces of each interval. What it costs is a header for each value and length. With logarithmic
constructs that is one more length for each doubling and next to nothing for a query, so L reaches beyond nearly all of
the sample. With simple constructs headers and the work of a query grow with L itself, and L stays moderate (the paper's
figure 5 shows where it goes otherwise).
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
_REACHED_BY: Final = 0.99


def choose_max_length(widths: NDArray[np.int64], constructs: str) -> int:
    """L for intervals whose high ends are this far from their low ends.

    >>> choose_max_length(np.arange(1, 201), "logarithmic")
    256
    """
    if constructs == "points":
        return 0
    if len(widths) == 0:
        return DEFAULT_LENGTH
    step = -(-len(widths) // SAMPLE)
    typical = max(1, int(np.quantile(widths[::step], _REACHED_BY, method="higher")))
    if constructs == "simple":
        return min(typical, MOST_SIMPLE)
    return min(1 << (typical - 1).bit_length(), MOST_LOGARITHMIC)
