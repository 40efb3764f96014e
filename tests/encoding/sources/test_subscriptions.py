"""Subscriptions from files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from penstock.encoding.sources import describe, read_subscriptions
from penstock.errors import SourceError
from penstock.model.values import Identifier
from tests.encoding.sources.reading import write_json, write_text


def read(path: object, **options: Any) -> tuple[list[tuple[Identifier, str, int]], list[str]]:
    rejects: list[str] = []
    rows = read_subscriptions(path, on_reject=lambda reject: rejects.append(describe(reject)), **options)  # type: ignore[arg-type]
    found = [(row.id, row.condition, row.row) for row in rows]
    return found, [reject.removeprefix(f"{Path(str(path)).parent}/") for reject in rejects]


def test_json_lines(tmp_path: Path) -> None:
    path = write_text(
        tmp_path / "s.jsonl",
        '{"subscription_id": "s1", "condition": "a < 1", "who": "me"}',
        '{"subscription_id": 2, "condition": "b = \'x\'"}',
        "",
        "oops",
        '{"subscription_id": null, "condition": "a < 1"}',
        '{"subscription_id": 6, "condition": 7}',
        '{"subscription_id": 7, "condition": null}',
        '{"subscription_id": 8, "condition": " "}',
        '{"subscription_id": 9, "conditon": "a < 1"}',
        '{"subscription_id": 1.5, "condition": "a < 1"}',
    )
    assert read(path) == (
        [("s1", "a < 1", 1), (2, "b = 'x'", 2)],
        [
            "s.jsonl:4: not valid JSON: Expecting value: line 1 column 1 (char 0)",
            "s.jsonl:5: the id 'subscription_id' is null; every row needs one",
            "s.jsonl:6: the condition of subscription 6 should be text, found 7",
            "s.jsonl:7: the condition of subscription 7 should be text, found NULL",
            "s.jsonl:8: the condition of subscription 8 is empty",
            "s.jsonl:9: there is no key 'condition'; did you mean conditon? Found subscription_id, conditon",
            "s.jsonl:10: the id 'subscription_id' should be a string or an integer, found 1.5",
        ],
    )


def test_csv(tmp_path: Path) -> None:
    path = write_text(
        tmp_path / "s.csv",
        "subscription_id,condition",
        '1,"a IN (1, 2)"',
        '2,"a < 1',
        '  AND b > 2"',
        ",a < 1",
        "5,",
        "6",
        "7,a > 1",
    )
    assert read(path) == (
        [(1, "a IN (1, 2)", 2), (2, "a < 1\n  AND b > 2", 3), (7, "a > 1", 8)],
        [
            "s.csv:7: too few fields: found 1, but the first line names 2 columns",
            "s.csv:5: the id 'subscription_id' is null; every row needs one",
            "s.csv:6: the condition of subscription 5 is empty",
        ],
    )


def test_csv_ids_are_integers_only_if_all_are_spelled_so(tmp_path: Path) -> None:
    path = write_text(tmp_path / "s.tsv.gz", "subscription_id\tcondition", "1\ta < 1", "02\ta < 1")
    assert read(path) == ([("1", "a < 1", 2), ("02", "a < 1", 3)], [])


@pytest.mark.parametrize("name", ["s.parquet", "s.arrow"])
def test_tables(tmp_path: Path, name: str) -> None:
    table = pa.table({"id": ["s1", None, "s3"], "rule": ["a < 1", "b < 2", None], "other": [1, 2, 3]})
    write = pq.write_table if name.endswith("parquet") else pyarrow.feather.write_feather
    write(table, str(tmp_path / name))
    assert read(tmp_path / name, subscription_id="id", condition="rule") == (
        [("s1", "a < 1", 0)],
        [
            f"{name}, row 1: the id 'id' is null; every row needs one",
            f"{name}, row 2: the condition of subscription 's3' should be text, found NULL",
        ],
    )


@pytest.mark.parametrize("name", ["s.txt", "s.sql", "s.txt.gz"])
def test_plain_text(tmp_path: Path, name: str) -> None:
    path = write_text(tmp_path / name, "-- cheap things", "price < 10", "", "  name = 'é'  ", "  -- the end")
    assert read(path) == ([(2, "price < 10", 2), (4, "name = 'é'", 4)], [])


def test_plain_text_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_bytes(b"a < 1\nb = 'caf\xe9'\nc < 3\n")
    assert read(tmp_path / "s.txt") == (
        [(1, "a < 1", 1), (3, "c < 3", 3)],
        ["s.txt:2: not UTF-8: byte 0xe9 at position 9"],
    )


def test_a_directory_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_text(tmp_path / "1.txt", "a < 1")
    write_json(tmp_path / "2.jsonl", {"subscription_id": "s", "condition": "b < 2"})
    rows = list(read_subscriptions(tmp_path))
    assert [(row.id, Path(row.source).name) for row in rows] == [(1, "1.txt"), ("s", "2.jsonl")]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"subscription_id": 1, "condition": "a < 1"}\n')))
    assert read("-") == ([(1, "a < 1", 1)], [])


def test_missing_columns_are_an_error_that_says_which_are_there(tmp_path: Path) -> None:
    path = write_text(tmp_path / "s.csv", "subscription,condition", "1,a < 1")
    with pytest.raises(
        SourceError,
        match=r"s\.csv: there is no column 'subscription_id'; did you mean subscription\? Found subscription, cond",
    ):
        list(read_subscriptions(path))
    pq.write_table(pa.table({"subscription_id": [1], "text": ["a < 1"]}), tmp_path / "s.parquet")
    with pytest.raises(SourceError, match=r"there is no column 'condition'; found subscription_id, text$"):
        list(read_subscriptions(tmp_path / "s.parquet"))


def test_ids_of_another_type_are_an_error(tmp_path: Path) -> None:
    pq.write_table(pa.table({"subscription_id": [1.5], "condition": ["a < 1"]}), tmp_path / "s.parquet")
    with pytest.raises(
        SourceError, match=r"s\.parquet: column 'subscription_id' holds the ids, .* found double; cast it"
    ):
        list(read_subscriptions(tmp_path / "s.parquet"))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "s.parquet").write_text("oops")
    with pytest.raises(SourceError, match=r"s\.parquet: it is not a Parquet file that can be read"):
        list(read_subscriptions(tmp_path / "s.parquet"))
    with pytest.raises(SourceError, match="there is no file"):
        read_subscriptions(tmp_path / "missing.csv")
