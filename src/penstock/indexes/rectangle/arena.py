"""Making and widening arenas: arrays in which kernels take and give back runs."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError, ValueRefusedError
from penstock.kernels.vcr import SPARE, Arena

_LENGTHS: Final = 32
_MOST: Final = 2**31 - 1
"""Places in an arena are 32-bit numbers."""


def new_arena(room: int) -> Arena:
    """An arena with room for so many values, none of them used."""
    if room > _MOST:
        raise ValueRefusedError(f"the rectangles need room for {room:,} pieces, and there may be {_MOST:,} at most")
    free = np.full(_LENGTHS, -1, dtype=np.int32)
    return Arena(np.empty(room + SPARE, dtype=np.int32), free, np.zeros(1, dtype=np.int64))


def widened(arena: Arena, least: int) -> Arena:
    """The same arena with room for so many more values than are used, and a quarter wider at least.

    So asking again always ends, however long a run is asked for, and widening stays rare.
    """
    used = int(arena.used[0])
    if used + least + SPARE > _MOST:
        raise ValueRefusedError(f"the rectangles need room for more than {_MOST:,} pieces")
    room = min(max(len(arena.values) * 5 // 4, used + least + SPARE), _MOST)
    values = np.empty(room, dtype=np.int32)
    values[:used] = arena.values[:used]
    return arena._replace(values=values)


def bytes_of(arena: Arena) -> int:
    return arena.values.nbytes + arena.free.nbytes + arena.used.nbytes


def check_runs(arena: Arena, begins: NDArray[np.int64], logs: NDArray[np.int64], what: str) -> None:
    """Raise unless these runs and the free ones fill the used part of an arena, and none overlaps another."""
    free_begins: list[int] = []
    free_logs: list[int] = []
    for log in range(_LENGTHS):
        run = int(arena.free[log])
        while run >= 0 and len(free_begins) <= len(arena.values):
            free_begins.append(run)
            free_logs.append(log)
            run = int(arena.values[run])
    all_begins = np.concatenate([begins, np.array(free_begins, dtype=np.int64)])
    all_ends = all_begins + (1 << np.concatenate([logs, np.array(free_logs, dtype=np.int64)]))
    order = np.argsort(all_begins, kind="stable")
    edges = np.concatenate([[0], all_ends[order]])
    if not np.array_equal(edges[:-1], all_begins[order]) or edges[-1] != arena.used[0]:
        raise InvariantError(f"the runs of {what} overlap or leave gaps")
