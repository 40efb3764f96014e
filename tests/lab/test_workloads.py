"""Workloads: within their bounds, of the shape that the papers describe, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.lab.workloads import UNIFORM, Skew, intervals, points, rectangles, values


def test_intervals_are_within_the_domain() -> None:
    made = intervals(20_000, domain=50, longest=10, seed=3)
    assert (made.lows.min(), made.lows.max()) == (1, 49)
    assert made.highs.max() == 50
    lengths = made.highs - made.lows
    assert (lengths.min(), lengths.max()) == (1, 10)
    uncut = lengths[made.lows <= 40]
    assert abs(uncut.mean() - 5.5) < 0.2


def test_values_are_within_the_domain() -> None:
    made = values(10_000, domain=20, seed=3)
    assert (made.min(), made.max()) == (1, 20)


@pytest.mark.parametrize("skew", [UNIFORM, Skew(0.9, 0.1), Skew(0.9, 0.01)])
def test_points_follow_the_skew_rule(skew: Skew) -> None:
    sides = (300, 200)
    xs, ys = points(50_000, sides, skew, seed=5)
    assert 0 <= xs.min() <= xs.max() < sides[0]
    assert 0 <= ys.min() <= ys.max() < sides[1]
    part = skew.beta**0.5
    inside = (np.abs(xs + 0.5 - 150) <= 150 * part + 0.5) & (np.abs(ys + 0.5 - 100) <= 100 * part + 0.5)
    # What is drawn from anywhere falls into the central part by chance as well.
    assert inside.mean() == pytest.approx(skew.alpha + (1 - skew.alpha) * skew.beta, abs=0.01)


def test_rectangles_are_within_the_range() -> None:
    made = rectangles(20_000, (60, 40), (12, 6), Skew(0.9, 0.1), seed=5)
    assert (made.x_highs - made.x_lows).max() == 12
    assert (made.y_highs - made.y_lows).max() == 6
    assert made.x_highs.max() == 59
    assert made.y_highs.max() == 39


def test_the_same_seed_gives_the_same_workload_and_another_seed_another() -> None:
    first, again, other = (intervals(100, 1000, 50, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.lows, again.lows)
    assert not np.array_equal(first.lows, other.lows)


def test_names_of_skews() -> None:
    assert [str(skew) for skew in (UNIFORM, Skew(0.9, 0.1), Skew(0.9, 0.01))] == ["uniform", "90%-10%", "90%-1%"]
