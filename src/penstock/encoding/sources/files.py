"""Which files there are to read, in which format, and their bytes: plain, compressed or from standard input."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from penstock.encoding.batch import Reject
from penstock.encoding.sources.formats import EVENT_FORMATS, Format, format_of, suffixes_of
from penstock.encoding.sources.rejects import RejectHandler, SourceRefusedError
from penstock.errors import SourceError

STANDARD_INPUT: Final = "-"
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or standard input when the path is ``None``. Its name is what messages call it."""

    name: str
    path: Path | None
    format: Format

    @property
    def compressed(self) -> bool:
        return self.path is not None and self.path.suffix.lower() == ".gz"

    @property
    def size(self) -> int:
        """The bytes of the file; 0 for standard input, whose size nobody knows."""
        return self.path.stat().st_size if self.path is not None else 0


def find_sources(paths: Iterable[str | Path], formats: Collection[Format] = EVENT_FORMATS) -> list[Source]:
    """The files that paths stand for, or an error that says which path is wrong.

    A directory stands for all its files of a known format, by name, but those that start with ``.`` or ``_`` (Spark
    leaves such files beside its output). ``-`` is standard input, read as JSON lines.
    """
    sources: list[Source] = []
    for path in paths:
        if str(path) == STANDARD_INPUT:
            sources.append(Source("standard input", None, Format.JSON_LINES))
        elif Path(path).is_dir():
            sources.extend(_sources_within(Path(path), formats))
        elif Path(path).exists():
            sources.append(_source(Path(path), formats))
        else:
            raise SourceError(f"there is no file {str(path)!r}")
    return sources


def _sources_within(directory: Path, formats: Collection[Format]) -> list[Source]:
    files = sorted(path for path in directory.iterdir() if path.is_file() and not path.name.startswith((".", "_")))
    known = [path for path in files if format_of(path.name) in formats]
    if not known:
        raise SourceError(
            f"the directory {str(directory)!r} holds no file ending in {suffixes_of(formats)} "
            "(directories within it are not searched)"
        )
    return [_source(path, formats) for path in known]


def _source(path: Path, formats: Collection[Format]) -> Source:
    found = format_of(path.name)
    if found is None or found not in formats:
        raise SourceError(f"the format of {str(path)!r} is not known; its name should end in {suffixes_of(formats)}")
    return Source(str(path), path, found)


@contextmanager
def open_bytes(source: Source) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The bytes of a source, decompressed, and the raw file beneath them, whose position tells the progress."""
    if source.path is None:
        yield sys.stdin.buffer, sys.stdin.buffer
        return
    try:
        raw = source.path.open("rb")
    except OSError as error:
        raise SourceRefusedError(f"it cannot be opened: {error.strerror}") from None
    with raw:
        if not source.compressed:
            yield raw, raw
            return
        with gzip.GzipFile(fileobj=raw) as plain:
            yield plain, raw  # type: ignore[misc]  # a GzipFile reads like any binary file


def numbered_lines(source: Source, stream: BinaryIO, on_reject: RejectHandler) -> Iterator[tuple[int, bytes]]:
    """The lines of a source, counted from 1. Where reading fails, the lines before it are still given."""
    number = 0
    while True:
        try:
            line = stream.readline()
        except (OSError, EOFError, zlib.error) as error:
            stopped = error
            break
        if not line:
            return
        number += 1
        yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
    if number == 0:
        raise SourceRefusedError(f"it cannot be read: {stopped}")
    on_reject(Reject(number + 1, f"reading stopped here: {stopped}; the lines before it are kept", source.name))
