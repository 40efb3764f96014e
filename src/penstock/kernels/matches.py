"""Pairs of an event and a key: found in any order, handed out by event and then by key."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel

Item = TypeVar("Item", bound=np.generic)


@kernel
def with_room(values: NDArray[Item], used: int, more: int) -> NDArray[Item]:
    """An array whose first ``used`` values are these and that has room for ``more`` behind them: this one, or longer.

    How many pairs there are is known when they are found; the room doubles when it ends.
    """
    if used + more <= len(values):
        return values
    longer = np.empty(max(2 * len(values), used + more), dtype=values.dtype)
    longer[:used] = values[:used]
    return longer


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
