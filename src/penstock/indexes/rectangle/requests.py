"""What every rectangle store asks of keys and rectangles before it takes them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError, ValueRefusedError
from penstock.indexes.rectangle.store import Rectangle, Rectangles

KEY_LIMIT: Final = 2**30
CELL_LIMIT: Final = 2**62
"""Cells beyond are refused, so that the difference of two is always a 64-bit number."""


def checked_key(key: int) -> int:
    """A key that a store can hold."""
    if not 0 <= key < KEY_LIMIT:
        raise ValueRefusedError(f"a key is from 0 to 2**30 - 1; this one is {key}")
    return int(key)


def checked_rectangle(rectangle: Rectangle) -> Rectangle:
    """A rectangle that holds at least one cell."""
    x_low, y_low, x_high, y_high = rectangle
    if x_low > x_high or y_low > y_high:
        raise ValueRefusedError(
            f"a rectangle's lows are at most its highs; this one has x from {x_low} to {x_high}, "
            f"y from {y_low} to {y_high}"
        )
    if min(x_low, y_low) < -CELL_LIMIT or max(x_high, y_high) > CELL_LIMIT:
        raise ValueRefusedError(f"cells are from -2**62 to 2**62; this rectangle is {tuple(rectangle)}")
    return Rectangle(int(x_low), int(y_low), int(x_high), int(y_high))


def checked_rectangles(keys: NDArray[np.int64], rectangles: Rectangles) -> tuple[NDArray[np.int64], Rectangles]:
    """The same for many, all of one length."""
    whole = np.ascontiguousarray(keys, dtype=np.int64)
    columns = Rectangles(*(np.ascontiguousarray(column, dtype=np.int64) for column in rectangles))
    if any(column.shape != whole.shape for column in columns) or whole.ndim != 1:
        shapes = ", ".join(str(column.shape) for column in (whole, *columns))
        raise ValueRefusedError(f"keys and bounds are columns of one length; these have the shapes {shapes}")
    outside = (whole < 0) | (whole >= KEY_LIMIT)
    if np.any(outside):
        checked_key(int(whole[np.argmax(outside)]))
    lows = np.minimum(columns.x_lows, columns.y_lows)
    highs = np.maximum(columns.x_highs, columns.y_highs)
    wrong = (columns.x_lows > columns.x_highs) | (columns.y_lows > columns.y_highs)
    wrong |= (lows < -CELL_LIMIT) | (highs > CELL_LIMIT)
    if np.any(wrong):
        row = int(np.argmax(wrong))
        checked_rectangle(Rectangle(*(int(column[row]) for column in columns)))
    return whole, columns


def refuse_repeated(keys: NDArray[np.int64]) -> None:
    """Raise where a key stands twice among those to insert."""
    ordered = np.sort(keys)
    repeated = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(repeated):
        raise DuplicateSubscriptionError(f"the key {ordered[repeated[0]]} stands twice among those to insert")


def duplicate(key: int) -> DuplicateSubscriptionError:
    return DuplicateSubscriptionError(f"the store holds a rectangle with the key {key} already")


def unknown(key: int) -> UnknownSubscriptionError:
    return UnknownSubscriptionError(f"the store holds no rectangle with the key {key}")


def checked_points(xs: NDArray[np.int64], ys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points as two columns of one length."""
    x_column = np.ascontiguousarray(xs, dtype=np.int64)
    y_column = np.ascontiguousarray(ys, dtype=np.int64)
    if x_column.shape != y_column.shape or x_column.ndim != 1:
        raise ValueRefusedError(
            f"points are two columns of one length; these have the shapes {x_column.shape} and {y_column.shape}"
        )
    return x_column, y_column
