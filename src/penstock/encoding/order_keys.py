"""Numbers as 64-bit integers in the same order, for structures that compare without knowing the operands beforehand.

A number that a double can hold has a key: the bits of the double, rearranged so that they sort. An integer beyond 2**53
that no double equals has the key of the largest double below it and is not *exact*: it lies between that key and the
next. -0.0 has the key of 0, all NaN have one key above infinity.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.ranks import double_floor

_ALL_BUT_SIGN: Final = 0x7FFF_FFFF_FFFF_FFFF
_NAN_KEY: Final = 0x7FF8_0000_0000_0000
LARGEST_SURELY_EXACT: Final = 2**53

_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<q")


class OrderKeys(NamedTuple):
    """A key for each value, and whether the value lies on it or between it and the next."""

    keys: NDArray[np.int64]
    exact: NDArray[np.bool_]


def keys_of_doubles(values: NDArray[np.float64]) -> OrderKeys:
    """The keys of doubles, all exact.

    >>> keys_of_doubles(np.array([-1.5, -0.0, 0.0, 2.0, np.nan])).keys.argsort(kind="stable").tolist()
    [0, 1, 2, 3, 4]
    """
    bits = (values + 0.0).view(np.int64)  # adding 0 turns -0.0 into 0.0
    keys = np.where(bits < 0, bits ^ _ALL_BUT_SIGN, bits)
    keys[np.isnan(values)] = _NAN_KEY
    return OrderKeys(keys, np.ones(len(values), dtype=np.bool_))


def keys_of_integers(values: NDArray[np.int64]) -> OrderKeys:
    """The keys of integers; only some beyond 2**53 are not exact."""
    found = keys_of_doubles(values.astype(np.float64))
    large = np.flatnonzero((values > LARGEST_SURELY_EXACT) | (values < -LARGEST_SURELY_EXACT))
    for place in large.tolist():
        found.keys[place], found.exact[place] = key_of_number(int(values[place]))
    return found


def key_of_number(value: float) -> tuple[int, bool]:
    """The key of one number, and whether it is exact."""
    floor, exact = double_floor(value)
    if floor != floor:
        return _NAN_KEY, True
    (bits,) = _BITS.unpack(_DOUBLE.pack(floor + 0.0))
    return bits ^ _ALL_BUT_SIGN if bits < 0 else bits, exact


def doubles_of_keys(keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """The doubles that have these keys."""
    return np.where(keys < 0, keys ^ _ALL_BUT_SIGN, keys).view(np.float64)
