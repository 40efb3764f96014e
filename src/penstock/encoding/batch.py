"""A batch of events in columns: what indexes and engines match at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from penstock.encoding.arrow import columns_of, sparse_columns
from penstock.encoding.columns import Column
from penstock.encoding.sparse import columns_of_events
from penstock.errors import SourceError, ValueRefusedError, did_you_mean
from penstock.model.values import Value, clean_attributes


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that was set aside, and why; ``None`` means the whole source, or something about all of it.

    In a table ``row`` counts rows from 0; in a file of text it is the number of the line, from 1.
    """

    row: int | None
    reason: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events in columns, with one id each. Attributes that could not be read are named with the reason."""

    ids: pa.Array
    columns: Mapping[str, Column]
    unreadable: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def from_events(cls, events: Sequence[Mapping[str, object]], ids: pa.Array | None = None) -> EventBatch:
        """A batch from dictionaries; the ids are row numbers unless given.

        >>> batch = EventBatch.from_events([{"price": 99, "symbol": "IBM"}, {"price": 101.5}])
        >>> len(batch), sorted(batch.columns)
        (2, ['price', 'symbol'])
        """
        return cls.from_clean((clean_attributes(event) for event in events), ids, len(events))

    @classmethod
    def from_clean(cls, events: Iterable[Mapping[str, Value]], ids: pa.Array | None, size: int) -> EventBatch:
        """A batch from ``size`` events whose attributes are already values of the model."""
        columns = columns_of_events(events)
        return cls(row_numbers(size) if ids is None else ids, columns)

    @classmethod
    def from_json(cls, texts: pa.Array, ids: pa.Array | None = None) -> tuple[EventBatch, list[Reject]]:
        """A batch from JSON objects, one in each string, and the rows that could not be read, which it leaves out."""
        events: list[dict[str, Value]] = []
        rows: list[int] = []
        rejects: list[Reject] = []
        for row, text in enumerate(texts.to_pylist()):
            try:
                events.append(attributes_from_json(text))
                rows.append(row)
            except ValueRefusedError as error:
                rejects.append(Reject(row, str(error)))
        kept = pa.array(rows, pa.int64())
        return cls.from_clean(events, kept if ids is None else ids.take(kept), len(events)), rejects

    @classmethod
    def from_arrow(
        cls, table: pa.Table | pa.RecordBatch, event_id: str | None = None, attributes: str | None = None
    ) -> EventBatch:
        """A batch from Arrow columns.

        ``event_id`` names the column of ids (row numbers when ``None``). Every other column is an attribute, unless
        ``attributes`` names one column, a map or a struct, that holds them all.
        """
        names = table.schema.names
        for wanted in (event_id, attributes):
            if wanted is not None and wanted not in names:
                raise SourceError(
                    f"there is no column {wanted!r}{did_you_mean(wanted, names)}; found {', '.join(names)}"
                )
        ids = row_numbers(table.num_rows) if event_id is None else check_ids(event_id, flat(table.column(event_id)))
        if attributes is None:
            sources = [(name, flat(table.column(name))) for name in names if name != event_id]
        else:
            sources = [("", flat(table.column(attributes)))]
            if not pa.types.is_nested(sources[0][1].type):
                raise SourceError(f"column {attributes!r} should be a map or a struct, found {sources[0][1].type}")
        rows = np.arange(table.num_rows, dtype=np.int32)
        if attributes is not None:
            sparse = sparse_columns(attributes, sources[0][1], rows)
            if sparse is not None:
                return cls(ids, sparse)
        columns: dict[str, Column] = {}
        unreadable: dict[str, str] = {}
        for name, array in sources:
            try:
                columns.update(columns_of(name, array, rows))
            except ValueRefusedError as error:
                unreadable[name] = str(error)
        return cls(ids, columns, unreadable)


def attributes_from_json(text: str | None) -> dict[str, Value]:
    """The attributes of an event from a JSON object; objects within it become dotted names."""
    if text is None:
        raise ValueRefusedError("there is no JSON here, found NULL")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueRefusedError(f"not valid JSON: {error}") from None
    return attributes_from_object(content)


def attributes_from_object(content: object) -> dict[str, Value]:
    """The attributes of an event from a decoded JSON object."""
    if not isinstance(content, dict):
        raise ValueRefusedError(f"an event is a JSON object, found {_json_type(content)}")
    if any(isinstance(value, dict) for value in content.values()):
        content = dict(_flattened("", content))
    return clean_attributes(content)


def _flattened(prefix: str, content: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    for name, value in content.items():
        if isinstance(value, dict):
            yield from _flattened(f"{prefix}{name}.", value)
        else:
            yield prefix + name, value


def _json_type(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def check_ids(name: str, ids: pa.Array) -> pa.Array:
    """Ids as a plain array of strings or integers."""
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    if pa.types.is_integer(ids.type) or pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type):
        return ids
    raise SourceError(f"column {name!r} holds the ids, which are strings or integers; found {ids.type}; cast it")


def row_numbers(size: int) -> pa.Array:
    return pa.array(np.arange(size, dtype=np.int64))


def flat(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """One contiguous array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # no chunk at all, or too large for one
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    return column
