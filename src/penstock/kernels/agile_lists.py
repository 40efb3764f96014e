"""Interval skip lists whose intervals move: to other ends, to the ends of their leaf, or up and down the levels.

What needs more room than an array has is left half done in a way that can be gone on with: keys that are still to be
placed are written down, and the caller makes room and places them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.skip_list import (
    HEAD,
    LEFT,
    LEVELS,
    MOST_LEVELS,
    NODES_USED,
    PLACES_USED,
    RIGHT,
    SkipList,
    join_ends,
    last_node_at_or_before,
    leave_ends,
    node_after,
    place_marks,
)

FIRST: Final = -(2**63) + 1
LAST: Final = 2**63 - 1

# How far a move has come.
BEGIN: Final = 0
LEFT_OLD: Final = 1
DONE: Final = 2

PHASE: Final = 0
WAITING: Final = 1
"""What ``progress`` holds: how far the move at hand has come, and how many keys wait to be placed."""


@kernel
def has_interval(skips: SkipList, key: int) -> bool:
    return key < len(skips.keys) and skips.keys[key, LEFT] != HEAD


@kernel
def ends_of(skips: SkipList, key: int) -> tuple[int, int]:
    """The interval that a key has in the list."""
    return int(skips.values[skips.keys[key, LEFT]]), int(skips.values[skips.keys[key, RIGHT]])


@kernel
def random_height(random: NDArray[np.uint64]) -> int:
    """Each level is reached by half of the nodes that reach the one below."""
    state = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    height = 1
    while height < MOST_LEVELS and (state >> np.uint64(height)) & np.uint64(1):
        height += 1
    return height


@kernel
def _place(skips: SkipList, keys: NDArray[np.int64], progress: NDArray[np.int64], waiting: NDArray[np.int64]) -> bool:
    """Place the marks of keys; where there is no more room, note those that wait."""
    placed, _, _ = place_marks(skips, 0, keys)
    for number in range(placed, len(keys)):
        waiting[number - placed] = keys[number]
    progress[WAITING] = len(keys) - placed
    return placed == len(keys)


@kernel
def has_room_for_ends(skips: SkipList, key: int) -> bool:
    """Whether a key and two more nodes of any height fit."""
    if key >= len(skips.keys):
        return False
    nodes = int(skips.numbers[NODES_USED]) + 2 <= len(skips.values)
    return nodes and int(skips.numbers[PLACES_USED]) + 2 * (1 + MOST_LEVELS) <= len(skips.places)


@kernel
def move_interval(
    skips: SkipList,
    key: int,
    low: int,
    high: int,
    random: NDArray[np.uint64],
    progress: NDArray[np.int64],
    waiting: NDArray[np.int64],
) -> bool:
    """Give a key the interval from low to high, or none when low is above high. There must be room for its ends.

    ``False`` when marks wait for room: the caller places them, and calls again with ``progress`` as it is.
    """
    if progress[PHASE] == BEGIN:
        progress[PHASE] = LEFT_OLD
        if has_interval(skips, key) and not _place(skips, leave_ends(skips, key), progress, waiting):
            return False
    if progress[PHASE] == LEFT_OLD:
        progress[PHASE] = DONE
        if low <= high:
            keys = join_ends(skips, key, low, high, random_height(random), random_height(random))
            if not _place(skips, keys, progress, waiting):
                return False
    progress[PHASE] = BEGIN
    return True


@kernel
def node_before(skips: SkipList, key: int, level: int) -> int:
    """The value of the last node at or before a key that reaches a level; the first key if there is none."""
    if level >= skips.numbers[LEVELS]:
        return FIRST
    node = last_node_at_or_before(skips, key, level)
    return FIRST if node == HEAD else int(skips.values[node])


@kernel
def node_beyond(skips: SkipList, key: int, level: int) -> int:
    """The value of the first node at or after a key that reaches a level; the last key if there is none."""
    if level >= skips.numbers[LEVELS]:
        return LAST
    node = last_node_at_or_before(skips, key, level)
    if node != HEAD and skips.values[node] == key:
        return key
    node = node_after(skips, node, level)
    return LAST if node == HEAD else int(skips.values[node])


@kernel
def escalated(skips: SkipList, key: int, low: int, high: int, levels: NDArray[np.int8]) -> tuple[int, int]:
    """The interval of a key with the ends promoted that low and high lie beyond; ``levels`` are those of its ends."""
    begin, end = ends_of(skips, key)
    if low < begin:
        levels[0] = min(levels[0] + 1, MOST_LEVELS)
        begin = node_before(skips, low, levels[0])
    if high > end:
        levels[1] = min(levels[1] + 1, MOST_LEVELS)
        end = node_beyond(skips, high, levels[1])
    return begin, end


@kernel
def deescalated(skips: SkipList, key: int, low: int, high: int, levels: NDArray[np.int8]) -> tuple[int, int]:
    """The interval of a key with both ends a level lower, still holding low to high."""
    begin, end = ends_of(skips, key)
    levels[0] = max(levels[0] - 1, 0)
    levels[1] = max(levels[1] - 1, 0)
    begin = max(begin, node_before(skips, low, levels[0])) if levels[0] > 0 else low
    end = min(end, node_beyond(skips, high, levels[1])) if levels[1] > 0 else high
    return begin, end


@kernel
def widened(skips: SkipList, key: int, low: int, high: int, levels: NDArray[np.int8]) -> tuple[int, int]:
    """The interval of a key with its ends at the neighbouring nodes, where low and high lie beyond them.

    Where that does not hold low to high, an empty interval: low above high. An end that was widened has level 1 and is
    not widened again: its leaf ends there.
    """
    begin, end = ends_of(skips, key)
    if (low < begin and levels[0] > 0) or (high > end and levels[1] > 0):
        return LAST, FIRST
    before, beyond = node_before(skips, max(begin - 1, FIRST), 0), node_beyond(skips, min(end + 1, LAST), 0)
    if low < before or high > beyond:
        return LAST, FIRST
    if low < begin:
        levels[0] = 1
        begin = before
    if high > end:
        levels[1] = 1
        end = beyond
    return begin, end
