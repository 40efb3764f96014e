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
from penstock.context.entries import Bounds, left_of
from penstock.context.leaves import FIRST, LAST, UNKNOWN
from penstock.context.policies import Auto, Fixed, Policy, Rental
from penstock.context.profiles import Profiles
from penstock.encoding.fields import NumberField
from penstock.encoding.growing import GrowingArray
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
    LOOSE,
    MADE,
    NEEDS_MARKS,
    NEEDS_NODES,
    NEEDS_OUTPUT,
    NOINDEX,
    NONE,
    RENTAL,
    Entries,
    Output,
    Programs,
    Progress,
    Room,
    Stream,
    run_stream,
)
from penstock.kernels.event_keys import EventKeys
from penstock.model.expressions import Attribute

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
        self.attributes: tuple[str, ...] = ()
        self._lists = [IntervalSkipList(), IntervalSkipList()]
        self._bounds: list[dict[int, Bounds]] = [{}, {}]
        self._entries = new_entries(0)
        self._offsets = GrowingArray(np.int32)
        self._alternatives = GrowingArray(np.int32)
        self._alive = np.zeros(0, dtype=np.bool_)
        self._needed = np.zeros(0, dtype=np.int8)
        self._unindexed: NDArray[np.int32] | None = None
        self._random = np.array([0x9E3779B97F4A7C15], dtype=np.uint64)
        self._messages = 0
        self._room: Room | None = None

    # Profiles and attributes

    def index_by(self, attributes: Sequence[str], bounds: Mapping[int, Mapping[str, Bounds]]) -> None:
        """Have indexes of these attributes, with the bounds that profiles have."""
        if len(attributes) > INDEXES:
            raise ValueError(f"compiled indexes are of at most {INDEXES} attributes, found {len(attributes)}")
        self.attributes = tuple(attributes) if self._strategy != NOINDEX else ()
        self._lists = [IntervalSkipList(), IntervalSkipList()]
        self._bounds = [{}, {}]
        self._entries = new_entries(len(self._alive))
        self._offsets, self._alternatives = GrowingArray(np.int32), GrowingArray(np.int32)
        number_field = self._profiles.vocabulary.number
        for index, attribute in enumerate(self.attributes):
            self._entries.fields[index] = number_field(NumberField(Attribute(attribute)))
        for profile, mine in bounds.items():
            self._enter(profile, mine)
        self._count_needed()

    def add(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        if profile >= len(self._alive):
            self._grow(max(16, 2 * len(self._alive), profile + 1))
        self._alive[profile] = True
        self._enter(profile, bounds)
        self._count_needed(profile)

    def remove(self, profile: int) -> None:
        for index in range(INDEXES):
            if self._bounds[index].pop(profile, None) is not None:
                self._move(index, profile, LAST, FIRST)
                self._entries.states[index, profile] = NONE
        self._alive[profile] = False
        self._count_needed(profile)

    def refresh(self, profile: int) -> None:
        """See what is left for the entries of a profile, after a change that the kernel did not make."""
        for index in range(len(self.attributes)):
            bounds = self._bounds[index].get(profile)
            if bounds is None:
                continue
            field = int(self._entries.fields[index])
            left = left_of(field, bounds, lambda offset: self._profiles.interval(profile, offset))
            state = LOOSE if left.loose else EMPTY if left.empty else HELD
            before = int(self._entries.states[index, profile])
            entries = self._entries
            same = (entries.lows[index, profile], entries.highs[index, profile]) == (left.low, left.high)
            entries.states[index, profile] = state
            entries.lows[index, profile], entries.highs[index, profile] = left.low, left.high
            if state == HELD and before == HELD and not same:
                self._update_held(index, profile, left.low, left.high)
            elif state == HELD and before != HELD:
                entries.levels[index, profile] = 0
                self._move(index, profile, left.low, left.high)
            elif state != HELD and before == HELD:
                self._move(index, profile, LAST, FIRST)
        self._count_needed(profile)

    # Streams

    def run(self, stream: Stream, events: EventKeys) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Go through steps; pairs of a message, counted from 0, and a profile that match."""
        profiles = len(self._alive)
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
            self._entry_arrays(),
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
                skips.make_room_for_ends(len(self._alive))
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
            for profile, bounds in self._bounds[index].items():
                field = int(self._entries.fields[index])
                left = left_of(field, bounds, lambda offset, at=profile: self._profiles.interval(at, offset))  # type: ignore[misc]
                state = LOOSE if left.loose else EMPTY if left.empty else HELD
                if state != self._entries.states[index, profile]:
                    raise InvariantError(f"the entry of profile {profile} on {attribute} is in another state")
                if state != HELD:
                    continue
                held += 1
                low, high = self.keys_of(index, profile)
                if left.low < low or left.high > high:
                    raise InvariantError(f"profile {profile} may be missed: {left} is not within {low} to {high}")
            if held != len(self._lists[index]):
                raise InvariantError(f"{len(self._lists[index])} entries on {attribute}, {held} should be there")

    # Inside

    def _enter(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        for index, attribute in enumerate(self.attributes):
            mine = bounds.get(attribute)
            if mine is None:
                continue
            self._bounds[index][profile] = mine
            pairs = [(offset, number) for number, offsets in enumerate(mine) for offset in offsets]
            self._entries.starts[index, profile] = len(self._offsets)
            self._entries.sizes[index, profile] = len(pairs)
            self._offsets.extend([offset for offset, _ in pairs])
            self._alternatives.extend([number for _, number in pairs])
            self._entries.states[index, profile] = EMPTY
            self._entries.paid[index, profile] = 0
        self.refresh(profile)

    def _update_held(self, index: int, profile: int, low: int, high: int) -> None:
        """The same as the kernel does for an entry that is held and moves: let the strategy decide."""
        begin, end = self.keys_of(index, profile)
        if self._strategy != EAGER and begin <= low and high <= end:
            return
        self._counters.index_updates += 1
        self._entries.levels[index, profile] = 0
        self._move(index, profile, low, high)

    def _move(self, index: int, profile: int, low: int, high: int) -> None:
        skips = self._lists[index]
        if profile in skips:
            skips.delete(profile)
        if low <= high:
            skips.insert(profile, low, high)

    def _count_needed(self, profile: int | None = None) -> None:
        self._unindexed = None
        chosen = slice(None) if profile is None else profile
        states = self._entries.states[:, chosen]
        self._needed[chosen] = ((states == EMPTY) | (states == HELD)).sum(axis=0)

    def _programs(self) -> Programs:
        if self._unindexed is None:
            plain = self._alive & (self._needed == 0)
            plain[list(self._profiles.general)] = False
            self._unindexed = np.flatnonzero(plain).astype(np.int32)
        profiles = self._profiles
        return Programs(
            profiles.starts,
            profiles.tests,
            profiles.bindings,
            profiles.leaves(self.attributes),
            self._needed,
            self._unindexed,
        )

    def _entry_arrays(self) -> Entries:
        return self._entries._replace(offsets=self._offsets.values, alternatives=self._alternatives.values)

    def _message_room(self) -> Room:
        fields, profiles = len(self._profiles.vocabulary), len(self._alive)
        room = self._room
        if room is None or len(room.keys) < fields or len(room.stamps) < profiles:
            self._room = room = Room(
                np.full(2 * fields, UNKNOWN, dtype=np.int64),
                np.empty(3 * profiles + 16, dtype=np.int32),
                np.zeros(profiles, dtype=np.int64),
                self._random,
            )
        return room

    def _grow(self, profiles: int) -> None:
        self._alive = np.concatenate([self._alive, np.zeros(profiles - len(self._alive), np.bool_)])
        self._needed = np.concatenate([self._needed, np.zeros(profiles - len(self._needed), np.int8)])
        self._entries = grown_entries(self._entries, profiles)


def can_be_compiled(structure: str, strategy: str, policy: Policy, attributes: int) -> bool:
    """Whether a filter of these kinds can use compiled indexes."""
    if strategy == "noindex":
        return True
    known = isinstance(policy, (Fixed, Auto, Rental))
    return structure == "is_list" and strategy in STRATEGY_NUMBERS and known and attributes <= INDEXES


def _policy_numbers(policy: Policy) -> NDArray[np.float64]:
    match policy:
        case Rental():
            return np.array([RENTAL, policy.rent, 0.0])
        case Auto():
            return np.array([AUTO, policy.constant, 0.0])
        case Fixed():
            return np.array([FIXED, policy.every, 0.0])
    return np.array([FIXED, 1.0, 0.0])


def grown_entries(entries: Entries, profiles: int) -> Entries:
    """The same entries, with room for more profiles."""
    wider = new_entries(profiles)
    for name in ("starts", "sizes", "states", "lows", "highs", "levels", "paid"):
        before = getattr(entries, name)
        getattr(wider, name)[:, : before.shape[1]] = before
    wider.fields[:] = entries.fields
    return wider


def new_entries(profiles: int) -> Entries:
    """No entries, with room for those of so many profiles."""
    shape = (INDEXES, profiles)
    return Entries(
        np.zeros(INDEXES, np.int32),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int32),
        np.empty(0, np.int32),
        np.empty(0, np.int32),
        np.zeros(shape, np.int8),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros((*shape, 2), np.int8),
        np.zeros(shape, np.int32),
    )


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
