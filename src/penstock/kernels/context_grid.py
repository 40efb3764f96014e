"""Profiles in a grid over one attribute: cells that list, side by side, what profiles leave of two attributes.

Cells of the lowest level are the stretches between bounds; a cell of the next level is two of them. An entry is in one
or two neighbouring cells, of the lowest level where that suffices, so its interval is never far smaller than its cells.
A message looks at one cell of each level and compares the bounds that it lists. An update writes new bounds where the
entry is, and moves the entry only when it leaves its cells: AGILE's cheap update, with accuracy kept by the list.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, class_size, give_back_run, has_room, size_class, take_run
from penstock.kernels.compiling import kernel
from penstock.kernels.context_stream import (
    EMPTY,
    FINISHED,
    HELD,
    INDEX_UPDATES,
    MATCHES,
    MESSAGES,
    NEEDS_MARKS,
    NEEDS_OUTPUT,
    POSTFILTERED,
    UPDATES,
    Entries,
    Output,
    Programs,
    Stream,
    left_of,
)
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.programs import run_program
from penstock.kernels.readings import LAST, UNKNOWN, clear_keys, put_keys, read_number

NOWHERE: Final = -1


class Grid(NamedTuple):
    """The cells of all levels; cell ``c`` has ``counts[c]`` members from ``runs[c]`` in columns with ``rooms[c]``.

    A member is twice the profile, plus one for the second of its cells. ``firsts`` are the first cells of entries, and
    ``places`` where in the columns their members are.
    """

    bounds: NDArray[np.int64]
    levels: NDArray[np.int64]
    """Where the cells of each level begin."""
    runs: NDArray[np.int64]
    counts: NDArray[np.int32]
    rooms: NDArray[np.int32]
    members: NDArray[np.int32]
    free: NDArray[np.int64]
    first_lows: NDArray[np.int64]
    first_highs: NDArray[np.int64]
    second_lows: NDArray[np.int64]
    second_highs: NDArray[np.int64]
    cells: NDArray[np.int32]
    """The cell of each member of each profile, NOWHERE for one that it has not: two columns."""
    places: NDArray[np.int64]


class GridRoom(NamedTuple):
    """Room for one message."""

    keys: NDArray[np.int64]
    found: NDArray[np.int32]


@kernel
def cell_of(grid: Grid, key: int) -> int:
    """The cell of the lowest level that a key is in."""
    low, high = 0, len(grid.bounds)
    while low < high:
        middle = (low + high) >> 1
        if grid.bounds[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def cells_of(grid: Grid, low: int, high: int) -> tuple[int, int]:
    """The one or two cells of an interval."""
    begin, end = cell_of(grid, low), cell_of(grid, high)
    level = 0
    while (end >> level) - (begin >> level) > 1:
        level += 1
    return int(grid.levels[level]) + (begin >> level), int(grid.levels[level]) + (end >> level)


@kernel
def has_room_for_member(grid: Grid, cell: int) -> bool:
    if grid.counts[cell] < grid.rooms[cell]:
        return True
    return has_room(Arena(grid.members, grid.free), class_size(size_class(max(4, 2 * int(grid.rooms[cell])))))


@kernel
def _write(grid: Grid, place: int, member: int, entries: Entries, profile: int) -> None:
    grid.members[place] = member
    grid.first_lows[place] = entries.lows[0, profile]
    grid.first_highs[place] = entries.highs[0, profile]
    second = entries.states[1, profile] == HELD
    grid.second_lows[place] = entries.lows[1, profile] if second else UNKNOWN
    grid.second_highs[place] = entries.highs[1, profile] if second else LAST


@kernel
def _copy(grid: Grid, source: int, target: int) -> None:
    grid.members[target] = grid.members[source]
    grid.first_lows[target] = grid.first_lows[source]
    grid.first_highs[target] = grid.first_highs[source]
    grid.second_lows[target] = grid.second_lows[source]
    grid.second_highs[target] = grid.second_highs[source]
    member = grid.members[target]
    grid.places[member >> 1, member & 1] = target


@kernel
def _add_member(grid: Grid, cell: int, profile: int, side: int, entries: Entries) -> None:
    """Put a profile into a cell that has room for it, or for a longer run."""
    count, room = int(grid.counts[cell]), int(grid.rooms[cell])
    if count == room:
        arena = Arena(grid.members, grid.free)
        number = size_class(max(4, 2 * room))
        run = take_run(arena, number)
        old = int(grid.runs[cell])
        for place in range(count):
            _copy(grid, old + place, run + place)
        if room > 0:
            give_back_run(arena, old, size_class(room))
        grid.runs[cell] = run
        grid.rooms[cell] = class_size(number)
    place = int(grid.runs[cell]) + count
    _write(grid, place, 2 * profile + side, entries, profile)
    grid.counts[cell] = count + 1
    grid.cells[profile, side] = cell
    grid.places[profile, side] = place


@kernel
def _take_member(grid: Grid, profile: int, side: int) -> None:
    """Take a profile out of one of its cells; the last member of the cell comes to where it was."""
    cell = int(grid.cells[profile, side])
    if cell == NOWHERE:
        return
    last = int(grid.runs[cell]) + int(grid.counts[cell]) - 1
    place = int(grid.places[profile, side])
    if place != last:
        _copy(grid, last, place)
    grid.counts[cell] -= 1
    grid.cells[profile, side] = NOWHERE


@kernel
def take_out(grid: Grid, profile: int) -> None:
    """A profile is in no cell any more."""
    _take_member(grid, profile, 0)
    _take_member(grid, profile, 1)


@kernel
def put_in(grid: Grid, profile: int, entries: Entries) -> bool:
    """Have a profile in the cells of what it leaves of the first attribute; ``False`` when there is no room."""
    begin, end = cells_of(grid, entries.lows[0, profile], entries.highs[0, profile])
    if not (has_room_for_member(grid, begin) and has_room_for_member(grid, end)):
        return False
    take_out(grid, profile)
    _add_member(grid, begin, profile, 0, entries)
    if end != begin:
        if not has_room_for_member(grid, end):  # the first one took it
            _take_member(grid, profile, 0)
            return False
        _add_member(grid, end, profile, 1, entries)
    return True


@kernel
def _refresh(grid: Grid, profile: int, entries: Entries, programs: Programs, counters: NDArray[np.int64]) -> bool:
    """See what a profile leaves now, and write it where it is or move it; ``False`` when there is no room."""
    for index in range(2):
        if entries.states[index, profile] == EMPTY or entries.states[index, profile] == HELD:
            low, high = left_of(index, profile, entries, programs)
            entries.lows[index, profile] = low
            entries.highs[index, profile] = high
            entries.states[index, profile] = EMPTY if low > high else HELD
    if entries.states[0, profile] == EMPTY or entries.states[1, profile] == EMPTY:
        take_out(grid, profile)
        return True
    begin, end = cells_of(grid, entries.lows[0, profile], entries.highs[0, profile])
    second = end if end != begin else NOWHERE
    if grid.cells[profile, 0] == begin and grid.cells[profile, 1] == second:
        _write(grid, int(grid.places[profile, 0]), 2 * profile, entries, profile)
        if second != NOWHERE:
            _write(grid, int(grid.places[profile, 1]), 2 * profile + 1, entries, profile)
        return True
    counters[INDEX_UPDATES] += 1
    return put_in(grid, profile, entries)


@kernel
def look_at_all(profiles: NDArray[np.int64], entries: Entries, programs: Programs) -> None:
    """See what profiles leave now, after updates that the grid was not told of."""
    for profile in profiles:
        for index in range(2):
            if entries.states[index, profile] == EMPTY or entries.states[index, profile] == HELD:
                low, high = left_of(index, profile, entries, programs)
                entries.lows[index, profile] = low
                entries.highs[index, profile] = high
                entries.states[index, profile] = EMPTY if low > high else HELD


@kernel
def put_all_in(first: int, profiles: NDArray[np.int64], grid: Grid, entries: Entries) -> int:
    """Put profiles into their cells, from the first one on as long as there is room; the next one."""
    for place in range(first, len(profiles)):
        profile = profiles[place]
        belongs = entries.states[0, profile] == HELD and entries.states[1, profile] != EMPTY
        if belongs and not put_in(grid, profile, entries):
            return place
    return len(profiles)


@kernel
def _candidates(grid: Grid, entries: Entries, room: GridRoom) -> int:
    """The profiles whose bounds hold both keys; how many. No profile is met twice: its cells are of one level."""
    first, second = room.keys[entries.fields[0]], room.keys[entries.fields[1]]
    if first == UNKNOWN:
        return 0
    count = 0
    base = cell_of(grid, first)
    for level in range(len(grid.levels)):
        cell = int(grid.levels[level]) + (base >> level)
        begin = int(grid.runs[cell])
        for place in range(begin, begin + int(grid.counts[cell])):
            inside = (grid.first_lows[place] <= first) & (first <= grid.first_highs[place])
            inside &= (grid.second_lows[place] <= second) & (second <= grid.second_highs[place])
            room.found[count] = grid.members[place] >> 1
            count += inside
    return count


@kernel
def run_grid_stream(
    step: int,
    message: int,
    stream: Stream,
    events: EventKeys,
    gridded: bool,
    grid: Grid,
    entries: Entries,
    programs: Programs,
    scanned: NDArray[np.int32],
    room: GridRoom,
    output: Output,
    counters: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Go on from a step and a message as far as there is room: why it ended, and the next step and message.

    ``scanned`` are the profiles that are not in the grid. Where it is not ``gridded`` those are all.
    """
    while step < len(stream.slots):
        slot = stream.slots[step]
        if slot >= 0:
            read_number(slot, stream.values[step], programs.bindings, programs.leaves, programs.starts, programs.tests)
            if gridded:
                begin = programs.bindings.starts[slot]
                last = -1
                for binding in range(begin, begin + programs.bindings.counts[slot]):
                    if not programs.leaves.indexed[programs.bindings.leaves[binding]]:
                        continue
                    profile = programs.bindings.profiles[binding]
                    state = entries.states[0, profile]
                    if profile != last and state in (EMPTY, HELD):
                        last = profile
                        if not _refresh(grid, profile, entries, programs, counters):
                            return NEEDS_MARKS, step, message
            counters[UPDATES] += 1
        else:
            if len(output.messages) - output.size[0] < len(programs.needed):
                return NEEDS_OUTPUT, step, message
            put_keys(events, message, room.keys)
            count = _candidates(grid, entries, room) if gridded else 0
            counters[POSTFILTERED] += count + len(scanned)
            for place in range(count + len(scanned)):
                profile = room.found[place] if place < count else scanned[place - count]
                if run_program(programs.starts[profile], programs.tests, room.keys):
                    output.messages[output.size[0]] = message
                    output.profiles[output.size[0]] = profile
                    output.size[0] += 1
                    counters[MATCHES] += 1
            clear_keys(events, message, room.keys)
            counters[MESSAGES] += 1
            message += 1
        step += 1
    return FINISHED, step, message
