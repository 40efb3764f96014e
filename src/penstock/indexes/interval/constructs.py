"""Virtual construct intervals as the VCI paper defines them (sections 2 to 4), for reading, checking and explaining.

Positions are counted from the first value of the range, the paper's a_0. The indexes themselves use the same
arithmetic, compiled, over lists numbered length-major (``kernels/packed_lists.py``); tests hold the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from penstock.errors import ValueRefusedError, did_you_mean
from penstock.kernels.constructs import LOGARITHMIC, POINTS, SIMPLE, Constructs

KINDS: Final = {"points": POINTS, "simple": SIMPLE, "logarithmic": LOGARITHMIC}


class Piece(NamedTuple):
    """A construct interval: both ends are covered."""

    start: int
    end: int


@dataclass(frozen=True)
class ConstructIntervals:
    """The construct intervals of one kind, up to a greatest length L.

    >>> ConstructIntervals("logarithmic", 16).decompose(0, 7)
    [Piece(start=0, end=4), Piece(start=4, end=6), Piece(start=6, end=7)]
    """

    kind: str
    longest: int

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueRefusedError(f"{self.kind!r} are no construct intervals{did_you_mean(self.kind, KINDS)}")
        if self.kind == "points" and self.longest != 0:
            raise ValueRefusedError(f"direct lists have construct intervals of length 0, not {self.longest}")
        if self.kind != "points" and not 1 <= self.longest < 2**31:
            raise ValueRefusedError(f"the greatest length is {self.longest}; it must be from 1 to {2**31 - 1}")
        if self.kind == "logarithmic" and self.longest & (self.longest - 1):
            raise ValueRefusedError(
                f"the greatest length of logarithmic constructs is a power of 2, not {self.longest}"
            )

    @property
    def per_start(self) -> int:
        """How many construct intervals begin at each value."""
        if self.kind == "logarithmic":
            return self.longest.bit_length()
        return max(1, self.longest)

    @property
    def lengths(self) -> list[int]:
        if self.kind == "points":
            return [0]
        if self.kind == "simple":
            return list(range(1, self.longest + 1))
        return [1 << power for power in range(self.per_start)]

    @property
    def compiled(self) -> Constructs:
        """The same as the kernels take it."""
        return Constructs(KINDS[self.kind], self.longest, self.per_start)

    def coordinate(self, piece: Piece) -> int:
        """The paper's ID of a construct interval: its equations (1) and (2)."""
        return piece.start * self.per_start + self.lengths.index(piece.end - piece.start)

    def piece(self, coordinate: int) -> Piece:
        """The construct interval of an ID: the inverse, by division (section 4)."""
        start, index = divmod(coordinate, self.per_start)
        return Piece(start, start + self.lengths[index])

    def decompose(self, low: int, high: int) -> list[Piece]:
        """The pieces of an interval from left to right, each the longest that fits (section 2).

        One value alone is, for constructs that have no length 0, the piece of length 1 that begins there.
        """
        if self.kind == "points":
            return [Piece(value, value) for value in range(low, high + 1)]
        high = max(high, low + 1)
        pieces = []
        while low < high:
            length = max(length for length in self.lengths if length <= high - low)
            pieces.append(Piece(low, low + length))
            low += length
        return pieces

    def covering(self, value: int) -> list[int]:
        """The coordinates of all construct intervals that cover a value, in order."""
        starts = range(max(0, value - self.longest), value + 1)
        return [
            self.coordinate(Piece(start, start + length))
            for start in starts
            for length in self.lengths
            if start + length >= value
        ]

    def covering_segment(self, value: int) -> range:
        """From the paper's C_min to C_max (section 3): all coordinates that can cover a value, also one below L."""
        covering = self.covering(value)
        return range(covering[0], covering[-1] + 1)

    def distance_table(self, value: int) -> list[int]:
        """The paper's DT: how far each covering construct interval is from C_min (section 4.1)."""
        covering = self.covering(value)
        return [coordinate - covering[0] for coordinate in covering]

    def distance_runs(self, stride: int) -> list[tuple[int, int]]:
        """The distance table where lists are numbered length-major, ``stride`` numbers a length.

        For each length there is one run: the first list's number minus the value, and how many follow one another.
        """
        return [(index * stride - length, length + 1) for index, length in enumerate(self.lengths)]
