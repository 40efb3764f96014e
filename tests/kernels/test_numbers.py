"""Kernels over numbers against naive twins made of the reference's own arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from penstock.kernels.numbers import Numbers, absolute_numbers, calculate_numbers, cast_numbers, compare_numbers
from penstock.model.functions import absolute, calculate, cast
from penstock.model.values import Value, compare
from tests.strategies import LARGE_DOUBLES, LARGE_INTEGERS, SMALL_DOUBLES, SMALL_INTEGERS

any_number = (
    st.none() | st.sampled_from(SMALL_INTEGERS + LARGE_INTEGERS) | st.sampled_from(SMALL_DOUBLES + LARGE_DOUBLES)
)
any_number |= st.integers(-(2**63), 2**63 - 1) | st.floats()
pairs = st.lists(st.tuples(any_number, any_number), min_size=1, max_size=20)


def arrays(values: list[Value]) -> Numbers:
    kinds = [0 if value is None else 1 if isinstance(value, int) else 2 for value in values]
    integers = [value if isinstance(value, int) else 0 for value in values]
    doubles = [value if isinstance(value, float) else 0.0 for value in values]
    return Numbers(np.array(kinds, np.uint8), np.array(integers, np.int64), np.array(doubles, np.float64))


def values(found: Numbers) -> list[Value]:
    rows = zip(*(array.tolist() for array in found), strict=True)
    return [None if kind == 0 else integer if kind == 1 else double for kind, integer, double in rows]


def same(left: list[Value], right: list[Value]) -> bool:
    return [(type(value), repr(value)) for value in left] == [(type(value), repr(value)) for value in right]


@pytest.mark.parametrize(("symbol", "operation"), [("+", 0), ("-", 1), ("*", 2), ("/", 3)])
@given(rows=pairs)
def test_arithmetic(symbol: str, operation: int, rows: list[tuple[Value, Value]]) -> None:
    result = arrays([None] * len(rows))
    left, right = arrays([pair[0] for pair in rows]), arrays([pair[1] for pair in rows])
    calculate_numbers(operation, left, right, result)
    assert same(values(result), [calculate(symbol, *pair) for pair in rows])  # type: ignore[arg-type]


@given(pairs)
def test_comparison(rows: list[tuple[Value, Value]]) -> None:
    codes = np.zeros(len(rows), np.int32)
    compare_numbers(arrays([pair[0] for pair in rows]), arrays([pair[1] for pair in rows]), codes)
    signs = [compare(*pair) for pair in rows]
    assert codes.tolist() == [0 if sign is None else sign + 2 for sign in signs]


@given(st.lists(any_number, max_size=20))
def test_absolute_values_and_casts(column: list[Value]) -> None:
    found = arrays(column)
    absolute_numbers(found)
    assert same(values(found), [absolute(value) for value in column])
    for to_doubles in (False, True):
        found = arrays(column)
        cast_numbers(to_doubles, found)
        assert same(values(found), [cast(value, "double" if to_doubles else "integer") for value in column])
