"""Exact arithmetic and comparison of columns that hold integers in some rows and doubles in others.

A column of numbers is three arrays: ``kinds`` (ABSENT, INTEGER or DOUBLE in each row), ``integers``, ``doubles``.
"""

from __future__ import annotations

from typing import Final

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

_SMALLEST: Final = np.int64(-(2**63))
_LARGEST: Final = np.int64(2**63 - 1)
_TOO_LARGE: Final = 2.0**63


@kernel
def calculate_numbers(
    operation: int,
    left_kinds: NDArray[np.uint8],
    left_integers: NDArray[np.int64],
    left_doubles: NDArray[np.float64],
    right_kinds: NDArray[np.uint8],
    right_integers: NDArray[np.int64],
    right_doubles: NDArray[np.float64],
    kinds: NDArray[np.uint8],
    integers: NDArray[np.int64],
    doubles: NDArray[np.float64],
) -> None:
    """``left operation right`` row by row. Integer overflow and division by zero leave the row absent."""
    for row in range(len(kinds)):
        kinds[row] = ABSENT
        if left_kinds[row] == ABSENT or right_kinds[row] == ABSENT:
            continue
        if left_kinds[row] == INTEGER and right_kinds[row] == INTEGER and operation != DIVIDE:
            result, fits = _integer_operation(operation, left_integers[row], right_integers[row])
            if fits:
                integers[row] = result
                kinds[row] = INTEGER
            continue
        left = np.float64(left_integers[row]) if left_kinds[row] == INTEGER else left_doubles[row]
        right = np.float64(right_integers[row]) if right_kinds[row] == INTEGER else right_doubles[row]
        if operation == DIVIDE and right == 0.0:
            continue
        kinds[row] = DOUBLE
        if operation == ADD:
            doubles[row] = left + right
        elif operation == SUBTRACT:
            doubles[row] = left - right
        elif operation == MULTIPLY:
            doubles[row] = left * right
        else:
            doubles[row] = left / right


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
def absolute_numbers(
    kinds: NDArray[np.uint8],
    integers: NDArray[np.int64],
    doubles: NDArray[np.float64],
) -> None:
    """Absolute values in place; that of the smallest integer does not fit and becomes absent."""
    for row in range(len(kinds)):
        if kinds[row] == INTEGER:
            if integers[row] == _SMALLEST:
                kinds[row] = ABSENT
            else:
                integers[row] = abs(integers[row])
        elif kinds[row] == DOUBLE:
            doubles[row] = abs(doubles[row])


@kernel
def cast_numbers(
    to_doubles: bool,
    kinds: NDArray[np.uint8],
    integers: NDArray[np.int64],
    doubles: NDArray[np.float64],
) -> None:
    """Integers to doubles or doubles to integers, towards zero, in place; a double that does not fit becomes absent."""
    for row in range(len(kinds)):
        if to_doubles and kinds[row] == INTEGER:
            doubles[row] = np.float64(integers[row])
            kinds[row] = DOUBLE
        elif not to_doubles and kinds[row] == DOUBLE:
            whole = np.trunc(doubles[row])
            if -_TOO_LARGE <= whole < _TOO_LARGE:
                integers[row] = np.int64(whole)
                kinds[row] = INTEGER
            else:
                kinds[row] = ABSENT


@kernel
def compare_numbers(
    left_kinds: NDArray[np.uint8],
    left_integers: NDArray[np.int64],
    left_doubles: NDArray[np.float64],
    right_kinds: NDArray[np.uint8],
    right_integers: NDArray[np.int64],
    right_doubles: NDArray[np.float64],
    codes: NDArray[np.int32],
) -> None:
    """1, 2 or 3 in each row where left is less than, equal to or greater than right; other rows stay as they are."""
    for row in range(len(codes)):
        left_kind, right_kind = left_kinds[row], right_kinds[row]
        if left_kind == ABSENT or right_kind == ABSENT:
            continue
        if left_kind == INTEGER and right_kind == INTEGER:
            sign = _sign_of_integers(left_integers[row], right_integers[row])
        elif left_kind == DOUBLE and right_kind == DOUBLE:
            sign = _sign_of_doubles(left_doubles[row], right_doubles[row])
        elif left_kind == INTEGER:
            sign = _sign_of_mixed(left_integers[row], right_doubles[row])
        else:
            sign = -_sign_of_mixed(right_integers[row], left_doubles[row])
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
