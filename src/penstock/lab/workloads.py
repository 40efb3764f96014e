"""The papers' random workloads, each from a seed: the same seed gives the same workload.

Subscriptions and events come from streams of their own, so that one does not change when there is more of the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.indexes.rectangle.store import Rectangles

Integers = NDArray[np.int64]

_SUBSCRIPTIONS, _EVENTS = 0, 1


class Intervals(NamedTuple):
    """Many closed intervals, in columns."""

    lows: Integers
    highs: Integers


def intervals(count: int, domain: int, longest: int, seed: int) -> Intervals:
    """Intervals as in VCI, section 5.2, over the values 1 to ``domain``.

    They start anywhere but at the last value, with a length from 1 to ``longest``, and are cut where the domain ends.

    >>> made = intervals(3, domain=10, longest=4, seed=1)
    >>> bool((made.lows < made.highs).all())
    True
    """
    random = np.random.default_rng([seed, _SUBSCRIPTIONS])
    lows = random.integers(1, domain - 1, size=count, endpoint=True)
    lengths = random.integers(1, longest, size=count, endpoint=True)
    return Intervals(lows, np.minimum(lows + lengths, domain))


def values(count: int, domain: int, seed: int) -> Integers:
    """Event values, each from 1 to ``domain`` with the same probability."""
    return np.random.default_rng([seed, _EVENTS]).integers(1, domain, size=count, endpoint=True)


@dataclass(frozen=True, slots=True)
class Skew:
    """VCR's rule alpha-beta: a share ``alpha`` of all points falls into a central part of ``beta`` of the area."""

    alpha: Annotated[float, "share of the points"]
    beta: Annotated[float, "share of the area"]

    def __str__(self) -> str:
        return "uniform" if self.beta == 1 else f"{self.alpha:.0%}-{self.beta:.0%}"


UNIFORM = Skew(1.0, 1.0)


def points(count: int, sides: tuple[int, int], skew: Skew, seed: int) -> tuple[Integers, Integers]:
    """Event points within a range rectangle that starts at (0, 0)."""
    return _points(np.random.default_rng([seed, _EVENTS]), count, sides, skew)


def rectangles(count: int, sides: tuple[int, int], largest: tuple[int, int], skew: Skew, seed: int) -> Rectangles:
    """Rectangles as in VCR, section 3.1: corners by the skew rule, sides from 1 to the largest.

    The paper does not say what becomes of one that reaches beyond the range; here it is cut there.
    """
    random = np.random.default_rng([seed, _SUBSCRIPTIONS])
    x_lows, y_lows = _points(random, count, sides, skew)
    widths = random.integers(1, largest[0], size=count, endpoint=True)
    heights = random.integers(1, largest[1], size=count, endpoint=True)
    x_highs = np.minimum(x_lows + widths, sides[0] - 1)
    y_highs = np.minimum(y_lows + heights, sides[1] - 1)
    return Rectangles(x_lows, y_lows, x_highs, y_highs)


def _points(random: np.random.Generator, count: int, sides: tuple[int, int], skew: Skew) -> tuple[Integers, Integers]:
    hot = random.random(count) < skew.alpha
    columns = []
    for side in sides:
        # The central part keeps the proportions of the whole, so each of its sides is the root of the area's share.
        part = max(1, round(side * skew.beta**0.5))
        start = (side - part) // 2
        anywhere = random.integers(0, side, size=count)
        columns.append(np.where(hot, random.integers(start, start + part, size=count), anywhere))
    return columns[0], columns[1]
