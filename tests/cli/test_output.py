"""``penstock match``: what comes out."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from penstock.cli import output
from penstock.cli.arguments import main
from tests.cli.conftest import MATCHES, Run

ROWS = [{"event_id": event_id, "subscription_id": subscription_id} for event_id, subscription_id in MATCHES]


def rows_of(name: str, content: bytes) -> list[dict[str, object]]:
    buffer = io.BytesIO(content)
    match name.rpartition(".")[2]:
        case "parquet":
            table = pq.read_table(buffer)
        case "csv":
            table = pa.csv.read_csv(buffer)
        case "arrow":
            table = pa.ipc.open_file(buffer).read_all()
        case _:
            return [json.loads(line) for line in content.splitlines()]
    assert table.schema.names == ["event_id", "subscription_id"]
    return table.to_pylist()  # type: ignore[no-any-return]


NAMES = ["matches.jsonl", "matches.ndjson", "matches.csv", "matches.parquet", "matches.arrow"]


@pytest.mark.parametrize("name", NAMES)
def test_the_suffix_tells_the_format(here: Path, run: Run, name: str) -> None:
    (here / name).write_text("earlier")
    outcome = run("match", "events.jsonl", "subscriptions.csv", "--output", name, "--batch-size", "2")
    assert outcome[:2] == (0, "")
    assert outcome.err.endswith(f"\nThe matches are in {name}\n")
    assert rows_of(name, (here / name).read_bytes()) == ROWS
    assert not list(here.glob("*.partial"))


@pytest.mark.parametrize("name", ["jsonl", "csv", "parquet", "arrow"])
@pytest.mark.usefixtures("here")
def test_every_format_goes_to_standard_output(capsysbinary: pytest.CaptureFixture[bytes], name: str) -> None:
    assert main(["match", "events.jsonl", "subscriptions.csv", "--format", name]) == 0
    assert rows_of(f"x.{name}", capsysbinary.readouterr().out) == ROWS
    assert main(["match", "events.jsonl", "subscriptions.csv", "--format", name, "--output", "-"]) == 0
    assert rows_of(f"x.{name}", capsysbinary.readouterr().out) == ROWS


@pytest.mark.parametrize("name", NAMES)
def test_no_matches_are_a_file_without_rows(here: Path, run: Run, name: str) -> None:
    (here / "empty.jsonl").touch()
    (here / "none.txt").write_text("price < 0\n")
    for arguments in (["empty.jsonl", "rules.txt"], ["events.jsonl", "none.txt"]):
        assert run("match", *arguments, "--output", name).code == 0
        assert rows_of(name, (here / name).read_bytes()) == []


def test_the_format_may_differ_from_the_suffix(here: Path, run: Run) -> None:
    assert run("match", "events.jsonl", "subscriptions.csv", "-o", "matches.txt", "-f", "csv").code == 0
    assert (here / "matches.txt").read_text().splitlines() == [
        '"event_id","subscription_id"',
        '"e1","cheap"',
        '"e1","ibm"',
        '"e3","cheap"',
    ]


TABLE = """\
event_id  subscription_id  condition
e1        cheap            price < 100
e1        ibm              symbol = 'IBM'
e3        cheap            price < 100
"""


def test_a_table_shows_the_conditions(here: Path, run: Run) -> None:
    assert run("match", "events.jsonl", "subscriptions.csv", "--format", "table").out == TABLE
    assert run("match", "events.jsonl", "subscriptions.csv", "-f", "table", "-o", "matches.txt").code == 0
    assert (here / "matches.txt").read_text() == TABLE


def test_a_table_keeps_its_columns_and_its_lines(here: Path, run: Run) -> None:
    (here / "odd.jsonl").write_text('{"event_id": "日本", "a": 1}\n{"event_id": "\\u001b[31m\\nx", "a": 1}\n')
    (here / "odd.csv").write_text('subscription_id,condition\na-long-name-for-one,"a = 1\n  OR a = 2"\n')
    assert run("match", "odd.jsonl", "odd.csv", "--format", "table").out.splitlines() == [
        "event_id  subscription_id      condition",
        "日本      a-long-name-for-one  a = 1   OR a = 2",
        " [31m x   a-long-name-for-one  a = 1   OR a = 2",
    ]


def test_integers_stay_integers_and_text_stays_text(here: Path, run: Run) -> None:
    (here / "plain.jsonl").write_text('{"price": 1}\n')
    assert run("match", "plain.jsonl", "rules.txt", "-o", "matches.parquet").code == 0
    schema = pq.read_schema("matches.parquet")
    assert schema.types == [pa.int64(), pa.int64()]
    (here / "odd.jsonl").write_text('{"event_id": "caf\\u00e9 \\"x\\"", "price": 1}\n')
    assert run("match", "odd.jsonl", "rules.txt").out == '{"event_id": "café \\"x\\"", "subscription_id": 2}\n'


def test_ids_of_two_types(here: Path, run: Run) -> None:
    (here / "mixed.jsonl").write_text('{"event_id": 1, "price": 1}\n{"event_id": "2", "price": 1}\n')
    assert [json.loads(line)["event_id"] for line in run("match", "mixed.jsonl", "rules.txt").out.splitlines()] == [
        1,
        "2",
    ]
    outcome = run("match", "mixed.jsonl", "rules.txt", "-o", "matches.parquet")
    assert outcome == (
        2,
        "",
        (
            "penstock: error: the first event ids made a column of int64, but a later one is of type string; write "
            "JSON lines instead (--format jsonl)\n"
        ),
    )
    assert not list(here.glob("matches*"))


def test_ids_of_two_widths_fit_one_column(here: Path, run: Run) -> None:
    for name, kind in (("1.parquet", pa.int8()), ("2.parquet", pa.int64())):
        pq.write_table(pa.table({"event_id": pa.array([7], kind), "price": [1]}), here / name)
    assert run("match", "1.parquet", "2.parquet", "rules.txt", "-o", "matches.parquet").code == 0
    assert pq.read_table("matches.parquet").column("event_id").to_pylist() == [7, 7]


def test_row_groups_are_large_and_bounded(here: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "ROW_GROUP", 50)
    (here / "many.jsonl").write_text('{"price": 1}\n' * 200)
    assert run("match", "many.jsonl", "rules.txt", "-o", "matches.parquet", "--batch-size", "20").code == 0
    metadata = pq.ParquetFile("matches.parquet").metadata
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [60, 60, 60, 20]
