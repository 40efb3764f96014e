"""Rank space: codes order values among operands exactly as the reference compares them."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
from hypothesis import given, strategies as st

from penstock.encoding.ranks import AFTER, BEFORE, FIRST_BOUND, LAST_BOUND, ON, NumberSpace, StringSpace, prefix_end
from penstock.model.values import compare
from tests.strategies import LARGE_DOUBLES, LARGE_INTEGERS, SMALL_DOUBLES, SMALL_INTEGERS

integers = st.sampled_from(SMALL_INTEGERS + LARGE_INTEGERS) | st.integers(-(2**63), 2**63 - 1)
doubles = st.sampled_from(SMALL_DOUBLES + LARGE_DOUBLES) | st.floats()
strings = st.text(alphabet="abé\U0001f600\0", max_size=4)


def naive_code(value: object, operands: list[object]) -> int:
    """2i + 2 on operand i of the sorted distinct ones, 2i + 1 in the gap before it."""
    distinct: list[object] = []
    for operand in operands:
        if all(compare(operand, other) != 0 for other in distinct):  # type: ignore[arg-type]
            distinct.append(operand)
    below = len([operand for operand in distinct if compare(operand, value) == -1])  # type: ignore[arg-type]
    on = any(compare(operand, value) == 0 for operand in distinct)  # type: ignore[arg-type]
    return 2 * below + 1 + int(on)


@given(st.lists(integers | doubles, max_size=12), st.lists(integers, max_size=12), st.lists(doubles, max_size=12))
def test_numbers(operands: list[float], whole: list[int], real: list[float]) -> None:
    space = NumberSpace()
    for operand in operands:
        space.bound(space.key(operand), ON)
    # The operands themselves are the values most likely to be coded wrong.
    whole += [operand for operand in operands if isinstance(operand, int)]
    real += [operand for operand in operands if isinstance(operand, float)]
    assert space.encode_integers(np.array(whole, np.int64)).tolist() == [naive_code(v, list(operands)) for v in whole]
    assert space.encode_doubles(np.array(real, np.float64)).tolist() == [naive_code(v, list(operands)) for v in real]


@given(st.lists(strings, max_size=12), st.lists(strings, max_size=12))
def test_strings(operands: list[str], values: list[str]) -> None:
    space = StringSpace()
    for operand in operands:
        space.bound(operand.encode(), ON)
    values += operands
    codes = space.encode(pa.array(values, pa.large_string()))
    assert codes.tolist() == [naive_code(value, list(operands)) for value in values]
    sliced = pa.array(["before", *values], pa.large_string()).slice(1)
    assert space.encode(sliced).tolist() == codes.tolist()


@given(strings.filter(bool), strings)
def test_a_prefix_is_an_interval(prefix: str, string: str) -> None:
    start = prefix.encode()
    assert string.startswith(prefix) == (start <= string.encode() < prefix_end(start))


def test_bounds_follow_their_operand_when_others_come() -> None:
    space = NumberSpace()
    at_five = space.bound(5, BEFORE)
    bounds = np.array([at_five + BEFORE, at_five + ON, at_five + AFTER, FIRST_BOUND, LAST_BOUND], np.int64)
    assert space.resolve(bounds).tolist() == [1, 2, 3, 1, 3]
    space.bound(3, ON)
    space.bound(math.inf, ON)
    assert space.resolve(bounds).tolist() == [3, 4, 5, 1, 7]


def test_operands_that_are_no_longer_needed_are_forgotten() -> None:
    space = NumberSpace()
    bounds = [space.bound(operand, ON) for operand in (9, 1, 5)]
    renumbered = space.keep_only(np.array([bounds[0] >> 2, bounds[2] >> 2]))
    assert renumbered.tolist() == [0, -1, 1]
    assert len(space) == 2
    assert space.encode_integers(np.array([1, 5, 9])).tolist() == [1, 2, 4]
