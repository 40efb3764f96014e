"""The formats of files, told by their names."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from pathlib import PurePath
from typing import Final


class Format(StrEnum):
    """The formats that are read."""

    JSON_LINES = "JSON lines"
    CSV = "CSV"
    TSV = "TSV"
    PARQUET = "Parquet"
    ARROW = "Arrow IPC"
    TEXT = "plain text"


SUFFIXES: Final = {
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".json": Format.JSON_LINES,
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".parquet": Format.PARQUET,
    ".arrow": Format.ARROW,
    ".feather": Format.ARROW,
    ".txt": Format.TEXT,
    ".sql": Format.TEXT,
}
LINE_FORMATS: Final = frozenset({Format.JSON_LINES, Format.CSV, Format.TSV, Format.TEXT})
EVENT_FORMATS: Final = frozenset(Format) - {Format.TEXT}
SUBSCRIPTION_FORMATS: Final = frozenset(Format)


def format_of(name: str) -> Format | None:
    """The format that a file's name says it has.

    >>> format_of("events.jsonl.gz"), format_of("events.parquet.gz"), format_of("notes")
    (<Format.JSON_LINES: 'JSON lines'>, None, None)
    """
    path = PurePath(name.lower())
    compressed = path.suffix == ".gz"
    found = SUFFIXES.get(PurePath(path.stem).suffix if compressed else path.suffix)
    # Parquet and Arrow files compress their own pages, and cannot be read from the middle of a gzip.
    return None if compressed and found not in LINE_FORMATS else found


def counts_lines(source: str) -> bool:
    """Whether places in a source are lines of text, which is so but for tables; standard input is text."""
    return format_of(source) not in {Format.PARQUET, Format.ARROW}


def suffixes_of(formats: Collection[Format]) -> str:
    """The endings of file names of some formats, for a message."""
    return ", ".join(
        f"{suffix}[.gz]" if kind in LINE_FORMATS else suffix for suffix, kind in SUFFIXES.items() if kind in formats
    )
