"""Fields: what conditions look at, each with a rank space, and their codes over a batch of events.

A field is a value of one kind (``price`` as a number), or something about values that is known only by computing it:
which of two is greater, whether one is there, whether a string fits a pattern. Most fields are plain attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.encoding.columns import Rows, StringPart, microseconds
from penstock.encoding.derived import DerivedColumns, values_of
from penstock.encoding.ranks import Codes, FixedSpace, NumberSpace, RankSpace, StringSpace
from penstock.model.conditions import ArrayContains, Like, Matches
from penstock.model.evaluation import truth_of
from penstock.model.expressions import Attribute, Expression, Literal
from penstock.model.patterns import compile_regex
from penstock.model.values import Kind, Value, kind_of

FALSE_CODE, TRUE_CODE = 1, 2
LESS_CODE, EQUAL_CODE, GREATER_CODE = 1, 2, 3
PRESENT_CODE = 1


class Encoded(NamedTuple):
    """The rows where a field is known and their codes."""

    rows: Rows
    codes: Codes


NOTHING_KNOWN = Encoded(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))


class Field(ABC):
    """Something that conditions look at."""

    @abstractmethod
    def new_space(self) -> RankSpace[Any]: ...

    @abstractmethod
    def encode(self, columns: DerivedColumns, space: Any) -> Encoded: ...


@dataclass(frozen=True, slots=True)
class NumberField(Field):
    """The value of an expression, where it is a number."""

    expression: Expression

    def new_space(self) -> NumberSpace:
        return NumberSpace()

    def encode(self, columns: DerivedColumns, space: NumberSpace) -> Encoded:
        column = columns.column(self.expression)
        pieces = []
        if column.integers is not None:
            pieces.append(Encoded(column.integers.rows, space.encode_integers(column.integers.values)))
        if column.doubles is not None:
            pieces.append(Encoded(column.doubles.rows, space.encode_doubles(column.doubles.values)))
        return _joined(pieces)


@dataclass(frozen=True, slots=True)
class TimestampField(Field):
    """The value of an expression, where it is a timestamp; operands are microseconds since 1970."""

    expression: Expression

    def new_space(self) -> NumberSpace:
        return NumberSpace()

    def encode(self, columns: DerivedColumns, space: NumberSpace) -> Encoded:
        part = columns.column(self.expression).timestamps
        return NOTHING_KNOWN if part is None else Encoded(part.rows, space.encode_integers(part.values))


@dataclass(frozen=True, slots=True)
class StringField(Field):
    """The value of an expression, where it is a string."""

    expression: Expression

    def new_space(self) -> StringSpace:
        return StringSpace()

    def encode(self, columns: DerivedColumns, space: StringSpace) -> Encoded:
        return _by_distinct(columns.column(self.expression).strings, space.encode)


@dataclass(frozen=True, slots=True)
class ReversedField(Field):
    """A string read backwards, so that a suffix is a prefix."""

    expression: Expression

    def new_space(self) -> StringSpace:
        return StringSpace()

    def encode(self, columns: DerivedColumns, space: StringSpace) -> Encoded:
        return _by_distinct(
            columns.column(self.expression).strings,
            lambda distinct: space.encode(pa.array([string[::-1] for string in distinct.to_pylist()], distinct.type)),
        )


@dataclass(frozen=True, slots=True)
class BooleanField(Field):
    """The value of an expression, where it is a boolean: FALSE_CODE or TRUE_CODE."""

    expression: Expression

    def new_space(self) -> FixedSpace:
        return FixedSpace(2)

    def encode(self, columns: DerivedColumns, space: FixedSpace) -> Encoded:  # noqa: ARG002 - codes are fixed
        part = columns.column(self.expression).booleans
        return NOTHING_KNOWN if part is None else Encoded(part.rows, _truth_codes(part.values))


@dataclass(frozen=True, slots=True)
class PresenceField(Field):
    """Whether an expression has a value."""

    expression: Expression

    def new_space(self) -> FixedSpace:
        return FixedSpace(1)

    def encode(self, columns: DerivedColumns, space: FixedSpace) -> Encoded:  # noqa: ARG002 - codes are fixed
        present = columns.column(self.expression).present()
        return _joined([Encoded(rows, np.full(len(rows), PRESENT_CODE, dtype=np.int32)) for rows in present])


@dataclass(frozen=True, slots=True)
class OrderField(Field):
    """Which of two expressions is greater: LESS_CODE, EQUAL_CODE or GREATER_CODE."""

    left: Expression
    right: Expression

    def new_space(self) -> FixedSpace:
        return FixedSpace(3)

    def encode(self, columns: DerivedColumns, space: FixedSpace) -> Encoded:  # noqa: ARG002 - codes are fixed
        return _known(columns.signs(self.left, self.right))


@dataclass(frozen=True, slots=True)
class PatternField(Field):
    """Whether a string fits a pattern that is no interval; asked once for each distinct string."""

    predicate: Like | Matches

    def new_space(self) -> FixedSpace:
        return FixedSpace(2)

    def encode(self, columns: DerivedColumns, space: FixedSpace) -> Encoded:  # noqa: ARG002 - codes are fixed
        fits = _test_of(self.predicate)
        return _by_distinct(
            columns.column(self.predicate.operand).strings,
            lambda distinct: _truth_codes(np.array([fits(string) for string in distinct.to_pylist()], dtype=np.bool_)),
        )


@dataclass(frozen=True, slots=True)
class ListField(Field):
    """Whether a list holds a value."""

    predicate: ArrayContains

    def new_space(self) -> FixedSpace:
        return FixedSpace(2)

    def encode(self, columns: DerivedColumns, space: FixedSpace) -> Encoded:  # noqa: ARG002 - codes are fixed
        match self.predicate:
            case ArrayContains(operand, Literal(value)):
                return _contains(columns, operand, value)
        operand, item = self.predicate.operand, self.predicate.item
        lists = values_of(columns.column(operand), len(columns))
        items = values_of(columns.column(item), len(columns))
        question = ArrayContains(Attribute("list"), Attribute("item"))
        codes = [
            _truth_code(truth_of(question, {"list": held, "item": wanted}, {}))
            for held, wanted in zip(lists, items, strict=True)
        ]
        return _known(np.array(codes, dtype=np.int32))


def _contains(columns: DerivedColumns, operand: Expression, value: Value) -> Encoded:
    """Where lists hold a value: TRUE if an item equals it, UNKNOWN if none does but some cannot be compared."""
    lists = columns.column(operand).lists
    if lists is None or value is None:
        return NOTHING_KNOWN
    items = lists.items
    kind = kind_of(value)
    parts: list[tuple[Rows, NDArray[np.bool_]]] = []
    if kind is Kind.NUMBER:
        space = NumberSpace()
        space.bound(space.key(value), 0)  # type: ignore[arg-type]
        if items.integers is not None:
            parts.append((items.integers.rows, space.encode_integers(items.integers.values) == EQUAL_CODE))
        if items.doubles is not None:
            parts.append((items.doubles.rows, space.encode_doubles(items.doubles.values) == EQUAL_CODE))
    elif kind is Kind.STRING and items.strings is not None:
        equal = np.array([string == value for string in items.strings.distinct.to_pylist()], dtype=np.bool_)
        parts.append((items.strings.rows, equal[items.strings.codes]))
    elif kind is Kind.BOOLEAN and items.booleans is not None:
        parts.append((items.booleans.rows, items.booleans.values == value))
    elif kind is Kind.TIMESTAMP and items.timestamps is not None:
        parts.append((items.timestamps.rows, items.timestamps.values == microseconds(value)))  # type: ignore[arg-type]
    count = len(lists.rows)
    comparable = np.zeros(count, dtype=np.int64)
    equal_items = np.zeros(count, dtype=np.int64)
    for places, equal in parts:
        holder = np.searchsorted(lists.offsets, places, side="right") - 1
        comparable += np.bincount(holder, minlength=count)
        equal_items += np.bincount(holder[equal], minlength=count)
    codes = np.where(equal_items > 0, TRUE_CODE, np.where(comparable == np.diff(lists.offsets), FALSE_CODE, 0))
    known = codes > 0
    return Encoded(lists.rows[known], codes[known].astype(np.int32))


def _test_of(predicate: Like | Matches) -> Callable[[str], bool]:
    match predicate:
        case Matches(_, regex):
            search = compile_regex(regex).search
            return lambda string: search(string) is not None
        case Like(_, pattern, True):
            lowered = pattern.lower()
            return lambda string: lowered.matches(string.lower())
        case Like(_, pattern):
            return pattern.matches


def _by_distinct(strings: StringPart | None, encode: Callable[[pa.LargeStringArray], Codes]) -> Encoded:
    if strings is None:
        return NOTHING_KNOWN
    return Encoded(strings.rows, encode(strings.distinct)[strings.codes])


def _truth_codes(values: NDArray[Any]) -> Codes:
    return np.where(values, TRUE_CODE, FALSE_CODE).astype(np.int32)


def _truth_code(truth: bool | None) -> int:
    return 0 if truth is None else TRUE_CODE if truth else FALSE_CODE


def _known(codes: Codes) -> Encoded:
    rows = np.flatnonzero(codes).astype(np.int32)
    return Encoded(rows, codes[rows])


def _joined(pieces: Sequence[Encoded]) -> Encoded:
    if not pieces:
        return NOTHING_KNOWN
    return Encoded(np.concatenate([piece.rows for piece in pieces]), np.concatenate([piece.codes for piece in pieces]))


class FieldTable:
    """The dictionary of fields: a number and a rank space for each."""

    def __init__(self) -> None:
        self._numbers: dict[Field, int] = {}
        self.fields: list[Field] = []
        self.spaces: list[RankSpace[Any]] = []

    def __len__(self) -> int:
        return len(self.fields)

    def number(self, field: Field) -> int:
        """The number of a field, which is added when it is new."""
        number = self._numbers.get(field)
        if number is None:
            number = self._numbers[field] = len(self.fields)
            self.fields.append(field)
            self.spaces.append(field.new_space())
        return number

    def encode(self, columns: DerivedColumns, number: int) -> Encoded:
        """The codes of one field over a batch."""
        return self.fields[number].encode(columns, self.spaces[number])
