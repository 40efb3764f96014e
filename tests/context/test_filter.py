"""Messages, updates, profiles that come and go, in any order: a filter and the reference side by side."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)

from penstock.context import ContextFilter, Message, Update
from penstock.context.filter import OURS, STRATEGIES
from penstock.context.policies import UnknownPolicyError
from penstock.context.structures import STRUCTURES
from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError
from penstock.lab.context_workload import ContextWorkload, columns, fill, steps
from penstock.model.conditions import Condition
from penstock.model.evaluation import evaluate
from penstock.model.values import Value
from tests.context.strategies import (
    CONTEXT_NAMES,
    CONTEXTS,
    conditions,
    plain_conditions,
    plain_events,
    values,
)
from tests.strategies import MIXED

contexts = st.sampled_from(CONTEXTS)


class FilterBesideReference(RuleBasedStateMachine):
    """Drives one filter, and keeps the conditions and contexts that it should know."""

    profiles: Bundle[int] = Bundle("profiles")

    def __init__(self, tested: ContextFilter) -> None:
        super().__init__()
        self.tested = tested
        self.held: dict[int, tuple[Condition, str]] = {}
        self.contexts: dict[str, dict[str, Value]] = {name: {} for name in CONTEXTS}
        self.next_id = 0

    @rule(target=profiles, condition=plain_conditions | conditions, context=contexts)
    def add(self, condition: Condition, context: str) -> int:
        number, self.next_id = self.next_id, self.next_id + 1
        self.tested.add(number, condition, context)
        self.held[number] = condition, context
        return number

    @rule(profile=consumes(profiles))
    def remove(self, profile: int) -> None:
        self.tested.remove(profile)
        del self.held[profile]

    @rule(context=contexts, attribute=st.sampled_from(CONTEXT_NAMES), value=values)
    def update(self, context: str, attribute: str, value: Value) -> None:
        self.tested.update_context(context, attribute, value)
        self.contexts[context][attribute] = value

    @rule(event=plain_events | MIXED.events)
    def message(self, event: dict[str, Value]) -> None:
        expected = [
            number
            for number, (condition, context) in self.held.items()
            if evaluate(condition, event, self.contexts[context]) is True
        ]
        assert sorted(self.tested.handle_message(event)) == expected

    @invariant()
    def holds_what_it_must(self) -> None:
        self.tested.check_invariants()
        assert len(self.tested) == len(self.held)


def drive(filter_of: Any, examples: int) -> None:
    class Machine(FilterBesideReference):
        def __init__(self) -> None:
            super().__init__(filter_of())

    machine: Any = Machine
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=25, deadline=None))


@pytest.mark.parametrize("indexed", ["auto", ["i", "j"]], ids=["auto", "i and j"])
@pytest.mark.parametrize("strategy", ["noindex", *OURS, *STRATEGIES])
def test_every_strategy_is_exact_at_every_step(strategy: str, indexed: Any) -> None:
    drive(lambda: ContextFilter(strategy, indexed_attributes=indexed, policy="always"), 12)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["always", "fixed(2)", "auto(1)", "rental(2)"])
@pytest.mark.parametrize("structure", sorted(STRUCTURES))
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_on_every_structure_under_every_policy(strategy: str, structure: str, policy: str) -> None:
    drive(lambda: ContextFilter(strategy, structure, policy, indexed_attributes=["i", "j"]), 8)


@given(data=st.data())
def test_a_sequence_of_both_is_processed_in_its_order(data: st.DataObject) -> None:
    profiles = data.draw(st.lists(plain_conditions, min_size=1, max_size=5))
    steps = data.draw(
        st.lists(
            st.builds(Message, plain_events) | st.builds(Update, contexts, st.sampled_from(CONTEXT_NAMES), values),
            max_size=12,
        )
    )
    tested = ContextFilter(indexed_attributes=["i"])
    for number, condition in enumerate(profiles):
        tested.add(number, condition, "one")
    known: dict[str, Any] = {}
    expected = []
    for step in steps:
        if isinstance(step, Update):
            if step.context == "one":
                known[step.attribute] = step.value
        else:
            expected.append(
                [number for number, each in enumerate(profiles) if evaluate(each, step.event, known) is True]
            )
    assert tested.process(steps) == expected


def test_auto_switches_with_the_workload_and_stays_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.context.grid.STEPS_AT_ONCE", 200)
    workload = ContextWorkload(300)
    both = ContextFilter("auto", indexed_attributes=["a0", "a1"]), ContextFilter("noindex")
    for each in both:
        fill(each, workload)
    indexes: Any = both[0]._indexes
    switches = []
    for number, updates in enumerate((0.1, 400.0, 0.1)):
        made = steps(workload, 30 if updates > 1 else 600, updates, seed=number)
        found = []
        for each in both:
            rows, ids = each.process_columns(*columns(each, made))
            found.append(sorted(zip(rows.tolist(), ids, strict=True)))
            each.check_invariants()
        assert found[0] == found[1]
        switches.append(indexes.switches)
    assert switches[0] == 0 < switches[1]
    assert indexes.gridded


def test_wrong_requests_are_refused() -> None:
    tested = ContextFilter()
    tested.add("p", "a < context.b", "c")
    with pytest.raises(DuplicateSubscriptionError, match="'p'"):
        tested.add("p", "a = 1")
    with pytest.raises(UnknownSubscriptionError, match="no profile 'q'"):
        tested.remove("q")
    with pytest.raises(ValueError, match="did you mean agile"):
        ContextFilter("agil")
    with pytest.raises(ValueError, match="there is no structure 'list'"):
        ContextFilter(structure="list")
    with pytest.raises(UnknownPolicyError, match="did you mean always"):
        ContextFilter(policy="alway")
