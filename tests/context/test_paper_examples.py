"""The examples of the AGILE paper: the binary tree of figures 5 to 7, the interval skip list of figures 9 and 10."""

from __future__ import annotations

from itertools import chain, repeat

import numpy as np
import pytest

from penstock.context import ContextFilter
from penstock.context.leaves import FIRST, LAST
from penstock.context.structures.binary_tree import BinaryTree
from penstock.context.structures.is_list import AgileSkipList
from penstock.indexes.interval import IntervalSkipList

A, B, C, D, E = range(5)


class TestBinaryTree:
    """Warehouses by their stock; an order finds those that may have enough of it."""

    @pytest.fixture
    def warehouses(self) -> BinaryTree:
        """Figure 5, left: 5 is the root and 2 below it, where A and B are; others are beside them."""
        tree = BinaryTree()
        for identifier, stock in ((C, 5), (A, 2), (B, 2), (D, 7)):
            tree.insert(identifier, FIRST, stock)
        assert tree.sets() == {2: ([], [A, B], []), 5: ([], [C], []), 7: ([], [D], [])}
        return tree

    @pytest.fixture
    def escalated(self, warehouses: BinaryTree) -> BinaryTree:
        """Figure 5, right: A has 3."""
        assert not warehouses.covers(A, FIRST, 3)
        warehouses.escalate(A, FIRST, 3)
        return warehouses

    def test_the_tree_is_accurate_at_first(self, warehouses: BinaryTree) -> None:
        assert found(warehouses, 2) == [A, B, C, D]
        assert found(warehouses, 3) == [C, D]
        assert found(warehouses, 7) == [D]
        assert found(warehouses, 8) == []

    def test_escalation_moves_a_to_the_left_set_of_the_parent(self, escalated: BinaryTree) -> None:
        assert escalated.sets() == {2: ([], [B], []), 5: ([A], [C], []), 7: ([], [D], [])}
        assert escalated.keys_of(A) == (FIRST, 4)
        assert found(escalated, 4) == [A, C, D]
        assert found(escalated, 5) == [C, D]
        assert found(escalated, 6) == [D]

    def test_an_update_within_the_set_is_cheap(self, escalated: BinaryTree) -> None:
        """Figure 6: A has 1, and nothing has to be done."""
        assert escalated.covers(A, FIRST, 1)
        before = escalated.sets()
        escalated.escalate(A, FIRST, 1)
        assert escalated.sets() == before

    def test_deescalation_moves_a_to_the_left_set_of_node_2(self, escalated: BinaryTree) -> None:
        """Figure 7: A has 1, and was found in vain by orders of 3 and 4."""
        assert escalated.deescalate(A, FIRST, 1)
        assert escalated.sets() == {2: ([A], [B], []), 5: ([], [C], []), 7: ([], [D], [])}
        assert found(escalated, 2) == [B, C, D]
        assert found(escalated, 1) == [A, B, C, D]
        assert not escalated.deescalate(A, FIRST, 1)

    def test_deescalation_from_a_leaf_makes_a_new_leaf(self, escalated: BinaryTree) -> None:
        """As A is known to have less than 2 after figure 7, and has 0."""
        escalated.deescalate(A, FIRST, 1)
        assert escalated.deescalate(A, FIRST, 0)
        assert escalated.sets()[0] == ([], [A], [])
        assert found(escalated, 1) == [B, C, D]
        assert found(escalated, 0) == [A, B, C, D]

    def test_escalation_goes_to_the_root_and_out_of_scope(self, escalated: BinaryTree) -> None:
        escalated.escalate(A, FIRST, 6)
        assert found(escalated, 100) == [A]
        assert escalated.sets() == {2: ([], [B], []), 5: ([], [C], []), 7: ([], [D], [])}
        assert escalated.deescalate(A, FIRST, 6)
        assert escalated.sets()[7] == ([A], [D], [])
        assert found(escalated, 7) == [D]

    def test_lower_ends_are_a_tree_of_their_own(self, warehouses: BinaryTree) -> None:
        """``price >= context.least``: the mirror image."""
        for identifier, least in ((10, 5), (11, 8)):
            warehouses.insert(identifier, least, LAST)
        warehouses.escalate(11, 7, LAST)
        assert warehouses.sets(lower=True) == {5: ([], [10], [11])}
        assert warehouses.keys_of(11) == (6, LAST)
        assert found(warehouses, 6) == [D, 10, 11]
        assert found(warehouses, 5) == [C, D, 10]


def test_orders_are_routed_as_in_figures_5_to_7() -> None:
    """The same through a filter, where the postfilter sees to what the tree does not know."""
    broker = ContextFilter("agile", "bst", "always", indexed_attributes=["items"])
    for warehouse, stock in (("C", 5), ("A", 2), ("B", 2), ("D", 7)):
        broker.update_context(warehouse, "stock", stock)
        broker.add(warehouse, "items <= context.stock", context=warehouse)
    broker.update_context("A", "stock", 3)
    assert broker.counters.escalations == 1
    assert broker.handle_message({"items": 5}) == ["C", "D"]
    assert broker.counters.false_positives == 0
    broker.update_context("A", "stock", 1)
    assert broker.counters.escalations == 1
    for items in (4, 3, 2):
        assert "A" not in broker.handle_message({"items": items})
    assert (broker.counters.false_positives, broker.counters.deescalations) == (1, 1)
    assert broker.handle_message({"items": 1}) == ["C", "A", "B", "D"]


class TestIntervalSkipList:
    """Orders by quantity."""

    @pytest.fixture
    def orders(self, monkeypatch: pytest.MonkeyPatch) -> AgileSkipList:
        """Figure 9: 17 and 40 reach the highest of three levels, 29 the second; so must 0, which is not shown.

        Other intervals start and end at 17 and 33, and one at 29.
        """
        ends = {0: 3, 10: 1, 17: 3, 21: 1, 29: 2, 33: 1, 40: 3}
        intervals = {A: (21, 33), B: (10, 21), C: (0, 40), D: (17, 33), E: (29, 29)}
        heights = chain((ends[end] for pair in intervals.values() for end in pair), repeat(1))
        monkeypatch.setattr(
            IntervalSkipList, "_heights", lambda _, number: np.array([next(heights) for _ in range(number)])
        )
        tested = AgileSkipList()
        for identifier, (low, high) in intervals.items():
            tested.insert(identifier, low, high)
        return tested

    def edges(self, tested: AgileSkipList, identifier: int) -> list[tuple[int, int, int]]:
        """The level and the ends of each range that an identifier is associated with."""
        marked = [edge for edge, identifiers in tested.markers().items() if identifier in identifiers]
        return sorted(marked, key=lambda edge: edge[1])

    def test_identifiers_are_associated_with_ranges(self, orders: AgileSkipList) -> None:
        assert self.edges(orders, A) == [(0, 21, 29), (0, 29, 33)]
        assert self.edges(orders, B) == [(0, 10, 17), (0, 17, 21)]
        assert self.edges(orders, C) == [(2, 0, 17), (2, 17, 40)]
        assert found(orders, 25, {A, B, C}) == [A, C]
        assert found(orders, 34, {A, B, C}) == [C]

    def test_escalation_promotes_the_right_end_of_a(self, orders: AgileSkipList) -> None:
        """Figure 10: A is [21; 36]."""
        assert not orders.covers(A, 21, 36)
        orders.escalate(A, 21, 36)
        assert self.edges(orders, A) == [(0, 21, 29), (1, 29, 40)]
        assert orders.keys_of(A) == (21, 40)
        assert found(orders, 39, {A, B, C}) == [A, C]
        assert orders.covers(A, 21, 39)

    def test_deescalation_splits_a_range(self, orders: AgileSkipList) -> None:
        orders.escalate(A, 21, 36)
        assert orders.deescalate(A, 21, 36)
        assert self.edges(orders, A) == [(0, 21, 29), (0, 29, 33), (0, 33, 36)]
        assert found(orders, 37, {A, B, C}) == [C]
        assert not orders.deescalate(A, 21, 36)


def found(tested: BinaryTree | AgileSkipList, key: int, of: set[int] | None = None) -> list[int]:
    return sorted(identifier for identifier in tested.probe(key).tolist() if of is None or identifier in of)
