"""The matcher: ids, tables in and out, explanations, saving and opening."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import penstock
from penstock.engine.explanation import explain
from penstock.engine.matcher import Matcher
from penstock.errors import (
    ConditionError,
    DuplicateSubscriptionError,
    SnapshotError,
    SourceError,
    UnknownIndexError,
    UnknownSubscriptionError,
    ValueRefusedError,
)
from penstock.language.json_form import from_json
from penstock.language.parser import parse
from penstock.model.conditions import Condition
from penstock.model.evaluation import evaluate
from penstock.model.values import Value
from tests.strategies import MIXED


@pytest.fixture
def matcher() -> Matcher:
    made = Matcher()
    made.add("cheap", "price < 100")
    made.add("ibm", "symbol = 'IBM'")
    made.add("nothing", "price < 5 AND price > 9")
    return made


def test_match_gives_the_ids(matcher: Matcher) -> None:
    assert matcher.match({"price": 99, "symbol": "IBM"}) == ["cheap", "ibm"]
    assert matcher.match({"price": 101}) == []
    assert len(matcher) == 3
    assert "ibm" in matcher


def test_a_removed_subscription_matches_no_more_and_its_id_can_come_back(matcher: Matcher) -> None:
    matcher.remove("cheap")
    assert matcher.match({"price": 99, "symbol": "IBM"}) == ["ibm"]
    matcher.add("cheap", "price < 10")
    assert matcher.match({"price": 99, "symbol": "IBM"}) == ["ibm"]
    assert matcher.match({"price": 9}) == ["cheap"]


def test_a_table_in_and_a_table_out(matcher: Matcher) -> None:
    events = pa.table({"id": ["e1", "e2", "e3"], "price": [99.5, None, 100.0], "symbol": ["IBM", "IBM", None]})
    matches = matcher.match_batch(events, event_id="id")
    assert matches.schema.names == ["event_id", "subscription_id"]
    assert matches.to_pylist() == [
        {"event_id": "e1", "subscription_id": "cheap"},
        {"event_id": "e1", "subscription_id": "ibm"},
        {"event_id": "e2", "subscription_id": "ibm"},
    ]


def test_attributes_in_a_map_or_a_struct(matcher: Matcher) -> None:
    maps = pa.table(
        {"m": pa.array([[("symbol", "IBM")], [("symbol", "SAP")], None], pa.map_(pa.string(), pa.string()))}
    )
    assert matcher.match_batch(maps, attributes="m").to_pydict() == {"event_id": [0], "subscription_id": ["ibm"]}
    structs = pa.table({"s": [{"price": 5, "symbol": "IBM"}]})
    assert matcher.match_batch(structs, attributes="s").num_rows == 2


def test_integer_ids_stay_integers() -> None:
    matcher = Matcher()
    matcher.add(7, "a = 1")
    matches = matcher.match_batch([{"a": 1}])
    assert matches.schema.field("subscription_id").type == pa.int64()
    with pytest.raises(ValueRefusedError, match="the ids of this matcher are integers, found 'x'"):
        matcher.add("x", "a = 2")


def test_a_column_that_cannot_be_read_is_an_error_only_when_it_is_asked_for(matcher: Matcher) -> None:
    events = pa.table({"price": [5], "blob": [b"x"]})
    assert matcher.match_batch(events).num_rows == 1
    matcher.add("blob", "blob = 'x'")
    with pytest.raises(SourceError, match="column 'blob' has the type binary"):
        matcher.match_batch(events)


def test_what_is_refused(matcher: Matcher) -> None:
    with pytest.raises(DuplicateSubscriptionError, match="'cheap' already"):
        matcher.add("cheap", "price < 1")
    with pytest.raises(UnknownSubscriptionError, match="no subscription 'cheep'; did you mean cheap?"):
        matcher.remove("cheep")
    with pytest.raises(ConditionError):
        matcher.add("wrong", "price <")
    assert "wrong" not in matcher
    with pytest.raises(ValueRefusedError, match="found None"):
        matcher.add(None, "a = 1")  # type: ignore[arg-type]
    with pytest.raises(ValueRefusedError, match="attribute 'price': the integer 9223372036854775808"):
        matcher.match({"price": 2**63})
    with pytest.raises(SourceError, match="no column 'idd'; did you mean id?"):
        matcher.match_batch(pa.table({"id": [1]}), event_id="idd")
    with pytest.raises(UnknownIndexError, match="no index 'scann'; did you mean scan?"):
        Matcher(index="scann")


def test_add_many_from_a_table_and_from_pairs() -> None:
    matcher = Matcher()
    table = pa.table({"subscription_id": ["a", "b", "a"], "condition": ["x = 1", "x =", "x = 2"]})
    rejects = matcher.add_many(table, on_error="skip")
    assert [reject.row for reject in rejects] == [1, 2]
    assert "ends too early" in rejects[0].reason
    assert "'a' already" in rejects[1].reason
    matcher.add_many([("c", "x = 1"), ("d", from_json({"=": [{"attribute": "x"}, 1]}))])
    assert matcher.match({"x": 1}) == ["a", "c", "d"]
    with pytest.raises(ConditionError):
        matcher.add_many([("e", "x =")])
    with pytest.raises(SourceError, match="no column 'condition'; did you mean conditions?"):
        matcher.add_many(pa.table({"subscription_id": ["z"], "conditions": ["x = 1"]}))


@given(MIXED.conditions, st.lists(MIXED.events, max_size=4))
def test_a_batch_matches_as_the_reference_says(condition: Condition, events: list[dict[str, Value]]) -> None:
    matcher = Matcher()
    matcher.add(1, condition)
    expected = [row for row, event in enumerate(events) if evaluate(condition, event) is True]
    assert matcher.match_batch(events).column("event_id").to_pylist() == expected


def test_save_and_open(matcher: Matcher, tmp_path: Path) -> None:
    matcher.remove("nothing")
    matcher.save(tmp_path / "saved")
    matcher.add("later", "a = 1")
    matcher.save(tmp_path / "saved")
    opened = Matcher.open(tmp_path / "saved")
    assert opened.subscriptions().to_pydict() == matcher.subscriptions().to_pydict()
    assert opened.match({"price": 1, "a": 1}) == ["cheap", "later"]
    assert sorted(path.suffix for path in (tmp_path / "saved").iterdir()) == [".json", ".parquet"]


def test_an_empty_matcher_is_saved_too(tmp_path: Path) -> None:
    Matcher().save(tmp_path)
    assert len(Matcher.open(tmp_path)) == 0


def test_a_damaged_snapshot_is_refused(matcher: Matcher, tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="no manifest.json here"):
        Matcher.open(tmp_path)
    matcher.save(tmp_path)
    (data,) = tmp_path.glob("*.parquet")
    content = data.read_bytes()
    for damaged in (content[:-1], bytes([content[0] ^ 1]) + content[1:], b""):
        data.write_bytes(damaged)
        with pytest.raises(SnapshotError, match="its checksum differs"):
            Matcher.open(tmp_path)
    data.unlink()
    with pytest.raises(SnapshotError, match="cannot be read"):
        Matcher.open(tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 99}))
    with pytest.raises(SnapshotError, match="format 99 is not one that this version reads"):
        Matcher.open(tmp_path)
    manifest.write_text("{")
    with pytest.raises(SnapshotError, match="not readable as JSON"):
        Matcher.open(tmp_path)


EXPLANATIONS = [
    ("price < 100", {"price": 103.2}, "✗ price < 100  [FALSE]: price is 103.2, failed by 3.2"),
    ("price < 100", {"price": 100}, "✗ price < 100  [FALSE]: price is 100, failed by 0 (the bound itself is outside)"),
    ("price BETWEEN 5 AND 9", {"price": 12}, "✗ price BETWEEN 5 AND 9  [FALSE]: price is 12, failed by 3"),
    ("price BETWEEN 5 AND 9", {"price": 1.5}, "✗ price BETWEEN 5 AND 9  [FALSE]: price is 1.5, failed by 3.5"),
    ("price < 100", {}, "? price < 100  [UNKNOWN]: price is absent"),
    ("price < 100", {"price": "x"}, "? price < 100  [UNKNOWN]: price is 'x', a string is not compared with a number"),
    ("s LIKE 'a%'", {"s": 5}, "? s LIKE 'a%'  [UNKNOWN]: s is 5, a number has no pattern"),
    ("a < b", {"a": 3, "b": 1}, "✗ a < b  [FALSE]: a is 3, b is 1, failed by 2"),
    ("a < 2 * b", {"a": 3, "b": 1}, "✗ a < 2 * b  [FALSE]: a is 3, b is 1, 2 * b is 2, failed by 1"),
    (
        "w > TIMESTAMP '2013-01-03'",
        {"w": datetime(2013, 1, 2, 12)},
        "✗ w > TIMESTAMP '2013-01-03 00:00:00'  [FALSE]: w is TIMESTAMP '2013-01-02 12:00:00', failed by 12:00:00",
    ),
    ("a IS NULL", {"a": 1}, "✗ a IS NULL  [FALSE]: a is 1"),
    ("array_contains(t, 'x')", {"t": ["y", 1]}, "? array_contains(t, 'x')  [UNKNOWN]: t is ['y', 1]"),
]


@pytest.mark.parametrize(("text", "event", "expected"), EXPLANATIONS)
def test_explanations(text: str, event: dict[str, object], expected: str) -> None:
    assert str(explain(parse(text), event)) == expected


def test_an_explanation_of_a_tree_is_drawn_as_a_tree() -> None:
    explanation = explain(parse("a = 1 AND (b = 2 OR NOT c)"), {"a": 1, "b": 3, "c": True})
    assert explanation.truth is False
    assert str(explanation).splitlines() == [
        "✗ a = 1 AND (b = 2 OR NOT c)  [FALSE]",
        "├─ ✓ a = 1  [TRUE]: a is 1",
        "└─ ✗ b = 2 OR NOT c  [FALSE]",
        "   ├─ ✗ b = 2  [FALSE]: b is 3, failed by 1",
        "   └─ ✗ NOT c  [FALSE]",
        "      └─ ✓ c  [TRUE]: c is TRUE",
    ]


@given(MIXED.conditions, MIXED.events)
def test_an_explanation_tells_the_truth(condition: Condition, event: dict[str, Value]) -> None:
    explanation = explain(condition, event)
    assert explanation.truth is evaluate(condition, event)
    assert str(explanation)


def test_the_public_names() -> None:
    assert penstock.Matcher is Matcher
    assert penstock.parse is parse
    assert penstock.evaluate(penstock.parse("price < context.budget"), {"price": 5}, {"budget": 6}) is True
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = penstock.nothing
