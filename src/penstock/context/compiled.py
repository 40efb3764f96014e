"""Indexes on interval skip lists, kept and asked by compiled code: what a filter uses unless it is told otherwise.

Every step goes through one kernel, a single one too, so that there is one way in which things happen. What is no plain
number (a context value that is a string, or absent) is seen to here, between two runs of the kernel.
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
from penstock.context.policies import Auto, Fixed, Policy, Rental
from penstock.context.profiles import Profiles
from penstock.errors import InvariantError
from penstock.indexes.interval.is_list import IntervalSkipList
from penstock.kernels.agile_lists import WAITING
from penstock.kernels.context_stream import (
    AGILE,
    AUTO,
    EAGER,
    EMPTY,
    FINISHED,
    FIXED,
    GBU,
    HELD,
    INDEXES,
    MADE,
    NEEDS_MARKS,
    NEEDS_NODES,
    NEEDS_OUTPUT,
    NOINDEX,
    POLICY_NUMBERS,
    RENTAL,
    Output,
    Programs,
    Progress,
    Room,
    Stream,
    run_stream,
)
from penstock.kernels.event_keys import EventKeys

STRATEGY_NUMBERS: Final = {"noindex": NOINDEX, "eager": EAGER, "gbu": GBU, "agile": AGILE}
LEAST_OUTPUT: Final = 4096
_NOTHING: Final = np.empty(0, dtype=np.int64)


class CompiledIndexes:
    """The indexes of up to two attributes, and the streams that go through them."""

    def __init__(self, profiles: Profiles, strategy: str, policy: Policy, counters: Counters) -> None:
        self._profiles = profiles
        self._strategy = STRATEGY_NUMBERS[strategy]
        self._policy = _policy_numbers(policy)
        self._counters = counters
        self._entries = EntryTable(profiles)
        self._lists = [IntervalSkipList(), IntervalSkipList()]
        self._needed = np.zeros(0, dtype=np.int8)
        self._unindexed: NDArray[np.int32] | None = None
        self._random = np.array([0x9E3779B97F4A7C15], dtype=np.uint64)
        self._messages = 0
        self._room: Room | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        return self._entries.attributes

    # Profiles and attributes

    def index_by(self, attributes: Sequence[str], bounds: Mapping[int, Mapping[str, Bounds]]) -> None:
        """Have indexes of these attributes, with the bounds that profiles have."""
        self._lists = [IntervalSkipList(), IntervalSkipList()]
        self._entries.index_by(attributes if self._strategy != NOINDEX else (), bounds)
        for profile in bounds:
            self.refresh(profile)

    def add(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        self._entries.add(profile, bounds)
        if len(self._needed) < len(self._entries):
            self._needed = np.concatenate([self._needed, np.zeros(len(self._entries) - len(self._needed), np.int8)])
        self.refresh(profile)

    def remove(self, profile: int) -> None:
        for index in range(len(self.attributes)):
            self._move(index, profile, LAST, FIRST)
        self._entries.remove(profile)
        self._count_needed(profile)

    def refresh(self, profile: int) -> None:
        """See what is left for the entries of a profile, after a change that the kernel did not make."""
        for index in range(len(self.attributes)):
            now = self._entries.now(index, profile)
            if now is None:
                continue
            before = self._entries.noted(index, profile)
            self._entries.note(index, profile, now)
            if now.state == HELD and before.state == HELD:
                if now != before:
                    self._update_held(index, profile, now.low, now.high)
            elif now.state == HELD:
                self._entries.arrays.levels[index, profile] = 0
                self._move(index, profile, now.low, now.high)
            elif before.state == HELD:
                self._move(index, profile, LAST, FIRST)
        self._count_needed(profile)

    # Streams

    def run(self, stream: Stream, events: EventKeys) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Go through steps; pairs of a message, counted from 0, and a profile that match."""
        profiles = len(self._entries)
        progress = _new_progress(profiles, int(self._profiles.bindings.counts.max(initial=0)))
        output = Output(
            np.empty(max(LEAST_OUTPUT, 2 * profiles), np.int64),
            np.empty(max(LEAST_OUTPUT, 2 * profiles), np.int32),
            np.zeros(1, np.int64),
        )
        messages: list[NDArray[np.int64]] = [_NOTHING]
        found: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
        state = FINISHED
        while True:
            state = self._go_on(stream, events, progress, output)
            if state in (FINISHED, NEEDS_OUTPUT):
                size = int(output.size[0])
                messages.append(output.messages[:size].copy())
                found.append(output.profiles[:size].copy())
                output.size[0] = 0
            if state == FINISHED:
                break
        self._messages += len(events.offsets) - 1
        return np.concatenate(messages), np.concatenate(found)

    def _go_on(self, stream: Stream, events: EventKeys, progress: Progress, output: Output) -> int:
        """One run of the kernel, and what it asks for."""
        counters = self._counters.as_array()
        state = run_stream(
            stream,
            events,
            self._messages,
            self._strategy,
            self._policy,
            self._lists[0].arrays(),
            self._lists[1].arrays(),
            len(self.attributes),
            self._entries.arrays,
            self._programs(),
            progress,
            self._message_room(),
            output,
            counters,
        )
        self._counters.take(counters)
        if state in (NEEDS_NODES, NEEDS_MARKS):
            skips = self._lists[int(progress.indexes[progress.numbers[MADE]])]
            if state == NEEDS_NODES:
                skips.make_room_for_ends(len(self._entries))
            else:
                skips.place(progress.waiting[: int(progress.moving[WAITING])].copy())
        return int(state)

    # Looking

    def memory(self) -> dict[str, int]:
        return {
            f"index of {attribute}": sum(self._lists[index].memory().values())
            for index, attribute in enumerate(self.attributes)
        }

    def keys_of(self, index: int, profile: int) -> tuple[int, int]:
        """Between which keys an index returns a profile."""
        return self._lists[index].interval(profile)

    def check_invariants(self) -> None:
        """k(i) is in K(i) for every entry, and nothing else is in an index."""
        for index, attribute in enumerate(self.attributes):
            self._lists[index].recount()
            self._lists[index].check_invariants()
            held = 0
            for profile in self._entries.bounds[index]:
                now = self._entries.now(index, profile)
                if now is None or now.state != self._entries.noted(index, profile).state:
                    raise InvariantError(f"the entry of profile {profile} on {attribute} is in another state")
                if now.state != HELD:
                    continue
                held += 1
                low, high = self.keys_of(index, profile)
                if now.low < low or now.high > high:
                    raise InvariantError(f"profile {profile} may be missed: {now} is not within {low} to {high}")
            if held != len(self._lists[index]):
                raise InvariantError(f"{len(self._lists[index])} entries on {attribute}, {held} should be there")

    # Inside

    def _update_held(self, index: int, profile: int, low: int, high: int) -> None:
        """The same as the kernel does for an entry that is held and moves: let the strategy decide."""
        begin, end = self.keys_of(index, profile)
        if self._strategy != EAGER and begin <= low and high <= end:
            return
        self._counters.index_updates += 1
        self._entries.arrays.levels[index, profile] = 0
        self._move(index, profile, low, high)

    def _move(self, index: int, profile: int, low: int, high: int) -> None:
        skips = self._lists[index]
        if profile in skips:
            skips.delete(profile)
        if low <= high:
            skips.insert(profile, low, high)

    def _count_needed(self, profile: int) -> None:
        self._unindexed = None
        states = self._entries.states[:, profile]
        self._needed[profile] = ((states == EMPTY) | (states == HELD)).sum()

    def _programs(self) -> Programs:
        if self._unindexed is None:
            self._unindexed = self._entries.with_programs(self._entries.alive & (self._needed == 0))
        return self._entries.programs(self._needed, self._unindexed)

    def _message_room(self) -> Room:
        fields, profiles = len(self._profiles.vocabulary), len(self._entries)
        room = self._room
        if room is None or len(room.keys) < fields or len(room.stamps) < profiles:
            self._room = room = Room(
                np.full(2 * fields, UNKNOWN, dtype=np.int64),
                np.empty(3 * profiles + 16, dtype=np.int32),
                np.zeros(profiles, dtype=np.int64),
                self._random,
            )
        return room


def can_be_compiled(structure: str, strategy: str, policy: Policy, attributes: int) -> bool:
    """Whether a filter of these kinds can use compiled indexes."""
    if strategy == "noindex":
        return True
    known = isinstance(policy, (Fixed, Auto, Rental))
    return structure == "is_list" and strategy in STRATEGY_NUMBERS and known and attributes <= INDEXES


def _policy_numbers(policy: Policy) -> NDArray[np.float64]:
    numbers = np.zeros(POLICY_NUMBERS)
    match policy:
        case Rental():
            numbers[:2] = RENTAL, policy.rent
        case Auto():
            numbers[:2] = AUTO, policy.constant
        case Fixed():
            numbers[:2] = FIXED, policy.every
    return numbers


def _new_progress(profiles: int, readers: int) -> Progress:
    moves = max(profiles, readers) * INDEXES + 1
    return Progress(
        np.zeros(4, np.int64),
        np.zeros(2, np.int64),
        np.empty(profiles + 2, np.int64),
        np.empty(moves, np.int8),
        np.empty(moves, np.int32),
        np.empty(moves, np.int64),
        np.empty(moves, np.int64),
    )
