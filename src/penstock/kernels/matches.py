"""Pairs of an event and a key: found in any order, handed out by event and then by key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel


@kernel
def order_matches(
    events: int,
    rows: NDArray[np.int32],
    keys: NDArray[np.int64],
    ordered_rows: NDArray[np.int64],
    ordered_keys: NDArray[np.int64],
) -> int:
    """Put pairs in the order of their events and keys, without repetition. Returns how many are left."""
    offsets = np.zeros(events + 1, dtype=np.int64)
    for row in rows:
        offsets[row + 1] += 1
    for event in range(events):
        offsets[event + 1] += offsets[event]
    ends = offsets[:events].copy()
    for pair in range(len(rows)):
        row = rows[pair]
        ordered_keys[ends[row]] = keys[pair]
        ends[row] += 1
    written = 0
    for event in range(events):
        found = ordered_keys[offsets[event] : offsets[event + 1]]
        found.sort()
        for place in range(len(found)):
            if place > 0 and found[place] == found[place - 1]:
                continue
            ordered_rows[written] = event
            ordered_keys[written] = found[place]
            written += 1
    return written
