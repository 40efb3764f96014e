"""Constraints as intervals of positions: the same sets as the comparisons say, up to the ends of the keys."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from penstock.indexes.boolean.predicates import Operator, Predicate
from penstock.indexes.hashing.positions import (
    HIGHEST,
    HIGHEST_KEY,
    LOWEST,
    LOWEST_KEY,
    Intervals,
    alternatives_of,
    bounds_of,
    common,
    constraints_of,
    intervals_of,
    is_equality,
    is_served,
    operands_of,
    relabelled,
)
from penstock.model.conditions import COMPARISONS

SIGNS = {
    Operator.EQUAL: "=",
    Operator.LESS: "<",
    Operator.AT_MOST: "<=",
    Operator.GREATER: ">",
    Operator.AT_LEAST: ">=",
    Operator.DIFFERENT: "!=",
}
OPERANDS = (LOWEST_KEY, LOWEST_KEY + 1, -2, -1, 0, 1, 2, 3, HIGHEST_KEY - 1, HIGHEST_KEY)

operators = st.sampled_from(list(SIGNS))
predicates = st.builds(Predicate, operators, st.just(7), st.sampled_from(OPERANDS))
values = st.builds(
    lambda key, between: Fraction(key) + (Fraction(1, 2) if between and key < HIGHEST_KEY else 0),
    st.sampled_from(OPERANDS),
    st.booleans(),
)


def compares(predicate: Predicate, value: Fraction) -> bool:
    sign = (value > predicate.operand) - (value < predicate.operand)
    return bool(COMPARISONS[SIGNS[Operator(predicate.operator)]](sign))  # type: ignore[index]


def is_in(value: Fraction, intervals: Intervals) -> bool:
    """By the 64-bit bounds, as kernels look at them."""
    key, exact = value.__floor__(), value.denominator == 1
    found = 0
    for interval in intervals:
        bounds = bounds_of(interval)
        assert all(-(2**63) <= bound < 2**63 for bound in bounds)
        found += bounds[0] <= key <= bounds[1] if exact else bounds[2] <= key <= bounds[3]
    assert found <= 1
    return found == 1


@given(predicate=predicates, value=values)
def test_a_predicate_holds_where_its_intervals_are(predicate: Predicate, value: Fraction) -> None:
    intervals = intervals_of(predicate.operator, predicate.operand)
    assert is_in(value, intervals) == compares(predicate, value)
    assert all(LOWEST <= low <= high <= HIGHEST for low, high in intervals)


@given(parts=st.lists(st.lists(predicates, min_size=1, max_size=4), min_size=1, max_size=5), value=values)
def test_all_parts_must_have_an_alternative_that_holds(parts: list[list[Predicate]], value: Fraction) -> None:
    intervals = common([alternatives_of(part) for part in parts])
    assert is_in(value, intervals) == all(any(compares(each, value) for each in part) for part in parts)
    ends = [end for interval in intervals for end in interval]
    assert ends == sorted(ends)
    assert all(after > before + 1 for (_, before), (after, _) in pairwise(intervals))


def test_the_same_set_is_the_same_constraint_however_it_is_asked_for() -> None:
    between = common([intervals_of(Operator.AT_LEAST, 3), intervals_of(Operator.AT_MOST, 3)])
    assert between == intervals_of(Operator.EQUAL, 3)
    assert is_equality(between)
    either = alternatives_of([Predicate(Operator.LESS, 0, 3), Predicate(Operator.GREATER, 0, 3)])
    assert either == intervals_of(Operator.DIFFERENT, 3)
    assert not is_equality(either)


def test_what_lies_strictly_between_two_keys_is_no_equality() -> None:
    gap = common([intervals_of(Operator.GREATER, 3), intervals_of(Operator.LESS, 4)])
    assert gap == ((7, 7),)
    assert not is_equality(gap)
    assert is_in(Fraction(7, 2), gap)
    assert not is_in(Fraction(3), gap)


def test_a_conjunction_asks_one_thing_of_each_field() -> None:
    conjunction = (
        (Predicate(Operator.AT_LEAST, 1, 5),),
        (Predicate(Operator.EQUAL, 2, 9),),
        (Predicate(Operator.LESS, 1, 8),),
    )
    assert constraints_of(conjunction) == {1: ((10, 15),), 2: ((18, 18),)}


@pytest.mark.parametrize(
    "predicate, served",
    [
        (Predicate(Operator.EQUAL, 0, HIGHEST_KEY), True),
        (Predicate(Operator.KNOWN, 0, 0), True),
        (Predicate(Operator.LESS, 0, LOWEST_KEY - 1), False),
        (Predicate(Operator.ABSENT, 0, 0), False),
        (Predicate(Operator.EXCLUDED, 0, 0), False),
        (Predicate(Operator.LISTED, 0, 0), False),
    ],
)
def test_comparisons_and_presence_are_served(predicate: Predicate, served: bool) -> None:
    assert is_served(predicate) == served


@given(parts=st.lists(st.lists(predicates, min_size=1, max_size=3), min_size=1, max_size=3))
def test_operands_may_move_apart(parts: list[list[Predicate]]) -> None:
    inner = [operand for operand in OPERANDS if abs(operand) < 10]
    moved = {operand: 1000 * place for place, operand in enumerate(inner)}
    near = [[each for each in part if abs(each.operand) < 10] for part in parts]
    near = [part for part in near if part] or [[Predicate(Operator.EQUAL, 7, 1)]]
    far = [[each._replace(operand=moved[each.operand]) for each in part] for part in near]
    before, after = (common([alternatives_of(part) for part in each]) for each in (near, far))
    assert relabelled(before, moved) == after
    assert set(operands_of(after)) <= set(moved.values())
