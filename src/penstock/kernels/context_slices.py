"""All profiles, up to 64 messages at a time: one bit a message, one pass over a profile for all of them.

For each field the keys of the messages are sorted, with the messages up to each as a row of bits. A test answers for
all messages with the difference of two rows, and a program passes bits along its jumps. Profiles that an update touches
between the first and the last of these messages are treated apart: run message by message, as the updates come.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.context_stream import MATCHES, MESSAGES, POSTFILTERED, UPDATES, Output, Programs, Stream
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.programs import ACCEPT, run_program
from penstock.kernels.readings import UNKNOWN, clear_keys, put_keys, read_number

WIDTH: Final = 64
_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


class Slices(NamedTuple):
    """Room for one window: for each field its sorted keys and the messages up to each, and bits for a program's tests.

    ``touched`` says of each profile in which window it was touched last.
    """

    sorted_keys: NDArray[np.int64]
    rows: NDArray[np.uint64]
    active: NDArray[np.uint64]
    keys: NDArray[np.int64]
    touched: NDArray[np.int64]
    apart: NDArray[np.int32]
    window: NDArray[np.int64]


@kernel
def _end_of_window(step: int, stream: Stream) -> tuple[int, int]:
    """Where a window that begins at a step ends, behind its last message, and how many messages it has."""
    messages = 0
    end = step
    for place in range(step, len(stream.slots)):
        if stream.slots[place] < 0:
            messages += 1
            end = place + 1
            if messages == WIDTH:
                break
    return (end, messages) if messages > 0 else (len(stream.slots), 0)


@kernel
def _touch(step: int, end: int, stream: Stream, programs: Programs, slices: Slices) -> int:
    """Note the profiles that updates from a step on touch; how many there are."""
    count = 0
    window = slices.window[0]
    for place in range(step, end):
        slot = stream.slots[place]
        if slot < 0:
            continue
        begin = programs.bindings.starts[slot]
        for binding in range(begin, begin + programs.bindings.counts[slot]):
            profile = programs.bindings.profiles[binding]
            if slices.touched[profile] != window:
                slices.touched[profile] = window
                slices.apart[count] = profile
                count += 1
    return count


@kernel
def _slice(first: int, messages: int, events: EventKeys, fields: int, slices: Slices) -> None:
    """Sort the keys of some messages field by field, and note which messages are up to each."""
    for field in range(fields):
        for message in range(messages):
            slices.sorted_keys[field, message] = UNKNOWN
    order = np.zeros((fields, messages), dtype=np.int64)
    for message in range(messages):
        for entry in range(events.offsets[first + message], events.offsets[first + message + 1]):
            order[events.fields[entry], message] = entry + 1
    for field in range(fields):
        keys = np.empty(messages, dtype=np.int64)
        for message in range(messages):
            keys[message] = events.keys[order[field, message] - 1] if order[field, message] > 0 else UNKNOWN
        places = np.argsort(keys)
        row = np.uint64(0)
        slices.rows[field, 0] = row
        for place in range(messages):
            slices.sorted_keys[field, place] = keys[places[place]]
            row |= np.uint64(1) << np.uint64(places[place])
            slices.rows[field, place + 1] = row


@kernel
def _count_below(keys: NDArray[np.int64], count: int, bound: int, including: bool) -> int:
    """How many of sorted keys lie before a bound, or up to it."""
    low, high = 0, count
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < bound or (including and keys[middle] == bound):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _accepting(profile: int, messages: int, programs: Programs, slices: Slices) -> np.uint64:
    """The messages that a profile accepts, as bits."""
    tests = programs.tests
    start = programs.starts[profile]
    active = slices.active
    active[0] = _ALL if messages == WIDTH else (np.uint64(1) << np.uint64(messages)) - np.uint64(1)
    accepted = np.uint64(0)
    last, step = 0, 0
    while step <= last:
        bits = active[step]
        active[step] = np.uint64(0)
        if bits:
            test = start + step
            field = tests.fields[test]
            keys = slices.sorted_keys[field]
            above = _count_below(keys, messages, tests.highs[test], True)
            below = _count_below(keys, messages, tests.lows[test], False)
            holding = bits & (slices.rows[field, above] & ~slices.rows[field, below]) if above > below else np.uint64(0)
            for target, passed in ((tests.on_true[test], holding), (tests.on_false[test], bits & ~holding)):
                if passed == 0:
                    continue
                if target == ACCEPT:
                    accepted |= passed
                elif target >= 0:
                    active[target] |= passed
                    last = max(last, target)
        step += 1
    return accepted


@kernel
def _emit(message: int, profile: int, output: Output, counters: NDArray[np.int64]) -> None:
    output.messages[output.size[0]] = message
    output.profiles[output.size[0]] = profile
    output.size[0] += 1
    counters[MATCHES] += 1


@kernel
def run_window(
    step: int,
    message: int,
    stream: Stream,
    events: EventKeys,
    fields: int,
    programs: Programs,
    profiles: NDArray[np.int32],
    slices: Slices,
    output: Output,
    counters: NDArray[np.int64],
) -> tuple[int, int]:
    """Go through the next window of a stream; the next step and message.

    ``profiles`` are all that have programs. ``output`` has room for all pairs of a window.
    """
    end, messages = _end_of_window(step, stream)
    slices.window[0] += 1
    apart = _touch(step, end, stream, programs, slices)
    if messages > 0:
        _slice(message, messages, events, fields, slices)
        for place in range(len(profiles)):
            profile = profiles[place]
            if slices.touched[profile] == slices.window[0]:
                continue
            bits = _accepting(profile, messages, programs, slices)
            while bits:
                lowest = bits & (~bits + np.uint64(1))
                bits ^= lowest
                number = 0
                while lowest > np.uint64(1):
                    lowest >>= np.uint64(1)
                    number += 1
                _emit(message + number, profile, output, counters)
        counters[POSTFILTERED] += len(profiles) * messages
    for place in range(step, end):
        slot = stream.slots[place]
        if slot >= 0:
            read_number(slot, stream.values[place], programs.bindings, programs.leaves, programs.starts, programs.tests)
            counters[UPDATES] += 1
            continue
        put_keys(events, message, slices.keys)
        for number in range(apart):
            profile = slices.apart[number]
            if run_program(programs.starts[profile], programs.tests, slices.keys):
                _emit(message, profile, output, counters)
        clear_keys(events, message, slices.keys)
        counters[MESSAGES] += 1
        message += 1
    return end, message
