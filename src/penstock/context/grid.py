"""``grid`` and ``auto``: profiles in a grid that an update writes to in place, or none at all where that is cheaper.

The paper trades the accuracy of an index for cheap updates because an update of an interval skip list is expensive. In
a grid it is a few writes, so the grid stays accurate; see ``kernels/context_grid.py``. What is left of the trade is
whether to keep the grid at all: ``auto`` compares what its updates cost with what they save, from the rates that it
observes, and switches while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.context.counters import Counters
from penstock.context.entries import Bounds
from penstock.context.entry_table import EntryTable
from penstock.context.leaves import FIRST, LAST, UNKNOWN
from penstock.context.profiles import Profiles
from penstock.errors import InvariantError
from penstock.kernels.arena import Arena, grown_arena, new_arena
from penstock.kernels.context_grid import (
    NOWHERE,
    Grid,
    GridRoom,
    look_at_all,
    put_all_in,
    put_in,
    run_grid_stream,
    take_out,
)
from penstock.kernels.context_slices import WIDTH, Slices, run_window
from penstock.kernels.context_stream import (
    EMPTY,
    FINISHED,
    HELD,
    INDEXES,
    LOOSE,
    NEEDS_MARKS,
    NEEDS_OUTPUT,
    NONE,
    Output,
    Programs,
    Stream,
)
from penstock.kernels.event_keys import EventKeys

MOST_CELLS: Final = 1024
LEAST_BUILT: Final = 16
LEAST_OUTPUT: Final = 4096
STEPS_AT_ONCE: Final = 65_536
"""``auto`` looks at the rates after so many steps."""

# What things cost, in nanoseconds on one machine; only their ratios matter. See benchmarks/micro/context.py.
SLICED: Final = 3.0
"""A profile for one of 64 messages at once."""
ALONE: Final = 15.0
"""A profile for a message by itself."""
COMPARED: Final = 4.0
"""Bounds in a cell that are compared."""
WRITTEN: Final = 850.0
"""An update that the grid has to know of."""
SURE: Final = 1.3
"""By how much the other way must be better to switch: rates waver."""


class GridIndexes:
    """The profiles in a grid over the most selective attribute, with what they leave of a second one beside it."""

    def __init__(self, profiles: Profiles, counters: Counters, *, gridded: bool, switching: bool) -> None:
        self._profiles = profiles
        self._counters = counters
        self._switching = switching
        self._gridded = gridded
        self._mostly_touched = False
        self.switches = 0
        """How often ``auto`` changed its mind."""
        self._entries = EntryTable(profiles)
        self._grid = _new_grid(np.empty(0, dtype=np.int64), 0)
        self._added = 0
        """How many profiles came since the cells were laid out."""
        self._built_for = LEAST_BUILT
        self._scanned: NDArray[np.int32] | None = None
        self._room: GridRoom | None = None
        self._slices: Slices | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        return self._entries.attributes

    # Profiles and attributes

    def index_by(self, attributes: Sequence[str], bounds: Mapping[int, Mapping[str, Bounds]]) -> None:
        """Have a grid over the first attribute; the second one is compared beside it."""
        self._entries.index_by(attributes, bounds)
        for profile in bounds:
            self._look(profile)
        self._build()

    def add(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        self._entries.add(profile, bounds)
        if len(self._grid.cells) < len(self._entries):
            more = len(self._entries) - len(self._grid.cells)
            self._grid = self._grid._replace(
                cells=np.concatenate([self._grid.cells, np.full((more, 2), NOWHERE, np.int32)]),
                places=np.concatenate([self._grid.places, np.zeros((more, 2), np.int64)]),
            )
        self.refresh(profile)
        self._added += 1
        if self._added > 3 * self._built_for:
            self._build()

    def remove(self, profile: int) -> None:
        take_out(self._grid, profile)
        self._entries.remove(profile)
        self._scanned = None

    def refresh(self, profile: int) -> None:
        """See what is left for the entries of a profile, after a change that the kernel did not make."""
        self._look(profile)
        self._scanned = None
        take_out(self._grid, profile)
        states = self._entries.states[:, profile]
        if not self._gridded or states[0] != HELD or states[1] == EMPTY:
            return
        while not put_in(self._grid, profile, self._entries.arrays):
            self._make_room()

    # Streams

    def run(self, stream: Stream, events: EventKeys) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Go through steps; pairs of a message, counted from 0, and a profile that match."""
        size = max(LEAST_OUTPUT, 2 * len(self._entries))
        output = Output(np.empty(size, np.int64), np.empty(size, np.int32), np.zeros(1, np.int64))
        messages: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
        found: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
        step = message = 0
        while step < len(stream.slots):
            end = min(len(stream.slots), (step // STEPS_AT_ONCE + 1) * STEPS_AT_ONCE)
            part = Stream(stream.slots[:end], stream.values[:end])
            before = self._counters.as_array()
            if self._gridded or self._mostly_touched:
                state, step, message = self._go_on(step, message, part, events, output)
            else:
                state, step, message, output = self._go_on_without(step, message, part, events, output)
            if state == NEEDS_MARKS:
                self._make_room()
            if state in (FINISHED, NEEDS_OUTPUT):
                count = int(output.size[0])
                messages.append(output.messages[:count].copy())
                found.append(output.profiles[:count].copy())
                output.size[0] = 0
            if self._switching and state == FINISHED:
                self._consider(self._counters.as_array() - before)
        return np.concatenate(messages), np.concatenate(found)

    def _go_on(self, step: int, message: int, part: Stream, events: EventKeys, output: Output) -> tuple[int, int, int]:
        counters = self._counters.as_array()
        state, step, message = run_grid_stream(
            step,
            message,
            part,
            events,
            self._gridded,
            self._grid,
            self._entries.arrays,
            self._programs(),
            self._scanned_profiles(),
            self._message_room(),
            output,
            counters,
        )
        self._counters.take(counters)
        return int(state), int(step), int(message)

    def _go_on_without(
        self, step: int, message: int, part: Stream, events: EventKeys, output: Output
    ) -> tuple[int, int, int, Output]:
        """The next windows of 64 messages, all profiles in bits, up to the end of a part."""
        profiles, fields = self._scanned_profiles(), len(self._profiles.vocabulary)
        slices = self._window_room(fields)
        needed = WIDTH * len(profiles)
        if len(output.messages) - int(output.size[0]) < needed:
            size = int(output.size[0]) + max(needed, LEAST_OUTPUT)
            output = Output(np.resize(output.messages, size), np.resize(output.profiles, size), output.size)
        counters = self._counters.as_array()
        step, message = run_window(
            step, message, part, events, fields, self._programs(), profiles, slices, output, counters
        )
        self._counters.take(counters)
        return FINISHED, int(step), int(message), output

    def _window_room(self, fields: int) -> Slices:
        slices, profiles = self._slices, len(self._entries)
        longest = int(self._profiles.program_sizes.max(initial=0)) + 1
        if (
            slices is None
            or len(slices.keys) < fields
            or len(slices.touched) < profiles
            or len(slices.active) < longest
        ):
            self._slices = slices = Slices(
                np.zeros((2 * fields, WIDTH), np.int64),
                np.zeros((2 * fields, WIDTH + 1), np.uint64),
                np.zeros(2 * longest, np.uint64),
                np.full(2 * fields, UNKNOWN, np.int64),
                np.zeros(profiles, np.int64),
                np.empty(profiles, np.int32),
                np.zeros(1, np.int64),
            )
        return slices

    def _consider(self, done: NDArray[np.int64]) -> None:
        """Keep the grid as long as what it saves is more than what its updates cost."""
        messages, updates = int(done[0]), int(done[1])
        if messages + updates == 0 or not len(self.attributes):
            return
        profiles = self._entries.count
        touched = min(profiles, WIDTH * updates // max(1, messages))
        self._mostly_touched = 2 * touched > profiles  # then 64 at once are hardly ever the same
        scanning = messages * (SLICED * (profiles - touched) + ALONE * touched)
        comparing = messages * COMPARED * self._share_in_a_cell() * profiles
        writing = updates * self._profiles.indexed_share(self.attributes) * WRITTEN
        if self._gridded and comparing + writing > SURE * scanning:
            self._gridded = False
        elif not self._gridded and scanning > SURE * (comparing + writing):
            self._gridded = True
            look_at_all(np.flatnonzero(self._entries.alive), self._entries.arrays, self._programs())
            self._build()
        else:
            return
        self._scanned = None
        self.switches += 1

    def _share_in_a_cell(self) -> float:
        """The share of all entries that a message compares, by the cells as they are or were."""
        counts = self._grid.counts
        levels = np.append(self._grid.levels, len(counts))
        means = [counts[levels[level] : levels[level + 1]].mean() for level in range(len(levels) - 1)]
        return float(sum(means)) / max(1, self._entries.count)

    # Looking

    @property
    def gridded(self) -> bool:
        """Whether there is a grid at the moment."""
        return self._gridded

    def memory(self) -> dict[str, int]:
        return {"grid": sum(array.nbytes for array in self._grid), "entries": self._entries.nbytes}

    def check_invariants(self) -> None:
        """Every profile with an entry is in the cells of what it leaves, with its bounds, and in no others."""
        if not self._gridded:
            return
        listed: dict[int, int] = {}
        for cell in np.flatnonzero(self._grid.counts).tolist():
            begin = int(self._grid.runs[cell])
            for place in range(begin, begin + int(self._grid.counts[cell])):
                profile, side = divmod(int(self._grid.members[place]), 2)
                listed[profile] = listed.get(profile, 0) + 1
                if (self._grid.cells[profile, side], self._grid.places[profile, side]) != (cell, place):
                    raise InvariantError(f"profile {profile} does not know that it is in cell {cell}")
                bounds = self._grid.first_lows[place], self._grid.first_highs[place]
                if bounds != self._entries.noted(0, profile)[1:]:
                    raise InvariantError(f"cell {cell} lists other bounds of profile {profile} than it has")
        for profile in np.flatnonzero(self._entries.alive).tolist():
            now = [self._entries.now(index, profile) for index in range(INDEXES)]
            wanted = now[0] is not None and now[0].state == HELD and (now[1] is None or now[1].state != EMPTY)
            if wanted != (profile in listed):
                raise InvariantError(f"profile {profile} is {'not ' if wanted else ''}in the grid")

    # Inside

    def _look(self, profile: int) -> None:
        for index in range(len(self.attributes)):
            now = self._entries.now(index, profile)
            if now is not None:
                self._entries.note(index, profile, now)

    def _build(self) -> None:
        """Lay the cells out anew, so that they hold about as many entries each."""
        entries = self._entries.arrays
        held = np.flatnonzero(entries.states[0] == HELD)
        ends = np.concatenate([entries.lows[0, held], entries.highs[0, held]])
        self._grid = _new_grid(_bounds_of_cells(ends[(ends != FIRST) & (ends != LAST)]), len(self._entries))
        self._added, self._built_for = 0, max(LEAST_BUILT, self._entries.count)
        self._scanned = None
        profiles = np.flatnonzero(self._entries.alive)
        place = 0 if self._gridded else len(profiles)
        while place < len(profiles):
            place = put_all_in(place, profiles, self._grid, entries)
            if place < len(profiles):
                self._make_room()

    def _scanned_profiles(self) -> NDArray[np.int32]:
        """The profiles that the grid does not know of."""
        if self._scanned is None:
            states = self._entries.states[0]
            plain = self._entries.alive
            self._scanned = self._entries.with_programs(
                plain & ((states == NONE) | (states == LOOSE)) if self._gridded else plain
            )
        return self._scanned

    def _programs(self) -> Programs:
        nothing = np.empty(0, dtype=np.int32)
        return self._entries.programs(np.zeros(len(self._entries), dtype=np.int8), nothing)

    def _message_room(self) -> GridRoom:
        fields, profiles = len(self._profiles.vocabulary), len(self._entries)
        room = self._room
        if room is None or len(room.keys) < fields or len(room.found) < 2 * profiles + 1:
            self._room = room = GridRoom(
                np.full(2 * fields, UNKNOWN, dtype=np.int64), np.empty(2 * profiles + 1, dtype=np.int32)
            )
        return room

    def _make_room(self) -> None:
        arena = grown_arena(_arena(self._grid), len(self._grid.members))
        more = len(arena.slots) - len(self._grid.members)

        def wider(column: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.concatenate([column, np.zeros(more, dtype=np.int64)])

        grid = self._grid
        self._grid = grid._replace(
            members=arena.slots,
            first_lows=wider(grid.first_lows),
            first_highs=wider(grid.first_highs),
            second_lows=wider(grid.second_lows),
            second_highs=wider(grid.second_highs),
        )


def _bounds_of_cells(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where cells begin but the first: with about as many ends in each, and no more cells than worth it."""
    count = min(MOST_CELLS, max(1, len(ends) // 8))
    if count < 2:
        return np.empty(0, dtype=np.int64)
    places = np.linspace(0, len(ends) - 1, count + 1).astype(np.int64)[1:-1]
    return np.unique(np.sort(ends)[places])


def _new_grid(bounds: NDArray[np.int64], profiles: int) -> Grid:
    """A grid with cells between bounds, and nothing in them."""
    cells = len(bounds) + 1
    sizes = [cells]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    levels = np.cumsum([0, *sizes[:-1]]).astype(np.int64)
    total = sum(sizes)
    arena = new_arena(1024 + 4 * profiles)
    column = np.zeros(len(arena.slots), dtype=np.int64)
    return Grid(
        bounds,
        levels,
        np.zeros(total, np.int64),
        np.zeros(total, np.int32),
        np.zeros(total, np.int32),
        arena.slots,
        arena.free,
        column,
        column.copy(),
        column.copy(),
        column.copy(),
        np.full((profiles, 2), NOWHERE, np.int32),
        np.zeros((profiles, 2), np.int64),
    )


def _arena(grid: Grid) -> Arena:
    return Arena(grid.members, grid.free)
