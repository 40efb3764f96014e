"""Every form in which a DataFrame may hold events gives the same pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import SourceError
from penstock.spark import match
from tests.spark.pairs import pairs_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

TYPED = """
    SELECT * FROM VALUES
        ('e1', 99.5D, 'IBM'), ('e2', 100D, 'IBM'), ('e3', 1D, CAST(NULL AS STRING)), ('e4', CAST(NULL AS DOUBLE), 'X')
    AS t(event_id, price, symbol)
"""
EXPECTED = {
    ("e1", "cheap"),
    ("e1", "ibm"),
    ("e1", "cheap-ibm"),
    ("e2", "ibm"),
    ("e3", "cheap"),
    ("e4", "no-price"),
}


def test_typed_columns(spark: SparkSession, subscriptions: DataFrame) -> None:
    assert pairs_of(match(spark.sql(TYPED), subscriptions)) == EXPECTED


@pytest.mark.parametrize(
    "column",
    [
        "named_struct('price', price, 'symbol', symbol)",
        "to_json(named_struct('price', price, 'symbol', symbol))",
        "parse_json(to_json(named_struct('price', price, 'symbol', symbol)))",
        "to_variant_object(named_struct('price', price, 'symbol', symbol))",
    ],
    ids=["struct", "json", "variant from JSON", "variant from a struct"],
)
def test_all_attributes_in_one_column(spark: SparkSession, subscriptions: DataFrame, column: str) -> None:
    events = spark.sql(TYPED).selectExpr("event_id", f"{column} AS content", "'ignored' AS symbol")
    assert pairs_of(match(events, subscriptions, attributes="content")) == EXPECTED


def test_map_of_strings(spark: SparkSession) -> None:
    events = spark.sql("SELECT 1L AS event_id, map('a', 'x', 'b', 'y') AS m UNION ALL SELECT 2L, map('b', 'z')")
    subscriptions = _subscriptions(spark, a="a = 'x'", b="b > 'y'", absent="a IS NULL")
    assert pairs_of(match(events, subscriptions, attributes="m")) == {(1, "a"), (2, "b"), (2, "absent")}


def test_map_of_numbers_where_a_row_has_no_map(spark: SparkSession) -> None:
    events = spark.sql("SELECT 1 AS event_id, map('a', 5, 'b', NULL) AS m UNION ALL SELECT 2, NULL")
    subscriptions = _subscriptions(spark, five="a = 5", none="a IS NULL", b="b IS NULL")
    assert pairs_of(match(events, subscriptions, attributes="m")) == {(1, "five"), (1, "b"), (2, "none"), (2, "b")}


def test_every_type_that_conditions_can_speak_of(spark: SparkSession) -> None:
    events = spark.sql(
        """
        SELECT 'e' AS event_id, 1Y AS tiny, 2S AS small, 3 AS usual, 9223372036854775807L AS big, 1.5F AS single,
               2.5D AS double, 12.34BD AS exact, CAST(7 AS DECIMAL(20, 0)) AS whole, 'text' AS string, true AS boolean,
               TIMESTAMP '2024-05-06 07:08:09.123456' AS instant, TIMESTAMP_NTZ '2024-05-06 07:08:09' AS clock,
               DATE '2024-05-06' AS day, array('x', 'y') AS tags, named_struct('city', 'Oslo') AS address,
               map('k', 1) AS more, NULL AS nothing, 8 AS `with space`, 9 AS `dotted.name`, CAST('b' AS BINARY) AS bytes
        """
    )
    conditions = [
        "tiny = 1 AND small = 2 AND usual = 3",
        "big = 9223372036854775807 AND big > 9223372036854775806",
        "single = 1.5 AND double = 2.5 AND exact = 12.34 AND whole = 7",
        "string LIKE 't_xt' AND boolean",
        "instant = TIMESTAMP '2024-05-06 07:08:09.123456' AND clock < instant",
        "day = TIMESTAMP '2024-05-06 00:00:00'",
        "array_contains(tags, 'y') AND NOT array_contains(tags, 'z')",
        "`address.city` = 'Oslo' AND `more.k` = 1",
        "nothing IS NULL AND unheard_of IS NULL",
        "`with space` = 8 AND `dotted.name` = 9",
    ]
    subscriptions = spark.createDataFrame(list(enumerate(conditions)), "subscription_id int, condition string")
    found = pairs_of(match(events, subscriptions, on_error="fail"))
    assert {number for _, number in found} == set(range(len(conditions)))


def test_timestamps_are_instants_in_any_session_time_zone(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        events = spark.sql("SELECT 1 AS event_id, TIMESTAMP '2024-01-01 00:00:00' AS at")
        subscriptions = _subscriptions(spark, utc="at = TIMESTAMP '2024-01-01 05:00:00'")
        assert pairs_of(match(events, subscriptions)) == {(1, "utc")}
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_nested_json_and_variants_have_dotted_names(spark: SparkSession) -> None:
    text = """'{"a": {"b": {"c": 5}}, "tags": ["x", 1], "at": null}'"""
    events = spark.sql(f"SELECT 1 AS event_id, {text} AS j, parse_json({text}) AS v")
    subscriptions = _subscriptions(spark, deep="`a.b.c` = 5", tag="array_contains(tags, 'x')", none="at IS NULL")
    expected = {(1, "deep"), (1, "tag"), (1, "none")}
    assert pairs_of(match(events, subscriptions, attributes="j")) == expected
    assert pairs_of(match(events, subscriptions, attributes="v")) == expected


def test_variants_keep_timestamps_and_exact_integers(spark: SparkSession) -> None:
    events = spark.sql(
        """SELECT 1 AS event_id, to_variant_object(named_struct('at', TIMESTAMP '2024-01-02 03:04:05',
           'day', DATE '2024-01-02', 'n', 9007199254740993L)) AS v"""
    )
    subscriptions = _subscriptions(
        spark,
        at="at = TIMESTAMP '2024-01-02 03:04:05'",
        day="day = TIMESTAMP '2024-01-02 00:00:00'",
        exact="n = 9007199254740993",
        rounded="n = 9007199254740992",
    )
    assert pairs_of(match(events, subscriptions, attributes="v")) == {(1, "at"), (1, "day"), (1, "exact")}


def test_other_names_for_the_columns(spark: SparkSession) -> None:
    events = spark.sql("SELECT 'A' AS `flight.no`, 5 AS event_id, 7 AS c0")
    subscriptions = spark.sql("SELECT 'event_id = 5 AND c0 = 7' AS `where clause`, 1L AS `who?`")
    found = match(events, subscriptions, event_id="flight.no", subscription_id="who?", condition="where clause")
    assert pairs_of(found) == {("A", 1)}


@pytest.mark.parametrize(
    ("select", "attributes", "message"),
    [
        ("SELECT 1 AS event_id, 5 AS n", "n", "attributes='n' names a column of the type int; it should be a map"),
        ("SELECT 1 AS event_id, map(1, 2) AS m", "m", r"of the type map<int,int>"),
        ("SELECT 1 AS event_id, map('a', X'00') AS m", "m", "'m' has the type binary, which conditions cannot compare"),
        ("SELECT 1 AS event_id, 5 AS n", "m", "attributes='m' names no column; the columns are event_id, n"),
        ("SELECT 1 AS event_id, X'00' AS price", None, "'price' has the type binary, which conditions cannot compare"),
        ("SELECT 1 AS event_id, parse_json('1') AS price", None, "'price' is a variant: name it as attributes='price'"),
        ("SELECT 1 AS event_id, array(array(1)) AS price", None, "the type array<array<int>>"),
        ("SELECT 1 AS event_id, 2 AS price, 3 AS price", None, "attribute='price' names 2 columns; rename all but one"),
        ("SELECT 1 AS evnt_id", None, "event_id='event_id' names no column; did you mean evnt_id; the columns"),
        ("SELECT 1.5D AS event_id", None, "'event_id' of ids has the type double; ids are string, int or bigint"),
    ],
)
def test_columns_that_cannot_be_events(
    spark: SparkSession, subscriptions: DataFrame, select: str, attributes: str | None, message: str
) -> None:
    with pytest.raises(SourceError) as caught:
        match(spark.sql(select), subscriptions, attributes=attributes)
    assert message in str(caught.value)


def _subscriptions(spark: SparkSession, **conditions: str) -> DataFrame:
    return spark.createDataFrame(list(conditions.items()), "subscription_id string, condition string")
