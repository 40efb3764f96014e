"""Events from CSV and TSV files."""

from __future__ import annotations

import gzip
import math
import random
from datetime import datetime
from pathlib import Path

import pytest

from penstock.encoding.sources import csv_events, read_events
from penstock.encoding.sources.inference import ValueType
from penstock.model.values import Value
from tests.encoding.sources.reading import read, write_text


def test_the_first_line_names_the_attributes_and_empty_is_absent(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "symbol,price", "IBM,99", ",1", "SAP,", ",")
    assert read(path) == ([(0, {"symbol": "IBM", "price": 99}), (1, {"price": 1}), (2, {"symbol": "SAP"}), (3, {})], [])


@pytest.mark.parametrize("name", ["e.csv", "e.tsv", "e.csv.gz", "e.tsv.gz"])
def test_suffixes(tmp_path: Path, name: str) -> None:
    delimiter = "\t" if ".tsv" in name else ","
    path = write_text(tmp_path / name, delimiter.join("ab"), delimiter.join("12"))
    assert read(path) == ([(0, {"a": 1, "b": 2})], [])


COLUMNS: list[tuple[list[str], list[Value]]] = [
    (["1", "-2", "9223372036854775807"], [1, -2, 2**63 - 1]),
    (["007", "1"], [7, 1]),
    (["1", "2.5", "-1e3"], [1.0, 2.5, -1000.0]),
    (["inf", "-Infinity", ".5"], [math.inf, -math.inf, 0.5]),
    (["true", "False", "TRUE"], [True, False, True]),
    (["0", "1"], [0, 1]),
    (["1", "true"], ["1", "true"]),
    (["0x1F"], ["0x1F"]),
    (["9223372036854775809"], ["9223372036854775809"]),
    (["2026-01-31", "2026-01-31 12:30"], [datetime(2026, 1, 31), datetime(2026, 1, 31, 12, 30)]),
    (
        ["2026-01-31T12:00:00.5Z", "2026-01-31 12:00:00+02:00", "2026-01-31T12:00:00.123456789"],
        [datetime(2026, 1, 31, 12, 0, 0, 500000), datetime(2026, 1, 31, 10), datetime(2026, 1, 31, 12, 0, 0, 123456)],
    ),
    (["2026-13-31"], ["2026-13-31"]),
    (["12:30:00"], ["12:30:00"]),
    (["1", "NA", "NaN"], [1, None, None]),
    (["a", "NA", "null"], ["a", "NA", "null"]),
    (["NA", "NA"], [None, None]),
    (["é", " x ", "1"], ["é", " x ", "1"]),
]


@pytest.mark.parametrize("texts, values", COLUMNS)
def test_the_type_of_a_column(tmp_path: Path, texts: list[str], values: list[Value]) -> None:
    path = write_text(tmp_path / "events.csv", "n,a", *(f"0,{text}" for text in texts))
    events, rejects = read(path)
    found = [attributes.get("a") for _, attributes in events]
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]
    assert rejects == []


def test_the_whole_file_decides_the_type_and_a_doubt_is_reported(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "price", *map(str, range(100)), "call us", *map(str, range(100)))
    events, rejects = read(path, batch_size=10)
    assert [attributes["price"] for _, attributes in events[:2]] == ["0", "1"]
    assert len(events) == 201
    assert rejects == [
        (
            "events.csv: column 'price' is read as strings: 200 of its 201 values look like integer, but not 'call us' "
            "in line 102; say which is meant with the type price=integer (the other lines are then set aside) "
            "or price=string"
        )
    ]


def test_a_column_that_is_mostly_text_is_not_doubted(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "sku", "A1", "B2", "17", "C3")
    assert read(path) == ([(row, {"sku": sku}) for row, sku in enumerate(["A1", "B2", "17", "C3"])], [])


def test_an_integer_that_a_double_would_round_is_not_rounded(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "a", "9007199254740993", "1.5", "2.5")
    events, rejects = read(path)
    assert events[0] == (0, {"a": "9007199254740993"})
    assert "2 of its 3 values look like double, but not '9007199254740993' in line 2" in rejects[0]


def test_a_given_type_is_not_guessed(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "a,b,c", "1,02134,x", "n/a,1,y", "oops,2,z", "2.5,3,")
    events, rejects = read(path, column_types={"a": ValueType.DOUBLE, "b": ValueType.STRING})
    assert events == [(0, {"a": 1.0, "b": "02134", "c": "x"}), (1, {"b": "1", "c": "y"}), (3, {"a": 2.5, "b": "3"})]
    assert rejects == ["events.csv:4: column 'a': 'oops' is not of the type double"]


@pytest.mark.parametrize(
    "kind, text",
    [
        (ValueType.INTEGER, "9223372036854775808"),
        (ValueType.INTEGER, "0x1F"),
        (ValueType.DOUBLE, "9007199254740993"),
        (ValueType.BOOLEAN, "1"),
        (ValueType.TIMESTAMP, "2026-02-30"),
    ],
)
def test_a_value_that_is_not_of_the_given_type(tmp_path: Path, kind: ValueType, text: str) -> None:
    path = write_text(tmp_path / "events.csv", "a,b", f"{text},1", ",2")
    assert read(path, column_types={"a": kind}) == (
        [(1, {"b": 2})],
        [f"events.csv:2: column 'a': '{text}' is not of the type {kind}"],
    )


def test_a_type_for_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "price", "1")
    assert read(path, column_types={"prise": ValueType.DOUBLE}) == (
        [(0, {"price": 1})],
        [
            (
                "events.csv: the type double was given for a column that is not there: there is no column 'prise'; did "
                "you mean price? Found price"
            )
        ],
    )


def test_records_with_too_many_or_too_few_fields(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "a,b", "1,2", "3", "", "4,5,6", "7,8")
    assert read(path) == (
        [(0, {"a": 1, "b": 2}), (3, {"a": 7, "b": 8})],
        [
            "events.csv:3: too few fields: found 1, but the first line names 2 columns",
            "events.csv:5: too many fields: found 3, but the first line names 2 columns",
        ],
    )


def test_a_record_may_span_lines_and_lines_are_counted_right(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "a,b", '"x\ny\nz",1', "oops", 'p"q,2', '"r,""s""",3')
    events, rejects = read(path)
    assert events == [(0, {"a": "x\ny\nz", "b": 1}), (2, {"a": 'p"q', "b": 2}), (3, {"a": 'r,"s"', "b": 3})]
    assert rejects == ["events.csv:5: too few fields: found 1, but the first line names 2 columns"]


def test_a_quote_that_is_not_closed(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "a,b", "1,2", '"3,4', "5,6", '7,"8"', "9,10")
    events, rejects = read(path)
    assert events == [(0, {"a": 1, "b": 2}), (2, {"a": 9, "b": 10})]
    assert rejects == ["events.csv:3: not a CSV record: ',' expected after '\"'; lines 3 to 5 are set aside"]
    path = write_text(tmp_path / "events.csv", "a,b", "1,2", '"3,4', "5,6")
    assert read(path) == (
        [(0, {"a": 1, "b": 2})],
        ["events.csv:3: not a CSV record: unexpected end of data; lines 3 to 4 are set aside"],
    )


def test_a_quote_that_is_never_closed_does_not_take_the_rest_of_a_long_file(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "a", '"1', *("2" * 100 for _ in range(3000)))
    events, rejects = read(path)
    assert len(events) > 1500
    assert rejects[0].startswith("events.csv:2: not a CSV record: field larger than field limit (131072); lines 2 to")


def test_a_record_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_bytes(b"a,b\n1,caf\xe9\n2,caf\xc3\xa9\n")
    assert read(path) == (
        [(1, {"a": 2, "b": "café"})],
        ["events.csv:2: not UTF-8: byte 0xe9 in field 2; save the file as UTF-8"],
    )


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "it is empty, but should begin with a line that names the columns"),
        (b"\n1,2\n", "it is empty, but should begin with a line that names the columns"),
        (
            b"a,caf\xe9\n1,2\n",
            "its first line should name the columns: not UTF-8: byte 0xe9 in field 2; save the file as UTF-8",
        ),
        (b'"a"b\n1\n', "its first line should name the columns: ',' expected after '\"'"),
        (b"a,b,a\n1,2,3\n", "two columns are called 'a'; rename one of them"),
    ],
)
def test_a_first_line_that_names_no_columns(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "events.csv").write_bytes(content)
    assert read(tmp_path / "events.csv") == ([], [f"events.csv: {reason}"])


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n")
    assert read(tmp_path / "events.csv") == ([(0, {"a": 1, "b": 2})], [])


def test_ids_are_integers_only_if_all_are_spelled_so(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "event_id,a", "7,1", ",2", "-8,3")
    assert read(path) == ([(7, {"a": 1}), (-8, {"a": 3})], ["events.csv:3: the id is NULL; every event needs one"])
    path = write_text(tmp_path / "events.csv", "event_id,a", "7,1", "007,2", "NA,3")
    assert read(path) == ([("7", {"a": 1}), ("007", {"a": 2}), ("NA", {"a": 3})], [])


def test_a_missing_id_column(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "id,a", "7,1")
    assert read(path, event_id="ids") == (
        [],
        ["events.csv: there is no column 'ids'; did you mean id? Found id, a"],
    )


def test_a_column_of_json_may_hold_the_attributes(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "id,attributes,other", '1,"{""a"": {""b"": 2}}",x', "2,oops,y", "3,,z")
    assert read(path, event_id="id", attributes="attributes") == (
        [(1, {"a.b": 2})],
        [
            "events.csv:3: not valid JSON: Expecting value: line 1 column 1 (char 0)",
            "events.csv:4: there is no JSON here, found NULL",
        ],
    )


def test_a_file_too_large_to_keep_is_read_twice_with_the_same_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_text(tmp_path / "events.csv", "a,b", *(f"{row},x" for row in range(50)), "1", "y,2")
    kept = read(path, batch_size=10)
    monkeypatch.setattr(csv_events, "KEPT_BYTES", 100)
    assert read(path, batch_size=10) == kept
    assert len(kept[0]) == 51
    assert len(kept[1]) == 2


def test_a_truncated_gzip(tmp_path: Path) -> None:
    digits = random.Random(2)
    whole = gzip.compress(("a\n" + "".join(f"{digits.getrandbits(60)}\n" for _ in range(1000))).encode())
    (tmp_path / "events.csv.gz").write_bytes(whole[: len(whole) // 2])
    events, rejects = read(tmp_path / "events.csv.gz")
    assert 300 < len(events) < 700
    assert rejects == [
        (
            f"events.csv.gz:{len(events) + 2}: reading stopped here: Compressed file ended before the end-of-stream "
            "marker was reached; the lines before it are kept"
        )
    ]


def test_batches_are_bounded(tmp_path: Path) -> None:
    path = write_text(tmp_path / "events.csv", "a", *map(str, range(10)))
    assert [len(batch) for batch in read_events(path, batch_size=4)] == [4, 4, 2]
