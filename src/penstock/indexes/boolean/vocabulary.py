"""The fields that clauses speak of, and what events know of them: keys in an order, field by field.

Operands here are keys that never change: numbers as :mod:`~penstock.encoding.order_keys` has them, timestamps as
microseconds, strings as :mod:`~penstock.encoding.labels`, all else as small codes. So a clause can join a structure at
any time without the others being looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field as dataclass_field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.encoding.columns import Column, Rows, microseconds
from penstock.encoding.derived import DerivedColumns
from penstock.encoding.fields import (
    Encoded,
    Field,
    ListField,
    NumberField,
    OrderField,
    PatternField,
    PresenceField,
    StringField,
    TimestampField,
)
from penstock.encoding.labels import StringLabels
from penstock.encoding.order_keys import (
    LARGEST_SURELY_EXACT,
    OrderKeys,
    key_of_number,
    keys_of_doubles,
    keys_of_integers,
)
from penstock.encoding.ranks import FixedSpace, RankSpace
from penstock.encoding.sparse import Entries, SparseColumns
from penstock.indexes.boolean.operators import LIST_OPERATORS, ListOperator, PredicateList, looked_at
from penstock.kernels.event_keys import EventKeys, order_by_event
from penstock.language.rendering import expression_to_text, to_text
from penstock.model.conditions import Comparison, Condition, IsNull, attributes_of
from penstock.model.expressions import Attribute, Expression, Literal
from penstock.model.values import clean_attributes


class LabelsChangedError(Exception):
    """The labels of a field were spread anew while a condition was being translated: begin again."""


class Listed(NamedTuple):
    """A predicate of an operator with lists of its own: which operator, field and operand it is, as numbers."""

    operator: int
    field: int
    operand: int


@dataclass(frozen=True, slots=True)
class ListedField(Field):
    """The operands of a list operator that a string satisfies: a field with any number of keys."""

    operator: int
    expression: Expression

    def new_space(self) -> RankSpace[Any]:
        return FixedSpace(0)

    def encode(self, columns: DerivedColumns, space: Any) -> Encoded:
        raise NotImplementedError("a field with several keys has no single code")


@dataclass(slots=True)
class _Operands:
    """The operands of a list operator on one expression: their numbers, and how many subscriptions use each."""

    entries: PredicateList[Any]
    numbers: dict[Hashable, int] = dataclass_field(default_factory=dict)
    operands: dict[int, Hashable] = dataclass_field(default_factory=dict)
    uses: dict[int, int] = dataclass_field(default_factory=dict)
    next_number: int = 0


class _Piece(NamedTuple):
    """What some rows know of one field, or of a field each."""

    rows: Rows
    fields: NDArray[np.int32] | int
    keys: NDArray[np.int64]
    exact: NDArray[np.bool_] | bool


Relabelled = Callable[[int, Mapping[int, int]], None]
"""Told of a field whose labels changed, and how."""


class Vocabulary:
    """Fields under numbers, with what is needed to find their keys in events."""

    always = 0
    """The number of a field that every event knows: where clauses go that ask for nothing that must be there."""

    def __init__(
        self,
        relabelled: Relabelled = lambda field, labels: None,  # noqa: ARG005
        operators: Sequence[ListOperator[Any]] = LIST_OPERATORS,
    ) -> None:
        self.operators = tuple(operators)
        self.fields: list[Field] = []
        self._numbers: dict[Field, int] = {}
        self.number_fields: dict[str, int] = {}
        """The fields that are an attribute as a number, by its name: most fields of most subscriptions."""
        self._by_attribute: dict[str, list[int]] = {}
        """All other fields that look at one attribute and nothing else."""
        self._derived: list[int] = []
        self._labels: dict[int, StringLabels] = {}
        self._operands: dict[int, _Operands] = {}
        self._unused: list[tuple[int, int]] = []
        self._relabelled = relabelled
        self.number(PresenceField(Literal(True)))

    def __len__(self) -> int:
        return len(self.fields)

    # Building

    def number(self, field: Field) -> int:
        """The number of a field, which is added when it is new."""
        number = self._numbers.get(field)
        if number is not None:
            return number
        if isinstance(field, NumberField) and isinstance(field.expression, Attribute):
            return self.number_field(field.expression)
        number = self._add(field)
        expression = getattr(field, "expression", None)
        if number == self.always:
            return number
        if isinstance(expression, Attribute):
            self._by_attribute.setdefault(expression.name, []).append(number)
        else:
            self._derived.append(number)
        if isinstance(field, StringField):
            self._labels[number] = StringLabels()
        return number

    def number_field(self, attribute: Attribute) -> int:
        """The number of the field that is an attribute as a number."""
        number = self.number_fields.get(attribute.name)
        if number is None:
            number = self.number_fields[attribute.name] = self._add(NumberField(attribute))
        return number

    def label(self, field: int, operand: bytes) -> int:
        """The label of a string operand, which is added when it is new."""
        labels = self._labels[field]
        label = labels.add(operand)
        if label is None:
            self._relabelled(field, labels.add_many([operand]))
            raise LabelsChangedError
        return label

    def label_many(self, field: int, operands: Sequence[bytes]) -> list[int]:
        """The labels of many string operands, those that are new added at once."""
        labels = self._labels[field]
        if any(labels.find(operand) is None for operand in operands):
            changed = labels.add_many(operands)
            if changed:
                self._relabelled(field, changed)
        return [labels.find(operand) for operand in operands]  # type: ignore[misc]

    def listed(self, predicate: Condition) -> Listed | None:
        """A predicate as one of an operator with lists of its own, if it is one.

        Its operand stays only if it is retained before the next call of :meth:`forget_unused`.
        """
        for operator, each in enumerate(self.operators):
            operand = each.recognise(predicate)
            if operand is not None:
                field = self.number(ListedField(operator, looked_at(predicate)))
                return Listed(operator, field, self._operand(field, operand, each))
        return None

    def retain(self, field: int, number: int) -> None:
        """One subscription more that uses an operand of a list operator."""
        self._operands[field].uses[number] += 1

    def release(self, field: int, number: int) -> None:
        """One subscription less that uses an operand of a list operator."""
        self._operands[field].uses[number] -= 1
        self._unused.append((field, number))
        self.forget_unused()

    def forget_unused(self) -> None:
        """Forget the operands of list operators that came or were released lately and that nothing uses."""
        for field, number in self._unused:
            operands = self._operands[field]
            if operands.uses.get(number) == 0:
                del operands.uses[number]
                operand = operands.operands.pop(number)
                del operands.numbers[operand]
                operands.entries.delete(operand)
        self._unused.clear()

    def is_string(self, field: int) -> bool:
        """Whether the keys of a field are labels of strings."""
        return field in self._labels

    def has_lists(self, field: int) -> bool:
        """Whether the keys of a field are operands of a list operator."""
        return field in self._operands

    def keep_only_strings(self, fields: NDArray[np.int32], operands: NDArray[np.int64]) -> None:
        """Forget the string operands that no predicate uses; these are the fields and operands of all that are left."""
        for field, labels in self._labels.items():
            labels.keep_only(np.unique(operands[fields == field]))

    def attributes(self, field: int) -> frozenset[str]:
        """The attributes that a field looks at."""
        match self.fields[field]:
            case OrderField(left, right):
                return attributes_of(Comparison("=", left, right))
            case PatternField(predicate) | ListField(predicate):
                return attributes_of(predicate)
            case other:
                return attributes_of(IsNull(other.expression))  # type: ignore[attr-defined]

    def describe(self, field: int) -> str:
        """A field for people."""
        if field == self.always:
            return "every event"
        match self.fields[field]:
            case OrderField(left, right):
                return f"{expression_to_text(left)} against {expression_to_text(right)}"
            case PatternField(predicate) | ListField(predicate):
                return to_text(predicate)
            case other:
                return expression_to_text(other.expression)  # type: ignore[attr-defined]

    def bytes_used(self) -> int:
        return sum(labels.bytes_used() for labels in self._labels.values())

    def _add(self, field: Field) -> int:
        number = self._numbers[field] = len(self.fields)
        self.fields.append(field)
        return number

    def _operand(self, field: int, operand: Hashable, operator: ListOperator[Any]) -> int:
        operands = self._operands.get(field)
        if operands is None:
            operands = self._operands[field] = _Operands(operator.new_list())
        number = operands.numbers.get(operand)
        if number is None:
            number = operands.numbers[operand] = operands.next_number
            operands.next_number += 1
            operands.operands[number] = operand
            operands.uses[number] = 0
            operands.entries.insert(operand, number)
            self._unused.append((field, number))
        return number

    # Events

    def encode(self, batch: EventBatch) -> EventKeys:
        """What each event of a batch knows, by event."""
        pieces = [_Piece(np.arange(len(batch), dtype=np.int32), self.always, np.zeros(len(batch), np.int64), True)]
        pieces.extend(self._number_pieces(batch))
        columns = DerivedColumns(batch)
        names = self._by_attribute.keys() & batch.columns.keys()
        for name in (*names, *(self._by_attribute.keys() & batch.unreadable.keys())):
            for field in self._by_attribute[name]:
                pieces.extend(self._field_pieces(field, columns))
        for field in self._derived:
            pieces.extend(self._field_pieces(field, columns))
        return _joined(pieces, len(batch))

    def encode_event(self, event: Mapping[str, object]) -> EventKeys:
        """What one event knows. Faster than a batch of one where all that is asked is numbers and strings."""
        clean = clean_attributes(event)
        if self._derived:
            return self.encode(EventBatch.from_clean([clean], None, 1))
        fields: list[int] = []
        numbers: list[float] = []
        other_fields, other_keys, other_exact = [self.always], [0], [True]
        for name, value in clean.items():
            kind = type(value)
            if (kind is int or kind is float) and name in self.number_fields:
                fields.append(self.number_fields[name])
                numbers.append(value)  # type: ignore[arg-type]
            for field in self._by_attribute.get(name, ()):
                for key, on in self._keys_of_value(field, value):
                    other_fields.append(field)
                    other_keys.append(key)
                    other_exact.append(on)
        keys, exact = _keys_of_numbers(numbers)
        return EventKeys(
            np.array([0, len(fields) + len(other_fields)], dtype=np.int64),
            np.array(fields + other_fields, dtype=np.int32),
            np.concatenate([keys, np.array(other_keys, dtype=np.int64)]),
            np.concatenate([exact, np.array(other_exact, dtype=np.bool_)]),
        )

    def _keys_of_value(self, number: int, value: Any) -> Sequence[tuple[int, bool]]:
        """The keys of a field that looks at an attribute, for one value of it."""
        if value is None:
            return ()
        if number in self._operands:
            return [(key, True) for key in self._operands[number].entries.match(value)] if type(value) is str else ()
        if number in self._labels:
            return (self._labels[number].key_of(value),) if type(value) is str else ()
        if isinstance(self.fields[number], TimestampField):
            return ((microseconds(value), True),) if type(value) is datetime else ()
        batch = EventBatch.from_clean([{self.fields[number].expression.name: value}], None, 1)  # type: ignore[attr-defined]
        pieces = self._field_pieces(number, DerivedColumns(batch))
        return [(int(key), True) for piece in pieces for key in piece.keys]

    def _number_pieces(self, batch: EventBatch) -> list[_Piece]:
        """All plain numbers at once: fields may be many thousands."""
        known = self.number_fields
        columns = batch.columns
        if isinstance(columns, SparseColumns):
            fields = np.array([known.get(name, -1) for name in columns.names], dtype=np.int32)
            parts = [part for part in (columns.integers, columns.doubles) if part is not None]
            return [piece for part in parts for piece in _entry_pieces(part, fields)]
        pieces = []
        for name in batch.unreadable.keys() & known.keys():
            DerivedColumns(batch).column(Attribute(name))  # says why it cannot be read
        for kind in ("integers", "doubles"):
            found = [
                (known[name], part)
                for name, column in columns.items()
                if name in known and (part := getattr(column, kind)) is not None
            ]
            if found:
                rows = np.concatenate([part.rows for _, part in found])
                fields = np.repeat(np.array([field for field, _ in found]), [len(part.rows) for _, part in found])
                keys = _number_keys(np.concatenate([part.values for _, part in found]))
                pieces.append(_Piece(rows, fields.astype(np.int32), keys.keys, keys.exact))
        return pieces

    def _field_pieces(self, number: int, columns: DerivedColumns) -> list[_Piece]:
        field = self.fields[number]
        match field:
            case NumberField(expression):
                column = columns.column(expression)
                parts = [part for part in (column.integers, column.doubles) if part is not None]
                return [_Piece(part.rows, number, *_number_keys(part.values)) for part in parts]
            case TimestampField(expression):
                part = columns.column(expression).timestamps
                return [] if part is None else [_Piece(part.rows, number, part.values, True)]
            case StringField(expression):
                return self._string_pieces(number, columns.column(expression))
            case ListedField(_, expression):
                return self._listed_pieces(number, columns.column(expression))
            case _:
                rows, codes = field.encode(columns, field.new_space())
                return [_Piece(rows, number, codes.astype(np.int64), True)]

    def _string_pieces(self, number: int, column: Column) -> list[_Piece]:
        strings = column.strings
        if strings is None:
            return []
        keys, exact = self._labels[number].keys_of(strings.distinct)
        return [_Piece(strings.rows, number, keys[strings.codes], exact[strings.codes])]

    def _listed_pieces(self, number: int, column: Column) -> list[_Piece]:
        strings = column.strings
        operands = self._operands.get(number)
        if strings is None or operands is None or not operands.uses:
            return []
        answers = [operands.entries.match(string) for string in strings.distinct.to_pylist()]
        counts = np.array([len(answer) for answer in answers], dtype=np.int64)
        begins = np.cumsum(counts) - counts
        flat = np.array([number for answer in answers for number in answer], dtype=np.int64)
        sizes = counts[strings.codes]
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = np.arange(int(sizes.sum())) - first + np.repeat(begins[strings.codes], sizes)
        return [_Piece(np.repeat(strings.rows, sizes), number, flat[places], True)]


def _entry_pieces(entries: Entries, fields: NDArray[np.int32]) -> list[_Piece]:
    mine = fields[entries.names]
    kept = mine >= 0
    return [_Piece(entries.rows[kept], mine[kept], *_number_keys(entries.values[kept]))]


def _keys_of_numbers(values: list[float]) -> OrderKeys:
    doubles = np.array(values, dtype=np.float64)
    if (np.abs(doubles) < LARGEST_SURELY_EXACT).all():  # NaN is not
        return keys_of_doubles(doubles)
    found = [key_of_number(value) for value in values]
    return OrderKeys(np.array([key for key, _ in found], np.int64), np.array([exact for _, exact in found], np.bool_))


def _number_keys(values: NDArray[Any]) -> OrderKeys:
    return keys_of_integers(values) if values.dtype == np.int64 else keys_of_doubles(values)


def _joined(pieces: Sequence[_Piece], events: int) -> EventKeys:
    sizes = [len(piece.rows) for piece in pieces]
    total = sum(sizes)
    fields, exact = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.bool_)
    end = 0
    for piece, size in zip(pieces, sizes, strict=True):
        fields[end : end + size] = piece.fields
        exact[end : end + size] = piece.exact
        end += size
    rows = np.concatenate([piece.rows for piece in pieces])
    keys = np.concatenate([piece.keys for piece in pieces])
    return order_by_event(events, rows, fields, keys, exact)
