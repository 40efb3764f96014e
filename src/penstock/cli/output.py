"""Matches on their way out: a table for a person, or JSON lines, CSV, Parquet or Arrow for a program.

A batch of matches is written as soon as it is found. A file appears under its name only when it is complete.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Protocol

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
from rich.cells import cell_len, set_cell_size
from rich.console import Console

from penstock.errors import PenstockError, did_you_mean
from penstock.model.values import Identifier

SUFFIXES: Final = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".arrow": "arrow"}
ROW_GROUP: Final = 131_072
_EMPTY: Final = pa.table({"event_id": pa.array([], pa.int64()), "subscription_id": pa.array([], pa.string())})


class MatchWriter(Protocol):
    """Takes tables of matches, all with the columns ``event_id`` and ``subscription_id``."""

    def write(self, matches: pa.Table) -> None: ...

    def finish(self) -> None: ...


def output_format(output: str | None, wanted: str | None) -> str:
    """The format to write: the wanted one, or what the file's suffix tells, or what suits standard output."""
    if wanted is not None:
        return wanted
    if output in (None, "-"):
        return "table" if sys.stdout.isatty() else "jsonl"
    suffix = Path(str(output)).suffix.lower()
    if suffix not in SUFFIXES:
        hint = did_you_mean(suffix, SUFFIXES) or f"; known are {', '.join(SUFFIXES)}"
        raise PenstockError(f"the suffix of {output!r} tells no format{hint}; or give the format with --format")
    return SUFFIXES[suffix]


@contextmanager
def open_output(output: str | None, form: str, conditions: Mapping[Identifier, str]) -> Iterator[MatchWriter]:
    """A writer of matches to a file, or to standard output."""
    if output in (None, "-"):
        if form in ("parquet", "arrow") and sys.stdout.isatty():
            raise PenstockError(f"{form} is not for a terminal; give a file with --output, or another --format")
        sys.stdout.flush()
        with _finished(_writer(form, sys.stdout.buffer, conditions)) as writer:
            yield writer
        return
    with _replaced(Path(str(output))) as stream, _finished(_writer(form, stream, conditions)) as writer:
        yield writer


@contextmanager
def _finished(writer: MatchWriter) -> Iterator[MatchWriter]:
    """A writer whose output is finished when all went well; what is not complete should not look as if it were."""
    yield writer
    writer.finish()


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of the one under this name when it is complete, and is removed if that fails."""
    if path.exists() and not path.is_file():  # a pipe or a device has no complete state to wait for
        with path.open("wb") as stream:
            yield stream
        return
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _writer(form: str, stream: BinaryIO, conditions: Mapping[Identifier, str]) -> MatchWriter:
    if form == "table":
        to_file = stream is not sys.stdout.buffer
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="") if to_file else None
        return TableWriter(Console(file=text, markup=False, highlight=False, soft_wrap=True), conditions)
    return JsonLinesWriter(stream) if form == "jsonl" else ColumnsWriter(stream, form)


@dataclass(slots=True)
class JsonLinesWriter:
    """An object on each line."""

    stream: BinaryIO

    def write(self, matches: pa.Table) -> None:
        events, subscriptions = (_json_texts(matches.column(name)) for name in ("event_id", "subscription_id"))
        lines = (
            f'{{"event_id": {event}, "subscription_id": {subscription}}}\n'
            for event, subscription in zip(events, subscriptions, strict=True)
        )
        self.stream.write("".join(lines).encode())
        self.stream.flush()

    def finish(self) -> None:
        self.stream.flush()


def _json_texts(ids: pa.ChunkedArray) -> Iterator[str]:
    """Ids as JSON, each distinct one rendered once, since the same few occur again and again."""
    for chunk in ids.dictionary_encode().chunks:
        texts = [json.dumps(each, ensure_ascii=False) for each in chunk.dictionary.to_pylist()]
        yield from map(texts.__getitem__, chunk.indices.to_pylist())


@dataclass(slots=True)
class ColumnsWriter:
    """CSV, Parquet or Arrow. The first matches decide the types of the columns."""

    stream: BinaryIO
    form: str
    _waiting: list[pa.Table] = field(default_factory=list)
    _schema: pa.Schema | None = None
    _sink: pq.ParquetWriter | pa.csv.CSVWriter | pa.RecordBatchWriter | None = None

    def write(self, matches: pa.Table) -> None:
        if self._schema is None:
            self._schema = _widest(matches.schema)
        self._waiting.append(_fitted(matches, self._schema))
        # Large row groups are what readers of Parquet are quick with.
        if sum(table.num_rows for table in self._waiting) >= ROW_GROUP:
            self._flush()

    def finish(self) -> None:
        if self._schema is None:
            self.write(_EMPTY)
        self._flush()
        if self._sink is not None:
            self._sink.close()
        self.stream.flush()

    def _flush(self) -> None:
        if self._sink is None:
            self._sink = _SINKS[self.form](self.stream, self._schema)
        if self._waiting:
            self._sink.write_table(pa.concat_tables(self._waiting))
            self._waiting = []


def _fitted(matches: pa.Table, schema: pa.Schema) -> pa.Table:
    """Matches with the columns of a schema, if their ids fit there; a string that looks like an integer is none."""
    found, made = matches.schema.field("event_id").type, schema.field("event_id").type
    try:
        if pa.types.is_integer(found) or not pa.types.is_integer(made):
            return matches.cast(schema)
        problem = f"is of type {found}"
    except pa.ArrowInvalid as error:
        problem = f"does not fit ({error})"
    raise PenstockError(
        f"the first event ids made a column of {made}, but a later one {problem}; write JSON lines instead "
        "(--format jsonl)"
    )


def _widest(schema: pa.Schema) -> pa.Schema:
    """Ids of the widest type of their kind, since the next file may have wider ones than the first."""
    return pa.schema(
        (column.name, pa.int64() if pa.types.is_signed_integer(column.type) else column.type) for column in schema
    )


_SINKS: Final[
    dict[str, Callable[[BinaryIO, pa.Schema], pq.ParquetWriter | pa.csv.CSVWriter | pa.RecordBatchWriter]]
] = {
    "csv": pa.csv.CSVWriter,
    "parquet": pq.ParquetWriter,
    "arrow": pa.ipc.new_file,
}


@dataclass(slots=True)
class TableWriter:
    """Aligned columns, with the conditions, for a person to read. The first matches decide the widths."""

    console: Console
    conditions: Mapping[Identifier, str]
    _widths: tuple[int, int] | None = None

    def write(self, matches: pa.Table) -> None:
        if matches.num_rows == 0:
            return
        events, subscriptions = (matches.column(name).to_pylist() for name in ("event_id", "subscription_id"))
        if self._widths is None:
            self._widths = _width("event_id", events), _width("subscription_id", subscriptions)
            self.console.print(self._line("event_id", "subscription_id", "condition"), style="bold")
        lines = (self._line(*pair, self.conditions[pair[1]]) for pair in zip(events, subscriptions, strict=True))
        self.console.file.write("".join(f"{line}\n" for line in lines))

    def finish(self) -> None:
        self.console.file.flush()

    def _line(self, *cells: object) -> str:
        texts = [_printable(str(cell)) for cell in cells]
        for place, width in enumerate(self._widths or ()):
            texts[place] += " " * (width - cell_len(texts[place]))
        line = "  ".join(texts)
        if self.console.is_terminal and cell_len(line) > self.console.width:
            return f"{set_cell_size(line, self.console.width - 1)}…"
        return line


def _width(title: str, ids: list[Identifier]) -> int:
    return max(len(title), *(cell_len(_printable(str(each))) for each in ids))


def _printable(text: str) -> str:
    """Text on one line, without what would steer a terminal."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)
