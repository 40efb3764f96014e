"""What every interval store must do, whatever it is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError, ValueRefusedError
from penstock.indexes.interval import INTERVAL_STORES, IntervalStore

every_store = pytest.mark.parametrize("name", sorted(INTERVAL_STORES))
cells = st.integers(-3, 20)
far_cells = cells | st.integers(-60, 90)
Interval = tuple[int, int]


def intervals(ends: st.SearchStrategy[int] = cells) -> st.SearchStrategy[Interval]:
    return st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair))) | ends.map(lambda end: (end, end))


def new_store(name: str, max_length: int | None = None) -> IntervalStore:
    if name in ("dlist", "is_list"):
        max_length = None
    return INTERVAL_STORES[name](low=0, high=15, max_length=max_length)


def arrays(held: dict[int, Interval]) -> tuple[Any, Any, Any]:
    return (
        np.array(list(held), dtype=np.int64),
        np.array([low for low, _ in held.values()], dtype=np.int64),
        np.array([high for _, high in held.values()], dtype=np.int64),
    )


def stabbed(held: dict[int, Interval], value: int) -> list[int]:
    return sorted(key for key, (low, high) in held.items() if low <= value <= high)


def assert_answers(store: IntervalStore, held: dict[int, Interval], values: list[int]) -> None:
    """Sorted lists are compared, so a key that came twice would show."""
    found = store.stab_many(np.array(values, dtype=np.int64))
    assert found.keys.dtype == np.int32
    for row, value in enumerate(values):
        keys = found.keys[found.offsets[row] : found.offsets[row + 1]]
        assert sorted(keys.tolist()) == stabbed(held, value)
        assert sorted(store.stab(value).tolist()) == stabbed(held, value)


class StoreBesideDictionary(RuleBasedStateMachine):
    """Drives one store and a plain dictionary of what it should hold."""

    name = ""
    max_length: int | None = None

    def __init__(self) -> None:
        super().__init__()
        self.store = new_store(self.name, self.max_length)
        self.held: dict[int, Interval] = {}

    @rule(key=st.integers(0, 40), interval=intervals() | intervals(far_cells))
    def insert(self, key: int, interval: Interval) -> None:
        if key in self.held:
            with pytest.raises(DuplicateSubscriptionError):
                self.store.insert(key, *interval)
        else:
            self.store.insert(key, *interval)
            self.held[key] = interval

    @rule(added=st.dictionaries(st.integers(0, 60), intervals() | intervals(far_cells), max_size=12))
    def insert_many(self, added: dict[int, Interval]) -> None:
        if added.keys() & self.held.keys():
            with pytest.raises(DuplicateSubscriptionError):
                self.store.insert_many(*arrays(added))
        else:
            self.store.insert_many(*arrays(added))
            self.held |= added

    @rule(interval=intervals(), copies=st.integers(2, 30))
    def same_interval_often(self, interval: Interval, copies: int) -> None:
        for key in range(100, 100 + copies):
            if key not in self.held:
                self.store.insert(key, *interval)
                self.held[key] = interval

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.held)))
        self.store.delete(key)
        del self.held[key]

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def delete_many(self, data: st.DataObject) -> None:
        for key in data.draw(st.lists(st.sampled_from(sorted(self.held)), unique=True)):
            self.store.delete(key)
            del self.held[key]

    @rule(key=st.integers(0, 300))
    def delete_what_is_not_there(self, key: int) -> None:
        if key not in self.held:
            with pytest.raises(UnknownSubscriptionError):
                self.store.delete(key)

    @rule(values=st.lists(far_cells, max_size=5))
    def stab(self, values: list[int]) -> None:
        assert_answers(self.store, self.held, values)

    @invariant()
    def holds_what_it_should(self) -> None:
        self.store.check_invariants()
        assert len(self.store) == len(self.held)
        assert all(key in self.store for key in self.held)


@every_store
@pytest.mark.parametrize("max_length", [None, 4])
def test_any_order_of_inserts_deletes_and_stabs(name: str, max_length: int | None) -> None:
    if max_length is not None and name in ("dlist", "is_list"):
        max_length = None
    machine: Any = type("Machine", (StoreBesideDictionary,), {"name": name, "max_length": max_length})
    run_state_machine_as_test(machine, settings=settings(max_examples=20, stateful_step_count=15, deadline=None))


@every_store
@given(held=st.dictionaries(st.integers(0, 500), intervals(far_cells), max_size=40), more=intervals(far_cells))
@settings(max_examples=25)
def test_building_at_once_answers_as_inserting_one_by_one(name: str, held: dict[int, Interval], more: Interval) -> None:
    at_once, one_by_one = new_store(name), new_store(name)
    at_once.insert_many(*arrays(held))
    for key, interval in held.items():
        one_by_one.insert(key, *interval)
    for store in (at_once, one_by_one):
        store.insert(600, *more)
        store.check_invariants()
        assert_answers(store, held | {600: more}, list(range(-62, 92, 3)))


@every_store
def test_an_empty_store_finds_nothing(name: str) -> None:
    store = new_store(name)
    assert_answers(store, {}, [-(2**62), -1, 0, 15, 16, 2**62])
    assert_answers(store, {}, [])
    store.insert_many(*arrays({}))
    assert store.stab(2**80).tolist() == []
    assert len(store) == 0
    assert 0 not in store
    assert "0" not in store
    store.check_invariants()


@every_store
def test_an_interval_of_one_value_is_found_there_alone(name: str) -> None:
    store = new_store(name)
    held = {0: (0, 0), 1: (15, 15), 2: (14, 15), 3: (15, 15)}
    for key, interval in held.items():
        store.insert(key, *interval)
    assert_answers(store, held, [-1, 0, 1, 13, 14, 15, 16])


@every_store
def test_an_interval_of_many_pieces_is_found_once_at_every_value(name: str) -> None:
    store = new_store(name, max_length=2)
    held = {5: (1, 14), 6: (2, 9), 7: (1, 14)}
    for key, interval in held.items():
        store.insert(key, *interval)
    assert_answers(store, held, list(range(-1, 18)))
    store.delete(5)
    del held[5]
    assert_answers(store, held, list(range(-1, 18)))


@every_store
def test_ranges_may_begin_anywhere_and_grow_both_ways(name: str) -> None:
    store = INTERVAL_STORES[name](low=-1000, high=-990)
    held = {0: (-995, -992), 1: (-1003, -991), 2: (-1200, -1100), 3: (-995, -700)}
    for key, interval in held.items():
        store.insert(key, *interval)
        store.check_invariants()
    assert_answers(store, held, [-1201, -1200, -1100, -1099, -1003, -992, -991, -990, -700, -699])


@every_store
def test_refused_requests_say_what_was_found_and_change_nothing(name: str) -> None:
    store = new_store(name)
    store.insert(3, 1, 4)
    with pytest.raises(DuplicateSubscriptionError, match="key 3"):
        store.insert(3, 1, 4)
    with pytest.raises(UnknownSubscriptionError, match="key 4"):
        store.delete(4)
    with pytest.raises(ValueRefusedError, match="begins at 5, after its end at 4"):
        store.insert(4, 5, 4)
    for key in (-1, 2**30):
        with pytest.raises(ValueRefusedError, match=f"the key is {key}"):
            store.insert(key, 0, 1)
    with pytest.raises(ValueRefusedError, match="lie within"):
        store.insert(4, 0, 2**63)
    with pytest.raises(DuplicateSubscriptionError, match="key 7 stands more than once"):
        store.insert_many(np.array([7, 7]), np.array([0, 0]), np.array([1, 1]))
    with pytest.raises(DuplicateSubscriptionError, match="key 3"):
        store.insert_many(np.array([8, 3]), np.array([0, 0]), np.array([1, 1]))
    with pytest.raises(ValueRefusedError, match="key 8 begins at 2"):
        store.insert_many(np.array([7, 8]), np.array([0, 2]), np.array([1, 1]))
    with pytest.raises(ValueRefusedError, match="2 keys, 1 lows"):
        store.insert_many(np.array([7, 8]), np.array([0]), np.array([1]))
    store.check_invariants()
    assert_answers(store, {3: (1, 4)}, list(range(6)))


@every_store
def test_memory_is_that_of_all_arrays(name: str) -> None:
    store: Any = new_store(name)
    for key in range(50):
        store.insert(key, key % 10, key % 10 + key % 7)
    assert sum(store.memory().values()) == sum(array.nbytes for array in store.arrays())
