"""Partial indexes: a scope that is given, and one that is chosen from where updates and messages fall."""

from __future__ import annotations

import random
from typing import Any

import pytest

from penstock.context import ContextFilter
from penstock.context.leaves import FIRST, LAST


def filled(scope: tuple[float, float] | None) -> ContextFilter:
    """A hundred profiles, of which number n asks for quantities around n."""
    tested = ContextFilter("partial", indexed_attributes=["quantity"], scope=scope)
    for number in range(100):
        tested.update_context(number, "centre", number)
        tested.add(number, "quantity BETWEEN context.centre - 1 AND context.centre + 1", number)
    return tested


def scope_of(tested: ContextFilter) -> tuple[int, int]:
    indexes: Any = tested._indexes
    found: tuple[int, int] = indexes._indexes["quantity"]._strategy.scope
    return found


def test_updates_beyond_a_given_scope_cost_the_index_nothing() -> None:
    tested = filled((0, 50))
    before = tested.counters.index_updates
    for centre in (80, 81, 82):
        tested.update_context(90, "centre", centre)
    assert tested.counters.index_updates == before
    tested.update_context(20, "centre", 21)
    assert tested.counters.index_updates == before + 1
    assert tested.handle_message({"quantity": 82}) == [81, 82, 83, 90]
    assert tested.handle_message({"quantity": 21}) == [20, 21, 22]
    tested.check_invariants()


def test_the_scope_leaves_out_what_is_updated_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.context.partial.LOOK_EVERY", 300)
    tested = filled(None)
    assert scope_of(tested) == (FIRST, LAST)
    source = random.Random(1)
    for _ in range(600):
        number = source.randrange(80, 100)
        tested.update_context(number, "centre", number + source.random())
        if source.random() < 0.2:
            tested.handle_message({"quantity": source.randrange(60)})
    low, high = scope_of(tested)
    assert low == FIRST
    assert high < LAST
    tested.check_invariants()
    before = tested.counters.index_updates
    tested.update_context(99, "centre", 99.5)
    assert tested.counters.index_updates == before
    assert tested.handle_message({"quantity": 30}) == [29, 30, 31]
    assert 99 in tested.handle_message({"quantity": 99})
