"""Arrow record batches to event batches: ids apart from attributes, and what cannot be read apart from both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.encoding.arrow import columns_of, dotted
from penstock.encoding.batch import EventBatch, Reject, check_ids
from penstock.encoding.sources.files import Source
from penstock.encoding.sources.reading import Reading
from penstock.encoding.sources.rejects import SourceRefusedError
from penstock.errors import SourceError, ValueRefusedError


@dataclass(slots=True)
class TableEvents:
    """Makes events of the rows of one source, and remembers which of its columns were already reported."""

    source: Source
    reading: Reading
    reported: set[str] = field(default_factory=set)

    def batch(self, table: pa.RecordBatch, places: NDArray[np.int64], numbers: NDArray[np.int64]) -> EventBatch | None:
        """The events of a table, if any can be read.

        Row i is at ``places[i]`` of the source, which is what messages say, and is event ``numbers[i]`` of all the
        input, which is its id when no column has ids.
        """
        rows = _Rows(self._ids(table, numbers), self._attributes(table), places)
        rows = self._without_null_ids(rows)
        if self._is_json(table):
            return self._from_json(rows)
        batch = EventBatch.from_arrow(rows.attributes)
        if batch.unreadable:
            rows = self._without_misfits(rows, batch.unreadable)
            batch = EventBatch.from_arrow(rows.attributes)
        return replace(batch, ids=rows.ids) if len(rows.ids) else None

    def _ids(self, table: pa.RecordBatch, numbers: NDArray[np.int64]) -> pa.Array:
        name = self.reading.id_column(table.schema.names)
        if name is None:
            return pa.array(numbers)
        try:
            return check_ids(name, table.column(name))
        except SourceError as error:
            raise SourceRefusedError(str(error)) from None

    def _is_json(self, table: pa.RecordBatch) -> bool:
        name = self.reading.attributes
        return name is not None and _is_text(table.schema.field(name).type)

    def _attributes(self, table: pa.RecordBatch) -> pa.RecordBatch:
        name = self.reading.attributes
        if name is None:
            id_column = self.reading.id_column(table.schema.names)
            parts = [(name, table.column(name)) for name in table.schema.names if name != id_column]
        else:
            parts = [("", table.column(name))]
            kind = parts[0][1].type
            if not (pa.types.is_struct(kind) or pa.types.is_map(kind) or _is_text(kind)):
                raise SourceRefusedError(f"column {name!r} should be a map, a struct or JSON text, found {kind}")
        fields = [flat_field for part in parts for flat_field in _flattened(*part)]
        names = [flat_name for flat_name, _ in fields]
        check_unique(names)
        return pa.RecordBatch.from_arrays([array for _, array in fields], names=names)

    def _without_null_ids(self, rows: _Rows) -> _Rows:
        if rows.ids.null_count == 0:
            return rows
        known = rows.ids.is_valid().to_numpy(zero_copy_only=False)
        for place in rows.places[~known]:
            self._reject(int(place), "the id is NULL; every event needs one")
        return rows.only(known)

    def _from_json(self, rows: _Rows) -> EventBatch | None:
        batch, rejects = EventBatch.from_json(rows.attributes.column(0), rows.ids)
        for reject in rejects:
            self._reject(int(rows.places[reject.row or 0]), reject.reason)
        return batch if len(batch) else None

    def _without_misfits(self, rows: _Rows, unreadable: Mapping[str, str]) -> _Rows:
        """The rows without those that hold a value that does not fit; columns of unreadable types are reported."""
        good = np.ones(len(rows.ids), dtype=np.bool_)
        problems: dict[int, str] = {}
        for name, reason in unreadable.items():
            array = rows.attributes.column(name)
            if _reason(name, array.slice(0, 0)) is None:
                problems.update(_misfits(name, array))
            elif name not in self.reported:
                self.reported.add(name)
                self._reject(None, f"{reason} (its other columns are read)")
        for row in sorted(problems):
            self._reject(int(rows.places[row]), problems[row])
            good[row] = False
        return rows.only(good)

    def _reject(self, place: int | None, reason: str) -> None:
        self.reading.on_reject(Reject(place, reason, self.source.name))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows on their way to be events: ids, attributes, and where each is in its source."""

    ids: pa.Array
    attributes: pa.RecordBatch
    places: NDArray[np.int64]

    def only(self, chosen: NDArray[np.bool_]) -> _Rows:
        if chosen.all():
            return self
        mask = pa.array(chosen)
        return _Rows(self.ids.filter(mask), self.attributes.filter(mask), self.places[chosen])


def check_unique(names: list[str]) -> None:
    """Refuse a source in which two columns have the same name, since no condition could tell them apart."""
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise SourceRefusedError(f"two columns are called {twice[0]!r}; rename one of them")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _flattened(name: str, array: pa.Array) -> Iterator[tuple[str, pa.Array]]:
    """Structs as one column for each field, so that a field that cannot be read does not hide the others."""
    if not pa.types.is_struct(array.type):
        yield name, array
        return
    for struct_field, values in zip(array.type, array.flatten(), strict=True):
        yield from _flattened(dotted(name, struct_field.name), values)


def _misfits(name: str, array: pa.Array, first: int = 0) -> Iterator[tuple[int, str]]:
    """The rows whose values a column cannot take, found by halving, since they are few."""
    reason = _reason(name, array)
    if reason is None:
        return
    if len(array) == 1:
        yield first, reason
        return
    middle = len(array) // 2
    yield from _misfits(name, array.slice(0, middle), first)
    yield from _misfits(name, array.slice(middle), first + middle)


def _reason(name: str, array: pa.Array) -> str | None:
    """Why an array cannot be read; ``None`` when it can."""
    try:
        for _ in columns_of(name, array, np.arange(len(array), dtype=np.int32)):
            pass
    except ValueRefusedError as error:
        return str(error)
    return None
