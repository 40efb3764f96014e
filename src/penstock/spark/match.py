"""The stage that matches: every event of a DataFrame with every subscription of another.

The subscriptions are collected, checked, and travel to the workers within the function that Spark runs there; each
worker process builds its matcher once and keeps it for the tasks that follow. Only DataFrame operations that Spark
Connect has too are used.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal, get_args

import pyarrow as pa

from penstock.engine.matcher import Matcher
from penstock.errors import PenstockError, did_you_mean
from penstock.spark.events import EventColumns, EventReader
from penstock.spark.schema import column, require_identifier, require_text
from penstock.spark.subscriptions import Sorted, pack, require_none, sort_out, unpack

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

logger = logging.getLogger(__name__)

Strategy = Literal["auto", "replicated"]
OnError = Literal["skip", "fail"]

# Bounds on what one worker holds at a time: the events that it matches at once, and the pairs that it hands over.
_EVENTS_AT_ONCE = 4096
_PAIRS_PER_BATCH = 100_000


def match(
    events: DataFrame,
    subscriptions: DataFrame,
    *,
    event_id: str = "event_id",
    attributes: str | None = None,
    subscription_id: str = "subscription_id",
    condition: str = "condition",
    strategy: Strategy = "auto",
    on_error: OnError = "skip",
) -> DataFrame:
    """All pairs of an event and a subscription that it satisfies: a DataFrame of ``event_id`` and ``subscription_id``.

    ``events`` has one row an event. Its attributes are all columns but ``event_id``, or the content of the one column
    that ``attributes`` names: a map with string keys, a struct, a variant, or a string with a JSON object. What is
    absent is NULL. A row whose JSON or variant is no object matches nothing; :func:`~penstock.spark.check_events`
    lists those. An event whose id is NULL is matched like any other and its pairs have the id NULL.

    ``subscriptions`` has a column of ids and one of conditions. A wrong condition, a NULL id, and an id that stands
    for several different conditions are left out with a warning (``on_error="skip"``) or raise
    (``on_error="fail"``); :func:`~penstock.spark.check` lists them. The same row twice counts once. The subscriptions
    are collected when ``match`` is called; the events only when the result is used.

    Ids are string, int or bigint, and keep their types. The only ``strategy`` is ``"replicated"``, which is what
    ``"auto"`` chooses: every worker holds all subscriptions.
    """
    _require_choice("strategy", strategy, get_args(Strategy))
    _require_choice("on_error", on_error, get_args(OnError))
    source = EventColumns.of(events.schema, event_id, attributes)
    subscription_type = require_identifier(subscriptions.schema, subscription_id, "subscription_id")
    require_text(subscriptions.schema, condition, "condition")

    usable = _collect(subscriptions, subscription_id, condition, on_error)
    chosen, reader = source.select(events, usable.attributes)
    return chosen.mapInArrow(
        partial(_match_batches, pack(usable.accepted), reader), _pairs_type(source.id_type, subscription_type)
    )


def _require_choice(name: str, found: str, choices: tuple[str, ...]) -> None:
    if found not in choices:
        raise PenstockError(
            f"{name}={found!r} is none of {', '.join(map(repr, choices))}{did_you_mean(str(found), choices)}"
        )


def _pairs_type(event_type: DataType, subscription_type: DataType) -> StructType:
    from pyspark.sql.types import StructField, StructType

    return StructType(
        [StructField("event_id", event_type), StructField("subscription_id", subscription_type, nullable=False)]
    )


def _collect(subscriptions: DataFrame, subscription_id: str, condition: str, on_error: OnError) -> Sorted:
    columns = column(subscription_id).alias("subscription_id"), column(condition).alias("condition")
    collected = subscriptions.select(*columns).toArrow()
    usable = sort_out(collected)
    if on_error == "fail":
        require_none(usable.rejected, collected.num_rows)
    if usable.rejected:
        logger.warning(
            "%d of %d subscriptions cannot be used and are left out, the first being %s; "
            "penstock.spark.check(subscriptions) lists them all",
            len(usable.rejected),
            collected.num_rows,
            usable.rejected[0],
        )
    return usable


def _match_batches(packed: bytes, reader: EventReader, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a worker does: pairs of ids for each batch of events."""
    matcher, subscription_ids = _matcher_of(packed)
    for batch in _pieces(batches):
        events, _ = reader.read(batch)
        pairs = matcher.match_batch(events)
        for part in pairs.to_batches(max_chunksize=_PAIRS_PER_BATCH):
            ids = [batch.column(0).take(part.column("event_id")), subscription_ids.take(part.column("subscription_id"))]
            yield pa.RecordBatch.from_arrays(ids, names=["event_id", "subscription_id"])


def _pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches cut to the number of events that are matched at once."""
    for batch in batches:
        for start in range(0, batch.num_rows, _EVENTS_AT_ONCE):
            yield batch.slice(start, _EVENTS_AT_ONCE)


@lru_cache(maxsize=2)
def _matcher_of(packed: bytes) -> tuple[Matcher, pa.Array]:
    """A matcher that knows subscriptions by their positions, and their ids.

    Spark reuses its worker processes for many tasks and queries, so the last two are kept.
    """
    subscriptions = unpack(packed)
    matcher = Matcher()
    matcher.add_many(enumerate(subscriptions.column("condition").to_pylist()))
    return matcher, subscriptions.column("subscription_id").combine_chunks()
