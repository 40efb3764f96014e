"""A directory with small files to work on, and a way to run a command as a user would."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from penstock.cli.arguments import main

EVENTS = [
    {"event_id": "e1", "symbol": "IBM", "price": 99},
    {"event_id": "e2", "symbol": "SAP", "price": 101.5},
    {"event_id": "e3", "price": 5, "tailnum": "N1"},
]
SUBSCRIPTIONS = [("cheap", "price < 100"), ("ibm", "symbol = 'IBM'")]
MATCHES = [("e1", "cheap"), ("e1", "ibm"), ("e3", "cheap")]


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_command(*arguments: str) -> Outcome:
        code = main(arguments)
        return Outcome(code, *capsys.readouterr())

    return run_command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory: the same events and the same subscriptions in every format."""
    monkeypatch.chdir(tmp_path)
    write_events()
    write_subscriptions()
    return tmp_path


def write_events() -> None:
    lines = "".join(f"{json.dumps(event)}\n" for event in EVENTS)
    Path("events.jsonl").write_text(lines)
    Path("events.json.gz").write_bytes(gzip.compress(lines.encode()))
    Path("events.csv").write_text("event_id,symbol,price,tailnum\ne1,IBM,99,\ne2,SAP,101.5,\ne3,,5,N1\n")
    Path("events.tsv").write_text(Path("events.csv").read_text().replace(",", "\t"))
    table = pa.Table.from_pylist([{**event, "price": float(str(event["price"]))} for event in EVENTS])
    pq.write_table(table, "events.parquet")
    pyarrow.feather.write_feather(table, "events.feather")
    rows = [{"id": event["event_id"], "attributes": event} for event in EVENTS]
    Path("nested.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def write_subscriptions() -> None:
    rows = [{"subscription_id": each_id, "condition": condition} for each_id, condition in SUBSCRIPTIONS]
    Path("subscriptions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("subscriptions.csv").write_text("subscription_id,condition\ncheap,price < 100\nibm,symbol = 'IBM'\n")
    pq.write_table(pa.Table.from_pylist(rows), "subscriptions.parquet")
    pyarrow.feather.write_feather(pa.Table.from_pylist(rows), "subscriptions.arrow")
    Path("rules.txt").write_text("-- what to look for\nprice < 100\n\nsymbol = 'IBM'\n")
