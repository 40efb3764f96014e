"""Constraints by their intervals: found where they may hold, however they came and went."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from penstock.indexes.hashing import interval_lookup
from penstock.indexes.hashing.interval_lookup import IntervalLookup
from penstock.indexes.hashing.positions import HIGHEST, LOWEST, Intervals
from penstock.kernels.amkh_constraints import NONE

ENDS = (LOWEST, -9, -4, 0, 3, 6, 7, 12, HIGHEST)

intervals = st.lists(st.sampled_from(ENDS), min_size=2, max_size=4, unique=True).map(
    lambda ends: tuple(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
)


def found(lookup: IntervalLookup, key: int) -> set[int]:
    candidates = lookup.find(np.array([0, key]))
    mine = candidates.constraints[candidates.offsets[1] : candidates.offsets[2]].tolist()
    return {*mine, *candidates.waiting.tolist()} - {NONE}


def holds_at(key: int, held: Intervals) -> bool:
    """Whether a value on a key, or behind it, is in one of the intervals."""
    return any(low <= 2 * key <= high or low <= 2 * key + 1 <= high for low, high in held)


@given(data=st.data(), least=st.sampled_from([0, 3, 64]))
def test_nothing_is_missed(data: st.DataObject, least: int) -> None:
    held = dict(enumerate(data.draw(st.lists(intervals, max_size=10))))
    lookup = IntervalLookup(held.items())
    original = interval_lookup.LEAST_WAITING
    interval_lookup.LEAST_WAITING = least  # type: ignore[misc]
    try:
        for number, coming in enumerate(data.draw(st.lists(intervals | st.none(), max_size=30)), 100):
            if coming is not None:
                lookup.add(number, coming)
                held[number] = coming
            elif held:
                gone = data.draw(st.sampled_from(sorted(held)))
                lookup.remove(gone)
                del held[gone]
            lookup.check_invariants(held)
    finally:
        interval_lookup.LEAST_WAITING = original  # type: ignore[misc]
    for key in (LOWEST >> 1, -5, -2, 0, 1, 3, 6, HIGHEST >> 1):
        assert {number for number, each in held.items() if holds_at(key, each)} <= found(lookup, key) <= set(held)


def test_many_overlapping_constraints_join_one_by_one() -> None:
    lookup = IntervalLookup([])
    for number in range(1000):
        lookup.add(number, ((2 * number, HIGHEST),))
    assert len(lookup.find(np.array([0])).waiting) <= 1000 // 8
    assert {number for number in found(lookup, 500) if number < 500} == set(range(500))
    for number in range(0, 1000, 2):
        lookup.remove(number)
    assert {number for number in found(lookup, 500) if number <= 500} == set(range(1, 500, 2))
