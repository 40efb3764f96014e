"""Inserts, deletes and matches in any order: an index and a plain dictionary side by side."""

from __future__ import annotations

from typing import Any

from hypothesis import settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from penstock.indexes import Index, new_index
from penstock.model.conditions import Condition
from penstock.model.values import Value
from tests.indexes.members import every_index, insert_all
from tests.oracle import matching_pairs
from tests.strategies import MIXED


class IndexBesideOracle(RuleBasedStateMachine):
    """Drives one index and the conditions that it should hold."""

    keys: Bundle[int] = Bundle("keys")

    def __init__(self, index: Index) -> None:
        super().__init__()
        self.index = index
        self.held: dict[int, Condition] = {}
        self.next_key = 0

    @rule(target=keys, condition=MIXED.conditions)
    def insert(self, condition: Condition) -> int | MultipleResults[int]:
        key, self.next_key = self.next_key, self.next_key + 1
        self.held |= insert_all(self.index, {key: condition})
        return key if key in self.held else multiple()

    @rule(condition=MIXED.conditions, copies=st.integers(66, 90))
    def come_and_go(self, condition: Condition, copies: int) -> None:
        """Many at once, gone again: enough to make an index tidy up."""
        for key in insert_all(self.index, dict.fromkeys(range(10_000, 10_000 + copies), condition)):
            self.index.delete(key)

    @rule(key=consumes(keys))
    def delete(self, key: int) -> None:
        self.index.delete(key)
        del self.held[key]

    @rule(event=MIXED.events)
    def match(self, event: dict[str, Value]) -> None:
        assert self.index.match(event).tolist() == [key for _, key in matching_pairs([event], self.held)]

    @invariant()
    def holds_what_it_should(self) -> None:
        self.index.check_invariants()
        assert self.index.statistics().subscriptions == len(self.held)


@every_index
def test_any_order_of_inserts_deletes_and_matches(name: str) -> None:
    class Machine(IndexBesideOracle):
        def __init__(self) -> None:
            super().__init__(new_index(name))

    machine: Any = Machine
    run_state_machine_as_test(machine, settings=settings(max_examples=10, stateful_step_count=15, deadline=None))
