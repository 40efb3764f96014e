"""The demo runs, says what it does, and writes what it says. A process of its own: it starts and stops Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from penstock.demo import data

pytestmark = pytest.mark.spark

PROGRAM = """
import sys
from pathlib import Path
from rich.console import Console
from penstock.spark.demo import run_demo
result = run_demo(Path(sys.argv[1]), Console(width=100))
"""


def test_the_demo(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "out")], capture_output=True, text=True, timeout=170
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    said = ended.stdout
    assert "[1/4] Start Spark: Java " in said
    assert "20,000 flights, 300 subscriptions" in said
    assert "The 15 busiest subscriptions" in said
    assert "dep_delay IS NOT NULL" in said
    matches = pq.read_table(tmp_path / "out" / "matches.parquet")
    assert f"{matches.num_rows:,} matches in " in said
    assert matches.column_names == ["event_id", "subscription_id"]
    assert f"The matches are in {tmp_path / 'out' / 'matches.parquet'}" in said


def test_the_sample_is_small_and_well_formed() -> None:
    assert data.FLIGHTS.stat().st_size < 700_000
    flights = pq.read_table(data.FLIGHTS)
    ids = flights["event_id"].to_pylist()
    assert len(set(ids)) == len(ids) == 20_000
    assert "UA303-2013-01-01-JFK-SFO" in ids
