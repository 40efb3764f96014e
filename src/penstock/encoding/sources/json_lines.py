"""Events from JSON lines: one object on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

import pyarrow as pa

from penstock.encoding.batch import EventBatch, Reject, attributes_from_object
from penstock.encoding.sources.files import Source, numbered_lines, open_bytes
from penstock.encoding.sources.reading import DEFAULT_EVENT_ID, Reading, missing
from penstock.encoding.sources.rejects import RejectHandler, SourceRefusedError
from penstock.errors import ValueRefusedError
from penstock.model.values import Identifier, Value, clean_value


def json_events(source: Source, reading: Reading) -> Iterator[EventBatch]:
    """The events of a file of JSON lines.

    Whether the key ``event_id`` holds the ids, when no key was named, is decided by the first object of the file.
    """
    pending = _PendingEvents()
    id_key = reading.event_id
    first = True
    with open_bytes(source) as (stream, raw):
        for number, line in json_lines(source, stream, reading.on_reject):
            row, problem = reading.rows, None
            reading.rows += 1
            try:
                content = decoded(line)
                if first and id_key is None and DEFAULT_EVENT_ID in content:
                    id_key = DEFAULT_EVENT_ID
                first = False
                pending.append(*_event(content, id_key, reading.attributes, row))
            except ValueRefusedError as error:
                problem = str(error)
            if problem is not None:
                reading.on_reject(Reject(number, problem, source.name))
            if len(pending) == reading.batch_size:
                yield from pending.batches()
                pending = _PendingEvents()
                reading.report(source, raw.tell() / source.size if source.size else 1.0)
    yield from pending.batches()


def json_lines(source: Source, stream: BinaryIO, on_reject: RejectHandler) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, or an error when it is JSON but not one object on each line."""
    first = True
    for number, line in numbered_lines(source, stream, on_reject):
        text = line.strip()
        if not text:
            continue
        if first and text in (b"[", b"{", b"[{"):
            raise SourceRefusedError(
                "it is one JSON document over many lines, but should be JSON lines: one object on each line"
            )
        first = False
        yield number, text


def decoded(line: bytes) -> dict[str, object]:
    """The JSON object on a line."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise ValueRefusedError(f"not UTF-8: byte 0x{line[error.start]:02x} at position {error.start + 1}") from None
    try:
        content = json.loads(text)
    except RecursionError:
        raise ValueRefusedError("not readable JSON: it is nested too deeply") from None
    except ValueError as error:
        raise ValueRefusedError(f"not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise ValueRefusedError(f"a line should hold a JSON object, found {shown(content)}")
    return content


def identifier(name: str, value: object) -> Identifier:
    """An id from a decoded JSON value, which must be a string or an integer."""
    if value is None:
        raise ValueRefusedError(f"the id {name!r} is null; every row needs one")
    clean = clean_value(value) if isinstance(value, (str, int)) else value
    if isinstance(clean, bool) or not isinstance(clean, (str, int)):
        raise ValueRefusedError(f"the id {name!r} should be a string or an integer, found {shown(value)}")
    return clean


def shown(value: object) -> str:
    """A JSON value in a message, cut short when it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _event(
    content: dict[str, object], id_key: str | None, attributes: str | None, row: int
) -> tuple[Identifier, dict[str, Value]]:
    """The id and the attributes of an event, or an error that says what is wrong with it."""
    event_id: Identifier = row
    if id_key is not None:
        if id_key not in content:
            raise ValueRefusedError(missing("key", id_key, list(content)))
        event_id = identifier(id_key, content[id_key])
    if attributes is not None:
        if attributes not in content:
            raise ValueRefusedError(missing("key", attributes, list(content)))
        held: object = content[attributes]
        if not isinstance(held, dict):
            raise ValueRefusedError(f"the key {attributes!r} should hold a JSON object, found {shown(held)}")
    else:
        held = {name: value for name, value in content.items() if name != id_key} if id_key is not None else content
    try:
        return event_id, attributes_from_object(held)
    except RecursionError:
        raise ValueRefusedError("not readable JSON: it is nested too deeply") from None


@dataclass(slots=True)
class _PendingEvents:
    """Events that wait to be a batch, integers for ids apart from strings, since a batch has ids of one type."""

    ids: dict[type, list[Identifier]] = field(default_factory=lambda: {int: [], str: []})
    events: dict[type, list[Mapping[str, Value]]] = field(default_factory=lambda: {int: [], str: []})

    def __len__(self) -> int:
        return len(self.ids[int]) + len(self.ids[str])

    def append(self, event_id: Identifier, event: Mapping[str, Value]) -> None:
        self.ids[type(event_id)].append(event_id)
        self.events[type(event_id)].append(event)

    def batches(self) -> Iterator[EventBatch]:
        for kind, arrow_type in ((int, pa.int64()), (str, pa.string())):
            if self.ids[kind]:
                ids = pa.array(self.ids[kind], arrow_type)
                yield EventBatch.from_clean(self.events[kind], ids, len(ids))
