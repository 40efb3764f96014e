"""Circles: "within 5 of (x, y)". A store holds the bounding rectangle of each, and every answer is checked exactly.

Centres, radii and points may be any finite numbers, and are taken at their exact value: a double is a fraction. The
rectangle is made of whole cells, the cell of a number being its floor, so it never leaves out a point of the circle.
The check is made in doubles first, with a bound on their error; only a point that is so close to the circle that the
bound decides nothing is looked at again, in exact fractions.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.errors import ValueRefusedError
from penstock.indexes.rectangle.requests import checked_key, duplicate, unknown
from penstock.indexes.rectangle.store import Rectangle, RectangleStore

_DOUBT = 2.0**-48
"""Relative to the sum of squares of all that goes in: 16 roundings, where the check makes 12 at most."""


class Circle(NamedTuple):
    """All points within ``radius`` of (``x``, ``y``), the edge included."""

    x: float
    y: float
    radius: float


class CircleStore:
    """Circles under keys, in a rectangle store that nothing else uses.

    >>> from penstock.indexes.rectangle import RECTANGLE_STORES, CircleStore
    >>> store = CircleStore(RECTANGLE_STORES["vcr_od"]())
    >>> store.insert(1, Circle(10, 10, 5))
    >>> store.stab(13, 14).tolist(), store.stab(14, 14).tolist(), store.stab(10, 15.5).tolist()
    ([1], [], [])
    """

    def __init__(self, rectangles: RectangleStore) -> None:
        if len(rectangles):
            raise ValueRefusedError(f"circles need a store of their own; this one holds {len(rectangles)} rectangles")
        self._rectangles = rectangles
        self._circles: dict[int, Circle] = {}

    def __len__(self) -> int:
        return len(self._circles)

    def __contains__(self, key: object) -> bool:
        return key in self._circles

    def insert(self, key: int, circle: Circle) -> None:
        """Add a circle under a key not in use."""
        key, circle = checked_key(key), _checked(circle)
        if key in self._circles:
            raise duplicate(key)
        self._rectangles.insert(key, bounding_cells(circle))
        self._circles[key] = circle

    def delete(self, key: int) -> None:
        """Remove the circle of a key; a key that is not there is refused."""
        if key not in self._circles:
            raise unknown(key)
        self._rectangles.delete(key)
        del self._circles[key]

    def stab(self, x: float, y: float) -> NDArray[np.int32]:
        """The keys of all circles that hold a point, each once."""
        if not (isfinite(x) and isfinite(y)):
            return np.empty(0, dtype=np.int32)
        candidates = self._rectangles.stab(floor(x), floor(y))
        held = [holds_point(self._circles[key], x, y) for key in candidates.tolist()]
        return candidates[np.array(held, dtype=np.bool_)]

    def check_invariants(self) -> None:
        self._rectangles.check_invariants()


def bounding_cells(circle: Circle) -> Rectangle:
    """The smallest rectangle of whole cells around a circle, exactly."""
    x, y, radius = (Fraction(number) for number in circle)
    return Rectangle(floor(x - radius), floor(y - radius), floor(x + radius), floor(y + radius))


def holds_point(circle: Circle, x: float, y: float) -> bool:
    """Whether a point is within a circle, exactly."""
    try:
        squares = (float(x) ** 2 + float(y) ** 2) + (float(circle.x) ** 2 + float(circle.y) ** 2)
        across, along = float(x) - float(circle.x), float(y) - float(circle.y)
        excess = across * across + along * along - float(circle.radius) ** 2
    except OverflowError:
        return _holds_point_exactly(circle, x, y)
    doubt = _DOUBT * (squares + float(circle.radius) ** 2)
    if isfinite(doubt) and abs(excess) > doubt > 1e-280:
        return excess < 0
    return _holds_point_exactly(circle, x, y)


def _holds_point_exactly(circle: Circle, x: float, y: float) -> bool:
    across, along = Fraction(x) - Fraction(circle.x), Fraction(y) - Fraction(circle.y)
    return across * across + along * along <= Fraction(circle.radius) ** 2


def _checked(circle: Circle) -> Circle:
    if not all(isfinite(number) for number in circle):
        raise ValueRefusedError(f"a circle is given by three finite numbers; this one is {tuple(circle)}")
    if circle.radius < 0:
        raise ValueRefusedError(f"a radius is not negative; this one is {circle.radius}")
    return Circle(*circle)
