"""Random draws: in the shares that were asked for, and distinct where they must be."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.lab.drawing import distinct, offsets_of, uniform, weighted, zipf


def random() -> np.random.Generator:
    return np.random.default_rng(5)


def test_weights_are_shares() -> None:
    drawn = weighted(random(), np.array([1.0, 0.0, 3.0]))(20_000)
    assert np.bincount(drawn, minlength=3) / 20_000 == pytest.approx([0.25, 0, 0.75], abs=0.01)


def test_zipf_of_exponent_0_is_uniform() -> None:
    assert zipf(random(), 10, 0.0)(50).tolist() == uniform(random(), 10)(50).tolist()
    shares = np.bincount(zipf(random(), 4, 1.0)(20_000)) / 20_000
    assert shares == pytest.approx(np.array([12, 6, 4, 3]) / 25, abs=0.01)


def test_owners_have_distinct_numbers() -> None:
    sizes = np.array([5, 0, 1, 5])
    drawn = distinct(sizes, 5, zipf(random(), 5, 2.0))
    first, none, one, last = np.split(drawn, np.cumsum(sizes)[:-1])
    assert sorted(first) == sorted(last) == [0, 1, 2, 3, 4]
    assert (len(none), len(one)) == (0, 1)


def test_offsets_are_where_runs_begin_and_the_last_ends() -> None:
    assert offsets_of(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert offsets_of(np.zeros(0, dtype=np.int64)).tolist() == [0]
