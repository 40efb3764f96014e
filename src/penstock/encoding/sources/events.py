"""Events from files, in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from penstock.encoding.batch import EventBatch, Reject
from penstock.encoding.sources.csv_events import csv_events
from penstock.encoding.sources.files import Source, find_sources
from penstock.encoding.sources.formats import EVENT_FORMATS, Format
from penstock.encoding.sources.inference import ValueType
from penstock.encoding.sources.json_lines import json_events
from penstock.encoding.sources.reading import Reading
from penstock.encoding.sources.rejects import RejectHandler, SourceRefusedError, raise_reject
from penstock.encoding.sources.table_files import table_parts
from penstock.encoding.sources.tables import TableEvents, check_unique

BATCH_SIZE: Final = 16_384


def read_events(
    paths: str | Path | Iterable[str | Path],
    *,
    event_id: str | None = None,
    attributes: str | None = None,
    column_types: Mapping[str, ValueType] | None = None,
    on_reject: RejectHandler = raise_reject,
    on_progress: Callable[[int], None] = lambda _: None,
    batch_size: int = BATCH_SIZE,
) -> Iterator[EventBatch]:
    """The events of some files, a bounded number in memory at a time.

    The name of a file tells its format: JSON lines (``.jsonl``, ``.ndjson``, ``.json``), CSV (``.csv``, ``.tsv``),
    each also compressed (``.gz``), Parquet (``.parquet``), Arrow (``.arrow``, ``.feather``: an IPC file or stream). A
    directory stands for all its files of those formats, ``-`` for JSON lines on standard input. Every file has its own
    columns and types. Paths that lead nowhere are refused before anything is read.

    ``event_id`` names the column or key of ids: strings or integers, never NULL; the same id may occur twice. When it
    is ``None``, a column ``event_id`` is taken if the file has one; otherwise the ids are the numbers of the events,
    from 0 over all the input. ``attributes`` names the column or key that holds the attributes (a JSON object, a map,
    a struct, or JSON as text); when it is ``None``, every other column or key is an attribute. Objects and structs
    within become dotted names.

    What becomes of the fields of a CSV file is told in :mod:`penstock.encoding.sources.inference`; ``column_types``
    gives the types that should not be guessed.

    ``on_reject`` gets what cannot be read, and the rest is read on; by default the first such thing is an error.
    ``on_progress`` gets the number of bytes done, of the sum of the sizes of :func:`find_sources`.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    sources = find_sources(paths, EVENT_FORMATS)
    reading = Reading(event_id, attributes, column_types or {}, batch_size, on_reject, on_progress)
    return _read(sources, reading)


def _read(sources: list[Source], reading: Reading) -> Iterator[EventBatch]:
    for source in sources:
        refused = None
        try:
            yield from _READERS[source.format](source, reading)
        except SourceRefusedError as error:
            refused = Reject(None, str(error), source.name)
        if refused is not None:
            reading.on_reject(refused)
        reading.report(source, 1.0)
        reading.bytes_before += source.size


def _table_events(source: Source, reading: Reading) -> Iterator[EventBatch]:
    events = TableEvents(source, reading)
    rows_before = reading.rows
    for row, table, fraction in table_parts(source, reading.batch_size, reading.on_reject):
        check_unique(table.schema.names)
        rows = np.arange(row, row + table.num_rows, dtype=np.int64)
        reading.rows = rows_before + row + table.num_rows
        batch = events.batch(table, rows, rows + rows_before)
        if batch is not None:
            yield batch
        reading.report(source, fraction)


_READERS: Final[dict[Format, Callable[[Source, Reading], Iterator[EventBatch]]]] = {
    Format.JSON_LINES: json_events,
    Format.CSV: csv_events,
    Format.TSV: csv_events,
    Format.PARQUET: _table_events,
    Format.ARROW: _table_events,
}
