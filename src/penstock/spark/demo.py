"""The demo: a Spark batch job that matches a sample of real flights with 300 subscriptions to them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from penstock.demo import data
from penstock.spark.java import find_java
from penstock.spark.match import match
from penstock.spark.progress import StageDisplay
from penstock.spark.session import local_session, require_pyspark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_STAGES = 4
_SUBSCRIPTION_TYPES = "subscription_id string, subscriber string, condition string"
# A job of seconds ends before Java's second compiler has paid for itself.
_SHORT_JOB = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
_BUSIEST = 15


@dataclass(frozen=True, slots=True)
class Busy:
    """A subscription and how often it matched."""

    subscription_id: str
    matches: int
    condition: str


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo found, and where it wrote the matches."""

    events: int
    subscriptions: int
    matches: int
    seconds: float  # that matching and writing took
    busiest: list[Busy]
    path: Path


def run_demo(output: Path, console: Console, *, cores: int | None = None) -> DemoResult:
    """Match the sample on a local Spark, write the matches into the folder ``output``, and report on the console.

    The matches of an earlier run are overwritten. What Spark itself prints goes to ``spark.log`` beside them.
    """
    require_pyspark()
    display = StageDisplay(console, _STAGES)
    with display.stage("Start Spark") as remark:
        java = find_java()
        remark(str(java))
        spark = local_session(
            name="penstock demo", cores=cores, log=output / "spark.log", settings=_SHORT_JOB, java=java
        )
    try:
        result = _run(spark, output / "matches.parquet", display)
    finally:
        spark.stop()
    _report(result, console)
    return result


def _run(spark: SparkSession, path: Path, display: StageDisplay) -> DemoResult:
    with display.stage("Read the sample", spark) as remark:
        events = spark.read.parquet(str(data.FLIGHTS))
        subscriptions = spark.read.csv(str(data.SUBSCRIPTIONS), _SUBSCRIPTION_TYPES, header=True, escape='"')
        event_count, subscription_count = events.count(), subscriptions.count()
        remark(f"{event_count:,} flights, {subscription_count:,} subscriptions")
        # The file is smaller than one of Spark's splits, so it would be the work of a single core.
        events = events.repartition(2 * spark.sparkContext.defaultParallelism)
    with display.stage("Match and write", spark):
        began = time.perf_counter()
        match(events, subscriptions, on_error="fail").write.mode("overwrite").parquet(str(path))
        seconds = time.perf_counter() - began
    with display.stage("Count the matches", spark):
        matches = spark.read.parquet(str(path))
        match_count = matches.count()
        busiest = _busiest(matches, subscriptions)
    return DemoResult(event_count, subscription_count, match_count, seconds, busiest, path)


def _busiest(matches: DataFrame, subscriptions: DataFrame) -> list[Busy]:
    counted = matches.groupBy("subscription_id").count().join(subscriptions, "subscription_id")
    ordered = counted.orderBy(counted["count"].desc(), "subscription_id").limit(_BUSIEST)
    return [Busy(*row) for row in ordered.select("subscription_id", "count", "condition").collect()]


def _report(result: DemoResult, console: Console) -> None:
    table = Table(title=f"The {len(result.busiest)} busiest subscriptions", title_justify="left")
    table.add_column("Subscription", no_wrap=True)
    table.add_column("Matches", justify="right", no_wrap=True)
    table.add_column("Condition", overflow="fold")
    for busy in result.busiest:
        table.add_row(busy.subscription_id, f"{busy.matches:,}", busy.condition)
    console.print()
    console.print(table, markup=False)
    speed = result.events / result.seconds
    console.print(
        f"{result.events:,} events, {result.subscriptions:,} subscriptions: {result.matches:,} matches "
        f"in {result.seconds:.1f} s ({speed:,.0f} events a second)",
        highlight=False,
        soft_wrap=True,
    )
    console.print(f"The matches are in {result.path}", markup=False, highlight=False, soft_wrap=True)
