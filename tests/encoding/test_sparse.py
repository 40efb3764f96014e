"""Maps of many attributes: one column asked for, and entries that stand twice."""

from __future__ import annotations

import pyarrow as pa
import pytest

from penstock.encoding.batch import EventBatch
from penstock.encoding.sparse import SparseColumns

MAP = pa.map_(pa.string(), pa.int64())


def test_a_column_of_a_map_is_cut_out_when_asked_for() -> None:
    events = pa.array([[("a", 1), ("b", 2)], None, [], [("b", 3), ("c", None)]], MAP)
    columns = EventBatch.from_arrow(pa.table({"events": events}), attributes="events").columns
    assert isinstance(columns, SparseColumns)
    assert (sorted(columns), len(columns), "b" in columns, "z" in columns) == (["a", "b", "c"], 3, True, False)
    column = columns["b"].integers
    assert column is not None
    assert (column.rows.tolist(), column.values.tolist()) == ([0, 3], [2, 3])
    assert columns["c"].integers is None
    with pytest.raises(KeyError, match="z"):
        columns["z"]


def test_of_an_attribute_that_stands_twice_in_an_event_the_last_counts() -> None:
    events = pa.array([[("a", 1), ("b", 2), ("a", 3)], [("a", 4)]], MAP)
    column = EventBatch.from_arrow(pa.table({"events": events}), attributes="events").columns["a"].integers
    assert column is not None
    assert (column.rows.tolist(), column.values.tolist()) == ([0, 1], [3, 4])


def test_an_attribute_may_hold_numbers_and_other_values() -> None:
    column = EventBatch.from_events([{"a": 1}, {"a": 2.5}, {"a": "x"}, {"a": True}]).columns["a"]
    assert column.integers is not None
    assert column.doubles is not None
    assert column.strings is not None
    assert column.booleans is not None
    assert [rows.tolist() for rows in column.present()] == [[0], [1], [2], [3]]
