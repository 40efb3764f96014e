"""Values that wander in small steps within a range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel


@kernel
def wander(
    values: NDArray[np.float64],
    slots: NDArray[np.int64],
    moves: NDArray[np.float64],
    most: float,
    before: NDArray[np.float64],
    after: NDArray[np.float64],
) -> None:
    """Move ``values[slots[i]]`` by ``moves[i]``, one after the other; a move beyond 0 or ``most`` ends there.

    ``before`` and ``after`` get the value that each move found and the one that it left.
    """
    for place in range(len(slots)):
        slot = slots[place]
        before[place] = values[slot]
        values[slot] = min(max(values[slot] + moves[place], 0.0), most)
        after[place] = values[slot]
