"""Conditions of any kind through stores of intervals and rectangles, here naive ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import run_state_machine_as_test

from penstock.encoding.batch import EventBatch
from penstock.encoding.fields import NumberField
from penstock.indexes.access import access_of
from penstock.indexes.stabbing import LineCells, PlaneCells, StabbingIndex
from penstock.language.parser import parse
from penstock.model.evaluation import evaluate
from penstock.model.expressions import Attribute
from penstock.model.values import Value
from tests.indexes.naive_stores import NaiveIntervals, NaiveRectangles
from tests.indexes.test_state_machine import IndexBesideOracle
from tests.oracle import matching_pairs
from tests.strategies import MIXED


class Intervals(StabbingIndex):
    name = "naive intervals"
    cells = LineCells
    factory = NaiveIntervals


class NaivePlane(StabbingIndex):
    name = "naive rectangles"
    cells = PlaneCells
    factory = NaiveRectangles


both = pytest.mark.parametrize("kind", [Intervals, NaivePlane])


@both
@given(data=st.data())
def test_any_condition_matches_as_the_reference_says(kind: type[StabbingIndex], data: st.DataObject) -> None:
    conditions = dict(enumerate(data.draw(st.lists(MIXED.conditions, min_size=1, max_size=8))))
    events = data.draw(st.lists(MIXED.events, max_size=6))
    index = kind()
    for key, condition in conditions.items():
        index.insert(key, condition)
    for group in index._groups.values():  # as when many wait
        index._file_waiting(group)
    index.check_invariants()
    matches = index.match_batch(EventBatch.from_events(events))
    assert list(zip(matches.rows.tolist(), matches.keys.tolist(), strict=True)) == matching_pairs(events, conditions)


@pytest.mark.slow
@both
def test_any_order_of_inserts_deletes_and_matches(kind: type[StabbingIndex]) -> None:
    class Machine(IndexBesideOracle):
        def __init__(self) -> None:
            super().__init__(kind())

    machine: Any = Machine
    run_state_machine_as_test(machine, settings=settings(max_examples=10, stateful_step_count=15, deadline=None))


@pytest.mark.parametrize("size", [100, pytest.param(3000, marks=pytest.mark.slow)])
@both
def test_conditions_over_two_attributes(kind: type[StabbingIndex], size: int) -> None:
    """With many operands several codes make one cell, and what is found is checked."""
    index = kind()
    conditions = {}
    for key in range(size):
        condition = parse(f"x BETWEEN {key} AND {key + 20.5} AND y > {size - key} AND y <= {size - key + 30}")
        conditions[key] = condition
        index.insert(key, condition)
    assert sum(len(group.filed) for group in index._groups.values()) > 0
    for event in ({"x": 5, "y": size}, {"x": 7.25, "y": size - 6.5}, {"x": 5}, {"x": "5", "y": 3}):
        expected = [key for key, condition in conditions.items() if evaluate(condition, event) is True]
        assert index.match(event).tolist() == expected
    for key in range(0, size, 2):
        index.delete(key)
    index.check_invariants()
    event = {"x": 5, "y": size}
    assert index.match(event).tolist() == [
        key for key, condition in conditions.items() if key % 2 and evaluate(condition, event) is True
    ]


@given(
    st.sampled_from(["<", "<="]),
    st.sampled_from([0, 1, 25, 2.25, 1e-300, 1e300]),
    st.floats(-1e6, 1e6) | st.integers(-10, 10),
    MIXED.events,
    st.floats(-8, 8) | st.integers(-8, 8),
)
def test_circles_go_in_by_the_square_around_them(
    operator: str, limit: float, centre: float, event: dict[str, Value], offset: float
) -> None:
    condition = parse(f"(x - {centre!r}) * (x - {centre!r}) + (y - 3) * (y - 3) {operator} {limit!r}")
    access = access_of(condition)
    assert set(access.spans) == {NumberField(Attribute("x")), NumberField(Attribute("y"))}
    assert not access.exact
    index = NaivePlane()
    index.insert(0, condition)
    index._file_waiting(next(iter(index._groups.values())))
    for near in (event, {"x": centre + offset, "y": 3 + offset / 2}, {"x": centre, "y": 3}, {"x": centre + 5, "y": 3}):
        assert index.match(near).tolist() == ([0] if evaluate(condition, near) is True else [])


ACCESS: list[tuple[str, list[str], bool]] = [
    ("a < 5", ["a"], True),
    ("a > 1 AND a <= 5", ["a"], True),
    ("a = 1 AND b = 'x'", ["a", "b"], True),
    ("a = 1 AND s LIKE '%x%'", ["a"], False),
    ("s LIKE 'abc%'", ["s"], True),
    ("a = 1 OR a = 2", [], False),
    ("a + b < 5", ["a + b"], True),
    ("a IS NULL", [], False),
    ("NOT a < 5", ["a"], True),
    ("a != 5", [], False),
    ("TRUE", [], False),
]


@pytest.mark.parametrize(("text", "fields", "exact"), ACCESS)
def test_ways_in(text: str, fields: list[str], exact: bool) -> None:
    from penstock.language.rendering import expression_to_text

    access = access_of(parse(text))
    assert sorted(expression_to_text(field.expression) for field in access.spans) == fields  # type: ignore[attr-defined]
    assert access.exact == exact
