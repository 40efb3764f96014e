"""Read files and show what came out as plain Python."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from penstock.encoding.batch import EventBatch
from penstock.encoding.columns import Column, ListPart, Part, StringPart, timestamp
from penstock.encoding.sources import describe, read_events
from penstock.model.values import Identifier, Value

Events = list[tuple[Identifier, dict[str, Value]]]


def read(paths: object, **options: Any) -> tuple[Events, list[str]]:
    """The events of some files, and what was set aside, as messages without the directory."""
    rejects: list[str] = []
    events: Events = []

    def on_reject(reject: Any) -> None:
        directory = str(Path(reject.source).parent) + "/"
        rejects.append(describe(reject).removeprefix(directory))

    for batch in read_events(paths, on_reject=on_reject, **options):  # type: ignore[arg-type]
        events.extend(events_of(batch))
    return events, rejects


def events_of(batch: EventBatch) -> Events:
    attributes: list[dict[str, Value]] = [{} for _ in range(len(batch))]
    for name, column in batch.columns.items():
        for row, value in values_of(column):
            assert name not in attributes[row], f"{name} is there twice in row {row}"
            attributes[row][name] = value
    return list(zip(batch.ids.to_pylist(), attributes, strict=True))


def values_of(column: Column) -> Iterable[tuple[int, Value]]:
    for part in (column.integers, column.doubles, column.booleans):
        if part is not None:
            yield from zip(part.rows.tolist(), part.values.tolist(), strict=True)
    if column.timestamps is not None:
        for row, instant in _pairs(column.timestamps):
            yield row, timestamp(instant)
    if column.strings is not None:
        yield from _strings(column.strings)
    if column.lists is not None:
        yield from _lists(column.lists)


def _pairs(part: Part) -> Iterable[tuple[int, Any]]:
    return zip(part.rows.tolist(), part.values.tolist(), strict=True)


def _strings(part: StringPart) -> Iterable[tuple[int, Value]]:
    distinct = np.array(part.distinct.to_pylist(), dtype=object)
    return zip(part.rows.tolist(), distinct[part.codes].tolist(), strict=True)


def _lists(part: ListPart) -> Iterable[tuple[int, Value]]:
    items = dict(values_of(part.items))
    for place, row in enumerate(part.rows.tolist()):
        yield row, tuple(items.get(item) for item in range(part.offsets[place], part.offsets[place + 1]))  # type: ignore[misc]


def write_text(path: Path, *lines: str) -> Path:
    text = "".join(f"{line}\n" for line in lines)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8", newline="")
    return path


def write_json(path: Path, *objects: object) -> Path:
    return write_text(path, *(json.dumps(each) for each in objects))
