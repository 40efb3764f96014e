"""The Spark job gives the pairs that the reference evaluator and Spark SQL itself give, on the sample data."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from penstock.demo import data
from penstock.language.parser import parse
from penstock.language.sql import to_spark_sql
from penstock.model.conditions import Condition
from penstock.model.evaluation import truth_of
from penstock.model.values import clean_attributes
from penstock.spark import match
from tests.spark.pairs import pairs_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

STEP = 50  # one flight in fifty for the reference, which takes its time


@pytest.fixture(scope="module")
def conditions() -> dict[str, Condition]:
    with data.SUBSCRIPTIONS.open(newline="") as file:
        return {row["subscription_id"]: parse(row["condition"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def flights(spark: SparkSession) -> DataFrame:
    return spark.read.parquet(str(data.FLIGHTS))


@pytest.fixture(scope="module")
def subscriptions(spark: SparkSession) -> DataFrame:
    return spark.read.csv(str(data.SUBSCRIPTIONS), header=True, escape='"')


@pytest.fixture(scope="module")
def matched(flights: DataFrame, subscriptions: DataFrame) -> set[tuple[object, object]]:
    return pairs_of(match(flights.repartition(4), subscriptions, on_error="fail"))


def test_agrees_with_the_reference_evaluator(
    matched: set[tuple[object, object]], conditions: dict[str, Condition]
) -> None:
    sample = pq.read_table(data.FLIGHTS).to_pylist()[::STEP]
    expected = set()
    sampled = set()  # also those that the reference matches with nothing
    for flight in sample:
        event_id = flight.pop("event_id")
        sampled.add(event_id)
        event = clean_attributes(flight)
        expected |= {(event_id, name) for name, condition in conditions.items() if truth_of(condition, event, {})}
    assert len(expected) > len(sample)
    assert {pair for pair in matched if pair[0] in sampled} == expected


def test_agrees_with_spark_sql(
    spark: SparkSession,
    flights: DataFrame,
    matched: set[tuple[object, object]],
    conditions: dict[str, Condition],
) -> None:
    from pyspark.sql import functions

    names = list(conditions)
    satisfied = [functions.expr(to_spark_sql(conditions[name])) for name in names]
    numbered = functions.array(*(functions.when(truth, number) for number, truth in enumerate(satisfied)))
    pairs = flights.select("event_id", functions.explode(functions.array_compact(numbered)).alias("number"))
    # As one method, 300 conditions are more than Java would compile.
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    try:
        events, numbers = pairs.toArrow().columns
    finally:
        spark.conf.unset("spark.sql.codegen.wholeStage")
    found = zip(events.to_pylist(), (names[number] for number in numbers.to_pylist()), strict=True)
    assert set(found) == matched


def test_struct_json_and_variant_agree_with_columns(
    flights: DataFrame, subscriptions: DataFrame, matched: set[tuple[object, object]]
) -> None:
    sample = flights.where("month = 2 AND hour = 8")
    chosen = {row.event_id for row in sample.collect()}
    expected = {pair for pair in matched if pair[0] in chosen}
    assert len(expected) > 500
    one = sample.selectExpr("event_id", "struct(* EXCEPT (event_id)) AS fields")
    variants = one.selectExpr("event_id", "to_variant_object(fields) AS variant")
    assert pairs_of(match(one, subscriptions, attributes="fields")) == expected
    assert pairs_of(match(variants, subscriptions, attributes="variant")) == expected
    # JSON has no timestamps: conditions that ask for them see strings, so they are UNKNOWN.
    timeless = subscriptions.where("condition NOT LIKE '%TIMESTAMP%'")
    names = {row.subscription_id for row in timeless.collect()}
    texts = one.selectExpr("event_id", "to_json(fields) AS json")
    assert pairs_of(match(texts, timeless, attributes="json")) == {pair for pair in expected if pair[1] in names}
