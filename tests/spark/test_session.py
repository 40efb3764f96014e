"""The local session, and what happens without PySpark."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.errors import PenstockError
from penstock.spark import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def _run(program: str) -> str:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_settings(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    settings = dict(spark.sparkContext.getConf().getAll())
    assert settings["spark.master"] == "local[2]"
    assert settings["spark.driver.host"] == settings["spark.driver.bindAddress"] == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None


def test_workers_are_this_interpreter(spark: SparkSession) -> None:
    from pyspark.sql.functions import udf

    executable = udf(lambda _: sys.executable, "string")
    (row,) = spark.range(1).select(executable("id")).collect()
    assert row[0] == sys.executable


def test_a_second_session_is_refused(spark: SparkSession) -> None:
    with pytest.raises(PenstockError, match="already has a Spark session"):
        local_session()


def test_importing_penstock_does_not_import_pyspark() -> None:
    program = "import sys, penstock, penstock.spark; print('pyspark' in sys.modules)"
    assert _run(program).strip() == "False"


def test_without_pyspark_the_remedy_is_said_at_the_point_of_use() -> None:
    program = """
import sys
sys.modules["pyspark"] = None  # what an import finds when the package is not installed
import penstock.spark
from penstock.errors import MissingExtraError
try:
    penstock.spark.local_session()
except MissingExtraError as error:
    print(error)
"""
    said = _run(program)
    assert "needs PySpark" in said
    assert "pip install 'penstock[spark]'" in said


def test_a_spark_that_does_not_start_shows_what_it_printed() -> None:
    program = """
import tempfile
from pathlib import Path
from penstock.errors import JavaError
from penstock.spark import local_session
try:
    local_session(log=Path(tempfile.mkdtemp()) / "spark.log", settings={"spark.driver.memory": "nonsense"})
except JavaError as error:
    print(error)
"""
    said = _run(program)
    assert "Spark did not start on the Java at" in said
    assert "nonsense" in said
