"""The k-index (Indexing Boolean Expressions): which values satisfy a clause, and matching by walking posting lists."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, size_class, take_run
from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.matches import with_room
from penstock.kernels.posting_lists import BEGIN, SIZE, PostingLists, cell_of, find_slot, first_from
from penstock.kernels.predicate_lists import AT_LEAST, AT_MOST, DIFFERENT, EQUAL, GREATER, LESS

# What is counted while matching.
LOOKUPS: Final = 0
LISTS_OPENED: Final = 1
POSTINGS_READ: Final = 2
WORK_COUNTERS: Final = 3

_LEAST_ROOM: Final = 256
_AFTER_ALL: Final = 2**31 - 1
"""Where a list stands that has no postings left; no clause has this number."""


class Predicates(NamedTuple):
    """Predicates in columns. Those of one clause on one field stand together, ordered by part."""

    operators: NDArray[np.int8]
    operands: NDArray[np.int64]
    parts: NDArray[np.int32]


class Domains(NamedTuple):
    """The keys of all declared values: those of field ``f`` stand from ``begins[f]`` to ``ends[f]``, ascending."""

    keys: NDArray[np.int64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


class Groups(NamedTuple):
    """All predicates of a clause on a field, for many: group ``g`` from ``begins[g]`` to ``begins[g + 1]``.

    ``order`` has the groups of one cell together, those of lower clauses first.
    """

    begins: NDArray[np.int64]
    clauses: NDArray[np.int32]
    fields: NDArray[np.int32]
    cells: NDArray[np.int64]
    order: NDArray[np.int64]


@kernel
def holds(operator: int, operand: int, key: int) -> bool:
    """Whether a comparison holds for a value that lies on a key."""
    if operator == EQUAL:
        return key == operand
    if operator == LESS:
        return key < operand
    if operator == AT_MOST:
        return key <= operand
    if operator == GREATER:
        return key > operand
    if operator == AT_LEAST:
        return key >= operand
    return operator == DIFFERENT and key != operand


@kernel
def holds_all(predicates: Predicates, begin: int, end: int, key: int) -> bool:
    """Whether a key satisfies one predicate of each part of a group."""
    place = begin
    while place < end:
        part = predicates.parts[place]
        found = False
        while place < end and predicates.parts[place] == part:
            found = found or holds(predicates.operators[place], predicates.operands[place], key)
            place += 1
        if not found:
            return False
    return True


@kernel
def candidates(
    predicates: Predicates, begin: int, end: int, domains: Domains, field: int
) -> tuple[NDArray[np.int64], bool]:
    """The keys among which are all that satisfy a group, and whether they are so only because a domain was declared.

    They are those that a part asks for by equality, all of whose predicates then do; else the whole domain.
    """
    for place in range(begin, end):
        if predicates.operators[place] == EQUAL:
            last = place
            while last < end and predicates.parts[last] == predicates.parts[place]:
                last += 1
            return predicates.operands[place:last], False
    return domains.keys[domains.begins[field] : domains.ends[field]], True


@kernel
def satisfying(
    predicates: Predicates, begin: int, end: int, domains: Domains, field: int, keys: NDArray[np.int64]
) -> int:
    """Write the keys that satisfy a group. Returns how many there are."""
    among, _ = candidates(predicates, begin, end, domains, field)
    written = 0
    for key in among:
        if holds_all(predicates, begin, end, key):
            keys[written] = key
            written += 1
    return written


@kernel
def most_candidates(predicates: Predicates, groups: Groups, domains: Domains, relied: NDArray[np.int64]) -> int:
    """The room that the keys of any group need. For each field the groups are counted that rely on its domain."""
    most = 0
    for group in range(len(groups.clauses)):
        field = groups.fields[group]
        among, relies = candidates(predicates, groups.begins[group], groups.begins[group + 1], domains, field)
        most = max(most, len(among))
        if relies:
            relied[field] += 1
    return most


@kernel
def count_postings(predicates: Predicates, groups: Groups, domains: Domains, keys: NDArray[np.int64]) -> int:
    """How many postings there will be. ``keys`` is room for the keys of any group."""
    postings = 0
    for group in range(len(groups.clauses)):
        begin, end = groups.begins[group], groups.begins[group + 1]
        postings += satisfying(predicates, begin, end, domains, groups.fields[group], keys)
    return postings


@kernel
def build_lists(
    predicates: Predicates, groups: Groups, domains: Domains, keys: NDArray[np.int64], entries: Arena
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Write all posting lists to an arena that has room for them, cell by cell.

    Returns the cell, the key, the run and the number of postings of each list.
    """
    cells = np.empty(_LEAST_ROOM, dtype=np.int64)
    list_keys = np.empty(_LEAST_ROOM, dtype=np.int64)
    runs = np.empty(_LEAST_ROOM, dtype=np.int32)
    sizes = np.empty(_LEAST_ROOM, dtype=np.int32)
    cell_keys = np.empty(_LEAST_ROOM, dtype=np.int64)
    cell_clauses = np.empty(_LEAST_ROOM, dtype=np.int32)
    lists = 0
    next_group = 0
    while next_group < len(groups.order):
        cell = groups.cells[groups.order[next_group]]
        postings = 0
        while next_group < len(groups.order) and groups.cells[groups.order[next_group]] == cell:
            group = groups.order[next_group]
            begin, end = groups.begins[group], groups.begins[group + 1]
            count = satisfying(predicates, begin, end, domains, groups.fields[group], keys)
            cell_keys = with_room(cell_keys, postings, count)
            cell_clauses = with_room(cell_clauses, postings, count)
            cell_keys[postings : postings + count] = keys[:count]
            cell_clauses[postings : postings + count] = groups.clauses[group]
            postings += count
            next_group += 1
        # Clauses came in ascending order, and postings of one key stay in it.
        order = np.argsort(cell_keys[:postings], kind="mergesort")
        first = 0
        while first < postings:
            key = cell_keys[order[first]]
            last = first
            while last < postings and cell_keys[order[last]] == key:
                last += 1
            run = take_run(entries, size_class(last - first))
            for place in range(first, last):
                entries.slots[run + place - first] = cell_clauses[order[place]]
            cells = with_room(cells, lists, 1)
            list_keys = with_room(list_keys, lists, 1)
            runs = with_room(runs, lists, 1)
            sizes = with_room(sizes, lists, 1)
            cells[lists], list_keys[lists], runs[lists], sizes[lists] = cell, key, run, last - first
            lists += 1
            first = last
    return cells[:lists], list_keys[:lists], runs[:lists], sizes[:lists]


class Cursors(NamedTuple):
    """Posting lists being walked: the clause at which each stands, the place of that, and the end of the list."""

    clauses: NDArray[np.int64]
    places: NDArray[np.int64]
    ends: NDArray[np.int64]


@kernel
def open_lists(
    lists: PostingLists,
    size: int,
    events: EventKeys,
    pairs: NDArray[np.int64],
    cursors: Cursors,
    work: NDArray[np.int64],
) -> int:
    """Put a cursor on the posting lists of pairs of an event, in the partition of a size. Returns how many."""
    opened = 0
    for known in pairs:
        slot = find_slot(lists, cell_of(size, events.fields[known]), events.keys[known])
        if slot >= 0:
            cursors.places[opened] = lists.runs[slot, BEGIN]
            cursors.ends[opened] = lists.runs[slot, BEGIN] + lists.runs[slot, SIZE]
            opened += 1
    work[LOOKUPS] += len(pairs)
    work[LISTS_OPENED] += opened
    return opened


@kernel
def read(lists: PostingLists, cursors: Cursors, cursor: int, work: NDArray[np.int64]) -> None:
    """Note the clause at which a cursor stands."""
    if cursors.places[cursor] < cursors.ends[cursor]:
        cursors.clauses[cursor] = lists.entries.slots[cursors.places[cursor]]
        work[POSTINGS_READ] += 1
    else:
        cursors.clauses[cursor] = _AFTER_ALL


@kernel
def order_cursors(cursors: Cursors, count: int) -> None:
    """Order cursors by the clause at which they stand. Most stand in order already."""
    for cursor in range(1, count):
        clause, place, end = cursors.clauses[cursor], cursors.places[cursor], cursors.ends[cursor]
        target = cursor
        while target > 0 and cursors.clauses[target - 1] > clause:
            cursors.clauses[target] = cursors.clauses[target - 1]
            cursors.places[target] = cursors.places[target - 1]
            cursors.ends[target] = cursors.ends[target - 1]
            target -= 1
        cursors.clauses[target], cursors.places[target], cursors.ends[target] = clause, place, end


@kernel
def match_in_partition(
    lists: PostingLists, size: int, cursors: Cursors, count: int, found: NDArray[np.int32], work: NDArray[np.int64]
) -> int:
    """Walk posting lists for clauses that stand in ``size`` of them. Returns how many were found.

    A clause at which the first cursor stands can be in ``size`` lists only if the cursor that many on stands there too.
    Otherwise all cursors before that one skip to where it stands.
    """
    matched = 0
    for cursor in range(count):
        read(lists, cursors, cursor, work)
    order_cursors(cursors, count)
    while cursors.clauses[size - 1] != _AFTER_ALL:
        clause = cursors.clauses[size - 1]
        if cursors.clauses[0] == clause:
            found[matched] = clause
            matched += 1
            clause += 1
        for cursor in range(size):
            if cursors.clauses[cursor] < clause:
                place, end = cursors.places[cursor], cursors.ends[cursor]
                cursors.places[cursor] = first_from(lists.entries.slots, place, end, clause)
                read(lists, cursors, cursor, work)
        order_cursors(cursors, count)
    return matched


@kernel
def pairs_of(events: EventKeys, event: int, always: int, pairs: NDArray[np.int64]) -> int:
    """Write which entries of an event may be in a posting list. Returns how many there are."""
    count = 0
    for known in range(events.offsets[event], events.offsets[event + 1]):
        if events.exact[known] and events.fields[known] != always:
            pairs[count] = known
            count += 1
    return count


@kernel
def match_by_size(
    events: EventKeys, always: int, lists: PostingLists, held: NDArray[np.int64], work: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Pairs of an event and a clause that match. ``held`` says how many clauses there are of each size.

    The field ``always`` is no attribute: every event knows it.
    """
    matched_events = np.empty(_LEAST_ROOM, dtype=np.int32)
    matched_clauses = np.empty(_LEAST_ROOM, dtype=np.int32)
    most = 0
    for event in range(len(events.offsets) - 1):
        most = max(most, events.offsets[event + 1] - events.offsets[event])
    room = np.empty(most, dtype=np.int64)
    cursors = Cursors(np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64))
    written = 0
    for event in range(len(events.offsets) - 1):
        pairs = room[: pairs_of(events, event, always, room)]
        for size in range(min(len(held) - 1, len(pairs)), 0, -1):
            if held[size] == 0:
                continue
            opened = open_lists(lists, size, events, pairs, cursors, work)
            if opened < size:
                continue
            postings = 0
            for cursor in range(opened):
                postings += cursors.ends[cursor] - cursors.places[cursor]
            matched_events = with_room(matched_events, written, postings // size)
            matched_clauses = with_room(matched_clauses, written, postings // size)
            found = match_in_partition(lists, size, cursors, opened, matched_clauses[written:], work)
            matched_events[written : written + found] = event
            written += found
    return matched_events[:written], matched_clauses[:written]
