"""``check`` and ``check_events``: what cannot be used, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.spark import check, check_events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def test_rejected_subscriptions_with_their_reasons(spark: SparkSession) -> None:
    rows = [
        ("good", "price < 100"),
        ("twin", "price < 5"),
        ("twin", "price < 5"),
        ("bad", "price BETWEN 5 AND 9"),
        ("second-line", "price < 5\n  AND AND"),
        ("empty", None),
        ("no-context", "price < context.budget"),
        (None, "price < 7"),
        (None, "price < 7"),
        ("two-things", "price < 1"),
        ("two-things", "price < 2"),
    ]
    subscriptions = spark.createDataFrame(rows, "subscription_id string, condition string")
    checked = check(subscriptions)
    assert checked.dtypes == [
        ("subscription_id", "string"),
        ("condition", "string"),
        ("error", "string"),
        ("line", "int"),
        ("column", "int"),
    ]
    found = {(row.subscription_id, row.condition): row for row in checked.collect()}
    assert set(found) == {
        ("bad", "price BETWEN 5 AND 9"),
        ("second-line", "price < 5\n  AND AND"),
        ("empty", None),
        ("no-context", "price < context.budget"),
        (None, "price < 7"),
        ("two-things", "price < 1"),
        ("two-things", "price < 2"),
    }
    bad = found["bad", "price BETWEN 5 AND 9"]
    assert (bad.error, bad.line, bad.column) == ("'BETWEN' is not an operator; did you mean BETWEEN?", 1, 7)
    assert (found["second-line", "price < 5\n  AND AND"].line, found["second-line", "price < 5\n  AND AND"].column) == (
        2,
        7,
    )
    assert found["empty", None].error == "the condition is NULL"
    assert found["no-context", "price < context.budget"].error.startswith("the condition refers to context.budget")
    assert found[None, "price < 7"].error == "the subscription id is NULL (in 2 rows)"
    assert found["two-things", "price < 1"].error.startswith("the id stands for 2 different conditions")
    assert found["two-things", "price < 1"].line is None


def test_check_agrees_with_what_match_leaves_out(spark: SparkSession) -> None:
    from penstock.spark import match

    conditions = [
        "a < 5",
        "a <",
        "a = 'x",
        "TRUE",
        "a LIKE 5",
        "b RLIKE '('",
        "b RLIKE 'x'",
        "a + 1 = 2",
        "a < context.b",
    ]
    rows = list(enumerate(conditions * 3))
    subscriptions = spark.createDataFrame(rows, "subscription_id int, condition string")
    rejected = {row.subscription_id for row in check(subscriptions).collect()}
    events = spark.sql("SELECT 1 AS event_id, 1 AS a, 'x' AS b")
    matched = {row.subscription_id for row in match(events, subscriptions).collect()}
    assert matched | rejected == set(range(27))
    assert matched & rejected == set()


@pytest.mark.parametrize("kind", ["string", "int", "bigint"])
def test_nothing_is_rejected(spark: SparkSession, kind: str) -> None:
    subscriptions = spark.sql(f"SELECT CAST(1 AS {kind}) AS subscription_id, 'a < 5' AS condition")
    assert check(subscriptions).collect() == []
    assert check(subscriptions.where("false")).collect() == []


def test_other_column_names(spark: SparkSession) -> None:
    subscriptions = spark.sql("SELECT 1L AS `an id`, 'a <' AS `where.clause`")
    (row,) = check(subscriptions, subscription_id="an id", condition="where.clause").collect()
    assert (row.subscription_id, row.condition, row.line, row.column) == (1, "a <", 1, 4)


TEXTS = ['{"a": 1}', "{", "[1]", None, '{"a": 99999999999999999999}', '{"a": [[1]]}']


def test_events_that_are_no_json_objects(spark: SparkSession) -> None:
    events = spark.createDataFrame(list(enumerate(TEXTS)), "event_id int, j string")
    checked = check_events(events, attributes="j")
    assert checked.dtypes == [("event_id", "int"), ("reason", "string")]
    reasons: dict[int, str] = dict(checked.collect())
    assert set(reasons) == {1, 2, 3, 4, 5}
    assert reasons[1].startswith("not valid JSON: ")
    assert reasons[2] == "an event is a JSON object, found an array"
    assert reasons[4].startswith("attribute 'a': the integer 99999999999999999999 does not fit 64 bits")


def test_events_that_are_no_variant_objects(spark: SparkSession) -> None:
    events = spark.createDataFrame(list(enumerate(TEXTS)), "event_id int, j string")
    variants = events.selectExpr("event_id", "try_parse_json(j) AS v")
    reasons: dict[int, str] = dict(check_events(variants, attributes="v").collect())
    assert set(reasons) == {1, 2, 3, 4, 5}
    assert reasons[2] == "an event is a JSON object, found an array"
    assert reasons[3] == "there is no variant here, found NULL"


def test_typed_events_are_always_events(spark: SparkSession) -> None:
    events = spark.sql("SELECT 'e' AS event_id, 1 AS a, named_struct('b', 1) AS s, map('c', 1) AS m")
    for attributes in (None, "s", "m"):
        checked: DataFrame = check_events(events, attributes=attributes)
        assert checked.dtypes == [("event_id", "string"), ("reason", "string")]
        assert checked.collect() == []
