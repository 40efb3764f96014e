"""Parquet and Arrow IPC files as record batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from penstock.encoding.batch import Reject
from penstock.encoding.sources.files import Source
from penstock.encoding.sources.formats import Format
from penstock.encoding.sources.rejects import RejectHandler, SourceRefusedError

TablePart: TypeAlias = tuple[int, pa.RecordBatch, float]
"""The first row of a part of a table, the rows themselves, and the fraction of the file read with them."""

_FAILURES = (pa.ArrowException, OSError)


def table_parts(source: Source, batch_size: int, on_reject: RejectHandler) -> Iterator[TablePart]:
    """The rows of a Parquet or Arrow file, at most ``batch_size`` at a time.

    A part that cannot be read (a damaged row group, say) is set aside, and the parts after it are still read.
    """
    parts = _parquet_parts if source.format is Format.PARQUET else _arrow_parts
    yield from parts(source, batch_size, on_reject)


def _parquet_parts(source: Source, batch_size: int, on_reject: RejectHandler) -> Iterator[TablePart]:
    try:
        file = pq.ParquetFile(source.path)
    except _FAILURES as error:
        raise SourceRefusedError(f"it is not a Parquet file that can be read: {error}") from None
    with file:
        total = file.metadata.num_rows
        group_start = 0
        for group in range(file.num_row_groups):
            row = group_start
            read = partial(next, file.iter_batches(batch_size=batch_size, row_groups=[group]), None)
            what = f"row group {group}, from here to its end,"
            while (batch := _read(read, what, row, source, on_reject)) is not None:
                row += batch.num_rows
                yield row - batch.num_rows, batch, row / total
            group_start += file.metadata.row_group(group).num_rows


def _arrow_parts(source: Source, batch_size: int, on_reject: RejectHandler) -> Iterator[TablePart]:
    try:
        raw = pa.OSFile(str(source.path))
    except _FAILURES as error:
        raise SourceRefusedError(f"it cannot be opened: {error}") from None
    with raw:
        size = max(raw.size(), 1)
        row = 0
        for what, read in _arrow_batches(raw):
            batch = _read(read, what, row, source, on_reject)
            if batch is None:
                continue
            for start in range(0, batch.num_rows, batch_size):
                yield row + start, batch.slice(start, batch_size), raw.tell() / size
            row += batch.num_rows


def _arrow_batches(raw: pa.NativeFile) -> Iterator[tuple[str, Callable[[], pa.RecordBatch | None]]]:
    """What reads each batch of an IPC file or stream, and what to call it in a message."""
    try:
        file = pa.ipc.open_file(raw)
    except _FAILURES:
        yield from _stream_batches(raw)  # the two forms share their suffixes
        return
    for number in range(file.num_record_batches):
        yield f"record batch {number}", partial(file.get_batch, number)


def _stream_batches(raw: pa.NativeFile) -> Iterator[tuple[str, Callable[[], pa.RecordBatch | None]]]:
    raw.seek(0)
    try:
        stream = pa.ipc.open_stream(raw)
    except _FAILURES as error:
        raise SourceRefusedError(f"it is not an Arrow file or stream that can be read: {error}") from None
    ended = False

    def read() -> pa.RecordBatch | None:
        nonlocal ended
        ended = True  # also when reading fails: what follows in a stream cannot be found
        batch = next(stream, None)
        ended = batch is None
        return batch

    while not ended:
        yield "the rest of the stream", read


def _read(
    read: Callable[[], pa.RecordBatch | None], what: str, row: int, source: Source, on_reject: RejectHandler
) -> pa.RecordBatch | None:
    try:
        return read()
    except _FAILURES as error:
        failure = error
    on_reject(Reject(row, f"{what} cannot be read: {failure}", source.name))
    return None
