"""AMKH's workload: three clauses each, on the attributes and within the bounds that the paper says."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.lab.amkh_workload import alert_events, alert_subscriptions
from penstock.lab.boolean_workloads import event_dictionaries
from penstock.model.conditions import And, Comparison
from penstock.model.expressions import Attribute, Literal


def clauses(count: int, highest: int = 95, seed: int = 1) -> list[list[tuple[str, str, int]]]:
    found = []
    for condition in alert_subscriptions(count, highest=highest, seed=seed):
        assert isinstance(condition, And)
        mine: list[tuple[str, str, int]] = []
        for child in condition.children:
            assert isinstance(child, Comparison)
            assert isinstance(child.left, Attribute)
            assert isinstance(child.right, Literal)
            assert isinstance(child.right.value, int)
            mine.append((child.left.name, child.operator, child.right.value))
        found.append(mine)
    return found


@pytest.mark.parametrize("highest", [15, 95])
def test_subscriptions_are_as_the_paper_says(highest: int) -> None:
    made = clauses(20_000, highest)
    assert {(first[0], first[1], third[0]) for first, _, third in made} == {("a0", "=", "a10")}
    assert {second[1] for _, second, _ in made} == {"="}
    names, counts = np.unique([second[0] for _, second, _ in made], return_counts=True)
    assert names.tolist() == [f"a{number}" for number in range(1, 10)]
    assert counts / len(made) == pytest.approx([1 / 9] * 9, abs=0.01)
    operators, counts = np.unique([third[1] for _, _, third in made], return_counts=True)
    assert operators.tolist() == ["<", "=", ">"]
    assert counts / len(made) == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    values = [value for three in made for _, _, value in three]
    assert (min(values), max(values)) == (6, highest)
    assert np.mean(values) == pytest.approx((6 + highest) / 2, rel=0.02)


def test_events_have_all_attributes() -> None:
    made = alert_events(5000)
    assert set(event_dictionaries(made)[0]) == {f"a{number}" for number in range(20)}
    assert (made.values.min(), made.values.max()) == (6, 95)
    assert np.bincount(made.values)[6:] / len(made.values) == pytest.approx([1 / 90] * 90, rel=0.15)


def test_the_same_seed_gives_the_same_workload_and_another_seed_another() -> None:
    assert clauses(50, seed=3) == clauses(50, seed=3)
    assert clauses(50, seed=3) != clauses(50, seed=4)
    assert alert_events(9, seed=3).values.tolist() == alert_events(9, seed=3).values.tolist()
    assert alert_events(9, seed=3).values.tolist() != alert_events(9, seed=4).values.tolist()
