"""Virtual construct rectangles as the VCR paper defines them (sections 2.1 to 2.3), in its own numbering.

These are plain functions over small numbers: what the compiled stores are measured by, and a way to try the paper's
examples. A VCR is a closed rectangle of the plane. A store holds cells, and takes a cell for the unit square at its
coordinates and an event for the centre of its cell: a point that is on no edge, so pieces that share only an edge never
share an event. The covering set of a centre has ``(2 Lx - 1)(2 Ly - 1)`` of the ``(2 Lx + kx)(2 Ly + ky)`` VCRs that
cover the cell's corner: those that do not end there.

>>> len(simple_decomposition(3, 3, 11, 6, Plane(4, 4, 300, 200)))
8
>>> len(overlapped_decomposition(3, 3, 11, 6, Plane(4, 4, 300, 200)))
6
"""

from __future__ import annotations

from typing import NamedTuple


class Vcr(NamedTuple):
    """The closed rectangle from (x, y) to (x + width, y + height); both sides are powers of two."""

    x: int
    y: int
    width: int
    height: int


class Plane(NamedTuple):
    """The largest sides Lx and Ly of a VCR, powers of two, and the ranges Rx and Ry of the attributes."""

    largest_width: int
    largest_height: int
    x_range: int
    y_range: int

    @property
    def kx(self) -> int:
        return self.largest_width.bit_length() - 1

    @property
    def ky(self) -> int:
        return self.largest_height.bit_length() - 1

    @property
    def shapes(self) -> int:
        """B: how many VCRs begin at one point."""
        return (self.kx + 1) * (self.ky + 1)


def vcr_id(vcr: Vcr, plane: Plane) -> int:
    """Equation (1)."""
    i, j = vcr.width.bit_length() - 1, vcr.height.bit_length() - 1
    return plane.shapes * (vcr.x + vcr.y * plane.x_range) + j * (plane.kx + 1) + i


def vcr_of_id(number: int, plane: Plane) -> Vcr:
    """The inverse of equation (1)."""
    corner, shape = divmod(number, plane.shapes)
    y, x = divmod(corner, plane.x_range)
    j, i = divmod(shape, plane.kx + 1)
    return Vcr(x, y, 1 << i, 1 << j)


def simple_decomposition(x: int, y: int, width: int, height: int, plane: Plane) -> list[Vcr]:
    """SD (figure 2): strips from the bottom, each cut from the left, always by the largest VCR that fits."""
    pieces = []
    bottom, height_left = y, height
    while height_left > 0:
        strip = min(_power_below(height_left), plane.largest_height)
        left, width_left = x, width
        while width_left > 0:
            side = min(_power_below(width_left), plane.largest_width)
            pieces.append(Vcr(left, bottom, side, strip))
            left, width_left = left + side, width_left - side
        bottom, height_left = bottom + strip, height_left - strip
    return pieces


def overlapped_decomposition(x: int, y: int, width: int, height: int, plane: Plane) -> list[Vcr]:
    """OD (section 2.2.2): VCRs of one size, the last column shifted left and the last row shifted down to fit."""
    if width <= 0 or height <= 0:
        return []
    side = min(_power_below(width), plane.largest_width)
    strip = min(_power_below(height), plane.largest_height)
    return [
        Vcr(x + min(left, width - side), y + min(bottom, height - strip), side, strip)
        for bottom in range(0, height, strip)
        for left in range(0, width, side)
    ]


def covering_set(a: int, b: int, plane: Plane) -> set[Vcr]:
    """Cov(a, b), equation (2): all VCRs that cover a point, away from the boundary."""
    return {
        Vcr(a - left, b - below, 1 << i, 1 << j)
        for i in range(plane.kx + 1)
        for j in range(plane.ky + 1)
        for left in range((1 << i) + 1)
        for below in range((1 << j) + 1)
    }


def covering_set_of_centre(a: int, b: int, plane: Plane) -> set[Vcr]:
    """The VCRs that cover the centre of the unit square at (a, b): those of Cov(a, b) that do not end at the point."""
    return {vcr for vcr in covering_set(a, b, plane) if vcr.x + vcr.width > a and vcr.y + vcr.height > b}


def pivot(a: int, b: int, plane: Plane) -> Vcr:
    """PV(a, b) (section 2.3.2)."""
    return Vcr(a - plane.largest_width, b - plane.largest_height, 1, 1)


def distance_table(plane: Plane) -> list[int]:
    """DT (section 2.3.2): the IDs of the covering VCRs of any point, counted from that of its pivot, in order."""
    a, b = plane.largest_width, plane.largest_height
    begin = vcr_id(pivot(a, b, plane), plane)
    return sorted(vcr_id(vcr, plane) - begin for vcr in covering_set(a, b, plane))


def _power_below(length: int) -> int:
    """The largest power of two that is at most a length."""
    return 1 << (length.bit_length() - 1)
