"""``penstock demo``: that the command runs the job. What the job does is tested with the Spark pipeline."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Run


def test_without_spark_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)  # what an import of something that is not installed meets
    outcome = run("demo", "--output", str(tmp_path / "out"))
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("penstock: error: penstock.spark needs PySpark, which is not installed")
    assert outcome.err.endswith("pip install 'penstock[spark]'\n")


@pytest.mark.spark
def test_it_writes_the_matches(run: Run, tmp_path: Path) -> None:
    outcome = run("demo", "--output", str(tmp_path / "out"))
    assert outcome.code == 0
    assert "busiest subscriptions" in outcome.out
    assert pq.read_table(tmp_path / "out" / "matches.parquet").num_rows > 0
