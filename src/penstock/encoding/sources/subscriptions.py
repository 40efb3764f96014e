"""Subscriptions from a file: ids and the text of conditions, not yet parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa

from penstock.encoding.batch import Reject, check_ids
from penstock.encoding.sources.delimited import open_delimited
from penstock.encoding.sources.files import Source, find_sources, numbered_lines, open_bytes
from penstock.encoding.sources.formats import SUBSCRIPTION_FORMATS, Format
from penstock.encoding.sources.inference import IdGuess, convert, with_nulls
from penstock.encoding.sources.json_lines import decoded, identifier, json_lines, shown
from penstock.encoding.sources.reading import missing
from penstock.encoding.sources.rejects import RejectHandler, SourceRefusedError, already_reported, raise_reject
from penstock.encoding.sources.table_files import table_parts
from penstock.encoding.sources.tables import check_unique
from penstock.errors import SourceError, ValueRefusedError
from penstock.model.values import Identifier

_BLOCK: Final = 16_384
_COMMENT: Final = "--"


class SubscriptionRow(NamedTuple):
    """A subscription as it stands in a file; ``row`` is its line there, or its row in a table."""

    id: Identifier
    condition: str
    row: int
    source: str


@dataclass(frozen=True, slots=True)
class _Wanted:
    id: str
    condition: str
    on_reject: RejectHandler

    def check(self, names: list[str]) -> None:
        check_unique(names)
        for name in (self.id, self.condition):
            if name not in names:
                raise SourceRefusedError(missing("column", name, names))


def read_subscriptions(
    path: str | Path,
    *,
    subscription_id: str = "subscription_id",
    condition: str = "condition",
    on_reject: RejectHandler = raise_reject,
) -> Iterator[SubscriptionRow]:
    """The subscriptions of a file, or of all files of a directory, in order.

    The formats are those of events (see :func:`penstock.encoding.sources.events.read_events`) and plain text (``.txt``,
    ``.sql``): a condition on each line, the number of the line being its id; blank lines and those that start with
    ``--`` are skipped. Ids are strings or integers; in a CSV file they are integers when all of them are spelled so.

    ``on_reject`` gets rows that cannot be read. A file without the columns of ids and conditions is an error.
    """
    wanted = _Wanted(subscription_id, condition, on_reject)
    return _read(find_sources([path], SUBSCRIPTION_FORMATS), wanted)


def _read(sources: list[Source], wanted: _Wanted) -> Iterator[SubscriptionRow]:
    for source in sources:
        try:
            yield from _READERS[source.format](source, wanted)
        except SourceRefusedError as error:
            raise SourceError(f"{source.name}: {error}") from None


def _from_text(source: Source, wanted: _Wanted) -> Iterator[SubscriptionRow]:
    with open_bytes(source) as (stream, _):
        for number, line in numbered_lines(source, stream, wanted.on_reject):
            try:
                text = line.decode().strip()
            except UnicodeDecodeError as error:
                problem = f"not UTF-8: byte 0x{line[error.start]:02x} at position {error.start + 1}"
            else:
                if text and not text.startswith(_COMMENT):
                    yield SubscriptionRow(number, text, number, source.name)
                continue
            wanted.on_reject(Reject(number, problem, source.name))


def _from_json(source: Source, wanted: _Wanted) -> Iterator[SubscriptionRow]:
    with open_bytes(source) as (stream, _):
        for number, line in json_lines(source, stream, wanted.on_reject):
            try:
                content = decoded(line)
                for key in (wanted.id, wanted.condition):
                    if key not in content:
                        raise ValueRefusedError(missing("key", key, list(content)))
                row = _row(identifier(wanted.id, content[wanted.id]), content[wanted.condition], number, source)
            except ValueRefusedError as error:
                problem = str(error)
            else:
                yield row
                continue
            wanted.on_reject(Reject(number, problem, source.name))


def _from_csv(source: Source, wanted: _Wanted) -> Iterator[SubscriptionRow]:
    guess = IdGuess()
    with open_delimited(source, wanted.on_reject) as file:
        wanted.check(file.names)
        for block in file.blocks(_BLOCK):
            guess.see(block.columns[wanted.id], block.lines)
    with open_delimited(source, already_reported) as file:
        for block in file.blocks(_BLOCK):
            ids = convert(guess.type, with_nulls(guess.type, block.columns[wanted.id]))
            yield from _from_columns(ids, block.columns[wanted.condition], block.lines.tolist(), source, wanted)


def _from_table(source: Source, wanted: _Wanted) -> Iterator[SubscriptionRow]:
    for first, table, _ in table_parts(source, _BLOCK, wanted.on_reject):
        wanted.check(table.schema.names)
        try:
            ids = check_ids(wanted.id, table.column(wanted.id))
        except SourceError as error:
            raise SourceRefusedError(str(error)) from None
        rows = list(range(first, first + table.num_rows))
        yield from _from_columns(ids, table.column(wanted.condition), rows, source, wanted)


def _from_columns(
    ids: pa.Array, conditions: pa.Array, rows: list[int], source: Source, wanted: _Wanted
) -> Iterator[SubscriptionRow]:
    for value, condition, row in zip(ids.to_pylist(), conditions.to_pylist(), rows, strict=True):
        try:
            subscription = _row(identifier(wanted.id, value), condition, row, source)
        except ValueRefusedError as error:
            problem = str(error)
        else:
            yield subscription
            continue
        wanted.on_reject(Reject(row, problem, source.name))


def _row(subscription_id: Identifier, condition: object, row: int, source: Source) -> SubscriptionRow:
    if not isinstance(condition, str):
        found = "NULL" if condition is None else shown(condition)
        raise ValueRefusedError(f"the condition of subscription {subscription_id!r} should be text, found {found}")
    if not condition.strip():
        raise ValueRefusedError(f"the condition of subscription {subscription_id!r} is empty")
    return SubscriptionRow(subscription_id, condition, row, source.name)


_READERS: Final[dict[Format, Callable[[Source, _Wanted], Iterator[SubscriptionRow]]]] = {
    Format.JSON_LINES: _from_json,
    Format.CSV: _from_csv,
    Format.TSV: _from_csv,
    Format.PARQUET: _from_table,
    Format.ARROW: _from_table,
    Format.TEXT: _from_text,
}
