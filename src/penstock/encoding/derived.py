"""Derived attributes: arithmetic, functions, comparisons of two values; computed once per batch, column by column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.encoding.columns import (
    Column,
    ColumnBuilder,
    ListPart,
    Part,
    Rows,
    StringPart,
    microseconds,
    string_part,
    timestamp,
)
from penstock.errors import SourceError
from penstock.kernels.numbers import (
    ABSENT,
    ADD,
    DIVIDE,
    DOUBLE,
    INTEGER,
    MULTIPLY,
    SUBTRACT,
    Numbers,
    absolute_numbers,
    calculate_numbers,
    cast_numbers,
    compare_numbers,
)
from penstock.model.expressions import (
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    Call,
    Cast,
    ContextAttribute,
    Expression,
    Literal,
    Negation,
)
from penstock.model.functions import coalesce
from penstock.model.values import Scalar, Value

OPERATIONS: Final[dict[ArithmeticOperator, int]] = {"+": ADD, "-": SUBTRACT, "*": MULTIPLY, "/": DIVIDE}

NOTHING = Column()


class DerivedColumns:
    """The columns of a batch and of expressions over them; each expression is computed once."""

    def __init__(self, batch: EventBatch) -> None:
        self._batch = batch
        self._columns: dict[Expression, Column] = {}

    def __len__(self) -> int:
        return len(self._batch)

    def column(self, expression: Expression) -> Column:
        """The values of an expression in each row of the batch."""
        column = self._columns.get(expression)
        if column is None:
            column = self._columns[expression] = self._compute(expression)
        return column

    def _compute(self, expression: Expression) -> Column:
        match expression:
            case Attribute(name):
                return self._attribute(name)
            case Literal(value):
                return constant_column(value, len(self))
            case Negation(operand):
                # 0 - x would lose the sign of zero, which no comparison sees but a product of two could keep.
                return self._arithmetic("*", Literal(-1), operand)
            case Arithmetic(operator, left, right):
                return self._arithmetic(operator, left, right)
            case Call("abs", (operand,)):
                numbers = self.numbers(operand)
                absolute_numbers(numbers)
                return _number_column(numbers)
            case Cast(operand, kind):
                numbers = self.numbers(operand)
                cast_numbers(kind == "double", numbers)
                return _number_column(numbers)
            case Call("lower", (operand,)):
                return _map_strings(self.column(operand), str.lower)
            case Call("upper", (operand,)):
                return _map_strings(self.column(operand), str.upper)
            case Call(_, arguments):
                return _coalesce([self.column(argument) for argument in arguments], len(self))
            case ContextAttribute():
                raise AssertionError("context attributes have no column; conditions with them are refused before")

    def _attribute(self, name: str) -> Column:
        if name in self._batch.unreadable:
            raise SourceError(self._batch.unreadable[name])
        return self._batch.columns.get(name, NOTHING)

    def _arithmetic(self, operator: ArithmeticOperator, left: Expression, right: Expression) -> Column:
        result = _no_numbers(len(self))
        calculate_numbers(OPERATIONS[operator], self.numbers(left), self.numbers(right), result)
        return _number_column(result)

    def numbers(self, expression: Expression) -> Numbers:
        """The numbers among the values of an expression, in fresh arrays."""
        column = self.column(expression)
        numbers = _no_numbers(len(self))
        if column.integers is not None:
            numbers.kinds[column.integers.rows] = INTEGER
            numbers.integers[column.integers.rows] = column.integers.values
        if column.doubles is not None:
            numbers.kinds[column.doubles.rows] = DOUBLE
            numbers.doubles[column.doubles.rows] = column.doubles.values
        return numbers

    def signs(self, left: Expression, right: Expression) -> NDArray[np.int32]:
        """1, 2 or 3 in each row where left is less than, equal to or greater than right; 0 where that is unknown."""
        codes = np.zeros(len(self), dtype=np.int32)
        compare_numbers(self.numbers(left), self.numbers(right), codes)
        one, other = self.column(left), self.column(right)
        for mine, theirs in ((one.booleans, other.booleans), (one.timestamps, other.timestamps)):
            if mine is not None and theirs is not None:
                _compare_parts(mine.rows, mine.values, theirs.rows, theirs.values, codes)
        if one.strings is not None and other.strings is not None:
            ranks = pc.rank(pa.concat_arrays([one.strings.distinct, other.strings.distinct]), tiebreaker="dense")
            dense = ranks.to_numpy().astype(np.int64)
            mine_ranks = dense[: len(one.strings.distinct)][one.strings.codes]
            their_ranks = dense[len(one.strings.distinct) :][other.strings.codes]
            _compare_parts(one.strings.rows, mine_ranks, other.strings.rows, their_ranks, codes)
        return codes


def _compare_parts(
    rows: Rows,
    values: NDArray[np.generic],
    other_rows: Rows,
    other_values: NDArray[np.generic],
    codes: NDArray[np.int32],
) -> None:
    shared, mine, theirs = np.intersect1d(rows, other_rows, assume_unique=True, return_indices=True)
    left, right = values[mine].astype(np.int64), other_values[theirs].astype(np.int64)
    codes[shared] = 2 + (left > right) - (left < right)


def _no_numbers(size: int) -> Numbers:
    return Numbers(
        np.full(size, ABSENT, dtype=np.uint8), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.float64)
    )


def _number_column(numbers: Numbers) -> Column:
    integer_rows = np.flatnonzero(numbers.kinds == INTEGER).astype(np.int32)
    double_rows = np.flatnonzero(numbers.kinds == DOUBLE).astype(np.int32)
    return Column(
        integers=Part(integer_rows, numbers.integers[integer_rows]),
        doubles=Part(double_rows, numbers.doubles[double_rows]),
    )


def _map_strings(column: Column, change: Callable[[str], str]) -> Column:
    """A function of strings is computed once for each distinct one."""
    if column.strings is None:
        return NOTHING
    changed = pa.array([change(string) for string in column.strings.distinct.to_pylist()], pa.large_string())
    return Column(strings=StringPart(column.strings.rows, column.strings.codes, changed))


def _coalesce(columns: list[Column], size: int) -> Column:
    """The first value of each row: what a column adds to those before it are the rows that they lack."""
    if any(column.lists is not None for column in columns):
        return _coalesce_values(columns, size)
    missing = np.ones(size, dtype=np.bool_)
    pieces: list[Column] = []
    for column in columns:
        pieces.append(_restrict(column, missing))
        for rows in column.present():
            missing[rows] = False
    return _merge(pieces)


def _coalesce_values(columns: list[Column], size: int) -> Column:
    """The same value by value: lists are rarely coalesced."""
    builder = ColumnBuilder()
    for row, values in enumerate(zip(*(values_of(column, size) for column in columns), strict=True)):
        builder.append(row, coalesce(*values))
    return builder.build()


def _restrict(column: Column, wanted: NDArray[np.bool_]) -> Column:
    def part(whole: Part | None) -> Part | None:
        if whole is None:
            return None
        kept = wanted[whole.rows]
        return Part(whole.rows[kept], whole.values[kept])

    strings = column.strings
    if strings is not None:
        kept = wanted[strings.rows]
        strings = StringPart(strings.rows[kept], strings.codes[kept], strings.distinct)
    return Column(part(column.integers), part(column.doubles), strings, part(column.booleans), part(column.timestamps))


def _merge(columns: list[Column]) -> Column:
    def part(name: str) -> Part | None:
        parts: list[Part] = [found for column in columns if (found := getattr(column, name)) is not None]
        if not parts:
            return None
        return Part(np.concatenate([each.rows for each in parts]), np.concatenate([each.values for each in parts]))

    strings = [column.strings for column in columns if column.strings is not None]
    merged = None
    if strings:
        rows = np.concatenate([each.rows for each in strings])
        values = pa.concat_arrays([each.distinct.take(pa.array(each.codes)) for each in strings])
        merged = string_part(rows, values)
    return Column(part("integers"), part("doubles"), merged, part("booleans"), part("timestamps"))


def constant_column(value: Scalar | None, size: int) -> Column:
    """The same value in every row."""
    rows = np.arange(size, dtype=np.int32)
    match value:
        case None:
            return NOTHING
        case bool():
            return Column(booleans=Part(rows, np.full(size, value)))
        case int():
            return Column(integers=Part(rows, np.full(size, value, dtype=np.int64)))
        case float():
            return Column(doubles=Part(rows, np.full(size, value)))
        case str():
            return Column(strings=StringPart(rows, np.zeros(size, np.int32), pa.array([value], pa.large_string())))
        case _:
            return Column(timestamps=Part(rows, np.full(size, microseconds(value), dtype=np.int64)))


def rows_of(batch: EventBatch) -> list[dict[str, Value]]:
    """A batch back as dictionaries, for what has no faster way."""
    rows: list[dict[str, Value]] = [{} for _ in range(len(batch))]
    for name in batch.columns:
        for row, value in zip(rows, values_of(batch.columns[name], len(batch)), strict=True):
            if value is not None:
                row[name] = value
    return rows


def values_of(column: Column, size: int) -> list[Value]:
    """The values of a column as the reference evaluator takes them, for what has no faster way."""
    values: list[Value] = [None] * size
    for part in (column.integers, column.doubles, column.booleans):
        if part is not None:
            for row, value in zip(part.rows.tolist(), part.values.tolist(), strict=True):
                values[row] = value
    if column.timestamps is not None:
        for row, value in zip(column.timestamps.rows.tolist(), column.timestamps.values.tolist(), strict=True):
            values[row] = timestamp(value)
    if column.strings is not None:
        strings = column.strings.distinct.to_pylist()
        for row, code in zip(column.strings.rows.tolist(), column.strings.codes.tolist(), strict=True):
            values[row] = strings[code]
    if column.lists is not None:
        _list_values(column.lists, values)
    return values


def _list_values(lists: ListPart, values: list[Value]) -> None:
    items = values_of(lists.items, int(lists.offsets[-1]))
    for place, row in enumerate(lists.rows.tolist()):
        values[row] = tuple(items[lists.offsets[place] : lists.offsets[place + 1]])
