"""Bitmaps that say which construct intervals are active and cover a value (the VCI paper, sections 2 and 3).

Here construct intervals are numbered as in the paper, start-major: the coordinate of the one at a start and a length
index is ``start * per_start + index`` (its equations 1 and 2). Row ``j`` is for the value ``j`` places after the first.
In a full bitmap a row has a bit for every coordinate; in a clipped one only for the covering segment of its value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.constructs import POINTS, SIMPLE, Constructs, highest_bit, length_at


class Bitmaps(NamedTuple):
    """Row ``j`` is ``words[rows[j]:rows[j + 1]]``; there are no rows where there are no bitmaps."""

    clipped: bool
    rows: NDArray[np.int64]
    words: NDArray[np.uint64]


@kernel
def least_covering(constructs: Constructs, value: int) -> int:
    """The least coordinate of a construct interval that covers a value: the paper's C_min, also for values below L."""
    start = max(0, value - constructs.longest)
    reach = value - start
    index = 0
    if reach > 1 and constructs.kind != POINTS:
        index = reach - 1 if constructs.kind == SIMPLE else highest_bit(2 * reach - 1)
    return start * constructs.per_start + index


@kernel
def greatest_covering(constructs: Constructs, value: int) -> int:
    """The greatest coordinate of a construct interval that covers a value: the paper's C_max."""
    return value * constructs.per_start + constructs.per_start - 1


@kernel
def size_rows(constructs: Constructs, clipped: bool, rows: NDArray[np.int64]) -> None:
    """Where the words of each row begin, for as many values as there are rows."""
    values = len(rows) - 1
    rows[0] = 0
    for value in range(values):
        bits = values * constructs.per_start
        if clipped:
            bits = greatest_covering(constructs, value) - least_covering(constructs, value) + 1
        rows[value + 1] = rows[value] + (bits + 63) // 64


@kernel
def first_in_row(constructs: Constructs, bitmaps: Bitmaps, value: int) -> int:
    """The coordinate that the first bit of a row stands for."""
    return least_covering(constructs, value) if bitmaps.clipped else 0


@kernel
def flip_bits(constructs: Constructs, bitmaps: Bitmaps, start: int, index: int) -> None:
    """The paper's set_bitmap and reset_bitmap: in each row that the construct interval covers, its bit changes."""
    coordinate = start * constructs.per_start + index
    for value in range(start, min(start + length_at(constructs, index) + 1, len(bitmaps.rows) - 1)):
        bit = coordinate - first_in_row(constructs, bitmaps, value)
        bitmaps.words[bitmaps.rows[value] + (bit >> 6)] ^= np.uint64(1) << np.uint64(bit & 63)


@kernel
def lowest_bit(word: np.uint64) -> int:
    """The place of the lowest bit that is set in a word other than 0."""
    low = np.uint64(0xFFFFFFFF)
    if word & low:
        part, place = int(word & low), 0
    else:
        part, place = int(word >> np.uint64(32)), 32
    return place + highest_bit(part & -part)
