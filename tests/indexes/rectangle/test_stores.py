"""What holds for every rectangle store: a state machine against a dict, and the edges of what is allowed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError, ValueRefusedError
from penstock.indexes.interval.store import Stabs
from penstock.indexes.rectangle import RECTANGLE_STORES, Rectangle, Rectangles, RectangleStore

keys = st.integers(0, 30) | st.sampled_from([1000, 70_000, 2**30 - 1])
cells = st.integers(-12, 40)
rectangles = st.builds(
    lambda x, y, width, height: Rectangle(x, y, x + width, y + height),
    cells,
    cells,
    st.integers(0, 24),
    st.integers(0, 24),
)
every_store = pytest.mark.parametrize("name", sorted(RECTANGLE_STORES))
# The properties that take long: one store by default, the others with the slower tests.
every_store_slowly = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "vcr_sd" else pytest.mark.slow) for name in sorted(RECTANGLE_STORES)],
)


def columns(rows: list[Rectangle]) -> Rectangles:
    return Rectangles(*(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)))


def naive_stab(held: dict[int, Rectangle], x: int, y: int) -> list[int]:
    return sorted(key for key, (a, b, c, d) in held.items() if a <= x <= c and b <= y <= d)


def answers(stabs: Stabs) -> list[list[int]]:
    bounds = zip(stabs.offsets[:-1].tolist(), stabs.offsets[1:].tolist(), strict=True)
    return [sorted(stabs.keys[begin:end].tolist()) for begin, end in bounds]


class StoreMachine(RuleBasedStateMachine):
    """A store and a dict, in step."""

    name: str

    @initialize(
        high=st.integers(0, 40),
        max_width=st.sampled_from([None, 1, 4, 16]),
        max_height=st.sampled_from([None, 1, 2, 8]),
    )
    def start(self, high: int, max_width: int | None, max_height: int | None) -> None:
        self.store: RectangleStore = RECTANGLE_STORES[self.name](
            x_high=high, y_high=high, max_width=max_width, max_height=max_height
        )
        self.held: dict[int, Rectangle] = {}

    @rule(key=keys, rectangle=rectangles)
    def insert(self, key: int, rectangle: Rectangle) -> None:
        if key in self.held:
            with pytest.raises(DuplicateSubscriptionError, match=f"the key {key} "):
                self.store.insert(key, rectangle)
        else:
            self.store.insert(key, rectangle)
            self.held[key] = rectangle

    @rule(rows=st.lists(st.tuples(keys, rectangles), max_size=12))
    def insert_many(self, rows: list[tuple[int, Rectangle]]) -> None:
        new = dict(rows)
        wanted = np.array([key for key, _ in rows], dtype=np.int64)
        many = columns([rectangle for _, rectangle in rows]) if rows else Rectangles(*([wanted] * 4))
        if len(new) < len(rows) or new.keys() & self.held.keys():
            with pytest.raises(DuplicateSubscriptionError):
                self.store.insert_many(wanted, many)
        else:
            self.store.insert_many(wanted, many)
            self.held.update(new)

    @rule(key=keys)
    def delete(self, key: int) -> None:
        if key in self.held:
            self.store.delete(key)
            del self.held[key]
        else:
            with pytest.raises(UnknownSubscriptionError, match=f"the key {key}"):
                self.store.delete(key)

    @rule(x=st.integers(-40, 80), y=st.integers(-40, 80))
    def stab(self, x: int, y: int) -> None:
        found = self.store.stab(x, y)
        assert found.dtype == np.int32
        assert sorted(found.tolist()) == naive_stab(self.held, x, y)

    @rule(points=st.lists(st.tuples(st.integers(-40, 80), st.integers(-40, 80)), max_size=20))
    def stab_many(self, points: list[tuple[int, int]]) -> None:
        xs = np.array([x for x, _ in points], dtype=np.int64)
        ys = np.array([y for _, y in points], dtype=np.int64)
        assert answers(self.store.stab_many(xs, ys)) == [naive_stab(self.held, x, y) for x, y in points]

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "store"):
            self.store.check_invariants()
            assert len(self.store) == len(self.held)
            assert all(key in self.store for key in self.held)


@every_store_slowly
def test_state_machine(name: str) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    machine = type(f"{name}_machine", (StoreMachine,), {"name": name})
    run_state_machine_as_test(machine, settings=settings(max_examples=30, stateful_step_count=25, deadline=None))


@every_store_slowly
@given(rectangle=rectangles, max_width=st.sampled_from([1, 2, 8]), max_height=st.sampled_from([1, 4, 8]))
def test_each_cell_is_answered_once_and_no_other(
    name: str, rectangle: Rectangle, max_width: int, max_height: int
) -> None:
    store = RECTANGLE_STORES[name](-12, 64, -12, 64, max_width, max_height)
    store.insert(5, rectangle)
    xs, ys = (axis.ravel() for axis in np.meshgrid(np.arange(-14, 67), np.arange(-14, 67)))
    counts = np.diff(store.stab_many(xs, ys).offsets)
    inside = (xs >= rectangle.x_low) & (xs <= rectangle.x_high) & (ys >= rectangle.y_low) & (ys <= rectangle.y_high)
    assert np.array_equal(counts, inside.astype(np.int64))


@every_store
def test_points_lines_and_boundaries(name: str) -> None:
    held = {
        0: Rectangle(0, 0, 0, 0),
        1: Rectangle(0, 0, 31, 0),
        2: Rectangle(31, 0, 31, 31),
        3: Rectangle(0, 0, 31, 31),
        4: Rectangle(31, 31, 31, 31),
    }
    store = RECTANGLE_STORES[name](x_high=31, y_high=31)
    store.insert_many(np.array(list(held)), columns(list(held.values())))
    for x in (-1, 0, 1, 30, 31, 32):
        for y in (-1, 0, 1, 30, 31, 32):
            assert sorted(store.stab(x, y).tolist()) == naive_stab(held, x, y)


@every_store
def test_many_against_the_naive_answer(name: str) -> None:
    random = np.random.default_rng(3)
    lows = random.integers(0, 60, (2, 600))
    highs = lows + random.integers(0, 30, (2, 600))
    store = RECTANGLE_STORES[name]()
    store.insert_many(np.arange(600), Rectangles(lows[0], lows[1], highs[0], highs[1]))
    held = {key: Rectangle(*map(int, (*lows[:, key], *highs[:, key]))) for key in range(600)}
    for key in random.permutation(600)[:300].tolist():
        store.delete(key)
        del held[key]
    store.check_invariants()
    points = random.integers(-3, 95, (2, 200))
    expected = [naive_stab(held, x, y) for x, y in zip(*points.tolist(), strict=True)]
    assert answers(store.stab_many(points[0], points[1])) == expected


@every_store
def test_refusals_say_what_was_found_and_change_nothing(name: str) -> None:
    store = RECTANGLE_STORES[name]()
    store.insert(1, Rectangle(0, 0, 5, 5))
    with pytest.raises(ValueRefusedError, match="x from 6 to 5"):
        store.insert(2, Rectangle(6, 0, 5, 5))
    with pytest.raises(ValueRefusedError, match="this one is -1"):
        store.insert(-1, Rectangle(0, 0, 5, 5))
    with pytest.raises(ValueRefusedError, match=str(2**30)):
        store.insert(2**30, Rectangle(0, 0, 5, 5))
    with pytest.raises(ValueRefusedError, match="y from 7 to 5"):
        store.insert_many(np.array([2, 3]), columns([Rectangle(0, 0, 5, 5), Rectangle(0, 7, 5, 5)]))
    with pytest.raises(DuplicateSubscriptionError, match="key 4 stands twice"):
        store.insert_many(np.array([4, 4]), columns([Rectangle(0, 0, 5, 5), Rectangle(0, 0, 5, 5)]))
    with pytest.raises(DuplicateSubscriptionError, match="the key 1 already"):
        store.insert_many(np.array([8, 1]), columns([Rectangle(0, 0, 5, 5), Rectangle(0, 0, 500, 5)]))
    with pytest.raises(ValueRefusedError, match=r"\(2,\), \(1,\)"):
        store.insert_many(np.array([2, 3]), columns([Rectangle(0, 0, 5, 5)]))
    with pytest.raises(UnknownSubscriptionError, match="no rectangle with the key 9"):
        store.delete(9)
    with pytest.raises(UnknownSubscriptionError):
        store.delete(-1)
    with pytest.raises(ValueRefusedError, match="two columns of one length"):
        store.stab_many(np.array([1]), np.array([1, 2]))
    store.check_invariants()
    assert len(store) == 1
    assert store.stab(5, 5).tolist() == [1]


@every_store
def test_an_empty_store_answers_nothing(name: str) -> None:
    store = RECTANGLE_STORES[name]()
    store.insert_many(np.empty(0, dtype=np.int64), Rectangles(*[np.empty(0, dtype=np.int64)] * 4))
    assert store.stab(3, 3).tolist() == []
    assert store.stab(2**40, -(2**40)).tolist() == []
    assert answers(store.stab_many(np.array([3, 2**62]), np.array([3, -(2**62)]))) == [[], []]
    assert answers(store.stab_many(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))) == []
    assert 3 not in store
    assert "3" not in store
