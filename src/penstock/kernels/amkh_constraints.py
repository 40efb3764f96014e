"""Constraints of AMKH: what conjunctions ask of one field each, and which of them a value satisfies.

A *constraint* is what a conjunction asks of one field (the paper's predicate clause), with an id of its own on that
field. One that is a single key is found by hashing; the others are found by an interval index, and confirmed here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.mixing import randomised

NONE: Final = -1
"""No constraint: the end of a chain."""

_WITHOUT_SIGN: Final = 2**63 - 1


class Constraints(NamedTuple):
    """Constraint ``c`` has ``counts[c]`` intervals from ``firsts[c]``, four numbers each in ``bounds``.

    These are the least and the greatest key for values on a key, and the same for values behind one.
    """

    fields: NDArray[np.int32]
    identities: NDArray[np.int32]
    equal: NDArray[np.bool_]
    firsts: NDArray[np.int32]
    counts: NDArray[np.int32]
    bounds: NDArray[np.int64]


class Equalities(NamedTuple):
    """Constraints that are one key, by a hash of field and key; ``follows`` links those of a chain."""

    heads: NDArray[np.int32]
    follows: NDArray[np.int32]


class Offers(NamedTuple):
    """What an entry of an event offers as coordinates: ``counts[e]`` different ``values`` from ``starts[e]``."""

    starts: NDArray[np.int64]
    counts: NDArray[np.int32]
    values: NDArray[np.int32]


@kernel
def coordinate_of(identity: int, equal: bool, residues: int) -> int:
    """What the id of a constraint counts as."""
    return identity if equal or residues == 0 else identity % residues


@kernel
def chain_of(field: int, key: int, chains: int) -> int:
    """The chain of a constraint that is one key."""
    return int((randomised(key & _WITHOUT_SIGN) ^ randomised(field)) % np.uint64(chains))


@kernel
def link_equality(constraint: int, constraints: Constraints, equalities: Equalities) -> None:
    key = constraints.bounds[4 * constraints.firsts[constraint]]
    chain = chain_of(constraints.fields[constraint], key, len(equalities.heads))
    equalities.follows[constraint] = equalities.heads[chain]
    equalities.heads[chain] = constraint


@kernel
def unlink_equality(constraint: int, constraints: Constraints, equalities: Equalities) -> None:
    key = constraints.bounds[4 * constraints.firsts[constraint]]
    chain = chain_of(constraints.fields[constraint], key, len(equalities.heads))
    at = equalities.heads[chain]
    if at == constraint:
        equalities.heads[chain] = equalities.follows[constraint]
        return
    while equalities.follows[at] != constraint:
        at = equalities.follows[at]
    equalities.follows[at] = equalities.follows[constraint]


@kernel
def link_equalities(constraints: Constraints, equalities: Equalities) -> None:
    """Link all constraints that are one key anew."""
    equalities.heads[:] = NONE
    for constraint in range(len(constraints.fields)):
        if constraints.equal[constraint]:
            link_equality(constraint, constraints, equalities)


@kernel
def find_equality(field: int, key: int, constraints: Constraints, equalities: Equalities) -> int:
    """The constraint that a field is a key, or NONE."""
    constraint = equalities.heads[chain_of(field, key, len(equalities.heads))]
    while constraint != NONE:
        if constraints.fields[constraint] == field and constraints.bounds[4 * constraints.firsts[constraint]] == key:
            return int(constraint)
        constraint = equalities.follows[constraint]
    return NONE


@kernel
def holds(constraint: int, key: int, exact: bool, constraints: Constraints) -> bool:
    """Whether a value on a key, or between it and the next, satisfies a constraint."""
    side = 0 if exact else 2
    begin = constraints.firsts[constraint]
    end = begin + constraints.counts[constraint]
    while end - begin > 1:
        middle = (begin + end) >> 1
        if constraints.bounds[4 * middle + side] <= key:
            begin = middle
        else:
            end = middle
    return bool(constraints.bounds[4 * begin + side] <= key <= constraints.bounds[4 * begin + side + 1])


@kernel
def offer_equalities(events: EventKeys, constraints: Constraints, equalities: Equalities, offers: Offers) -> None:
    """Offer for each entry the id of the constraint that its field is its key, if there is one."""
    for entry in range(len(events.fields)):
        offers.starts[entry] = entry
        offers.counts[entry] = 0
        if events.exact[entry]:
            constraint = find_equality(events.fields[entry], events.keys[entry], constraints, equalities)
            if constraint != NONE:
                offers.values[entry] = constraints.identities[constraint]
                offers.counts[entry] = 1


@kernel
def offer_intervals(
    entries: NDArray[np.int64],
    offsets: NDArray[np.int64],
    stabbed: NDArray[np.int32],
    waiting: NDArray[np.int32],
    residues: int,
    events: EventKeys,
    constraints: Constraints,
    seen: NDArray[np.int64],
    offers: Offers,
    written: int,
) -> int:
    """Offer for entries of one field, besides what they offer, the coordinates of all intervals that hold.

    ``stabbed`` has from ``offsets[i]`` the constraints that may hold for the i-th entry, ``waiting`` those that may
    hold for all, ``seen`` room for the ids of the field, all NONE. Values are written behind those ``written``; returns
    how many are written then.
    """
    for place in range(len(entries)):
        entry = entries[place]
        begin = written
        if offers.counts[entry] > 0:
            offers.values[written] = offers.values[offers.starts[entry]]
            seen[offers.values[written]] = entry
            written += 1
        stabs = offsets[place + 1] - offsets[place]
        for which in range(stabs + len(waiting)):
            constraint = stabbed[offsets[place] + which] if which < stabs else waiting[which - stabs]
            if constraint == NONE:
                continue
            coordinate = coordinate_of(constraints.identities[constraint], False, residues)
            if seen[coordinate] == entry or not holds(constraint, events.keys[entry], events.exact[entry], constraints):
                continue
            seen[coordinate] = entry
            offers.values[written] = coordinate
            written += 1
        offers.starts[entry] = begin
        offers.counts[entry] = written - begin
    return written
