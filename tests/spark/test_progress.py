"""Stages on the console: lines with times anywhere, a bar that follows Spark's tasks on a terminal."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from penstock.spark.progress import StageDisplay

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_lines_in_a_file() -> None:
    console = Console(file=StringIO(), width=80)
    display = StageDisplay(console, 2)
    with display.stage("Read") as remark:
        remark("[2] rows")
        remark("1 column")
    with display.stage("Write"):
        pass
    assert isinstance(console.file, StringIO)
    written = console.file.getvalue()
    assert re.fullmatch(r"\[1/2\] Read: \[2\] rows, 1 column \(\d\.\d s\)\n\[2/2\] Write \(\d\.\d s\)\n", written)


def test_a_bar_on_a_terminal(spark: SparkSession) -> None:
    console = Console(file=StringIO(), width=80, force_terminal=True)
    display = StageDisplay(console, 1)
    with display.stage("Wait", spark):
        slow = spark.range(0, 8, 1, 8).selectExpr("java_method('java.lang.Thread', 'sleep', 100L)")
        slow.write.format("noop").mode("overwrite").save()
    assert isinstance(console.file, StringIO)
    written = console.file.getvalue()
    assert "━" in written
    assert "[1/1] Wait (" in written


def test_a_stage_that_fails_has_no_line() -> None:
    console = Console(file=StringIO(), width=80)
    with pytest.raises(ValueError, match="broken"), StageDisplay(console, 1).stage("Break"):
        raise ValueError("broken")
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue() == ""
