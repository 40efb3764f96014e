"""Everything works through Spark Connect, from a client process that has no Java."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

JOB = Path(__file__).with_name("connect_job.py")


def test_match_and_check_through_connect(connect_address: str, tmp_path: Path) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK", "JAVA"))
    }
    environment["PATH"] = str(tmp_path)
    ended = subprocess.run(
        [sys.executable, str(JOB), connect_address], env=environment, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["session"] == "pyspark.sql.connect.session"
    both = [["e1", 1], ["e1", 2], ["e2", 2]]
    assert report["matches"] == {
        "columns": both,
        "json": both,
        "variant": both,
        "fields": both,
        "entries": [["e1", 2], ["e2", 2]],
    }
    assert report["rejected"] == [[3, 1], [4, None], [4, None]]
    assert report["put aside"] == [7]
