"""Circles against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError, ValueRefusedError
from penstock.indexes.rectangle import RECTANGLE_STORES, Circle, CircleStore, Rectangle
from penstock.indexes.rectangle.circles import bounding_cells, holds_point

numbers = st.integers(-20, 20) | st.floats(-20, 20, allow_nan=False) | st.sampled_from([0.1, 0.3, 2.5, 1e-300])
radii = st.integers(0, 12) | st.floats(0, 12, allow_nan=False) | st.just(5e-324)
circles = st.builds(Circle, numbers, numbers, radii)


def within(circle: Circle, x: float, y: float) -> bool:
    across, along = Fraction(x) - Fraction(circle.x), Fraction(y) - Fraction(circle.y)
    return across**2 + along**2 <= Fraction(circle.radius) ** 2


@pytest.mark.parametrize("name", sorted(RECTANGLE_STORES))
@given(held=st.lists(circles, max_size=8), points=st.lists(st.tuples(numbers, numbers), max_size=8))
def test_against_brute_force(name: str, held: list[Circle], points: list[tuple[float, float]]) -> None:
    store = CircleStore(RECTANGLE_STORES[name](-20, 20, -20, 20))
    for key, circle in enumerate(held):
        store.insert(key, circle)
    if held:
        store.delete(0)
    alive = dict(enumerate(held))
    alive.pop(0, None)
    for x, y in points + [(circle.x + circle.radius, circle.y) for circle in held]:
        assert sorted(store.stab(x, y).tolist()) == [key for key, circle in alive.items() if within(circle, x, y)]
    assert len(store) == len(alive)
    store.check_invariants()


wide = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)


@given(st.builds(Circle, wide, wide, wide.map(abs)), wide, wide)
@example(Circle(0, 0, 5), 3, 4)
@example(Circle(0, 0, 2**53 + 1), 2**53 + 1, 0)
@example(Circle(0, 0, 2**53), 2**53 + 1, 0)
@example(Circle(0.1, 0.1, 0.2), 0.3, 0.1)
@example(Circle(0, 0, 1e300), 1e300, 1e-300)
@example(Circle(10**400, 0, 1), 10**400, 1)
def test_the_check_is_exact(circle: Circle, x: float, y: float) -> None:
    assert holds_point(circle, x, y) == within(circle, x, y)


@given(circles)
def test_the_cells_hold_the_circle(circle: Circle) -> None:
    x, y, radius = map(Fraction, circle)
    found = bounding_cells(circle)
    assert found.x_low <= x - radius < found.x_low + 1
    assert found.y_low <= y - radius < found.y_low + 1
    assert found.x_high <= x + radius < found.x_high + 1
    assert found.y_high <= y + radius < found.y_high + 1


def test_refusals() -> None:
    store = CircleStore(RECTANGLE_STORES["vcr_sd"]())
    store.insert(1, Circle(3, 3, 0))
    assert store.stab(3, 3).tolist() == [1]
    assert store.stab(float("nan"), 3).tolist() == store.stab(3, float("inf")).tolist() == []
    with pytest.raises(DuplicateSubscriptionError, match="key 1 already"):
        store.insert(1, Circle(3, 3, 1))
    with pytest.raises(UnknownSubscriptionError, match="no rectangle with the key 2"):
        store.delete(2)
    with pytest.raises(ValueRefusedError, match="a radius is not negative; this one is -1"):
        store.insert(2, Circle(3, 3, -1))
    with pytest.raises(ValueRefusedError, match="three finite numbers"):
        store.insert(2, Circle(3, float("inf"), 1))
    with pytest.raises(ValueRefusedError, match="a key is from 0"):
        store.insert(-2, Circle(3, 3, 1))
    assert 1 in store
    assert 2 not in store
    taken = RECTANGLE_STORES["vcr_sd"]()
    taken.insert(1, Rectangle(0, 0, 1, 1))
    with pytest.raises(ValueRefusedError, match="holds 1 rectangles"):
        CircleStore(taken)
