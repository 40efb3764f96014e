"""Reading what ``match`` returns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def pairs_of(matches: DataFrame) -> set[tuple[object, object]]:
    """The pairs of a result; the same pair twice is an error."""
    assert matches.columns == ["event_id", "subscription_id"]
    events, subscriptions = matches.toArrow().columns
    counted = Counter(zip(events.to_pylist(), subscriptions.to_pylist(), strict=True))
    assert [pair for pair, count in counted.items() if count > 1] == []
    return set(counted)
