"""What becomes of input that cannot be read: a callback gets it, with its place as a person would name it.

The ``row`` of a :class:`~penstock.encoding.batch.Reject` is what the file's own tools count: in text (JSON lines, CSV,
plain text) the number of the line, from 1; in tables (Parquet, Arrow) the number of the row, from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from penstock.encoding.batch import Reject
from penstock.encoding.sources.formats import counts_lines
from penstock.errors import SourceError

RejectHandler: TypeAlias = Callable[[Reject], None]


class SourceRefusedError(SourceError):
    """A source that cannot be read at all. Readers raise it; the loop over sources makes a reject of it."""


def raise_reject(reject: Reject) -> None:
    """The strict way: the first bad input ends the reading."""
    raise SourceError(describe(reject))


def already_reported(_: Reject) -> None:
    """For a source that is read a second time: what it holds that is bad was reported the first time."""


def describe(reject: Reject) -> str:
    """A reject in one line.

    >>> describe(Reject(3, "not valid JSON", "events.jsonl"))
    'events.jsonl:3: not valid JSON'
    >>> describe(Reject(2, "the id is NULL", "events.parquet"))
    'events.parquet, row 2: the id is NULL'
    """
    return f"{place_of(reject.source, reject.row)}: {reject.reason}"


def place_of(source: str | None, row: int | None) -> str:
    """A place in a source: ``file:line`` in text, the row in a table."""
    if row is None:
        return source or "the input"
    if source is None:
        return f"row {row}"
    return f"{source}:{row}" if counts_lines(source) else f"{source}, row {row}"
