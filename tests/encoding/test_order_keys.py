"""Numbers as keys in the same order, also beyond 2**53."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, strategies as st

from penstock.encoding.order_keys import doubles_of_keys, key_of_number, keys_of_doubles, keys_of_integers
from penstock.model.values import compare
from tests.strategies import LARGE_DOUBLES, LARGE_INTEGERS, SMALL_DOUBLES, SMALL_INTEGERS

edges = st.sampled_from(LARGE_INTEGERS + SMALL_INTEGERS + LARGE_DOUBLES + SMALL_DOUBLES)
numbers = edges | st.integers(-(2**63), 2**63 - 1) | st.floats()


def on_line(value: float) -> int:
    """The place of a number on a line where keys are even and what lies between two of them is odd."""
    key, exact = key_of_number(value)
    return 2 * key if exact else 2 * key + 1


@given(numbers, numbers)
def test_keys_sort_as_numbers_do(left: float, right: float) -> None:
    sign = compare(left, right)
    one, other = on_line(left), on_line(right)
    if sign == 0:
        assert one == other
    elif one != other:
        assert sign == (-1 if one < other else 1)
    else:  # only integers that no double equals share a place
        assert not key_of_number(left)[1]


@given(st.lists(st.floats() | st.sampled_from([*LARGE_DOUBLES, *SMALL_DOUBLES])))
def test_columns_of_doubles_have_the_keys_of_each(values: list[float]) -> None:
    found = keys_of_doubles(np.array(values, dtype=np.float64))
    assert list(zip(found.keys.tolist(), found.exact.tolist(), strict=True)) == [key_of_number(each) for each in values]


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.sampled_from([*LARGE_INTEGERS, *SMALL_INTEGERS])))
def test_columns_of_integers_have_the_keys_of_each(values: list[int]) -> None:
    found = keys_of_integers(np.array(values, dtype=np.int64))
    assert list(zip(found.keys.tolist(), found.exact.tolist(), strict=True)) == [key_of_number(each) for each in values]


@given(st.floats(allow_nan=False))
def test_keys_lead_back_to_doubles(value: float) -> None:
    key, _ = key_of_number(value)
    assert doubles_of_keys(np.array([key]))[0] == value


def test_there_is_one_nan_above_all() -> None:
    keys = keys_of_doubles(np.array([math.nan, -math.nan, math.inf])).keys
    assert keys[0] == keys[1] > keys[2]
