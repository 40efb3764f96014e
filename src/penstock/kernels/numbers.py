"""Exact arithmetic and comparison of columns that hold integers in some rows and doubles in others.

Each row of a column is ABSENT, an INTEGER or a DOUBLE.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel

ABSENT: Final = 0
INTEGER: Final = 1
DOUBLE: Final = 2

ADD: Final = 0
SUBTRACT: Final = 1
MULTIPLY: Final = 2
DIVIDE: Final = 3


class Numbers(NamedTuple):
    """A column of numbers, one entry for each row: what stands there, and the value if it is an integer or a double."""

    kinds: NDArray[np.uint8]
    integers: NDArray[np.int64]
    doubles: NDArray[np.float64]


_SMALLEST: Final = np.int64(-(2**63))
_LARGEST: Final = np.int64(2**63 - 1)
_TOO_LARGE: Final = 2.0**63


@kernel
def calculate_numbers(operation: int, left: Numbers, right: Numbers, result: Numbers) -> None:
    """``left operation right`` row by row. Integer overflow and division by zero leave the row absent."""
    for row in range(len(result.kinds)):
        result.kinds[row] = ABSENT
        if left.kinds[row] == ABSENT or right.kinds[row] == ABSENT:
            continue
        if left.kinds[row] == INTEGER and right.kinds[row] == INTEGER and operation != DIVIDE:
            whole, fits = _integer_operation(operation, left.integers[row], right.integers[row])
            if fits:
                result.integers[row] = whole
                result.kinds[row] = INTEGER
            continue
        one, other = _as_double(left, row), _as_double(right, row)
        if operation == DIVIDE and other == 0.0:
            continue
        result.kinds[row] = DOUBLE
        if operation == ADD:
            result.doubles[row] = one + other
        elif operation == SUBTRACT:
            result.doubles[row] = one - other
        elif operation == MULTIPLY:
            result.doubles[row] = one * other
        else:
            result.doubles[row] = one / other


@kernel
def _as_double(numbers: Numbers, row: int) -> float:
    if numbers.kinds[row] == INTEGER:
        return np.float64(numbers.integers[row])
    double: float = numbers.doubles[row]
    return double


@kernel
def _integer_operation(operation: int, left: np.int64, right: np.int64) -> tuple[np.int64, np.bool_ | bool]:
    """The result and whether it fits; asked beforehand, since a compiler takes it that integers do not overflow."""
    if operation == ADD:
        fits = left <= _LARGEST - right if right >= 0 else left >= _SMALLEST - right
        return (left + right if fits else np.int64(0)), fits
    if operation == SUBTRACT:
        fits = left >= _SMALLEST + right if right >= 0 else left <= _LARGEST + right
        return (left - right if fits else np.int64(0)), fits
    left_size, right_size = _magnitude(left), _magnitude(right)
    limit = np.uint64(2**63) if (left < 0) != (right < 0) else np.uint64(2**63 - 1)
    fits = left_size == 0 or right_size <= limit // left_size
    return (left * right if fits else np.int64(0)), fits


@kernel
def _magnitude(value: np.int64) -> np.uint64:
    """The absolute value; as unsigned, that of the smallest integer fits too."""
    if value >= 0:
        return np.uint64(value)
    return np.uint64(-(value + 1)) + np.uint64(1)


@kernel
def absolute_numbers(numbers: Numbers) -> None:
    """Absolute values in place; that of the smallest integer does not fit and becomes absent."""
    for row in range(len(numbers.kinds)):
        if numbers.kinds[row] == INTEGER:
            if numbers.integers[row] == _SMALLEST:
                numbers.kinds[row] = ABSENT
            else:
                numbers.integers[row] = abs(numbers.integers[row])
        elif numbers.kinds[row] == DOUBLE:
            numbers.doubles[row] = abs(numbers.doubles[row])


@kernel
def cast_numbers(to_doubles: bool, numbers: Numbers) -> None:
    """Integers to doubles or doubles to integers, towards zero, in place; a double that does not fit becomes absent."""
    for row in range(len(numbers.kinds)):
        if to_doubles and numbers.kinds[row] == INTEGER:
            numbers.doubles[row] = np.float64(numbers.integers[row])
            numbers.kinds[row] = DOUBLE
        elif not to_doubles and numbers.kinds[row] == DOUBLE:
            whole = np.trunc(numbers.doubles[row])
            if -_TOO_LARGE <= whole < _TOO_LARGE:
                numbers.integers[row] = np.int64(whole)
                numbers.kinds[row] = INTEGER
            else:
                numbers.kinds[row] = ABSENT


@kernel
def compare_numbers(left: Numbers, right: Numbers, codes: NDArray[np.int32]) -> None:
    """1, 2 or 3 in each row where left is less than, equal to or greater than right; other rows stay as they are."""
    for row in range(len(codes)):
        left_kind, right_kind = left.kinds[row], right.kinds[row]
        if left_kind == ABSENT or right_kind == ABSENT:
            continue
        if left_kind == INTEGER and right_kind == INTEGER:
            sign = _sign_of_integers(left.integers[row], right.integers[row])
        elif left_kind == DOUBLE and right_kind == DOUBLE:
            sign = _sign_of_doubles(left.doubles[row], right.doubles[row])
        elif left_kind == INTEGER:
            sign = _sign_of_mixed(left.integers[row], right.doubles[row])
        else:
            sign = -_sign_of_mixed(right.integers[row], left.doubles[row])
        codes[row] = sign + 2


@kernel
def _sign_of_integers(left: np.int64, right: np.int64) -> int:
    return (1 if left > right else 0) - (1 if left < right else 0)


@kernel
def _sign_of_doubles(left: np.float64, right: np.float64) -> int:
    """NaN equals NaN and is greater than any other number."""
    if np.isnan(left) or np.isnan(right):
        return (1 if np.isnan(left) else 0) - (1 if np.isnan(right) else 0)
    return (1 if left > right else 0) - (1 if left < right else 0)


@kernel
def _sign_of_mixed(left: np.int64, right: np.float64) -> int:
    """An integer against a double, exactly.

    Rounding keeps order, so where the rounded integer differs from the double the integer does too, on the same side.
    Where they are equal the double is whole, and is compared as an integer unless it is 2**63.
    """
    if np.isnan(right):
        return -1
    rounded = np.float64(left)
    if rounded != right:
        return 1 if rounded > right else -1
    if right >= _TOO_LARGE:
        return -1
    return _sign_of_integers(left, np.int64(right))
