"""The arithmetic of construct intervals: which of them make up an interval, and which piece of it each one is.

A construct interval has a start and a length and covers ``length + 1`` integers (the VCI paper, section 2). The kinds
differ in the lengths there are: 1, 2, ..., L (simple); 1, 2, 4, ..., L (logarithmic); or 0 alone, which makes direct
listing (section 5.1) the same structure as the others.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from penstock.kernels.compiling import kernel

POINTS: Final = 0
SIMPLE: Final = 1
LOGARITHMIC: Final = 2


class Constructs(NamedTuple):
    """Which construct intervals there are: their kind, the greatest length L, and how many begin at each value."""

    kind: int
    longest: int
    per_start: int


@kernel
def count_bits(value: int) -> int:
    """How many bits of a number from 0, below 2**32, are set."""
    value = value - ((value >> 1) & 0x55555555)
    value = (value & 0x33333333) + ((value >> 2) & 0x33333333)
    value = (value + (value >> 4)) & 0x0F0F0F0F
    value = value + (value >> 8)
    return (value + (value >> 16)) & 0x3F


@kernel
def highest_bit(value: int) -> int:
    """The place of the highest bit that is set in a number from 1, below 2**32."""
    value = value | (value >> 1)
    value = value | (value >> 2)
    value = value | (value >> 4)
    value = value | (value >> 8)
    value = value | (value >> 16)
    return count_bits(value) - 1


@kernel
def length_at(constructs: Constructs, index: int) -> int:
    """The length of the construct intervals that come at an index, from 0, among those of one start."""
    if constructs.kind == LOGARITHMIC:
        return 1 << index
    return index + 1 if constructs.kind == SIMPLE else 0


@kernel
def index_of_length(constructs: Constructs, length: int) -> int:
    """The inverse of :func:`length_at`."""
    if constructs.kind == LOGARITHMIC:
        return highest_bit(length)
    return length - 1 if constructs.kind == SIMPLE else 0


@kernel
def covered_width(constructs: Constructs, width: int) -> int:
    """The width that pieces are made for. One value alone is kept as the construct interval of length 1."""
    return 1 if width == 0 and constructs.kind != POINTS else width


@kernel
def count_pieces(constructs: Constructs, width: int) -> int:
    """How many construct intervals make up an interval of a width."""
    if constructs.kind == POINTS:
        return width + 1
    width = covered_width(constructs, width)
    if constructs.kind == SIMPLE:
        return (width - 1) // constructs.longest + 1
    return (width >> (constructs.per_start - 1)) + count_bits(width & (constructs.longest - 1))


@kernel
def next_length(constructs: Constructs, remaining: int) -> int:
    """The length of the next piece, from left to right, where a width remains."""
    if constructs.kind == POINTS:
        return 0
    if remaining >= constructs.longest:
        return constructs.longest
    return remaining if constructs.kind == SIMPLE else 1 << highest_bit(remaining)


@kernel
def piece_number(constructs: Constructs, low: int, width: int, start: int, index: int) -> int:
    """Which piece, from 0, of an interval the construct interval of a start and a length index is."""
    if constructs.kind == POINTS:
        return start - low
    width = covered_width(constructs, width)
    if constructs.kind == LOGARITHMIC:
        largest = constructs.per_start - 1
        if index == largest:
            return (start - low) >> largest
        return (width >> largest) + count_bits((width & (constructs.longest - 1)) >> (index + 1))
    if index == constructs.per_start - 1:
        return (start - low) // constructs.longest
    return (width - 1) // constructs.longest
