"""Arrow arrays to columns: which Arrow type becomes which value, without a loop over values.

Integers of any width become 64-bit ones, floats doubles, decimals the nearest double (integers when their scale is
0), dates the instant at which they begin; of a timestamp, what is finer than a microsecond is dropped. A struct or a
map becomes attributes with dotted names (``address.city``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from penstock.encoding.columns import Column, ListPart, Part, Rows, string_part
from penstock.encoding.sparse import Entries, SparseColumns
from penstock.errors import ValueRefusedError


def columns_of(name: str, array: pa.Array, rows: Rows) -> Iterator[tuple[str, Column]]:
    """The columns that an Arrow array becomes; ``rows[i]`` is the row of the batch that ``array[i]`` belongs to."""
    kind = array.type
    if pa.types.is_struct(kind):
        yield from _struct_columns(name, array, rows)
    elif pa.types.is_map(kind):
        yield from _map_columns(name, array, rows)
    elif not pa.types.is_null(kind):
        yield name, column_of(name, array, rows)


def column_of(name: str, array: pa.Array, rows: Rows) -> Column:
    """A column from an Arrow array of scalars or lists."""
    if pa.types.is_string_view(array.type):
        array = array.cast(pa.large_string())  # views have few functions
    if array.null_count:
        rows = rows[array.is_valid().to_numpy(zero_copy_only=False)]
        array = array.drop_null()
    kind = array.type
    if pa.types.is_integer(kind):
        return Column(integers=Part(rows, _cast(name, array, pa.int64())))
    if pa.types.is_floating(kind):
        return Column(doubles=Part(rows, _cast(name, array, pa.float64())))
    if pa.types.is_decimal(kind):
        if kind.scale == 0:
            return Column(integers=Part(rows, _cast(name, array, pa.int64())))
        return Column(doubles=Part(rows, _cast(name, array, pa.float64())))
    if pa.types.is_boolean(kind):
        return Column(booleans=Part(rows, array.to_numpy(zero_copy_only=False)))
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        # Instants are kept in microseconds; what is finer is dropped, as it is for Python's own timestamps.
        return Column(timestamps=Part(rows, _cast(name, array, pa.int64()) // 1000))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        instants = _cast(name, array, pa.timestamp("us", getattr(kind, "tz", None)))
        return Column(timestamps=Part(rows, instants.view(np.int64)))
    if _is_string(kind) or (pa.types.is_dictionary(kind) and _is_string(kind.value_type)):
        return Column(strings=string_part(rows, array))
    if pa.types.is_dictionary(kind):
        return column_of(name, array.dictionary_decode(), rows)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return Column(lists=_lists(name, array, rows))
    raise ValueRefusedError(
        f"column {name!r} has the type {kind}, which is none of integer, double, decimal, string, boolean, "
        "timestamp, date, list, struct, map; cast it or leave it out"
    )


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _cast(name: str, array: pa.Array, kind: pa.DataType) -> np.ndarray:
    try:
        cast = array.cast(kind)
    except pa.ArrowInvalid as error:
        raise ValueRefusedError(f"column {name!r} of type {array.type}: {error}") from None
    values: np.ndarray = cast.to_numpy(zero_copy_only=False)
    return values


def _lists(name: str, array: pa.Array, rows: Rows) -> ListPart:
    if pa.types.is_nested(array.type.value_type):
        raise ValueRefusedError(f"column {name!r} has the type {array.type}: lists may hold only scalars; flatten it")
    lengths = pc.list_value_length(array).to_numpy(zero_copy_only=False).astype(np.int64)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    values = array.flatten()
    items = (
        Column() if pa.types.is_null(values.type) else column_of(name, values, np.arange(len(values), dtype=np.int32))
    )
    return ListPart(rows, offsets, items)


def _struct_columns(name: str, array: pa.Array, rows: Rows) -> Iterator[tuple[str, Column]]:
    # flatten() also carries a null of the struct itself down to its fields.
    for struct_field, values in zip(array.type, array.flatten(), strict=True):
        yield from columns_of(dotted(name, struct_field.name), values, rows)


class _Entries(NamedTuple):
    """The entries of a map: the distinct keys, which of them each entry has, its row and its value."""

    names: list[str]
    codes: NDArray[np.int32]
    rows: Rows
    values: pa.Array


def _entries(name: str, array: pa.Array, rows: Rows) -> _Entries:
    if not _is_string(array.type.key_type):
        raise ValueRefusedError(
            f"column {name!r}: the keys of a map are attribute names, so strings; found {array.type}"
        )
    if array.null_count:
        rows = rows[array.is_valid().to_numpy(zero_copy_only=False)]
        array = array.drop_null()
    if len(array) == 0:
        return _Entries([], np.empty(0, dtype=np.int32), rows[:0], array.items[:0])
    offsets = array.offsets.to_numpy()
    entries = slice(offsets[0], offsets[-1])
    keys = array.keys[entries].dictionary_encode()
    codes = keys.indices.to_numpy(zero_copy_only=False)
    return _Entries(keys.dictionary.to_pylist(), codes, np.repeat(rows, np.diff(offsets)), array.items[entries])


def sparse_columns(name: str, array: pa.Array, rows: Rows) -> SparseColumns | None:
    """A map of numbers as columns that are cut out only when asked for; ``None`` for anything else."""
    kind = array.type
    if not pa.types.is_map(kind) or not (pa.types.is_integer(kind.item_type) or pa.types.is_floating(kind.item_type)):
        return None
    names, codes, entry_rows, values = _entries("", array, rows)
    if values.null_count:
        there = values.is_valid().to_numpy(zero_copy_only=False)
        codes, entry_rows, values = codes[there], entry_rows[there], values.drop_null()
    whole = pa.types.is_integer(kind.item_type)
    wide = _cast(name, values, pa.int64() if whole else pa.float64())
    entries = Entries(codes, entry_rows, wide).last_of_each(len(names))
    return SparseColumns(names, entries if whole else None, None if whole else entries, {})


def _map_columns(name: str, array: pa.Array, rows: Rows) -> Iterator[tuple[str, Column]]:
    names, codes, entry_rows, values = _entries(name, array, rows)
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(names) + 1))
    for code, key in enumerate(names):
        chosen = order[bounds[code] : bounds[code + 1]]
        yield from columns_of(dotted(name, key), values.take(pa.array(chosen)), entry_rows[chosen])


def dotted(prefix: str, name: str) -> str:
    """The attribute name of a field within another; no prefix means the field is an attribute itself."""
    return f"{prefix}.{name}" if prefix else name
