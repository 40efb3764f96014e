"""Posting lists in a hash table against a dictionary of lists, and the k-index's kernels against naive twins."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from penstock.indexes.boolean.posting_lists import PostingTable
from penstock.indexes.boolean.predicates import Operator
from penstock.kernels.arena import new_arena
from penstock.kernels.k_index import (
    WORK_COUNTERS,
    Cursors,
    Domains,
    Predicates,
    holds,
    match_in_partition,
    satisfying,
)
from penstock.kernels.posting_lists import cell_of, first_from, home_of, new_table

KEYS = (-(2**63), -1, 0, 1, 2**62, 2**63 - 1)


@given(st.lists(st.integers(0, 30), unique=True).map(sorted), st.integers(0, 5), st.integers(-1, 32))
def test_skipping_is_searching(postings: list[int], begin: int, clause: int) -> None:
    begin = min(begin, len(postings))
    expected = bisect_left(postings, clause, begin)
    assert first_from(np.array(postings, dtype=np.int32), begin, len(postings), clause) == expected


@given(
    st.lists(
        st.tuples(
            st.booleans(), st.integers(1, 3), st.integers(0, 3), st.sets(st.sampled_from(KEYS)), st.integers(0, 9)
        ),
        max_size=60,
    )
)
def test_posting_lists_are_lists(steps: list[tuple[bool, int, int, set[int], int]]) -> None:
    """Clauses come to and go from lists; a plain dictionary of sets does the same."""
    table = PostingTable()
    twin: dict[tuple[int, int, int], set[int]] = {}
    for adding, size, field, some, clause in steps:
        there = {key for key in some if clause in twin.get((size, field, key), ())}
        keys = np.array(sorted(some - there if adding else there), dtype=np.int64)
        for key in keys.tolist():
            twin.setdefault((size, field, key), set()).symmetric_difference_update({clause})
        (table.add if adding else table.remove)(cell_of(size, field), keys, clause)
        table.check_invariants()
    assert table.all_lists() == {which: sorted(clauses) for which, clauses in twin.items() if clauses}


def test_many_lists_and_long_ones() -> None:
    table = PostingTable()
    for clause in range(300):
        table.add(cell_of(2, 7), np.arange(clause % 20 + 1, dtype=np.int64), clause)
    table.add(cell_of(1, 0), np.arange(1000, dtype=np.int64), 5)
    table.check_invariants()
    assert (table.list_count, table.posting_count) == (1020, 1000 + 15 * sum(range(1, 21)))
    for clause in range(300):
        table.remove(cell_of(2, 7), np.arange(clause % 20 + 1, dtype=np.int64), clause)
    table.remove(cell_of(1, 0), np.arange(1000, dtype=np.int64), 5)
    table.check_invariants()
    assert (table.list_count, table.posting_count) == (0, 0)


def test_lists_spread_over_the_table() -> None:
    """Keys of neighbouring small integers, of all fields and sizes, collide no more often than chance has it."""
    table = new_table(20_000, new_arena(1))
    keys = np.arange(1, 51, dtype=np.float64).view(np.int64).tolist()
    homes = Counter(
        home_of(table, cell_of(size, field), key) for size in (1, 2) for field in range(100) for key in keys
    )
    assert len(homes) > 0.9 * 20_000 * (1 - np.exp(-0.5))


# The values that satisfy what a clause asks.

GRID = range(-3, 4)
OPERATORS = st.sampled_from([Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST, Operator.DIFFERENT])
OTHERS = st.lists(st.tuples(OPERATORS, st.sampled_from(GRID)), min_size=1, max_size=2)
EQUALITIES = st.lists(st.sampled_from(GRID), min_size=1, max_size=4, unique=True)


@given(st.lists(OTHERS | EQUALITIES.map(lambda each: [(Operator.EQUAL, operand) for operand in each]), min_size=1))
def test_the_satisfying_values_are_those_of_the_domain_that_satisfy(parts: list[list[tuple[Operator, int]]]) -> None:
    flat = [(operator, operand, part) for part, each in enumerate(parts) for operator, operand in each]
    operators, operands, numbers = zip(*flat, strict=True)
    predicates = Predicates(np.array(operators, np.int8), np.array(operands, np.int64), np.array(numbers, np.int32))
    domain = np.array(GRID, dtype=np.int64)
    domains = Domains(np.concatenate([[99, 99], domain]), np.array([0, 2]), np.array([0, 2 + len(GRID)]))
    room = np.empty(len(GRID), dtype=np.int64)
    found = room[: satisfying(predicates, 0, len(flat), domains, 1, room)].tolist()
    expected = [key for key in GRID if all(any(holds(*one, key) for one in part) for part in parts)]
    assert sorted(found) == expected


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (Operator.EQUAL, [0]),
        (Operator.LESS, [-1]),
        (Operator.AT_MOST, [-1, 0]),
        (Operator.GREATER, [1]),
        (Operator.AT_LEAST, [0, 1]),
        (Operator.DIFFERENT, [-1, 1]),
        (Operator.KNOWN, []),
    ],
)
def test_comparisons(operator: Operator, expected: list[int]) -> None:
    assert [key for key in (-1, 0, 1) if holds(operator, 0, key)] == expected


# Walking lists.


@given(st.lists(st.sets(st.integers(0, 12), min_size=1), min_size=1, max_size=6), st.integers(1, 4))
def test_walking_finds_what_stands_in_enough_lists(postings: list[set[int]], size: int) -> None:
    """A clause of a partition stands in as many lists as the partition has the size of, at most."""
    in_lists = Counter(clause for each in postings for clause in each)
    kept = [sorted(clause for clause in each if in_lists[clause] <= size) for each in postings]
    kept = [each for each in kept if each]
    if len(kept) < size:
        return
    slots = np.array([0, *(clause for each in kept for clause in each)], dtype=np.int32)
    ends = 1 + np.cumsum([len(each) for each in kept])
    begins = ends - [len(each) for each in kept]
    arena = new_arena(1)._replace(slots=slots)
    cursors = Cursors(np.empty(len(kept), np.int64), begins, ends)
    found, work = np.empty(len(slots), dtype=np.int32), np.zeros(WORK_COUNTERS, dtype=np.int64)
    count = match_in_partition(new_table(8, arena), size, cursors, len(kept), found, work)
    assert found[:count].tolist() == sorted(clause for clause, times in in_lists.items() if times == size)
