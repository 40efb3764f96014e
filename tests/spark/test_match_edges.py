"""What ``match`` does with NULLs, duplicates, empty sides, and things it is not given rightly."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from penstock.errors import PenstockError, SourceError
from penstock.spark import match
from penstock.spark.match import _matcher_of
from penstock.spark.subscriptions import pack, sort_out
from tests.spark.pairs import pairs_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([("e1", 99), ("e2", 101)], "event_id string, price int")


def _subscriptions(spark: SparkSession, *rows: tuple[object, str | None], kind: str = "string") -> DataFrame:
    return spark.createDataFrame(list(rows), f"subscription_id {kind}, condition string")


def test_an_event_without_an_id_is_matched_and_its_pairs_have_none(spark: SparkSession) -> None:
    events = spark.sql("SELECT CAST(NULL AS STRING) AS event_id, 5 AS a UNION ALL SELECT 'e', 6")
    found = match(events, _subscriptions(spark, ("s", "a > 0")))
    assert pairs_of(found) == {(None, "s"), ("e", "s")}


def test_two_events_of_one_id_are_two_events(spark: SparkSession) -> None:
    events = spark.sql("SELECT 1 AS event_id, 5 AS a UNION ALL SELECT 1, 6")
    found = match(events, _subscriptions(spark, ("s", "a > 0")))
    assert [tuple(row) for row in found.collect()] == [(1, "s"), (1, "s")]


def test_subscriptions_without_an_id_are_left_out(spark: SparkSession, events: DataFrame) -> None:
    found = match(events, _subscriptions(spark, (None, "price < 100"), ("s", "price < 100")))
    assert pairs_of(found) == {("e1", "s")}


def test_all_conditions_of_an_ambiguous_id_are_left_out(spark: SparkSession, events: DataFrame) -> None:
    found = match(events, _subscriptions(spark, ("s", "price < 100"), ("s", "price > 0"), ("t", "price > 0")))
    assert pairs_of(found) == {("e1", "t"), ("e2", "t")}


def test_the_same_row_twice_is_one_subscription(spark: SparkSession, events: DataFrame) -> None:
    found = match(events, _subscriptions(spark, ("s", "price < 100"), ("s", "price < 100")), on_error="fail")
    assert pairs_of(found) == {("e1", "s")}


@pytest.mark.parametrize("event_kind", ["string", "int", "bigint"])
@pytest.mark.parametrize("subscription_kind", ["string", "int", "bigint"])
def test_ids_keep_their_types(spark: SparkSession, event_kind: str, subscription_kind: str) -> None:
    events = spark.sql(f"SELECT CAST(7 AS {event_kind}) AS event_id, 5 AS a")
    subscriptions = spark.sql(f"SELECT CAST(8 AS {subscription_kind}) AS subscription_id, 'a = 5' AS condition")
    found = match(events, subscriptions)
    assert [kind for _, kind in found.dtypes] == [event_kind, subscription_kind]
    assert pairs_of(found) == {("7" if event_kind == "string" else 7, "8" if subscription_kind == "string" else 8)}


def test_no_events(events: DataFrame, subscriptions: DataFrame) -> None:
    found = match(events.where("false"), subscriptions)
    assert found.dtypes == [("event_id", "string"), ("subscription_id", "string")]
    assert pairs_of(found) == set()


def test_no_subscriptions(events: DataFrame, subscriptions: DataFrame) -> None:
    found = match(events, subscriptions.where("false"))
    assert found.dtypes == [("event_id", "string"), ("subscription_id", "string")]
    assert pairs_of(found) == set()


def test_a_condition_about_nothing_matches_every_event(spark: SparkSession, events: DataFrame) -> None:
    assert pairs_of(match(events, _subscriptions(spark, ("s", "TRUE")))) == {("e1", "s"), ("e2", "s")}


def test_many_more_events_than_are_matched_at_once(spark: SparkSession) -> None:
    events = spark.range(25_000).selectExpr("id AS event_id", "id % 10 AS digit").coalesce(1)
    found = match(events, _subscriptions(spark, ("three", "digit = 3"), ("any", "digit >= 0")))
    counts: dict[str, int] = dict(found.groupBy("subscription_id").count().collect())
    assert counts == {"three": 2_500, "any": 25_000}
    assert found.where("subscription_id = 'three' AND event_id % 10 != 3").isEmpty()


def test_malformed_json_matches_nothing(spark: SparkSession) -> None:
    texts = ['{"a": 1}', "{", "[1]", None, '{"a": 99999999999999999999}', "{}"]
    events = spark.createDataFrame(list(enumerate(texts)), "event_id int, j string")
    found = match(events, _subscriptions(spark, ("one", "a = 1"), ("none", "a IS NULL")), attributes="j")
    assert pairs_of(found) == {(0, "one"), (5, "none")}


def test_bad_subscriptions_are_left_out_with_a_warning(
    spark: SparkSession, events: DataFrame, caplog: pytest.LogCaptureFixture
) -> None:
    bad = _subscriptions(spark, ("good", "price < 100"), ("bad", "price <"), ("null", None))
    with caplog.at_level(logging.WARNING, logger="penstock.spark"):
        assert pairs_of(match(events, bad)) == {("e1", "good")}
    assert "2 of 3 subscriptions cannot be used and are left out" in caplog.text
    assert "penstock.spark.check(subscriptions) lists them all" in caplog.text


def test_bad_subscriptions_fail_when_asked_to(spark: SparkSession, events: DataFrame) -> None:
    bad = _subscriptions(spark, ("good", "price < 100"), *((f"bad{n}", f"price < {n} AND") for n in range(7)))
    with pytest.raises(SourceError) as caught:
        match(events, bad, on_error="fail")
    message = str(caught.value)
    assert message.startswith("7 of 8 subscriptions cannot be used:\n  'bad0': ")
    assert "(line 1, column 14)" in message
    assert "\n  and 2 more\n" in message
    assert "penstock.spark.check" in message


def test_an_attribute_that_no_event_has_is_named_once(
    spark: SparkSession, events: DataFrame, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="penstock.spark"):
        found = match(events, _subscriptions(spark, ("typo", "prise < 100"), ("absent", "prise IS NULL")))
        assert pairs_of(found) == {("e1", "absent"), ("e2", "absent")}
    assert caplog.text.count("'prise'; did you mean price?") == 1


def test_a_decimal_beyond_64_bits_is_an_error_and_not_a_wrong_answer(spark: SparkSession) -> None:
    from pyspark.errors import PythonException

    events = spark.sql("SELECT 1 AS event_id, CAST('99999999999999999999' AS DECIMAL(20, 0)) AS n")
    with pytest.raises(PythonException, match="column 'n' of type decimal128"):
        match(events, _subscriptions(spark, ("s", "n > 0"))).collect()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "shard"}, "strategy='shard' is none of 'auto', 'replicated'"),
        ({"on_error": "Fail"}, "on_error='Fail' is none of 'skip', 'fail'; did you mean fail?"),
        ({"subscription_id": "id"}, "subscription_id='id' names no column"),
        ({"condition": "conditon"}, "condition='conditon' names no column; did you mean condition; the columns are"),
        ({"condition": "n"}, "the column 'n' of conditions has the type int; it should be string"),
    ],
)
def test_wrong_arguments(events: DataFrame, subscriptions: DataFrame, options: dict[str, str], message: str) -> None:
    wider = subscriptions.selectExpr("*", "1 AS n")
    with pytest.raises(PenstockError) as caught:
        match(events, wider, **options)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_it_chains_with_transform(events: DataFrame, subscriptions: DataFrame) -> None:
    cheap = events.transform(match, subscriptions, strategy="replicated").where("subscription_id = 'cheap'")
    assert pairs_of(cheap) == {("e1", "cheap")}


def test_a_stream_of_events(spark: SparkSession, subscriptions: DataFrame, events: DataFrame, tmp_path: Path) -> None:
    events.write.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema(events.schema).parquet(str(tmp_path / "events"))
    matches = match(stream, subscriptions)
    query = matches.writeStream.format("memory").queryName("streamed").trigger(availableNow=True).start()
    query.awaitTermination()
    assert pairs_of(spark.table("streamed")) == {("e1", "cheap")}


def test_a_worker_builds_its_matcher_once_for_the_same_subscriptions() -> None:
    forwards = pa.table({"subscription_id": ["a", "b"], "condition": ["x = 1", "x = 2"]})
    packed = pack(sort_out(forwards).accepted)
    packed_again = pack(sort_out(forwards.take([1, 0])).accepted)
    assert packed_again is not packed
    assert _matcher_of(packed_again) is _matcher_of(packed)
