"""Every index structure beside a plain dictionary of intervals: k(i) is in K(i), and a probe finds what K(i) says."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from penstock.context.leaves import FIRST, LAST
from penstock.context.structures import STRUCTURES, UnknownStructureError, new_structure
from penstock.context.structures.b_plus_tree import BPlusTree
from penstock.context.structures.binary_tree import BinaryEndTree
from penstock.context.structures.protocol import Structure
from penstock.context.structures.r_tree import RTree
from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError, ValueRefusedError

SMALL: dict[str, Callable[[], Structure]] = {
    **STRUCTURES,
    "b_plus_tree": lambda: BPlusTree(order=4),
    "r_tree": lambda: RTree(order=4),
}
"""Nodes with few places, so that few identifiers fill and empty them."""

Keys = tuple[int, int]

keys = st.integers(-6, 12) | st.sampled_from([FIRST, FIRST + 1, LAST - 1, LAST])
intervals = st.one_of(
    keys.map(lambda key: (FIRST, key)),
    keys.map(lambda key: (key, LAST)),
    keys.map(lambda key: (key, key)),
    st.tuples(keys, keys).map(lambda pair: (min(pair), max(pair))),
)


def within(inner: Keys, outer: Keys) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


class Beside:
    """A structure and what its identifiers stand for, with all that must hold at every operation."""

    def __init__(self, tested: Structure) -> None:
        self.tested = tested
        self.held: dict[int, Keys] = {}

    def insert(self, identifier: int, interval: Keys) -> None:
        self.tested.insert(identifier, *interval)
        self.held[identifier] = interval

    def delete(self, identifier: int) -> None:
        self.tested.delete(identifier)
        del self.held[identifier]
        assert identifier not in self.tested

    def insert_anew(self, identifier: int, interval: Keys) -> None:
        self.delete(identifier)
        self.insert(identifier, interval)

    def escalate(self, identifier: int, interval: Keys) -> None:
        before = self.tested.keys_of(identifier)
        self.held[identifier] = interval
        assert self.tested.covers(identifier, *interval) == within(interval, before)
        if not self.tested.covers(identifier, *interval):
            self.tested.escalate(identifier, *interval)
            assert within(before, self.tested.keys_of(identifier))
            assert self.tested.covers(identifier, *interval)

    def widen(self, identifier: int, interval: Keys) -> None:
        before = self.tested.keys_of(identifier)
        if self.tested.widen(identifier, *interval):
            self.held[identifier] = interval
        else:
            assert not within(interval, before)
            assert self.tested.keys_of(identifier) == before
            self.insert_anew(identifier, interval)

    def deescalate(self, identifier: int) -> bool:
        before = self.tested.keys_of(identifier)
        smaller = self.tested.deescalate(identifier, *self.held[identifier])
        assert within(self.tested.keys_of(identifier), before)
        # An end on a skip list can be at a lower level, and yet at the same node.
        assert isinstance(self.tested, STRUCTURES["is_list"]) or smaller == (  # type: ignore[arg-type]
            self.tested.keys_of(identifier) != before
        )
        return smaller

    def make_accurate(self, identifier: int) -> None:
        steps = 0
        while self.deescalate(identifier):
            steps += 1
            assert steps < 64

    def probe(self, key: int) -> None:
        found = self.tested.probe(key).tolist()
        assert sorted(found) == sorted(i for i in self.held if within((key, key), self.tested.keys_of(i)))
        assert {i for i, interval in self.held.items() if within((key, key), interval)} <= set(found)

    def check(self) -> None:
        self.tested.check_invariants()
        assert len(self.tested) == len(self.held)
        for identifier, interval in self.held.items():
            assert identifier in self.tested
            assert within(interval, self.tested.keys_of(identifier))


class StructureBesideDictionary(RuleBasedStateMachine):
    identifiers: Bundle[int] = Bundle("identifiers")

    def __init__(self, tested: Structure) -> None:
        super().__init__()
        self.beside = Beside(tested)
        self.next = 0

    @rule(target=identifiers, interval=intervals)
    def insert(self, interval: Keys) -> int:
        self.next += 1
        self.beside.insert(self.next, interval)
        return self.next

    @rule(many=st.lists(intervals, min_size=5, max_size=12))
    def insert_many(self, many: list[Keys]) -> None:
        """These stay as they are, and give the structure a shape; the others keep the keys that they have."""
        before = {identifier: self.beside.tested.keys_of(identifier) for identifier in self.beside.held}
        for interval in many:
            self.next += 1
            self.beside.insert(self.next, interval)
        assert {identifier: self.beside.tested.keys_of(identifier) for identifier in before} == before

    @rule(identifier=consumes(identifiers))
    def delete(self, identifier: int) -> None:
        self.beside.delete(identifier)

    @rule(identifier=identifiers, interval=intervals)
    def insert_anew(self, identifier: int, interval: Keys) -> None:
        self.beside.insert_anew(identifier, interval)

    @rule(identifier=identifiers, interval=intervals)
    def escalate(self, identifier: int, interval: Keys) -> None:
        self.beside.escalate(identifier, interval)

    @rule(identifier=identifiers, interval=intervals)
    def widen(self, identifier: int, interval: Keys) -> None:
        self.beside.widen(identifier, interval)

    @rule(identifier=identifiers)
    def deescalate(self, identifier: int) -> None:
        self.beside.deescalate(identifier)

    @rule(key=keys)
    def probe(self, key: int) -> None:
        self.beside.probe(key)

    @invariant()
    def holds_what_it_must(self) -> None:
        self.beside.check()


@pytest.mark.parametrize("examples", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_structure_knows_at_every_step_what_it_must(name: str, examples: int) -> None:
    class Machine(StructureBesideDictionary):
        def __init__(self) -> None:
            super().__init__(SMALL[name]())

    machine: Any = Machine
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=30, deadline=None))


def any_interval(randomly: random.Random) -> Keys:
    one, other = sorted((randomly.randint(0, 40), randomly.randint(0, 40)))
    return randomly.choice([(FIRST, one), (FIRST, other), (one, LAST), (one, one), (one, other), (FIRST, LAST)])


def short_interval(randomly: random.Random) -> Keys:
    low = randomly.randint(0, 5000)
    return low, low + randomly.choice([0, 0, 1, 10, 100])


@pytest.mark.parametrize("some_interval", [any_interval, short_interval])
@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_structure_grows_and_shrinks_for_long(name: str, some_interval: Callable[[random.Random], Keys]) -> None:
    """With growth and decay in turn, so that trees become deep and flat again."""
    randomly = random.Random(name)
    beside = Beside(SMALL[name]())
    for step in range(1600):
        growing = step % 800 < 400
        if not beside.held or randomly.random() < (0.5 if growing else 0.05):
            beside.insert(step, some_interval(randomly))
            continue
        identifier = randomly.choice(list(beside.held))
        interval = some_interval(randomly)
        choice = randomly.choice(["escalate"] * 4 + ["deescalate"] * 2 + ["widen", "accurate", "near"])
        if randomly.random() < (0.05 if growing else 0.5):
            beside.delete(identifier)
        elif choice == "escalate":
            beside.escalate(identifier, interval)
        elif choice == "near":
            low, high = beside.held[identifier]
            beside.widen(identifier, (low, min(high + 1, LAST)))
        elif choice == "widen":
            beside.widen(identifier, interval)
        elif choice == "accurate":
            beside.make_accurate(identifier)
        else:
            beside.deescalate(identifier)
        beside.probe(some_interval(randomly)[1])
        # The validator of the skip list is slow.
        if step % (100 if name == "is_list" else 1) == 0:
            beside.check()


@pytest.mark.parametrize("name", sorted(STRUCTURES))
def test_what_is_updated_often_is_found_for_every_key_and_can_come_back(name: str) -> None:
    beside = Beside(new_structure(name))
    for key in range(200):
        beside.insert(key, (key, key))
    for key in [150, 30, 199, 1000, 0, -1000, 5]:
        beside.escalate(77, (key, key))
        beside.probe(key)
    for key in (-999, 6, 199, 999):
        assert 77 in beside.tested.probe(key)
    beside.make_accurate(77)
    assert 77 in beside.tested.probe(5)
    assert 77 not in beside.tested.probe(6)
    beside.check()
    assert beside.tested.memory() > 0


@pytest.mark.parametrize("name", sorted(STRUCTURES))
def test_an_interval_that_loses_its_upper_end_gets_its_lower_one(name: str) -> None:
    """The structures over one end hold it by the other from then on."""
    tested = new_structure(name)
    for key in range(0, 100, 10):
        tested.insert(key, key, key)
    tested.insert(5, FIRST, 55)
    tested.escalate(5, 70, LAST)
    assert tested.keys_of(5) == (FIRST, LAST)
    while tested.deescalate(5, 70, LAST):
        tested.check_invariants()
    assert name == "hash_table" or tested.keys_of(5) == (70, LAST)


@pytest.mark.parametrize("name", sorted(STRUCTURES))
def test_wrong_requests_are_refused(name: str) -> None:
    tested = new_structure(name)
    tested.insert(1, 5, 5)
    with pytest.raises(DuplicateSubscriptionError, match="1 already"):
        tested.insert(1, 6, 6)
    with pytest.raises(ValueRefusedError, match="begins at 7"):
        tested.insert(2, 7, 6)
    for request in (tested.delete, tested.keys_of, lambda i: tested.covers(i, 5, 5)):
        with pytest.raises(UnknownSubscriptionError, match="2"):
            request(2)
    assert tested.probe(5).tolist() == [1]


def test_names_and_orders_are_checked() -> None:
    assert all(new_structure(name).name == name for name in STRUCTURES)  # type: ignore[attr-defined]
    assert all(isinstance(new_structure(name), Structure) for name in STRUCTURES)
    with pytest.raises(UnknownStructureError, match="did you mean r_tree"):
        new_structure("rtree")
    for kind in (BPlusTree, RTree):
        with pytest.raises(ValueError, match="order is 3"):
            kind(order=3)


def test_a_binary_tree_that_is_filled_in_order_stays_shallow() -> None:
    tree = BinaryEndTree()
    for key in range(3000):
        tree.insert(key, 2 * key)
        if key >= 100 and key % 7 == 0:
            tree.escalate(key - 50, 2 * key - 99)
            assert tree.reach(key - 50) >= 2 * key - 99
    tree.check_invariants()
    assert tree.depth() <= 4 * 12 + 1
    for key in range(2999):
        tree.delete(key)
    tree.check_invariants()
    assert tree.sets() == {5998: ([], [2999], [])}


def test_rebuilding_a_binary_tree_takes_no_accuracy() -> None:
    randomly = random.Random(1)
    tree = BinaryEndTree()
    for key in range(200):
        tree.insert(key, randomly.randint(0, 1000))
    for key in range(0, 200, 2):
        tree.escalate(key, tree.reach(key) + 2)
    for key in range(0, 200, 5):
        tree.delete(key)
    held = [key for key in range(200) if key in tree]
    before, deep = {key: tree.reach(key) for key in held}, tree.depth()
    tree._rebuild(tree._root)  # type: ignore[arg-type]
    tree.check_invariants()
    assert {key: tree.reach(key) for key in held} == before
    assert tree.depth() <= 8 < deep
