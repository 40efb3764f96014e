"""Random draws that the workloads share: numbers by weight, and several of them that differ."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[int], NDArray[np.int64]]
"""So many numbers, each drawn by itself."""


def uniform(random: np.random.Generator, number: int) -> Draw:
    """Numbers from 0 to ``number - 1``, all of the same probability."""
    return lambda count: random.integers(0, number, size=count)


def weighted(random: np.random.Generator, weights: NDArray[np.float64]) -> Draw:
    """Places in ``weights``, each with a probability in proportion to its weight."""
    shares = np.cumsum(weights)

    def draw(count: int) -> NDArray[np.int64]:
        places: NDArray[np.int64] = np.searchsorted(shares, random.random(count) * shares[-1], side="right")
        return places

    return draw


def zipf(random: np.random.Generator, number: int, exponent: float) -> Draw:
    """Numbers from 0 to ``number - 1``; r has a probability in proportion to ``1 / (r + 1) ** exponent``."""
    if exponent == 0:
        return uniform(random, number)
    return weighted(random, np.arange(1, number + 1, dtype=np.float64) ** -exponent)


def distinct(sizes: NDArray[np.int64], number: int, draw: Draw) -> NDArray[np.int64]:
    """So many numbers below ``number`` for each owner, all different; one that an earlier place has is drawn again."""
    owners = np.repeat(np.arange(len(sizes)), sizes)
    drawn = draw(len(owners))
    places = np.arange(len(owners))
    while True:
        pairs = owners[places] * number + drawn[places]
        order = np.argsort(pairs, kind="stable")
        pairs = pairs[order]
        repeated = places[order[1:][pairs[1:] == pairs[:-1]]]
        if len(repeated) == 0:
            return drawn
        drawn[repeated] = draw(len(repeated))
        changed = np.zeros(len(sizes), dtype=np.bool_)
        changed[owners[repeated]] = True
        places = places[changed[owners[places]]]


def offsets_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several runs begins, and where the last ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
