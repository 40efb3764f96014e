"""Adaptive multiple key hashing: sums of weighted ids, buckets with linked lists, and the search of the buckets.

Sums are taken modulo 2**63 and compared as a whole; modulo the number of buckets they say where a conjunction is.
Products are put together from halves, so that nothing overflows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.amkh_constraints import NONE, Constraints, Offers, coordinate_of, holds
from penstock.kernels.arena import Arena, class_size, size_class, take_run
from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys

FULL: Final = -1
"""Instead of a number of matches: there is no room for one more."""

# What is counted while matching.
CANDIDATES: Final = 0
EXAMINED: Final = 1
UNMATCHED: Final = 2
COLLISIONS: Final = 3
WORK_COUNTERS: Final = 4

SCHEMA_WEIGHT: Final = 0x1E3779B97F4A7C15
"""The weight of the number of a schema, which is one more coordinate."""

_SUM = np.uint64(2**63 - 1)
_LOW_HALF = np.uint64(2**32 - 1)
_HIGH_HALF = np.uint64(2**31 - 1)
_HALF = np.uint64(32)


class Axes(NamedTuple):
    """For each field its weight, and B: ids of other constraints than equality count modulo it, unless it is 0."""

    weights: NDArray[np.uint64]
    residues: NDArray[np.int64]


class Schemas(NamedTuple):
    """Schema ``s`` has ``sizes[s]`` fields from ``starts[s]``, each ``hashed`` or not, and so many conjunctions.

    It is in the list of one of its fields, which begins with ``of_field`` and goes on with ``follows``.
    """

    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]
    fields: NDArray[np.int32]
    hashed: NDArray[np.bool_]
    populations: NDArray[np.int64]
    of_field: NDArray[np.int32]
    follows: NDArray[np.int32]


class Filed(NamedTuple):
    """Conjunctions: the schema, the sum, the neighbours in the bucket, and constraints from ``runs`` in ``terms``.

    A conjunction has as many constraints as its schema has fields, in the same order.
    """

    schemas: NDArray[np.int32]
    sums: NDArray[np.uint64]
    runs: NDArray[np.int32]
    follows: NDArray[np.int32]
    befores: NDArray[np.int32]
    heads: NDArray[np.int32]
    terms: NDArray[np.int32]


class Space(NamedTuple):
    """All that is searched."""

    axes: Axes
    constraints: Constraints
    schemas: Schemas
    filed: Filed


class Found(NamedTuple):
    """Pairs of an event and a conjunction, with room for more."""

    events: NDArray[np.int32]
    conjunctions: NDArray[np.int32]


# The hash of a conjunction


@kernel
def weighted(weight: np.uint64, coordinate: int) -> np.uint64:
    """Their product modulo 2**63; the coordinate is below 2**31."""
    times = np.uint64(coordinate)
    high = ((np.uint64(weight) >> _HALF) * times & _HIGH_HALF) << _HALF
    return ((np.uint64(weight) & _LOW_HALF) * times + high) & _SUM


@kernel
def sum_of(schema: int, run: int, space: Space) -> np.uint64:
    """The sum of equation 2 before it is taken modulo the number of buckets."""
    schemas, constraints = space.schemas, space.constraints
    total = weighted(np.uint64(SCHEMA_WEIGHT), schema + 1)
    begin = schemas.starts[schema]
    for place in range(schemas.sizes[schema]):
        if schemas.hashed[begin + place]:
            constraint = space.filed.terms[run + place]
            field = schemas.fields[begin + place]
            identity, equal = constraints.identities[constraint], constraints.equal[constraint]
            coordinate = coordinate_of(identity, equal, space.axes.residues[field])
            total = (total + weighted(space.axes.weights[field], coordinate)) & _SUM
    return total


@kernel
def bucket_of(total: np.uint64, buckets: int) -> int:
    return int(total % np.uint64(buckets))


@kernel
def link(number: int, filed: Filed) -> None:
    """Put a conjunction at the head of the list of its bucket."""
    bucket = bucket_of(filed.sums[number], len(filed.heads))
    first = filed.heads[bucket]
    filed.follows[number] = first
    filed.befores[number] = NONE
    if first != NONE:
        filed.befores[first] = number
    filed.heads[bucket] = number


@kernel
def unlink(number: int, filed: Filed) -> None:
    """Take a conjunction out of the list of its bucket."""
    before, after = filed.befores[number], filed.follows[number]
    if before == NONE:
        filed.heads[bucket_of(filed.sums[number], len(filed.heads))] = after
    else:
        filed.follows[before] = after
    if after != NONE:
        filed.befores[after] = before


@kernel
def file_one(number: int, space: Space) -> None:
    """Give a conjunction its sum, and put it into its bucket."""
    space.filed.sums[number] = sum_of(space.filed.schemas[number], space.filed.runs[number], space)
    link(number, space.filed)


@kernel
def file_all(space: Space) -> None:
    """The same for all conjunctions, into buckets that are made empty first."""
    space.filed.heads[:] = NONE
    for number in range(len(space.filed.schemas)):
        if space.filed.schemas[number] != NONE:
            file_one(number, space)


@kernel
def slots_for(sizes: NDArray[np.int64]) -> int:
    """How many slots of an arena lists of these sizes take."""
    slots = 0
    for size in sizes:
        slots += class_size(size_class(size))
    return slots


@kernel
def store_terms(
    arena: Arena,
    numbers: NDArray[np.int32],
    sizes: NDArray[np.int64],
    terms: NDArray[np.int32],
    runs: NDArray[np.int32],
) -> None:
    """Store the constraints of conjunctions, which stand one behind the other. There must be room."""
    begin = 0
    for place in range(len(numbers)):
        size = sizes[place]
        run = take_run(arena, size_class(size))
        runs[numbers[place]] = run
        for term in range(size):
            arena.slots[run + term] = terms[begin + term]
        begin += size


# Matching


@kernel
def match_events(
    first: int, events: EventKeys, offers: Offers, space: Space, longest: int, found: Found, work: NDArray[np.int64]
) -> tuple[int, int]:
    """Match events from ``first`` on, as long as what they match fits.

    ``longest`` is the number of fields that the longest schema has. Returns the first event that was not matched to its
    end, and the number of matches written for those before it.
    """
    schemas = space.schemas
    fields = len(schemas.of_field)
    entry_of = np.full(max(fields, len(space.axes.weights)), NONE, dtype=np.int64)
    mine = np.zeros(longest, dtype=np.int64)
    counted = np.zeros(WORK_COUNTERS, dtype=np.int64)
    written = 0
    for event in range(first, len(events.offsets) - 1):
        begin, end = events.offsets[event], events.offsets[event + 1]
        for entry in range(begin, end):
            entry_of[events.fields[entry]] = entry
        counted[:] = 0
        after = written
        for entry in range(begin, end):
            field = events.fields[entry]
            # A field may stand several times in an event: its schemas are searched for the entry that is noted.
            if field >= fields or entry_of[field] != entry:
                continue
            schema = schemas.of_field[field]
            while schema != NONE and after != FULL:
                if _knows(schema, schemas, entry_of, offers, mine):
                    after = _search(event, schema, mine, events, offers, space, found, after, counted)
                schema = schemas.follows[schema]
        if after == FULL:
            return event, written
        for entry in range(begin, end):
            entry_of[events.fields[entry]] = NONE
        counted[UNMATCHED] = counted[EXAMINED] - (after - written)
        work += counted
        written = after
    return len(events.offsets) - 1, written


@kernel
def _knows(schema: int, schemas: Schemas, entry_of: NDArray[np.int64], offers: Offers, mine: NDArray[np.int64]) -> bool:
    """Whether an event knows all fields of a schema and offers something on all hashed ones; then, by which entries."""
    begin = schemas.starts[schema]
    for place in range(schemas.sizes[schema]):
        entry = entry_of[schemas.fields[begin + place]]
        if entry == NONE or (schemas.hashed[begin + place] and offers.counts[entry] == 0):
            return False
        mine[place] = entry
    return bool(schemas.populations[schema] > 0)


@kernel
def _search(
    event: int,
    schema: int,
    mine: NDArray[np.int64],
    events: EventKeys,
    offers: Offers,
    space: Space,
    found: Found,
    written: int,
    counted: NDArray[np.int64],
) -> int:
    """Look up all candidate coordinates of a schema; how many matches are written then, or FULL."""
    most = len(space.filed.schemas)
    candidates = 1
    begin, size = space.schemas.starts[schema], space.schemas.sizes[schema]
    for place in range(size):
        if space.schemas.hashed[begin + place]:
            candidates = min(candidates * int(offers.counts[mine[place]]), most + 1)
    if candidates > most:
        return _go_through(event, schema, mine, events, space, found, written, counted)
    filed, axes = space.filed, space.axes
    counted[CANDIDATES] += candidates
    for candidate in range(candidates):
        total = weighted(np.uint64(SCHEMA_WEIGHT), schema + 1)
        rest = candidate
        for place in range(size):
            if space.schemas.hashed[begin + place]:
                count, start = offers.counts[mine[place]], offers.starts[mine[place]]
                weight = axes.weights[space.schemas.fields[begin + place]]
                total = (total + weighted(weight, offers.values[start + rest % count])) & _SUM
                rest //= count
        number = filed.heads[bucket_of(total, len(filed.heads))]
        while number != NONE:
            counted[EXAMINED] += 1
            if filed.sums[number] != total or filed.schemas[number] != schema:
                counted[COLLISIONS] += 1
            elif _satisfied(filed.runs[number], size, mine, events, filed.terms, space.constraints):
                if written == len(found.events):
                    return FULL
                found.events[written] = event
                found.conjunctions[written] = number
                written += 1
            number = filed.follows[number]
    return written


@kernel
def _go_through(
    event: int,
    schema: int,
    mine: NDArray[np.int64],
    events: EventKeys,
    space: Space,
    found: Found,
    written: int,
    counted: NDArray[np.int64],
) -> int:
    """Examine all conjunctions of a schema."""
    filed, size = space.filed, space.schemas.sizes[schema]
    for number in range(len(filed.schemas)):
        if filed.schemas[number] == schema:
            counted[EXAMINED] += 1
            if _satisfied(filed.runs[number], size, mine, events, filed.terms, space.constraints):
                if written == len(found.events):
                    return FULL
                found.events[written] = event
                found.conjunctions[written] = number
                written += 1
    return written


@kernel
def _satisfied(
    run: int,
    size: int,
    mine: NDArray[np.int64],
    events: EventKeys,
    terms: NDArray[np.int32],
    constraints: Constraints,
) -> bool:
    """Whether all constraints of a conjunction hold."""
    for place in range(size):
        entry = mine[place]
        if not holds(terms[run + place], events.keys[entry], events.exact[entry], constraints):
            return False
    return True
