"""Runs of 32-bit integers of any size in one array: taken, given back, and taken again.

Sizes are rounded up to classes, four to each doubling, so that at most a quarter of a run is beyond what was asked for.
A run given back joins the free list of its class, linked through its own first slot. Slot 0 is never given out: 0 means
"no run". An array cannot grow inside a kernel: callers ask :func:`has_room` first, and grow the array outside.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel

SIZE_CLASSES: Final = 128
TOP: Final = SIZE_CLASSES
MOST_SLOTS: Final = 2**31 - 1


class Arena(NamedTuple):
    """``slots`` hold the runs; ``free[c]`` is the first free run of a class, ``free[TOP]`` the first slot not used."""

    slots: NDArray[np.int32]
    free: NDArray[np.int64]


def new_arena(slots: int) -> Arena:
    """An arena with room for a number of slots besides slot 0."""
    free = np.zeros(SIZE_CLASSES + 1, dtype=np.int64)
    free[TOP] = 1
    return Arena(np.empty(slots + 1, dtype=np.int32), free)


def grown_arena(arena: Arena, slots: int) -> Arena:
    """The same arena with room for that many more slots, and for half as much again as it had."""
    top = int(arena.free[TOP])
    size = min(MOST_SLOTS, max(top + slots, len(arena.slots) * 3 // 2 + 64))
    if top + slots > size:
        raise MemoryError(f"an index holds at most {MOST_SLOTS:,} entries; {slots:,} more do not fit")
    wider = np.empty(size, dtype=np.int32)
    wider[:top] = arena.slots[:top]
    return arena._replace(slots=wider)


@kernel
def size_class(size: int) -> int:
    """The class of the runs that hold ``size`` slots, from 1."""
    if size <= 8:
        return size - 1
    doubling = 3
    while (2 << doubling) < size:
        doubling += 1
    step = doubling - 2
    return 8 + (doubling - 3) * 4 + ((size - 1 - (1 << doubling)) >> step)


@kernel
def class_size(number: int) -> int:
    """How many slots the runs of a class have."""
    if number < 8:
        return number + 1
    doubling = 3 + (number - 8) // 4
    return (1 << doubling) + (((number - 8) % 4 + 1) << (doubling - 2))


@kernel
def has_room(arena: Arena, slots: int) -> bool:
    """Whether runs that together have this many slots, sizes rounded up, can surely be taken."""
    return int(arena.free[TOP]) + slots <= len(arena.slots)


@kernel
def take_run(arena: Arena, number: int) -> int:
    """The first slot of a run of a class."""
    run = int(arena.free[number])
    if run != 0:
        arena.free[number] = arena.slots[run]
        return run
    run = int(arena.free[TOP])
    arena.free[TOP] = run + class_size(number)
    return run


@kernel
def give_back_run(arena: Arena, run: int, number: int) -> None:
    """The run of a class is free again."""
    arena.slots[run] = arena.free[number]
    arena.free[number] = run
