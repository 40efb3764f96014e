"""Whatever the events are, a file gives them back as they are."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from penstock.encoding.sources.inference import ValueType, convert, fitting
from penstock.model.values import clean_attributes
from tests.encoding.sources.reading import read

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
SCALARS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    TEXTS,
    st.sampled_from([2**53 + 1, -0.0]),
)
VALUES = st.one_of(st.none(), SCALARS, st.lists(SCALARS | st.none(), max_size=3))
EVENTS = st.lists(st.dictionaries(st.sampled_from("abcd"), VALUES), max_size=8)


def present(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in clean_attributes(event).items() if value is not None}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sources")


@given(events=EVENTS, batch_size=st.integers(1, 9))
def test_json_lines(directory: Path, events: list[dict[str, Any]], batch_size: int) -> None:
    path = directory / "events.jsonl"
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events), encoding="utf-8")
    found, rejects = read(path, batch_size=batch_size)
    assert [(number, repr(sorted(event.items()))) for number, event in found] == [
        (number, repr(sorted(present(event).items()))) for number, event in enumerate(events)
    ]
    assert rejects == []


COLUMNS = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.string(): TEXTS,
    pa.bool_(): st.booleans(),
    pa.timestamp("us"): st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),
    pa.list_(pa.string()): st.lists(TEXTS | st.none(), max_size=3).map(tuple),
}


@given(data=st.data(), rows=st.integers(0, 8), batch_size=st.integers(1, 9))
def test_parquet(directory: Path, data: st.DataObject, rows: int, batch_size: int) -> None:
    path = directory / "events.parquet"
    kinds = data.draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=3))
    columns = {
        str(place): data.draw(st.lists(COLUMNS[kind] | st.none(), min_size=rows, max_size=rows))
        for place, kind in enumerate(kinds)
    }
    pq.write_table(
        pa.table([pa.array(columns[str(i)], kind) for i, kind in enumerate(kinds)], names=list(columns)), path
    )
    found, rejects = read(path, batch_size=batch_size)
    assert [event for _, event in found] == [
        {name: values[row] for name, values in columns.items() if values[row] is not None} for row in range(rows)
    ]
    assert rejects == []


NUMBERS = ["1", "-7", "007", "1.5", "1e3", "inf", "0x1F", "+5", " 1", "9223372036854775808", "9007199254740993"]
TIMES = ["2026-01-31", "2026-02-30", "2026-01-31T12:00Z", "12:30", "2026-01-31 12:00:00.123456789"]
LOOKS = st.sampled_from([*NUMBERS, *TIMES, "true", "False", "", "NA", "x"])


@given(texts=st.lists(LOOKS | TEXTS, max_size=6), kind=st.sampled_from(list(ValueType)))
def test_texts_are_converted_when_all_of_them_fit(texts: list[str], kind: ValueType) -> None:
    array = pa.array(texts, pa.string())
    converted = convert(kind, array)
    assert (converted is not None) == bool(fitting(kind, array).all())
    if converted is not None:
        assert len(converted) == len(texts)
        assert converted.null_count == 0


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), max_size=6))
def test_csv(directory: Path, rows: list[tuple[str, str]]) -> None:
    path = directory / "events.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("a", "b"), *rows])
    found, rejects = read(path, column_types={"a": ValueType.STRING, "b": ValueType.STRING})
    expected = [{name: text for name, text in zip("ab", row, strict=True) if text} for row in rows]
    assert [event for _, event in found] == expected
    assert rejects == []
