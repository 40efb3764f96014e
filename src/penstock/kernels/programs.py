"""Conditions as jump programs: evaluating them over rank codes without a stack.

A program is a run of tests. Test ``i`` asks whether the code of a field lies in ``[low, high]`` and says where to go
on: to another test of the program (relative to its start), to ACCEPT or to REJECT.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel

ACCEPT: Final = -1
REJECT: Final = -2


class Tests(NamedTuple):
    """The tests of all programs: whether the code of a field lies in ``[low, high]``, and where to go on.

    Codes are 32-bit ranks, or 64-bit keys.
    """

    fields: NDArray[np.int32]
    lows: NDArray[Any]
    highs: NDArray[Any]
    on_true: NDArray[np.int32]
    on_false: NDArray[np.int32]


class EventCodes(NamedTuple):
    """The known fields of each event: those of event ``e`` stand from ``offsets[e]`` to ``offsets[e + 1]``."""

    offsets: NDArray[np.int64]
    fields: NDArray[np.int32]
    codes: NDArray[np.int32]


@kernel
def run_program(start: int, tests: Tests, codes: NDArray[Any]) -> bool:
    """Whether the program that begins at ``start`` accepts an event whose field ``f`` has the code ``codes[f]``."""
    step = 0
    while step >= 0:
        test = start + step
        code = codes[tests.fields[test]]
        holds = tests.lows[test] <= code <= tests.highs[test]
        step = tests.on_true[test] if holds else tests.on_false[test]
    return step == ACCEPT


@kernel
def put_codes(events: EventCodes, event: int, codes: NDArray[np.int32]) -> None:
    """Put the codes of an event into their fields' places."""
    for entry in range(events.offsets[event], events.offsets[event + 1]):
        codes[events.fields[entry]] = events.codes[entry]


@kernel
def clear_codes(events: EventCodes, event: int, codes: NDArray[np.int32]) -> None:
    """Take the codes of an event out again: unknown is 0."""
    for entry in range(events.offsets[event], events.offsets[event + 1]):
        codes[events.fields[entry]] = 0


@kernel
def scan_programs(
    first_event: int,
    events: EventCodes,
    starts: NDArray[np.int64],
    tests: Tests,
    codes: NDArray[np.int32],
    matched_events: NDArray[np.int64],
    matched_programs: NDArray[np.int64],
) -> tuple[int, int]:
    """Run every program on every event from ``first_event`` on, as long as the matches of one more event surely fit.

    ``codes`` is room for one code a field, all zero. Returns the first event that was not reached, and the number of
    matches written.
    """
    written = 0
    event = first_event
    while event < len(events.offsets) - 1 and len(matched_events) - written >= len(starts):
        put_codes(events, event, codes)
        for program in range(len(starts)):
            if run_program(starts[program], tests, codes):
                matched_events[written] = event
                matched_programs[written] = program
                written += 1
        clear_codes(events, event, codes)
        event += 1
    return event, written


@kernel
def run_programs_on_pairs(
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    events: EventCodes,
    tests: Tests,
    codes: NDArray[np.int32],
    answers: NDArray[np.bool_],
) -> None:
    """Whether the program at ``starts[i]`` accepts the event ``rows[i]``; a start of -1 stands for one that never does.

    Pairs are ordered by row, so that the codes of an event are put into place once. ``codes`` is room for one code a
    field, all zero.
    """
    current = -1
    for pair in range(len(rows)):
        if rows[pair] != current:
            if current >= 0:
                clear_codes(events, current, codes)
            current = rows[pair]
            put_codes(events, current, codes)
        if starts[pair] >= 0:
            answers[pair] = run_program(starts[pair], tests, codes)
