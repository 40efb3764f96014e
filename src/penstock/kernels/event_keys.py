"""What events know of fields, as keys: for each event the fields, in any order, with a key each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel


class EventKeys(NamedTuple):
    """Entries of event ``e`` stand from ``offsets[e]`` to ``offsets[e + 1]``.

    A value lies on its key where it is ``exact``, and between the key and the next one where it is not. A field may
    stand several times in an event, with a key each.
    """

    offsets: NDArray[np.int64]
    fields: NDArray[np.int32]
    keys: NDArray[np.int64]
    exact: NDArray[np.bool_]


def order_by_event(
    events: int,
    rows: NDArray[np.int32],
    fields: NDArray[np.int32],
    keys: NDArray[np.int64],
    exact: NDArray[np.bool_],
) -> EventKeys:
    """Entries in any order, put in that of the events."""
    ordered = EventKeys(
        np.zeros(events + 1, dtype=np.int64), np.empty_like(fields), np.empty_like(keys), np.empty_like(exact)
    )
    _place(rows, fields, keys, exact, ordered)
    return ordered


@kernel
def _place(
    rows: NDArray[np.int32],
    fields: NDArray[np.int32],
    keys: NDArray[np.int64],
    exact: NDArray[np.bool_],
    ordered: EventKeys,
) -> None:
    events = len(ordered.offsets) - 1
    for row in rows:
        ordered.offsets[row + 1] += 1
    for event in range(events):
        ordered.offsets[event + 1] += ordered.offsets[event]
    ends = ordered.offsets[:events].copy()
    for entry in range(len(rows)):
        place = ends[rows[entry]]
        ends[rows[entry]] += 1
        ordered.fields[place] = fields[entry]
        ordered.keys[place] = keys[entry]
        ordered.exact[place] = exact[entry]


@kernel
def last_of_each(names: NDArray[np.int32], rows: NDArray[np.int32], count: int) -> NDArray[np.bool_]:
    """Which entries are the last of their name in their row; rows are in order, names below ``count``."""
    kept = np.ones(len(names), dtype=np.bool_)
    seen = np.full(count, -1, dtype=np.int64)
    for entry in range(len(names) - 1, -1, -1):
        if seen[names[entry]] == rows[entry]:
            kept[entry] = False
        seen[names[entry]] = rows[entry]
    return kept
