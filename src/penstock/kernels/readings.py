"""Values of contexts as the bounds of tests: what an update changes, without leaving compiled code."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.programs import Tests, run_program

UNKNOWN: Final = -(2**63)
FIRST: Final = UNKNOWN + 1
LAST: Final = 2**63 - 1
PLACEHOLDER: Final = LAST - 1
"""The low bound of a test that reads a context, until it is bound; its high bound is then the number of its leaf."""

# Readings, as in context/leaves.py.
LESS: Final = 0
AT_MOST: Final = 1
GREATER: Final = 2
AT_LEAST: Final = 3
EQUAL: Final = 4

_ALL_BUT_SIGN: Final = 0x7FFF_FFFF_FFFF_FFFF
_NAN_KEY: Final = 0x7FF8_0000_0000_0000


class Bindings(NamedTuple):
    """Which tests read a slot (one attribute of one context): those of slot ``s`` from ``starts[s]``, ``counts[s]``.

    A test is the one at ``offsets[b]`` of the program of ``profiles[b]``, and reads it as ``leaves[b]`` says.
    """

    starts: NDArray[np.int64]
    counts: NDArray[np.int32]
    profiles: NDArray[np.int32]
    offsets: NDArray[np.int32]
    leaves: NDArray[np.int32]


class Leaves(NamedTuple):
    """How a leaf reads a value: what is added to it, and which keys then satisfy it; and whether an index cares."""

    readings: NDArray[np.int8]
    offsets: NDArray[np.float64]
    indexed: NDArray[np.bool_]


@kernel
def key_of_double(value: float) -> int:
    """The key of a double, as in encoding/order_keys.py."""
    if value != value:
        return _NAN_KEY
    bits: int = np.float64(value + 0.0).view(np.int64)  # type: ignore[assignment]
    return bits ^ _ALL_BUT_SIGN if bits < 0 else bits


@kernel
def read_number(
    slot: int, value: float, bindings: Bindings, leaves: Leaves, starts: NDArray[np.int64], tests: Tests
) -> None:
    """Let all tests that read a slot have the bounds of a number; their fields are of numbers already.

    ``starts`` are the starts of programs.
    """
    begin = bindings.starts[slot]
    for binding in range(begin, begin + bindings.counts[slot]):
        leaf = bindings.leaves[binding]
        test = starts[bindings.profiles[binding]] + bindings.offsets[binding]
        key = key_of_double(value + leaves.offsets[leaf])
        reading = leaves.readings[leaf]
        if reading == LESS:
            tests.highs[test] = key - 1
        elif reading == AT_MOST:
            tests.highs[test] = key
        elif reading == GREATER:
            tests.lows[test] = key + 1
        elif reading == AT_LEAST:
            tests.lows[test] = key
        elif reading == EQUAL:
            tests.lows[test] = key
            tests.highs[test] = key


@kernel
def put_keys(events: EventKeys, event: int, keys: NDArray[np.int64]) -> None:
    """Put the keys of an event into their fields' places."""
    for entry in range(events.offsets[event], events.offsets[event + 1]):
        keys[events.fields[entry]] = events.keys[entry]


@kernel
def clear_keys(events: EventKeys, event: int, keys: NDArray[np.int64]) -> None:
    """Take the keys of an event out again."""
    for entry in range(events.offsets[event], events.offsets[event + 1]):
        keys[events.fields[entry]] = UNKNOWN


@kernel
def filter_profiles(
    candidates: NDArray[np.int32],
    starts: NDArray[np.int64],
    tests: Tests,
    keys: NDArray[np.int64],
    accepted: NDArray[np.bool_],
) -> None:
    """Which of some profiles accept the event whose keys are in place."""
    for place in range(len(candidates)):
        accepted[place] = run_program(starts[candidates[place]], tests, keys)
