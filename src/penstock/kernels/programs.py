"""Conditions as jump programs: evaluating them over rank codes without a stack.

A program is a run of tests. Test ``i`` asks whether the code of a field lies in ``[low, high]`` and says where to go
on: to another test of the program (relative to its start), to ACCEPT or to REJECT.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel

ACCEPT: Final = -1
REJECT: Final = -2


@kernel
def run_program(
    start: int,
    fields: NDArray[np.int32],
    lows: NDArray[np.int32],
    highs: NDArray[np.int32],
    on_true: NDArray[np.int32],
    on_false: NDArray[np.int32],
    codes: NDArray[np.int32],
) -> bool:
    """Whether the program that begins at ``start`` accepts an event whose field ``f`` has the code ``codes[f]``."""
    step = 0
    while step >= 0:
        test = start + step
        code = codes[fields[test]]
        step = on_true[test] if lows[test] <= code <= highs[test] else on_false[test]
    return step == ACCEPT


@kernel
def scan_programs(
    first_event: int,
    event_offsets: NDArray[np.int64],
    event_fields: NDArray[np.int32],
    event_codes: NDArray[np.int32],
    starts: NDArray[np.int64],
    fields: NDArray[np.int32],
    lows: NDArray[np.int32],
    highs: NDArray[np.int32],
    on_true: NDArray[np.int32],
    on_false: NDArray[np.int32],
    codes: NDArray[np.int32],
    matched_events: NDArray[np.int64],
    matched_programs: NDArray[np.int64],
) -> tuple[int, int]:
    """Run every program on every event from ``first_event`` on, as long as the matches of one more event surely fit.

    The known fields of event ``e`` are ``event_fields[event_offsets[e]:event_offsets[e + 1]]``. ``codes`` is room for
    one code a field, all zero. Returns the first event that was not reached, and the number of matches written.
    """
    written = 0
    event = first_event
    while event < len(event_offsets) - 1 and len(matched_events) - written >= len(starts):
        for entry in range(event_offsets[event], event_offsets[event + 1]):
            codes[event_fields[entry]] = event_codes[entry]
        for program in range(len(starts)):
            if run_program(starts[program], fields, lows, highs, on_true, on_false, codes):
                matched_events[written] = event
                matched_programs[written] = program
                written += 1
        for entry in range(event_offsets[event], event_offsets[event + 1]):
            codes[event_fields[entry]] = 0
        event += 1
    return event, written


@kernel
def run_programs_on_pairs(
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    event_offsets: NDArray[np.int64],
    event_fields: NDArray[np.int32],
    event_codes: NDArray[np.int32],
    fields: NDArray[np.int32],
    lows: NDArray[np.int32],
    highs: NDArray[np.int32],
    on_true: NDArray[np.int32],
    on_false: NDArray[np.int32],
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
                for entry in range(event_offsets[current], event_offsets[current + 1]):
                    codes[event_fields[entry]] = 0
            current = rows[pair]
            for entry in range(event_offsets[current], event_offsets[current + 1]):
                codes[event_fields[entry]] = event_codes[entry]
        if starts[pair] >= 0:
            answers[pair] = run_program(starts[pair], fields, lows, highs, on_true, on_false, codes)
