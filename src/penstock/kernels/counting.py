"""Counting: every predicate that holds brings up the counter of its clause; a clause matches when all have.

There is one counter for each clause of the index. Those that an event touched are remembered and cleared after it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.matches import with_room
from penstock.kernels.predicate_lists import DIFFERENT, EXCLUDED, NO_LIST, operands_that_hold

FIRST_THAT_DEMANDS: Final = EXCLUDED + 1
"""The operators below this one refuse."""
REFUSED: Final = np.int16(-32_768)
"""A count that no number of satisfied predicates brings up to that of the parts."""

# What is counted while matching.
LISTS_SEARCHED: Final = 0
PREDICATES_HELD: Final = 1
CLAUSES_TOUCHED: Final = 2
WORK_COUNTERS: Final = 3

_LEAST_ROOM: Final = 256


class OperandLists(NamedTuple):
    """The predicates of each field and operator: list ``of_field[f, o]`` has ``sizes[l]`` entries from ``starts[l]``.

    Entries are sorted by operand, and say which clause they belong to.
    """

    of_field: NDArray[np.int32]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]
    operands: NDArray[np.int64]
    clauses: NDArray[np.int32]


class Counters(NamedTuple):
    """For each clause how many parts must hold, and how many did; all counts are 0 between events."""

    parts: NDArray[np.int16]
    counts: NDArray[np.int16]
    touched: NDArray[np.int32]
    """Room to remember which counts are not 0."""


@kernel
def first_at_least(operands: NDArray[np.int64], begin: int, end: int, operand: int) -> int:
    """The first place from ``begin`` on whose operand is not below one."""
    while begin < end:
        middle = (begin + end) >> 1
        if operands[middle] < operand:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def insert_predicate(lists: OperandLists, number: int, operand: int, clause: int) -> None:
    """Insert a predicate into a list that has room for it."""
    start = lists.starts[number]
    last = start + lists.sizes[number]
    place = first_at_least(lists.operands, start, last, operand)
    for entry in range(last, place, -1):
        lists.operands[entry] = lists.operands[entry - 1]
        lists.clauses[entry] = lists.clauses[entry - 1]
    lists.operands[place] = operand
    lists.clauses[place] = clause
    lists.sizes[number] += 1


@kernel
def count_list(
    lists: OperandLists,
    number: int,
    operator: int,
    key: int,
    exact: bool,
    counters: Counters,
    touched: int,
    work: NDArray[np.int64],
) -> int:
    """Count the predicates of a list that hold for a key. Returns how many clauses are touched now."""
    begin = lists.starts[number]
    end = begin + lists.sizes[number]
    lowest, highest = operands_that_hold(operator, key, exact)
    work[LISTS_SEARCHED] += 1
    for entry in range(first_at_least(lists.operands, begin, end, lowest), end):
        operand = lists.operands[entry]
        if operand > highest:
            break
        if operator == DIFFERENT and exact and operand == key:
            continue
        work[PREDICATES_HELD] += 1
        clause = lists.clauses[entry]
        if counters.counts[clause] == 0:
            counters.touched[touched] = clause
            touched += 1
        if operator < FIRST_THAT_DEMANDS:
            counters.counts[clause] = REFUSED
        else:
            counters.counts[clause] += 1
    return touched


@kernel
def count_event(events: EventKeys, event: int, lists: OperandLists, counters: Counters, work: NDArray[np.int64]) -> int:
    """Count all that holds for an event, what refuses first. Returns how many clauses are touched."""
    touched = 0
    operators = lists.of_field.shape[1]
    for demanding in (False, True):
        first = FIRST_THAT_DEMANDS if demanding else 0
        last = operators if demanding else FIRST_THAT_DEMANDS
        for known in range(events.offsets[event], events.offsets[event + 1]):
            field = events.fields[known]
            if field >= len(lists.of_field):
                continue
            key, exact = events.keys[known], events.exact[known]
            for operator in range(first, last):
                number = lists.of_field[field, operator]
                if number != NO_LIST:
                    touched = count_list(lists, number, operator, key, exact, counters, touched, work)
    return touched


@kernel
def match_by_counting(
    events: EventKeys, lists: OperandLists, counters: Counters, work: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Pairs of an event and a clause that match."""
    matched_events = np.empty(_LEAST_ROOM, dtype=np.int32)
    matched_clauses = np.empty(_LEAST_ROOM, dtype=np.int32)
    written = 0
    for event in range(len(events.offsets) - 1):
        touched = count_event(events, event, lists, counters, work)
        work[CLAUSES_TOUCHED] += touched
        matched_events = with_room(matched_events, written, touched)
        matched_clauses = with_room(matched_clauses, written, touched)
        for clause in counters.touched[:touched]:
            if counters.counts[clause] == counters.parts[clause]:
                matched_events[written] = event
                matched_clauses[written] = clause
                written += 1
            counters.counts[clause] = 0
    return matched_events[:written], matched_clauses[:written]
