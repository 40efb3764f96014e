"""Messages and context updates in their order, through two interval skip lists or none, without leaving compiled code.

Numbers only: an update gives a slot a double, and moves the tests that read it; what that leaves of an indexed
attribute may move an entry of its index. A message finds the profiles that all of its indexes return, and runs their
programs.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.agile_lists import (
    deescalated,
    ends_of,
    escalated,
    has_room_for_ends,
    move_interval,
    widened,
)
from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.programs import Tests, run_program
from penstock.kernels.readings import FIRST, LAST, UNKNOWN, Bindings, Leaves, clear_keys, put_keys, read_number
from penstock.kernels.skip_list import SkipList, stab_list

INDEXES: Final = 2

NOINDEX: Final = 0
EAGER: Final = 1
GBU: Final = 2
AGILE: Final = 3

# What an entry is.
NONE: Final = 0
EMPTY: Final = 1
HELD: Final = 2
LOOSE: Final = 3

# Why the kernel came back.
FINISHED: Final = 0
NEEDS_OUTPUT: Final = 1
NEEDS_NODES: Final = 2
NEEDS_MARKS: Final = 3

# Policies, and what ``policy`` holds.
FIXED: Final = 0
AUTO: Final = 1
RENTAL: Final = 2
POLICY_KIND: Final = 0
POLICY_VALUE: Final = 1
POLICY_SEEN: Final = 2
POLICY_UPDATES: Final = 3
POLICY_FALSE: Final = 4
POLICY_NUMBERS: Final = 5
RECENT: Final = 1000
"""As in context/policies.py: after so many false positives half of what was counted is forgotten."""

# What is counted.
MESSAGES: Final = 0
UPDATES: Final = 1
INDEX_UPDATES: Final = 2
ESCALATIONS: Final = 3
DEESCALATIONS: Final = 4
POSTFILTERED: Final = 5
FALSE_POSITIVES: Final = 6
MATCHES: Final = 7


class Stream(NamedTuple):
    """Steps in their order: ``slots[i]`` gets ``values[i]``, or the next message comes where that is -1."""

    slots: NDArray[np.int32]
    values: NDArray[np.float64]


class Programs(NamedTuple):
    """The programs of profiles, what binds their tests to slots, and which profiles are indexed how often."""

    starts: NDArray[np.int64]
    tests: Tests
    bindings: Bindings
    leaves: Leaves
    needed: NDArray[np.int8]
    """In how many indexes a profile is to be found."""
    unindexed: NDArray[np.int32]
    """The profiles that are in no index."""


class Entries(NamedTuple):
    """What the tests of profiles leave of the indexed attributes: two rows, a column a profile.

    The tests of an entry are ``offsets`` from ``starts`` on, those of one alternative together.
    """

    fields: NDArray[np.int32]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]
    offsets: NDArray[np.int32]
    alternatives: NDArray[np.int32]
    states: NDArray[np.int8]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    levels: NDArray[np.int8]
    paid: NDArray[np.int32]


class Progress(NamedTuple):
    """How far the stream has come, and the moves of entries that are to be made before it goes on."""

    numbers: NDArray[np.int64]
    """Steps done, messages done, moves to make, the first of them that is not made."""
    moving: NDArray[np.int64]
    waiting: NDArray[np.int64]
    indexes: NDArray[np.int8]
    profiles: NDArray[np.int32]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]


STEPS, MESSAGES_DONE, MOVES, MADE = 0, 1, 2, 3


class Room(NamedTuple):
    """Room for one message: keys by field, candidates, and how often each profile was found for which message."""

    keys: NDArray[np.int64]
    found: NDArray[np.int32]
    stamps: NDArray[np.int64]
    random: NDArray[np.uint64]


class Output(NamedTuple):
    """Pairs of a message and a profile that match; ``size[0]`` of them."""

    messages: NDArray[np.int64]
    profiles: NDArray[np.int32]
    size: NDArray[np.int64]


@kernel
def left_of(index: int, profile: int, entries: Entries, programs: Programs) -> tuple[int, int]:
    """What the tests of a profile leave of an attribute; the first end above the second when nothing is left."""
    low, high = LAST, FIRST
    begin = entries.starts[index, profile]
    end = begin + entries.sizes[index, profile]
    start = programs.starts[profile]
    place = begin
    while place < end:
        alternative = entries.alternatives[place]
        lowest, highest = FIRST, LAST
        while place < end and entries.alternatives[place] == alternative:
            test = start + entries.offsets[place]
            lowest = max(lowest, programs.tests.lows[test])
            highest = min(highest, programs.tests.highs[test])
            place += 1
        if lowest <= highest:
            low, high = min(low, lowest), max(high, highest)
    return low, high


@kernel
def _push(progress: Progress, index: int, profile: int, low: int, high: int) -> None:
    place = progress.numbers[MOVES]
    progress.indexes[place] = index
    progress.profiles[place] = profile
    progress.lows[place] = low
    progress.highs[place] = high
    progress.numbers[MOVES] = place + 1


@kernel
def _update_entry(
    strategy: int,
    index: int,
    profile: int,
    skips: SkipList,
    entries: Entries,
    programs: Programs,
    progress: Progress,
    counters: NDArray[np.int64],
) -> None:
    """See what is left for an entry after an update, and note the move that its index has to make, if any."""
    low, high = left_of(index, profile, entries, programs)
    state = EMPTY if low > high else HELD
    before = entries.states[index, profile]
    if state == before and (
        state == EMPTY or (low == entries.lows[index, profile] and high == entries.highs[index, profile])
    ):
        return
    entries.states[index, profile] = state
    entries.lows[index, profile] = low
    entries.highs[index, profile] = high
    if state != before:
        entries.levels[index, profile, :] = 0
        if state == EMPTY:
            _push(progress, index, profile, LAST, FIRST)
        else:
            _push(progress, index, profile, low, high)
        return
    if strategy != EAGER:
        begin, end = ends_of(skips, profile)
        if begin <= low and high <= end:
            return
        if strategy == GBU:
            begin, end = widened(skips, profile, low, high, entries.levels[index, profile])
            if begin <= end:
                _push(progress, index, profile, begin, end)
                return
            entries.levels[index, profile, :] = 0
        else:
            begin, end = escalated(skips, profile, low, high, entries.levels[index, profile])
            entries.paid[index, profile] = 0
            counters[INDEX_UPDATES] += 1
            counters[ESCALATIONS] += 1
            _push(progress, index, profile, begin, end)
            return
    counters[INDEX_UPDATES] += 1
    _push(progress, index, profile, low, high)


@kernel
def _deescalates(
    policy: NDArray[np.float64], index: int, profile: int, entries: Entries, counters: NDArray[np.int64]
) -> bool:
    """Whether a false positive makes an entry accurate again."""
    if policy[POLICY_KIND] == RENTAL:
        entries.paid[index, profile] += 1
        if entries.paid[index, profile] < policy[POLICY_VALUE]:
            return False
        entries.paid[index, profile] = 0
        return True
    policy[POLICY_SEEN] += 1
    if policy[POLICY_KIND] == AUTO:
        updates = counters[UPDATES] - policy[POLICY_UPDATES]
        false_positives = counters[FALSE_POSITIVES] - policy[POLICY_FALSE]
        if false_positives >= RECENT:
            policy[POLICY_UPDATES] += updates // 2
            policy[POLICY_FALSE] += false_positives // 2
        wanted = policy[POLICY_VALUE] * updates / false_positives
    else:
        wanted = policy[POLICY_VALUE]
    if policy[POLICY_SEEN] < wanted:
        return False
    policy[POLICY_SEEN] = 0
    return True


@kernel
def _merge(
    message: int,
    first: SkipList,
    second: SkipList,
    indexes: int,
    entries: Entries,
    programs: Programs,
    room: Room,
) -> int:
    """The candidates: profiles that all of their indexes return, and those that have none. How many there are."""
    count = len(programs.unindexed)
    room.found[:count] = programs.unindexed
    if indexes == 0:
        return count
    for index in range(indexes):
        key = room.keys[entries.fields[index]]
        if key == UNKNOWN:
            continue
        end = stab_list(first if index == 0 else second, key, True, room.found, count)
        kept = count
        for place in range(count, end):
            profile = room.found[place]
            stamp = room.stamps[profile]
            times = (stamp & 7) + 1 if stamp >> 3 == message else 1
            room.stamps[profile] = (message << 3) | times
            if times == programs.needed[profile]:
                room.found[kept] = profile
                kept += 1
        count = kept
    return count


@kernel
def _answer(
    message: int,
    events: EventKeys,
    event: int,
    strategy: int,
    policy: NDArray[np.float64],
    first: SkipList,
    second: SkipList,
    indexes: int,
    entries: Entries,
    programs: Programs,
    progress: Progress,
    room: Room,
    output: Output,
    counters: NDArray[np.int64],
) -> None:
    """Find the profiles that a message satisfies, and note which entries are to be deescalated."""
    put_keys(events, event, room.keys)
    count = _merge(message, first, second, indexes, entries, programs, room)
    counters[POSTFILTERED] += count
    for place in range(count):
        profile = room.found[place]
        if run_program(programs.starts[profile], programs.tests, room.keys):
            output.messages[output.size[0]] = event
            output.profiles[output.size[0]] = profile
            output.size[0] += 1
            counters[MATCHES] += 1
            continue
        for index in range(indexes):
            if entries.states[index, profile] != HELD:
                continue
            key = room.keys[entries.fields[index]]
            low, high = entries.lows[index, profile], entries.highs[index, profile]
            if low <= key <= high:
                continue
            counters[FALSE_POSITIVES] += 1
            if strategy == AGILE and _deescalates(policy, index, profile, entries, counters):
                skips = first if index == 0 else second
                begin, end = deescalated(skips, profile, low, high, entries.levels[index, profile])
                counters[DEESCALATIONS] += 1
                _push(progress, index, profile, begin, end)
            break
    clear_keys(events, event, room.keys)


@kernel
def run_stream(
    stream: Stream,
    events: EventKeys,
    first_message: int,
    strategy: int,
    policy: NDArray[np.float64],
    first: SkipList,
    second: SkipList,
    indexes: int,
    entries: Entries,
    programs: Programs,
    progress: Progress,
    room: Room,
    output: Output,
    counters: NDArray[np.int64],
) -> int:
    """Go on with a stream as far as there is room; what is needed to go on further, or that it is finished."""
    numbers = progress.numbers
    while True:
        while numbers[MADE] < numbers[MOVES]:
            move = numbers[MADE]
            skips = first if progress.indexes[move] == 0 else second
            if not has_room_for_ends(skips, progress.profiles[move]):
                return NEEDS_NODES
            profile, low, high = progress.profiles[move], progress.lows[move], progress.highs[move]
            if not move_interval(skips, profile, low, high, room.random, progress.moving, progress.waiting):
                return NEEDS_MARKS
            numbers[MADE] += 1
        numbers[MOVES] = 0
        numbers[MADE] = 0
        step = numbers[STEPS]
        if step == len(stream.slots):
            return FINISHED
        slot = stream.slots[step]
        if slot >= 0:
            counters[UPDATES] += 1
            read_number(slot, stream.values[step], programs.bindings, programs.leaves, programs.starts, programs.tests)
            begin = programs.bindings.starts[slot]
            for binding in range(begin, begin + programs.bindings.counts[slot] if indexes > 0 else begin):
                if not programs.leaves.indexed[programs.bindings.leaves[binding]]:
                    continue
                profile = programs.bindings.profiles[binding]
                for index in range(indexes):
                    if entries.states[index, profile] == EMPTY or entries.states[index, profile] == HELD:
                        skips = first if index == 0 else second
                        _update_entry(strategy, index, profile, skips, entries, programs, progress, counters)
        else:
            if len(output.messages) - output.size[0] < len(programs.needed):
                return NEEDS_OUTPUT
            message = numbers[MESSAGES_DONE]
            numbers[MESSAGES_DONE] = message + 1
            counters[MESSAGES] += 1
            _answer(
                first_message + message + 1,
                events,
                message,
                strategy,
                policy,
                first,
                second,
                indexes,
                entries,
                programs,
                progress,
                room,
                output,
                counters,
            )
        numbers[STEPS] = step + 1
