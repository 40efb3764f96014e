"""Events from CSV and TSV files: the first line names the attributes, the whole file decides their types.

So a file is gone through twice. :mod:`penstock.encoding.sources.inference` says what becomes what; a column whose
type the caller gives is not guessed, and lines whose value is not of that type are set aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from penstock.encoding.batch import EventBatch, Reject
from penstock.encoding.sources.delimited import Block, open_delimited
from penstock.encoding.sources.files import Source
from penstock.encoding.sources.inference import IdGuess, TypeGuess, ValueType, convert, fitting, with_nulls
from penstock.encoding.sources.reading import Reading, missing
from penstock.encoding.sources.rejects import RejectHandler, already_reported
from penstock.encoding.sources.tables import TableEvents, check_unique

KEPT_BYTES: Final = 128 << 20
"""A file whose texts take no more is kept between the two times; a larger one is read again."""


def csv_events(source: Source, reading: Reading) -> Iterator[EventBatch]:
    """The events of a CSV or TSV file. An empty field is an absent attribute."""
    survey = _survey(source, reading)
    types = survey.types(source, reading)
    rows_before = reading.rows
    reading.rows += survey.records
    events = TableEvents(source, reading)
    for block in survey.blocks(source, reading.batch_size):
        table, kept = _typed(block, types, source, reading.on_reject)
        batch = events.batch(table, kept.lines, kept.numbers + rows_before)
        if batch is not None:
            yield batch
        if len(block.numbers):
            reading.report(source, (int(block.numbers[-1]) + 1) / survey.records)


@dataclass(slots=True)
class _Survey:
    """What going through a file for the first time has shown."""

    guesses: dict[str, TypeGuess | IdGuess]
    records: int = 0
    kept: list[Block] | None = field(default_factory=list)

    def see(self, block: Block, limit: int) -> None:
        for name, guess in self.guesses.items():
            guess.see(block.columns[name], block.lines)
        if self.kept is not None:
            self.kept.append(block)
            if sum(kept.size for kept in self.kept) > limit:
                self.kept = None

    def types(self, source: Source, reading: Reading) -> dict[str, ValueType]:
        """The type of each column; a column that is not what most of its values look like is reported."""
        types = {}
        for name, guess in self.guesses.items():
            given = reading.column_types.get(name)
            types[name] = given or guess.type
            if given is None and (doubt := guess.doubt(name)):
                reading.on_reject(Reject(None, doubt, source.name))
        return types

    def blocks(self, source: Source, size: int) -> Iterator[Block]:
        if self.kept is not None:
            yield from self.kept
            return
        with open_delimited(source, already_reported) as file:
            yield from file.blocks(size)


def _survey(source: Source, reading: Reading) -> _Survey:
    with open_delimited(source, reading.on_reject) as file:
        check_unique(file.names)
        id_column = reading.id_column(file.names)
        _check_types(source, reading, file.names)
        wanted = file.names if reading.attributes is None else {id_column, reading.attributes} - {None}
        survey = _Survey(
            {name: IdGuess() if name == id_column else TypeGuess() for name in file.names if name in wanted}
        )
        for block in file.blocks(reading.batch_size):
            survey.see(block, KEPT_BYTES)
        survey.records = file.records
    return survey


def _check_types(source: Source, reading: Reading, names: list[str]) -> None:
    for name, kind in reading.column_types.items():
        if name not in names:
            problem = f"the type {kind} was given for a column that is not there: {missing('column', name, names)}"
            reading.on_reject(Reject(None, problem, source.name))


def _typed(
    block: Block, types: Mapping[str, ValueType], source: Source, on_reject: RejectHandler
) -> tuple[pa.RecordBatch, Block]:
    """A block with typed columns, and the records that are in it: those whose values are of these types."""
    columns: list[pa.Array] = []
    problems: dict[int, str] = {}
    for name, kind in types.items():
        texts = with_nulls(kind, block.columns[name])
        values = convert(kind, texts)
        if values is None:
            problems.update(_misfits(name, kind, texts))
        else:
            columns.append(values)
    if not problems:
        return pa.RecordBatch.from_arrays(columns, names=list(types)), block
    for record in sorted(problems):
        on_reject(Reject(int(block.lines[record]), problems[record], source.name))
    return _typed(block.without(problems), types, source, on_reject)


def _misfits(name: str, kind: ValueType, texts: pa.StringArray) -> Iterator[tuple[int, str]]:
    for record in np.flatnonzero(~fitting(kind, texts)):
        found = texts[int(record)].as_py()
        yield int(record), f"column {name!r}: {found!r} is not of the type {kind}"
