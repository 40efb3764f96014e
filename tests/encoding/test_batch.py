"""Batches from dictionaries, Arrow and JSON, and what becomes of each type."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from penstock.encoding.batch import EventBatch
from penstock.encoding.derived import DerivedColumns, values_of
from penstock.errors import SourceError, ValueRefusedError
from penstock.model.evaluation import value_of
from penstock.model.expressions import Attribute, Expression
from penstock.model.values import Value, clean_value
from tests.strategies import MIXED


def rows_of(batch: EventBatch) -> list[dict[str, Value]]:
    """A batch back as dictionaries, attributes in the order of their names."""
    columns = DerivedColumns(batch)
    rows: list[dict[str, Value]] = [{} for _ in range(len(batch))]
    for name in sorted(batch.columns):
        for row, value in zip(rows, values_of(columns.column(Attribute(name)), len(batch)), strict=True):
            if value is not None:
                row[name] = value
    return rows


@given(st.lists(MIXED.events, max_size=5))
def test_dictionaries_come_back_as_they_were(events: list[dict[str, Value]]) -> None:
    assert repr(rows_of(EventBatch.from_events(events))) == repr([_in_order(event) for event in events])


def _in_order(event: dict[str, Value]) -> dict[str, Value]:
    return {name: event[name] for name in sorted(event) if event[name] is not None}


@given(st.lists(MIXED.events, min_size=1, max_size=4), MIXED.number_expressions | MIXED.string_expressions)
def test_expressions_by_column_are_what_they_are_by_row(events: list[dict[str, Value]], expression: Expression) -> None:
    column = DerivedColumns(EventBatch.from_events(events)).column(expression)
    expected = [value_of(expression, event, {}) for event in events]
    found = values_of(column, len(events))
    assert [(type(value), repr(value)) for value in found] == [(type(value), repr(value)) for value in expected]


ARROW = [
    (pa.array([1, None], pa.int8()), [1, None]),
    (pa.array([2**63 - 1, None], pa.uint64()), [2**63 - 1, None]),
    (pa.array([0.5, None], pa.float32()), [0.5, None]),
    (pa.array([Decimal("0.10"), None]), [0.1, None]),
    (pa.array([Decimal(7), None], pa.decimal128(10, 0)), [7, None]),
    (pa.array([True, None]), [True, None]),
    (pa.array(["é", None], pa.string_view()), ["é", None]),
    (pa.array(["a", None]).dictionary_encode(), ["a", None]),
    (pa.array([5, None]).dictionary_encode(), [5, None]),
    (pa.array([datetime(2013, 7, 4, 9, 30, tzinfo=UTC), None]), [datetime(2013, 7, 4, 9, 30), None]),
    (pa.array([datetime(1960, 1, 1), None], pa.timestamp("s")), [datetime(1960, 1, 1), None]),
    (pa.array([date(2013, 7, 4), None]), [datetime(2013, 7, 4), None]),
    (pa.array([["a", None], None]), [("a", None), None]),
    (pa.array([[], None], pa.list_(pa.null())), [(), None]),
    (pa.array([[1, 2], None], pa.list_(pa.int32(), 2)), [(1, 2), None]),
    (pa.array([None, None]), [None, None]),
]


@pytest.mark.parametrize(("array", "expected"), ARROW, ids=lambda each: str(getattr(each, "type", "")))
def test_arrow_types(array: pa.Array, expected: list[Value]) -> None:
    batch = EventBatch.from_arrow(pa.table({"x": array}))
    assert batch.unreadable == {}
    assert [row.get("x") for row in rows_of(batch)] == expected


def test_structs_and_maps_become_dotted_names() -> None:
    table = pa.table(
        {
            "s": [{"a": 1, "b": {"c": "x"}}, None],
            "m": pa.array([[("k", 1.5)], [("k", 2.5), ("l", 3.5)]], pa.map_(pa.string(), pa.float64())),
        }
    )
    assert rows_of(EventBatch.from_arrow(table)) == [{"s.a": 1, "s.b.c": "x", "m.k": 1.5}, {"m.k": 2.5, "m.l": 3.5}]


def test_a_sliced_table_is_read_from_its_slice() -> None:
    table = pa.table(
        {"m": pa.array([[("k", n)] for n in range(6)], pa.map_(pa.string(), pa.int64())), "l": [[n] for n in range(6)]}
    )
    assert rows_of(EventBatch.from_arrow(table.slice(4))) == [{"m.k": 4, "l": (4,)}, {"m.k": 5, "l": (5,)}]


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (pa.array([b"x"]), "column 'x' has the type binary"),
        (pa.array([[[1]]]), "lists may hold only scalars"),
        (pa.array([2**63], pa.uint64()), "column 'x' of type uint64"),
        (pa.array([[(1, 2)]], pa.map_(pa.int64(), pa.int64())), "the keys of a map are attribute names"),
    ],
)
def test_what_cannot_be_read_is_named(array: pa.Array, reason: str) -> None:
    assert reason in EventBatch.from_arrow(pa.table({"x": array})).unreadable["x"]


def test_ids_are_strings_or_integers() -> None:
    with pytest.raises(SourceError, match="column 'id' holds the ids, which are strings or integers; found double"):
        EventBatch.from_arrow(pa.table({"id": [1.5]}), event_id="id")
    with pytest.raises(SourceError, match="column 'a' should be a map or a struct, found int64"):
        EventBatch.from_arrow(pa.table({"a": [1]}), attributes="a")


def test_json_objects_with_the_wrong_ones_set_aside() -> None:
    texts = [
        '{"a": 1, "b": {"c": [1, null]}}',
        "{",
        "[1]",
        '{"a": 1e999}',
        '{"a": 9223372036854775808}',
        '{"a": {}}',
        None,
    ]
    batch, rejects = EventBatch.from_json(pa.array(texts), pa.array(list("pqrstuv")))
    assert batch.ids.to_pylist() == ["p", "s", "u"]
    assert [reject.row for reject in rejects] == [1, 2, 4, 6]
    assert rejects[0].reason.startswith("not valid JSON: ")
    assert rejects[1].reason == "an event is a JSON object, found an array"
    assert rejects[2].reason.startswith("attribute 'a': the integer 9223372036854775808 does not fit 64 bits")
    assert rows_of(batch)[0] == {"a": 1, "b.c": (1, None)}


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("ab"),
            st.none()
            | st.booleans()
            | st.integers(-(2**63), 2**63 - 1)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(alphabet='aé"\\\n'),
        ),
        max_size=4,
    )
)
def test_json_keeps_every_value(events: list[dict[str, Value]]) -> None:
    batch, rejects = EventBatch.from_json(pa.array([json.dumps(event) for event in events], pa.string()))
    assert rejects == []
    assert repr(rows_of(batch)) == repr([_in_order(event) for event in events])


def test_values_from_other_libraries_are_cleaned() -> None:
    assert clean_value(np.int32(5)) == 5
    assert type(clean_value(np.float64(0.5))) is float
    assert clean_value(np.str_("x")) == "x"
    assert clean_value(np.bool_(True)) is True
    assert clean_value(datetime(2013, 1, 1, 12, tzinfo=UTC)) == datetime(2013, 1, 1, 12)
    for wrong, reason in [
        ({1}, "type set"),
        ("\ud800", "not valid Unicode"),
        ([[1]], "a list within a list"),
        (1j, "type complex"),
    ]:
        with pytest.raises(ValueRefusedError, match=reason):
            clean_value(wrong)
