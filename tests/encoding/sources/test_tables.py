"""Events from Parquet and Arrow files."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from penstock.encoding.sources import read_events
from tests.encoding.sources.reading import read, write_json

TABLE = pa.table({"a": [1, 2, None], "b": ["x", None, "z"]})
EVENTS = [(0, {"a": 1, "b": "x"}), (1, {"a": 2}), (2, {"b": "z"})]


def write_parquet(path: Path, table: pa.Table, **options: Any) -> Path:
    pq.write_table(table, path, **options)
    return path


def write_ipc(path: Path, table: pa.Table, *, stream: bool = False, rows: int = 2) -> Path:
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


def test_parquet(tmp_path: Path) -> None:
    assert read(write_parquet(tmp_path / "events.parquet", TABLE)) == (EVENTS, [])


@pytest.mark.parametrize("name", ["e.arrow", "e.feather"])
@pytest.mark.parametrize("stream", [False, True])
def test_arrow_files_and_streams(tmp_path: Path, name: str, stream: bool) -> None:
    assert read(write_ipc(tmp_path / name, TABLE, stream=stream)) == (EVENTS, [])


def test_feather(tmp_path: Path) -> None:
    pyarrow.feather.write_feather(TABLE, str(tmp_path / "events.feather"))
    assert read(tmp_path / "events.feather") == (EVENTS, [])


def test_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "small": pa.array([1], pa.uint8()),
            "float": pa.array([0.5], pa.float32()),
            "decimal": pa.array([Decimal("1.25")], pa.decimal128(10, 2)),
            "whole": pa.array([Decimal(2**60 + 1)], pa.decimal128(38, 0)),
            "word": pa.array(["x"]).dictionary_encode(),
            "day": [date(2026, 1, 31)],
            "time": pa.array([datetime(2026, 1, 31, 12, tzinfo=UTC)], pa.timestamp("ms", "Europe/Helsinki")),
            "fine": pa.array([-1], pa.timestamp("ns")),
            "tags": [["x", "y"]],
            "place": [{"city": "Helsinki", "at": {"lat": 60.5}}],
            "more": pa.array([[("p", 1), ("q", 2)]], pa.map_(pa.string(), pa.int64())),
        }
    )
    events, rejects = read(write_parquet(tmp_path / "events.parquet", table))
    assert events == [
        (
            0,
            {
                "small": 1,
                "float": 0.5,
                "decimal": 1.25,
                "whole": 2**60 + 1,
                "word": "x",
                "day": datetime(2026, 1, 31),
                "time": datetime(2026, 1, 31, 12),
                "fine": datetime(1969, 12, 31, 23, 59, 59, 999999),
                "tags": ("x", "y"),
                "place.city": "Helsinki",
                "place.at.lat": 60.5,
                "more.p": 1,
                "more.q": 2,
            },
        )
    ]
    assert rejects == []


@pytest.mark.parametrize("kind", [pa.int32(), pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_ids(tmp_path: Path, kind: pa.DataType) -> None:
    table = pa.table({"id": pa.array(["7", None, "7"]).cast(kind), "a": [1, 2, 3]})
    seven = 7 if kind == pa.int32() else "7"
    assert read(write_parquet(tmp_path / "events.parquet", table), event_id="id") == (
        [(seven, {"a": 1}), (seven, {"a": 3})],
        ["events.parquet, row 1: the id is NULL; every event needs one"],
    )


def test_a_column_called_event_id_holds_the_ids(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "events.parquet", pa.table({"event_id": ["x"], "a": [1]}))
    assert read(path) == ([("x", {"a": 1})], [])


def test_the_numbers_of_events_go_on_from_file_to_file(tmp_path: Path) -> None:
    first = write_parquet(tmp_path / "1.parquet", TABLE, row_group_size=1)
    second = write_ipc(tmp_path / "2.arrow", TABLE)
    third = write_json(tmp_path / "3.jsonl", {"a": 1})
    events, rejects = read([first, second, third], batch_size=2)
    assert [event_id for event_id, _ in events] == [0, 1, 2, 3, 4, 5, 6]
    assert rejects == []


def test_refused_id_columns(tmp_path: Path) -> None:
    wrong = write_parquet(tmp_path / "1.parquet", pa.table({"id": [1.5], "a": [1]}))
    missing = write_parquet(tmp_path / "2.parquet", pa.table({"uid": [1], "a": [1]}))
    right = write_parquet(tmp_path / "3.parquet", pa.table({"id": [1], "a": [1]}))
    assert read([wrong, missing, right], event_id="id") == (
        [(1, {"a": 1})],
        [
            "1.parquet: column 'id' holds the ids, which are strings or integers; found double; cast it",
            "2.parquet: there is no column 'id'; did you mean uid? Found uid, a",
        ],
    )


@pytest.mark.parametrize(
    "column",
    [
        pa.array([{"a": 1, "b": {"c": "x"}}, None]),
        pa.array([[("a", 1), ("b.c", None)], None], pa.map_(pa.string(), pa.int64())),
        pa.array(['{"a": 1, "b": {"c": "x"}}', "{}"]),
    ],
)
def test_one_column_may_hold_the_attributes(tmp_path: Path, column: pa.Array) -> None:
    table = pa.table({"id": ["x", "y"], "attributes": column, "other": [1, 2]})
    events, rejects = read(write_parquet(tmp_path / "events.parquet", table), event_id="id", attributes="attributes")
    assert events[0][1]["a"] == 1
    assert events[1] == ("y", {})
    assert "other" not in events[0][1]
    assert rejects == []


def test_attributes_in_a_column_of_json_that_is_not_all_json(tmp_path: Path) -> None:
    table = pa.table({"id": ["x", None, "y", "z"], "attributes": ["oops", "{}", '{"a": 1}', "[]"]})
    path = write_parquet(tmp_path / "events.parquet", table)
    assert read(path, event_id="id", attributes="attributes") == (
        [("y", {"a": 1})],
        [
            "events.parquet, row 1: the id is NULL; every event needs one",
            "events.parquet, row 0: not valid JSON: Expecting value: line 1 column 1 (char 0)",
            "events.parquet, row 3: an event is a JSON object, found an array",
        ],
    )


def test_a_column_of_attributes_of_another_type(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "events.parquet", pa.table({"attributes": [1]}))
    assert read(path, attributes="attributes") == (
        [],
        ["events.parquet: column 'attributes' should be a map, a struct or JSON text, found int64"],
    )


def test_every_file_has_its_own_types(tmp_path: Path) -> None:
    first = write_parquet(tmp_path / "1.parquet", pa.table({"a": [1], "b": ["x"]}))
    second = write_parquet(tmp_path / "2.parquet", pa.table({"a": ["one"], "c": [True]}))
    assert read([first, second]) == ([(0, {"a": 1, "b": "x"}), (1, {"a": "one", "c": True})], [])


def test_a_column_of_a_type_that_cannot_be_read_is_reported_once_and_the_others_are_read(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": [1, 2, 3],
            "raw": pa.array([b"x", b"y", b"z"]),
            "in": [{"raw": b"x", "b": 1}, {"raw": b"y", "b": 2}, {"raw": b"z", "b": 3}],
        }
    )
    events, rejects = read(write_parquet(tmp_path / "events.parquet", table), batch_size=1)
    assert events == [(row, {"a": row + 1, "in.b": row + 1}) for row in range(3)]
    refusal = (
        "has the type binary, which is none of integer, double, decimal, string, boolean, timestamp, date, list, "
        "struct, map; cast it or leave it out (its other columns are read)"
    )
    assert rejects == [f"events.parquet: column 'raw' {refusal}", f"events.parquet: column 'in.raw' {refusal}"]


def test_a_row_with_a_value_that_does_not_fit_is_set_aside(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3, 4], "big": pa.array([1, 2**63, None, 2**64 - 1], pa.uint64())})
    events, rejects = read(write_parquet(tmp_path / "events.parquet", table))
    assert events == [(0, {"a": 1, "big": 1}), (2, {"a": 3})]
    assert rejects == [
        (
            "events.parquet, row 1: column 'big' of type uint64: Integer value 9223372036854775808 not in range: 0 to "
            "9223372036854775807"
        ),
        (
            "events.parquet, row 3: column 'big' of type uint64: Integer value 18446744073709551615 not in range: 0 to "
            "9223372036854775807"
        ),
    ]


def test_two_columns_of_the_same_name(tmp_path: Path) -> None:
    same = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    dotted = pa.table({"a.b": [1], "a": [{"b": 2}]})
    assert read([write_ipc(tmp_path / "1.arrow", same), write_parquet(tmp_path / "2.parquet", dotted)]) == (
        [],
        [
            "1.arrow: two columns are called 'a'; rename one of them",
            "2.parquet: two columns are called 'a.b'; rename one of them",
        ],
    )


@pytest.mark.parametrize(
    "name, reason",
    [
        (
            "bad.parquet",
            (
                "it is not a Parquet file that can be read: Parquet magic bytes not found in footer. Either the file "
                "is corrupted or this is not a parquet file."
            ),
        ),
        ("bad.arrow", "it is not an Arrow file or stream that can be read: Expected to read"),
    ],
)
def test_a_file_of_another_format(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / name).write_bytes(b"this is something else altogether")
    good = write_parquet(tmp_path / "good.parquet", TABLE)
    events, rejects = read([tmp_path / name, good])
    assert events == EVENTS
    assert len(rejects) == 1
    assert rejects[0].startswith(f"{name}: {reason}")


def test_an_empty_file_is_no_table(tmp_path: Path) -> None:
    for name in ("1.parquet", "2.arrow"):
        (tmp_path / name).touch()
    events, rejects = read([tmp_path / "1.parquet", tmp_path / "2.arrow"])
    assert events == []
    assert [reject.split(":")[0] for reject in rejects] == ["1.parquet", "2.arrow"]


def test_a_damaged_row_group_is_set_aside_and_the_others_are_read(tmp_path: Path) -> None:
    table = pa.table({"a": list(range(3000))})
    path = write_parquet(
        tmp_path / "events.parquet", table, row_group_size=1000, use_dictionary=False, compression="zstd"
    )
    start = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + 200] = bytes(200)
    path.write_bytes(content)
    events, rejects = read(path)
    assert [event_id for event_id, _ in events] == [*range(1000), *range(2000, 3000)]
    assert [attributes["a"] for _, attributes in events] == [*range(1000), *range(2000, 3000)]
    assert len(rejects) == 1
    assert rejects[0].startswith("events.parquet, row 1000: row group 1, from here to its end, cannot be read: ")


def test_a_stream_that_is_cut(tmp_path: Path) -> None:
    table = pa.table({"a": list(range(3000))})
    path = write_ipc(tmp_path / "events.arrow", table, stream=True, rows=1000)
    path.write_bytes(path.read_bytes()[:-6000])
    events, rejects = read(path)
    assert [event_id for event_id, _ in events] == list(range(2000))
    assert len(rejects) == 1
    assert rejects[0].startswith("events.arrow, row 2000: the rest of the stream cannot be read: ")


def test_a_table_without_rows_or_columns(tmp_path: Path) -> None:
    empty = write_parquet(tmp_path / "1.parquet", TABLE.slice(0, 0))
    only_ids = write_parquet(tmp_path / "2.parquet", pa.table({"event_id": [1, 2]}))
    assert read([empty, only_ids]) == ([(1, {}), (2, {})], [])


def test_batches_are_bounded(tmp_path: Path) -> None:
    table = pa.table({"a": list(range(10))})
    for path in (write_parquet(tmp_path / "e.parquet", table), write_ipc(tmp_path / "e.arrow", table, rows=10)):
        assert [len(batch) for batch in read_events(path, batch_size=4)] == [4, 4, 2]
