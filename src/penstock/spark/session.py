"""A Spark session on this machine alone, set up the way Penstock's jobs want it.

Nothing here is needed on a cluster or with Spark Connect: the pipeline's functions take any session's DataFrames.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import JavaError, MissingExtraError, PenstockError
from penstock.spark.java import Java, find_java

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

_LOOPBACK = "127.0.0.1"
_LINES_SHOWN = 15


def local_session(
    *,
    name: str = "penstock",
    cores: int | None = None,
    log: Path | None = None,
    progress: bool = False,
    settings: Mapping[str, str] | None = None,
    java: Java | None = None,
) -> SparkSession:
    """Start Spark within this machine, reachable from this machine only, in UTC.

    ``cores`` limits the work done at once (default: all of them). ``log`` is a file that takes everything that Spark
    prints; without it only errors are shown. ``progress`` draws Spark's own progress bar on standard error, so it
    shows only without ``log``. ``settings`` adds to and overrides Spark's settings. ``java`` is found by
    :func:`penstock.spark.java.find_java` unless given.

    A session that this process already has is an error, since most settings could no longer take effect.
    """
    require_pyspark()
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    if SparkSession.getActiveSession() is not None:
        raise PenstockError(
            "this process already has a Spark session; use it, or stop it before a local one is started"
        )
    _prepare_environment(java or find_java())
    chosen = {**_settings(name, cores, log, progress), **(settings or {})}
    conf = SparkConf().setAll(list(chosen.items()))
    return SparkSession(_start(conf, log))


def require_pyspark() -> None:
    """Say what to install when PySpark is not there."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"penstock.spark needs PySpark, which is not installed ({error}): pip install 'penstock[spark]'"
        ) from None


def _prepare_environment(java: Java) -> None:
    java.use()
    # Workers must be this very interpreter, or they would lack Penstock and its dependencies.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # Without it Spark looks the host's name up, and warns when that gives a loopback address.
    os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)


def _settings(name: str, cores: int | None, log: Path | None, progress: bool) -> dict[str, str]:
    return {
        "spark.app.name": name,
        "spark.master": f"local[{cores or '*'}]",
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.driver.host": _LOOPBACK,
        "spark.log.level": "ERROR" if log is None else "WARN",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        # Spark's default of 200 is meant for clusters; here each one is a task of a few milliseconds.
        "spark.sql.shuffle.partitions": str(2 * (cores or os.cpu_count() or 1)),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(progress).lower(),
    }


def _start(conf: SparkConf, log: Path | None) -> SparkContext:
    from pyspark import SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    if log is None or SparkContext._gateway is not None:  # a stopped session's Java is used again by the next one
        gateway = None
    else:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as file:
            streams: dict[str, Any] = {"stdout": file, "stderr": subprocess.STDOUT}
            try:
                gateway = launch_gateway(conf, streams)  # type: ignore[no-untyped-call]
            except PySparkRuntimeError as error:
                raise JavaError(_failure(error, log)) from None
    try:
        return SparkContext(conf=conf, gateway=gateway)
    except PySparkRuntimeError as error:
        raise JavaError(_failure(error, log)) from None


def _failure(error: Exception, log: Path | None) -> str:
    message = f"Spark did not start on the Java at {os.environ.get('JAVA_HOME')}: {error}"
    if log is None:
        return message
    printed = log.read_text(errors="replace").splitlines()[-_LINES_SHOWN:]
    return f"{message}\nThe last lines of {log}:" + "".join(f"\n  {line}" for line in printed)
