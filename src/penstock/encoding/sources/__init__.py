"""Events and subscriptions from files: JSON lines, CSV, Parquet, Arrow and plain text.

Bad input never stops the rest: what cannot be read is handed to a callback with its file, its place and the reason.
"""

from penstock.encoding.sources.events import read_events
from penstock.encoding.sources.files import Source, find_sources
from penstock.encoding.sources.formats import Format
from penstock.encoding.sources.rejects import describe, place_of, raise_reject
from penstock.encoding.sources.subscriptions import SubscriptionRow, read_subscriptions

__all__ = [
    "Format",
    "Source",
    "SubscriptionRow",
    "describe",
    "find_sources",
    "place_of",
    "raise_reject",
    "read_events",
    "read_subscriptions",
]
