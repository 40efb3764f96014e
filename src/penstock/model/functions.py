"""Arithmetic and functions over single values. A value of the wrong kind, or none, gives NULL.

Integer arithmetic is exact: a result that does not fit 64 bits is NULL rather than wrapped or rounded. As soon as one
side is a double the other becomes one too. ``/`` always divides doubles, and division by zero is NULL.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Final

from penstock.model.expressions import ArithmeticOperator, CastType, FunctionName
from penstock.model.values import Kind, Value, fits_integer, kind_of

_INTEGER: Final[dict[ArithmeticOperator, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_DOUBLE: Final[dict[ArithmeticOperator, Callable[[float, float], float | None]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda left, right: None if right == 0 else left / right,
}


def calculate(symbol: ArithmeticOperator, left: Value, right: Value) -> Value:
    """``left symbol right``.

    >>> calculate("+", 2**62, 2**62), calculate("/", 7, 2), calculate("/", 1, 0), calculate("*", 2, "x")
    (None, 3.5, None, None)
    """
    if kind_of(left) is not Kind.NUMBER or kind_of(right) is not Kind.NUMBER:
        return None
    if isinstance(left, int) and isinstance(right, int) and symbol != "/":
        return _fitting(_INTEGER[symbol](left, right))
    return _DOUBLE[symbol](float(left), float(right))  # type: ignore[arg-type]


def negate(value: Value) -> Value:
    if kind_of(value) is not Kind.NUMBER:
        return None
    return _fitting(-value) if isinstance(value, int) else -value  # type: ignore[operator]


def absolute(value: Value) -> Value:
    if kind_of(value) is not Kind.NUMBER:
        return None
    return _fitting(abs(value)) if isinstance(value, int) else abs(value)  # type: ignore[arg-type]


def cast(value: Value, kind: CastType) -> Value:
    """A number as an integer, towards zero, or as the nearest double; NULL where there is none that fits.

    >>> cast(-2.7, "integer"), cast(1e300, "integer"), cast(3, "double")
    (-2, None, 3.0)
    """
    if kind_of(value) is not Kind.NUMBER:
        return None
    if kind == "double":
        return float(value)  # type: ignore[arg-type]
    return _fitting(int(value)) if math.isfinite(value) else None  # type: ignore[arg-type]


def lower(value: Value) -> Value:
    return value.lower() if isinstance(value, str) else None


def upper(value: Value) -> Value:
    return value.upper() if isinstance(value, str) else None


def coalesce(*values: Value) -> Value:
    return next((value for value in values if value is not None), None)


def _fitting(value: int) -> int | None:
    return value if fits_integer(value) else None


FUNCTION_BODIES: Final[dict[FunctionName, Callable[..., Value]]] = {
    "abs": absolute,
    "lower": lower,
    "upper": upper,
    "coalesce": coalesce,
}
