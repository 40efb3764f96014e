"""How a DataFrame holds events: as typed columns, or all attributes in one column of some kind.

On the driver the schema tells the form, and only the columns that conditions speak of are sent on. In a worker each
Arrow batch becomes a batch of events; rows that are no events are put aside with their reasons.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import pyarrow as pa

from penstock.encoding.batch import EventBatch, Reject, attributes_from_object, row_numbers
from penstock.errors import SourceError, ValueRefusedError, did_you_mean
from penstock.model.values import Value
from penstock.spark.schema import column, require_column, require_identifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

logger = logging.getLogger(__name__)

_NAMES_SHOWN = 5


class Form(StrEnum):
    """Where the attributes of an event are."""

    COLUMNS = "typed columns"
    STRUCT = "the fields of a struct"
    MAP = "the entries of a map"
    JSON = "a JSON object in a string"
    VARIANT = "a variant"


@dataclass(frozen=True, slots=True)
class EventColumns:
    """Which columns of a DataFrame are an event."""

    form: Form
    event_id: str
    id_type: DataType
    attributes: str | None

    @classmethod
    def of(cls, schema: StructType, event_id: str, attributes: str | None) -> EventColumns:
        id_type = require_identifier(schema, event_id, "event_id")
        form = (
            Form.COLUMNS if attributes is None else _form(require_column(schema, attributes, "attributes"), attributes)
        )
        return cls(form, event_id, id_type, attributes)

    def select(self, events: DataFrame, wanted: frozenset[str]) -> tuple[DataFrame, EventReader]:
        """The id and what holds the wanted attributes, and how a worker is to read them.

        The columns get plain names, since ``mapInArrow`` does not find columns that have dots in theirs.
        """
        own_id = column(self.event_id)
        if self.form is Form.COLUMNS:
            names = self._wanted_fields(events.schema, wanted)
            parts = [column(name) for name in names]
        else:
            assert self.attributes is not None
            whole = column(self.attributes)
            if self.form is Form.STRUCT:
                names = self._wanted_fields(_struct(events.schema, self.attributes), wanted)
                parts = [whole.getField(name) for name in names]
            else:
                names, parts = (self.attributes,), [whole]
        renamed = [part.alias(f"c{place}") for place, part in enumerate([own_id, *parts])]
        return events.select(*renamed), EventReader(self.form, names)

    def _wanted_fields(self, schema: StructType, wanted: frozenset[str]) -> tuple[str, ...]:
        own_id = self.event_id if self.form is Form.COLUMNS else None
        fields = [field for field in schema.fields if field.name != own_id]
        chosen = [field for field in fields if any(_within(field.name, attribute) for attribute in wanted)]
        for field in chosen:
            _require_values(require_column(schema, field.name, "attribute"), field.name)
        _warn_of_unknown(wanted, [field.name for field in fields])
        return tuple(field.name for field in chosen)


@dataclass(frozen=True, slots=True)
class EventReader:
    """Turns Arrow batches (the id first, then what holds the attributes) into events. Travels to the workers."""

    form: Form
    names: tuple[str, ...]

    def read(self, batch: pa.RecordBatch) -> tuple[EventBatch, list[Reject]]:
        """The events, whose ids are their rows in the batch, and the rows that are no events."""
        rows = row_numbers(batch.num_rows)
        if not self.names:
            return EventBatch(rows, {}), []
        if self.form is Form.JSON:
            return EventBatch.from_json(batch.column(1), rows)
        if self.form is Form.VARIANT:
            return _from_variants(batch.column(1))
        values = pa.RecordBatch.from_arrays(batch.columns[1:], names=list(self.names))
        events = EventBatch.from_arrow(values, attributes=self.names[0] if self.form is Form.MAP else None)
        # The schema was right, so a value is out of range. Leaving the attribute out would give wrong answers.
        for reason in events.unreadable.values():
            raise SourceError(reason)
        return events, []


def _form(kind: DataType, name: str) -> Form:
    from pyspark.sql.types import MapType, StringType, StructType, VariantType

    match kind:
        case StructType():
            return Form.STRUCT
        case StringType():
            return Form.JSON
        case VariantType():
            return Form.VARIANT
        case MapType(keyType=StringType(), valueType=values):
            _require_values(values, name)
            return Form.MAP
    raise SourceError(
        f"attributes={name!r} names a column of the type {kind.simpleString()}; "
        "it should be a map with string keys, a struct, a variant, or a string that holds a JSON object"
    )


def _struct(schema: StructType, name: str) -> StructType:
    from pyspark.sql.types import StructType

    kind = schema[name].dataType
    assert isinstance(kind, StructType)
    return kind


def _within(name: str, attribute: str) -> bool:
    """Whether a column holds an attribute: by its name, or as a nested one with a dotted name."""
    return attribute == name or attribute.startswith(f"{name}.")


def _require_values(kind: DataType, name: str) -> None:
    """Refuse a column whose values no condition could speak of."""
    from pyspark.sql import types

    match kind:
        case types.StructType(fields=fields):
            for field in fields:
                _require_values(field.dataType, f"{name}.{field.name}")
        case types.MapType(keyType=types.StringType(), valueType=values):
            _require_values(values, name)
        case types.ArrayType(elementType=element) if not isinstance(
            element, (types.ArrayType, types.MapType, types.StructType)
        ):
            _require_values(element, name)
        case (
            types.IntegralType()
            | types.FractionalType()
            | types.StringType()
            | types.BooleanType()
            | types.TimestampType()
            | types.TimestampNTZType()
            | types.DateType()
            | types.NullType()
        ):
            return
        case types.VariantType():
            raise SourceError(
                f"the column {name!r} is a variant: name it as attributes={name!r}, or cast it to what it holds"
            )
        case _:
            raise SourceError(
                f"the column {name!r} has the type {kind.simpleString()}, which conditions cannot compare; "
                "cast it to a number, string, boolean, timestamp or list of those, or leave it out"
            )


def _warn_of_unknown(wanted: frozenset[str], names: Iterable[str]) -> None:
    known = list(names)
    unknown = sorted(attribute for attribute in wanted if not any(_within(name, attribute) for name in known))
    if unknown:
        shown = ", ".join(repr(name) + did_you_mean(name, known) for name in unknown[:_NAMES_SHOWN])
        more = f" and {len(unknown) - _NAMES_SHOWN} more" if len(unknown) > _NAMES_SHOWN else ""
        logger.warning("conditions speak of attributes that no event has, so they are NULL: %s%s", shown, more)


def _from_variants(variants: pa.StructArray) -> tuple[EventBatch, list[Reject]]:
    events: list[dict[str, Value]] = []
    rows: list[int] = []
    rejects: list[Reject] = []
    for row, parts in enumerate(variants.to_pylist()):
        try:
            events.append(_attributes_of_variant(parts))
            rows.append(row)
        except (ValueError, OverflowError) as error:  # also PySpark's own, for bytes that are no variant
            rejects.append(Reject(row, str(error)))
    return EventBatch.from_events(events, pa.array(rows, pa.int64())), rejects


def _attributes_of_variant(parts: dict[str, bytes] | None) -> dict[str, Value]:
    from pyspark.sql.types import VariantVal

    if parts is None:
        raise ValueRefusedError("there is no variant here, found NULL")
    return attributes_from_object(VariantVal(parts["value"], parts["metadata"]).toPython())
