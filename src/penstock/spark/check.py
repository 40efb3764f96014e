"""The stage before matching: which subscriptions, and which events, cannot be used, and why."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from penstock.spark.events import EventColumns, EventReader, Form
from penstock.spark.schema import column, require_identifier, require_text
from penstock.spark.subscriptions import Rejected, sort_out

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def check(
    subscriptions: DataFrame, *, subscription_id: str = "subscription_id", condition: str = "condition"
) -> DataFrame:
    """The subscriptions that :func:`~penstock.spark.match` rejects: those with a wrong condition, those without an
    id, and those whose id stands for several different conditions.

    Columns: ``subscription_id`` and ``condition`` as given, ``error``, and ``line`` and ``column`` (from 1) when the
    error is at a place within the condition. The work is spread over the cluster; nothing is collected.
    """
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    id_type = require_identifier(subscriptions.schema, subscription_id, "subscription_id")
    require_text(subscriptions.schema, condition, "condition")
    columns = column(subscription_id).alias("subscription_id"), column(condition).alias("condition")
    rejected = StructType(
        [
            StructField("subscription_id", id_type),
            StructField("condition", StringType()),
            StructField("error", StringType(), nullable=False),
            StructField("line", IntegerType()),
            StructField("column", IntegerType()),
        ]
    )
    # All rows of one id meet in one partition, where they can be compared.
    return subscriptions.select(*columns).repartition("subscription_id").mapInArrow(_rejected, rejected)


def check_events(events: DataFrame, *, event_id: str = "event_id", attributes: str | None = None) -> DataFrame:
    """The rows that :func:`~penstock.spark.match` puts aside because they are no events: text that is no JSON object,
    a variant that is no object, an attribute value that is none of the types of the language.

    Columns: ``event_id`` and ``reason``. Rows of typed columns, structs and maps are always events.
    """
    from pyspark.sql import functions
    from pyspark.sql.types import StringType, StructField, StructType

    source = EventColumns.of(events.schema, event_id, attributes)
    chosen, reader = source.select(events, frozenset())
    if source.form not in (Form.JSON, Form.VARIANT):
        nothing = functions.lit("").alias("reason")
        return chosen.select(chosen["c0"].alias("event_id"), nothing).where(functions.lit(False))
    reasons = StructType([StructField("event_id", source.id_type), StructField("reason", StringType(), nullable=False)])
    return chosen.mapInArrow(partial(_put_aside, reader), reasons)


def _rejected(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    partition = list(batches)
    if not partition:
        return
    subscriptions = pa.Table.from_batches(partition)
    rejected = sort_out(subscriptions).rejected
    yield from rejects_table(rejected, subscriptions.schema.field(0).type).to_batches()


def rejects_table(rejected: list[Rejected], id_type: pa.DataType) -> pa.Table:
    """Rejected subscriptions as Arrow columns."""
    columns = {
        "subscription_id": pa.array([reject.subscription_id for reject in rejected], id_type),
        "condition": pa.array([reject.condition for reject in rejected], pa.string()),
        "error": pa.array([reject.error for reject in rejected], pa.string()),
        "line": pa.array([reject.line for reject in rejected], pa.int32()),
        "column": pa.array([reject.column for reject in rejected], pa.int32()),
    }
    return pa.table(columns)


def _put_aside(reader: EventReader, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        _, rejects = reader.read(batch)
        ids = batch.column(0).take(pa.array([reject.row for reject in rejects], pa.int64()))
        reasons = pa.array([reject.reason for reject in rejects], pa.string())
        yield pa.RecordBatch.from_arrays([ids, reasons], names=["event_id", "reason"])
