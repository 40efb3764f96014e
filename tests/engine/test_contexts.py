"""Subscriptions of a matcher whose conditions refer to the context of their subscriber."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from penstock import Matcher
from penstock.errors import ConditionError, SnapshotError
from penstock.language.parser import parse
from penstock.language.rendering import to_text
from penstock.model.conditions import Condition
from penstock.model.evaluation import evaluate
from penstock.model.values import Value
from tests.context.strategies import CONTEXT_NAMES, conditions, values
from tests.strategies import MIXED


def can_be_said(condition: Condition) -> bool:
    """Whether the language takes a condition: it compares no kinds that never compare."""
    try:
        parse(to_text(condition))
    except ConditionError:
        return False
    return True


@given(
    st.lists((conditions | MIXED.conditions).filter(can_be_said), min_size=1, max_size=5),
    st.dictionaries(st.sampled_from(CONTEXT_NAMES), values),
    st.lists(MIXED.events, min_size=1, max_size=4),
)
def test_batches_and_single_events_match_as_the_reference_says(
    asked: list[Condition], context: dict[str, Value], events: list[dict[str, Value]]
) -> None:
    matcher = Matcher()
    for number, condition in enumerate(asked):
        matcher.add(number, to_text(condition), subscriber="ann")
    for name, value in context.items():
        matcher.set_context("ann", name, value)
    expected = [
        (row, number)
        for row, event in enumerate(events)
        for number, condition in enumerate(asked)
        if evaluate(condition, event, context) is True
    ]
    found = matcher.match_batch(events).to_pydict()
    assert list(zip(found["event_id"], found["subscription_id"], strict=True)) == expected
    for row, event in enumerate(events):
        assert matcher.match(event) == [number for at, number in expected if at == row]


def test_a_subscriber_has_one_context_for_all_subscriptions() -> None:
    matcher = Matcher()
    matcher.add("low", "price < context.budget", subscriber="ann")
    matcher.add("high", "price > context.budget AND color = 'red'", subscriber="ann")
    matcher.add("own", "price < context.budget")
    matcher.add("plain", "price < 100")
    assert matcher.match({"price": 50, "color": "red"}) == ["plain"]
    matcher.set_context("ann", "budget", 60)
    assert matcher.match({"price": 50, "color": "red"}) == ["low", "plain"]
    matcher.set_context("ann", "budget", 40)
    assert matcher.match({"price": 50, "color": "red"}) == ["high", "plain"]
    matcher.set_context("own", "budget", 51)
    assert matcher.match({"price": 50, "color": "red"}) == ["high", "own", "plain"]
    matcher.set_context("ann", "budget", None)
    matcher.remove("own")
    assert matcher.match({"price": 50, "color": "red"}) == ["plain"]
    assert len(matcher) == 3


def test_explaining_shows_the_values_of_the_context() -> None:
    matcher = Matcher()
    matcher.add("offers", "price < context.budget", subscriber="ann")
    matcher.set_context("ann", "budget", 80)
    assert str(matcher.explain("offers", {"price": 90})) == (
        "✗ price < context.budget  [FALSE]: price is 90, context.budget is 80, failed by 10"
    )


def test_statistics_count_both_kinds() -> None:
    matcher = Matcher()
    matcher.add("a", "x = 1")
    matcher.add("b", "x < context.y AND z = 2")
    statistics = matcher.statistics()
    assert statistics.subscriptions == 2
    assert statistics.predicates == 3
    assert any(name.startswith("context: ") for name in statistics.memory)


CONTEXT: dict[str, Value] = {
    "integer": 5,
    "double": 2.5,
    "string": "it's",
    "flag": True,
    "when": datetime(2013, 7, 4, 9, 30),
    "list": ("a", 1, None),
    "large": 2**63 - 1,
    "infinite": float("inf"),
}


def test_contexts_are_saved_with_the_subscriptions(tmp_path: Path) -> None:
    matcher = Matcher()
    matcher.add("a", "x < context.integer AND s = context.string", subscriber="ann")
    matcher.add("b", "x < 3")
    for name, value in CONTEXT.items():
        matcher.set_context("ann", name, value)
    matcher.save(tmp_path)
    opened = Matcher.open(tmp_path)
    assert opened.match({"x": 4, "s": "it's"}) == ["a"]
    assert opened._filter.context("ann") == CONTEXT
    assert opened.subscriptions().to_pydict() == matcher.subscriptions().to_pydict()
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / manifest["contexts"]["file"]).write_bytes(b"damaged")
    with pytest.raises(SnapshotError, match="contexts-.*checksum differs"):
        Matcher.open(tmp_path)


def test_a_snapshot_of_the_first_format_can_be_opened(tmp_path: Path) -> None:
    matcher = Matcher()
    matcher.add("b", "x < 3")
    matcher.save(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "format": 1}))
    assert Matcher.open(tmp_path).match({"x": 1}) == ["b"]
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "format": 3}))
    with pytest.raises(SnapshotError, match=r"format 3 is not one that this version reads \(1 and 2\)"):
        Matcher.open(tmp_path)


def test_many_subscriptions_with_their_subscribers() -> None:
    matcher = Matcher()
    matcher.add_many(
        pa.table({"subscription_id": ["a", "b"], "condition": ["x < context.y", "x < 9"], "subscriber": ["ann", None]})
    )
    matcher.add_many([("c", "x > context.y", "bob"), ("d", "x = 5")])
    matcher.set_context("ann", "y", 6)
    matcher.set_context("bob", "y", 4)
    assert matcher.match({"x": 5}) == ["a", "b", "c", "d"]
