"""CSV and TSV files as blocks of text columns, every record with the line that it starts in.

A record with too many or too few fields, with a quote that is not closed or with bytes that are not UTF-8 is set
aside. Python's reader is used rather than Arrow's, which is faster but ends at such bytes and does not count lines.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import compress
from typing import Final, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.encoding.batch import Reject
from penstock.encoding.sources.files import Source, numbered_lines, open_bytes
from penstock.encoding.sources.formats import Format
from penstock.encoding.sources.rejects import RejectHandler, SourceRefusedError

_DELIMITERS: Final = {Format.CSV: ",", Format.TSV: "\t"}


class _RecordReader(Protocol):
    """What :func:`csv.reader` gives, as far as we use it."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Block:
    """Some records in columns of text. ``numbers`` counts the records of the file from 0, set aside or not."""

    columns: dict[str, pa.StringArray]
    lines: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The bytes that the block takes."""
        return sum(column.nbytes for column in self.columns.values())

    def without(self, records: Collection[int]) -> Block:
        """The block without some of its records."""
        kept = np.ones(len(self.lines), dtype=np.bool_)
        kept[list(records)] = False
        columns = {name: column.filter(pa.array(kept)) for name, column in self.columns.items()}
        return Block(columns, self.lines[kept], self.numbers[kept])


@dataclass(slots=True)
class DelimitedFile:
    """An open CSV or TSV file. ``records`` counts those read so far."""

    source: Source
    on_reject: RejectHandler
    names: list[str]
    _reader: _RecordReader = field(repr=False)
    records: int = 0

    def blocks(self, size: int) -> Iterator[Block]:
        """All records, at most ``size`` at a time."""
        rows: list[list[str]] = []
        lines: list[int] = []
        numbers: list[int] = []
        for line, row in _records(self._reader, self.source, self.on_reject):
            if row is not None and len(row) == len(self.names):
                rows.append(row)
                lines.append(line)
                numbers.append(self.records)
            elif row is not None:
                self.on_reject(Reject(line, _wrong_length(len(row), len(self.names)), self.source.name))
            self.records += 1
            if len(rows) == size:
                yield self._block(rows, lines, numbers)
                rows, lines, numbers = [], [], []
        if rows:
            yield self._block(rows, lines, numbers)

    def _block(self, rows: list[list[str]], lines: list[int], numbers: list[int]) -> Block:
        try:
            columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        except UnicodeEncodeError:
            problems = [_not_unicode(row) for row in rows]
            for line, problem in zip(lines, problems, strict=True):
                if problem is not None:
                    self.on_reject(Reject(line, problem, self.source.name))
            good = [problem is None for problem in problems]
            rows, lines = list(compress(rows, good)), list(compress(lines, good))
            numbers = list(compress(numbers, good))
            columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(self.names))]
        named = dict(zip(self.names, columns, strict=True))
        return Block(named, np.array(lines, dtype=np.int64), np.array(numbers, dtype=np.int64))


@contextmanager
def open_delimited(source: Source, on_reject: RejectHandler) -> Iterator[DelimitedFile]:
    """A CSV or TSV file whose first line, the names of the columns, has been read."""
    with open_bytes(source) as (stream, _):
        # Bytes that are not UTF-8 pass as lone surrogates here and are found, record by record, in _block.
        texts = (line.decode(errors="surrogateescape") for _, line in numbered_lines(source, stream, on_reject))
        reader = csv.reader(texts, delimiter=_DELIMITERS[source.format], strict=True)
        try:
            names = next(reader, None)
        except csv.Error as error:
            raise SourceRefusedError(f"its first line should name the columns: {error}") from None
        if not names:
            raise SourceRefusedError("it is empty, but should begin with a line that names the columns")
        if problem := _not_unicode(names):
            raise SourceRefusedError(f"its first line should name the columns: {problem}")
        yield DelimitedFile(source, on_reject, names, reader)


def _records(reader: _RecordReader, source: Source, on_reject: RejectHandler) -> Iterator[tuple[int, list[str] | None]]:
    """Each record with its first line; ``None`` for one that could not be read and was set aside."""
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            extent = "" if reader.line_num <= line else f"; lines {line} to {reader.line_num} are set aside"
            problem = f"not a CSV record: {error}{extent}"
        else:
            if row is None:
                return
            if row:  # a blank line is no record
                yield line, row
            continue
        on_reject(Reject(line, problem, source.name))
        yield line, None


def _wrong_length(found: int, expected: int) -> str:
    fault = "too many" if found > expected else "too few"
    return f"{fault} fields: found {found}, but the first line names {expected} columns"


def _not_unicode(row: list[str]) -> str | None:
    for place, field_text in enumerate(row, start=1):
        try:
            field_text.encode()
        except UnicodeEncodeError as error:
            byte = ord(field_text[error.start]) - 0xDC00
            return f"not UTF-8: byte 0x{byte:02x} in field {place}; save the file as UTF-8"
    return None
