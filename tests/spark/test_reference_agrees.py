"""The reference evaluator against Spark SQL: generated conditions over generated rows, all three truth values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from penstock.language.sql import to_spark_sql
from penstock.model.conditions import Condition
from penstock.model.evaluation import evaluate
from penstock.model.values import Value
from tests.strategies import TYPED, Vocabulary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SPARK_TYPES = {
    "integer": "bigint",
    "double": "double",
    "string": "string",
    "boolean": "boolean",
    "timestamp": "timestamp",
    "list": "array<string>",
}
DOUBLES = Vocabulary(numbers=("x", "y"), large=False)


def truths_by_spark(
    spark: SparkSession, conditions: list[Condition], rows: list[dict[str, Value]], vocabulary: Vocabulary
) -> list[list[bool | None]]:
    from pyspark.sql import functions

    names = vocabulary.names
    schema = ", ".join(f"{name} {SPARK_TYPES[vocabulary.type_of(name)]}" for name in names)
    plain = [[list(value) if isinstance(value := row.get(name), tuple) else value for name in names] for row in rows]
    table = spark.createDataFrame([[number, *row] for number, row in enumerate(plain)], f"row int, {schema}")
    answers = [functions.expr(f"({to_spark_sql(condition)})") for condition in conditions]
    return [list(row)[1:] for row in table.select("row", *answers).orderBy("row").collect()]


@pytest.mark.parametrize("vocabulary", [TYPED, DOUBLES], ids=["typed", "nan-and-infinities"])
@settings(max_examples=8)
@given(data=st.data())
def test_spark_sql_agrees(spark: SparkSession, vocabulary: Vocabulary, data: st.DataObject) -> None:
    conditions = data.draw(st.lists(vocabulary.conditions, min_size=15, max_size=25))
    rows = data.draw(st.lists(vocabulary.events, min_size=3, max_size=6))
    expected = [[evaluate(condition, row) for condition in conditions] for row in rows]
    assert truths_by_spark(spark, conditions, rows, vocabulary) == expected
