"""Many conditions at once as columns: conjunctions of plain comparisons, without an object for each predicate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.fields import StringField
from penstock.encoding.order_keys import keys_of_doubles, keys_of_integers
from penstock.indexes.boolean.partitions import FilingColumns, chosen
from penstock.indexes.boolean.predicates import COMPARISON_OPERATORS, Operator
from penstock.indexes.boolean.vocabulary import Vocabulary
from penstock.model.conditions import And, Between, Comparison, Condition, In
from penstock.model.expressions import Attribute, Literal

_AT_LEAST, _AT_MOST, _EQUAL = int(Operator.AT_LEAST), int(Operator.AT_MOST), int(Operator.EQUAL)
_OPERATORS = {sign: int(operator) for sign, operator in COMPARISON_OPERATORS.items()}


class Translated(NamedTuple):
    """Conditions that are conjunctions of plain comparisons, as columns, and the places of all others."""

    plain: NDArray[np.int64]
    parts: NDArray[np.int16]
    filings: FilingColumns
    others: list[int]


class _Gathered:
    """Predicates of plain comparisons, appended one by one."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._string_fields: dict[str, int] = {}
        self.operators: list[int] = []
        self.fields: list[int] = []
        self.parts: list[int] = []
        self.values: list[Any] = []

    def add(self, condition: Condition) -> bool:
        """Append the predicates of a condition; ``False`` and nothing appended if it is of another form."""
        begin = len(self.fields)
        part = 0
        for child in condition.children if type(condition) is And else (condition,):
            if not self._add_part(part, child):
                for column in (self.operators, self.fields, self.parts, self.values):
                    del column[begin:]
                return False
            part += 2 if type(child) is Between else 1
        return True

    def _add_part(self, part: int, child: Condition) -> bool:
        kind = type(child)
        if kind is Comparison:
            right = child.right  # type: ignore[union-attr]
            if type(right) is Literal:
                return self._append(_OPERATORS[child.operator], part, child.left, right.value)  # type: ignore[union-attr]
            return False
        if kind is Between:
            low, high = child.low, child.high  # type: ignore[union-attr]
            if type(low) is not Literal or type(high) is not Literal:
                return False
            operand = child.operand  # type: ignore[union-attr]
            return self._append(_AT_LEAST, part, operand, low.value) and self._append(
                _AT_MOST, part + 1, operand, high.value
            )
        if kind is In:
            values = dict.fromkeys(
                item.value if type(item) is Literal else None
                for item in child.items  # type: ignore[union-attr]
            )
            if any(value != value for value in values):  # NaN equals itself here, not in Python
                return False
            return all(self._append(_EQUAL, part, child.operand, value) for value in values)  # type: ignore[union-attr]
        return False

    def _append(self, operator: int, part: int, expression: Any, value: Any) -> bool:
        if type(expression) is not Attribute:
            return False
        kind = type(value)
        if kind is int or kind is float:
            field = self._vocabulary.number_field(expression)
        elif kind is str:
            known = self._string_fields.get(expression.name)
            if known is None:
                known = self._string_fields[expression.name] = self._vocabulary.number(StringField(expression))
            field = known
        else:
            return False
        self.operators.append(operator)
        self.fields.append(field)
        self.parts.append(part)
        self.values.append(value)
        return True


def translate_many(conditions: Sequence[Condition], vocabulary: Vocabulary) -> Translated:
    """The conditions that are conjunctions of comparisons of attributes with constants, as columns."""
    gathered = _Gathered(vocabulary)
    plain: list[int] = []
    sizes: list[int] = []
    others: list[int] = []
    end = 0
    for place, condition in enumerate(conditions):
        if gathered.add(condition):
            plain.append(place)
            sizes.append(len(gathered.fields) - end)
            end = len(gathered.fields)
        else:
            others.append(place)
    operands, exact = _operands(gathered, vocabulary)
    return _without_inexact(plain, sizes, others, gathered, operands, exact)


def _operands(gathered: _Gathered, vocabulary: Vocabulary) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    values = gathered.values
    operands = np.zeros(len(values), dtype=np.int64)
    exact = np.ones(len(values), dtype=np.bool_)
    kinds = np.fromiter((0 if type(value) is int else 1 if type(value) is float else 2 for value in values), np.int8)
    integers = np.flatnonzero(kinds == 0)
    operands[integers], exact[integers] = keys_of_integers(_chosen(values, integers, np.int64))
    doubles = np.flatnonzero(kinds == 1)
    operands[doubles], exact[doubles] = keys_of_doubles(_chosen(values, doubles, np.float64))
    by_field: dict[int, list[int]] = {}
    for place in np.flatnonzero(kinds == 2).tolist():
        by_field.setdefault(gathered.fields[place], []).append(place)
    for field, places in by_field.items():
        operands[places] = vocabulary.label_many(field, [values[place].encode() for place in places])
    return operands, exact


def _chosen(values: list[Any], places: NDArray[np.int64], dtype: type[np.generic]) -> NDArray[Any]:
    if len(places) == len(values):
        return np.array(values, dtype=dtype)
    return np.array([values[place] for place in places.tolist()], dtype=dtype)


def _without_inexact(
    plain: list[int],
    sizes: list[int],
    others: list[int],
    gathered: _Gathered,
    operands: NDArray[np.int64],
    exact: NDArray[np.bool_],
) -> Translated:
    """Columns of the conditions whose operands all have keys of their own; the rest joins the others."""
    places, counts = np.array(plain, dtype=np.int64), np.array(sizes, dtype=np.int64)
    owners = np.repeat(np.arange(len(places)), counts)
    columns = FilingColumns(
        owners,
        np.array(gathered.operators, dtype=np.int8),
        np.array(gathered.fields, dtype=np.int32),
        operands,
        np.array(gathered.parts, dtype=np.int32),
    )
    if not exact.all():
        served = np.ones(len(places), dtype=np.bool_)
        served[owners[~exact]] = False
        others = sorted(others + places[~served].tolist())
        kept = served[owners]
        renumbered = np.cumsum(served) - 1
        columns = chosen(columns, kept)
        columns = columns._replace(owners=renumbered[columns.owners])
        places = places[served]
    last = np.searchsorted(columns.owners, np.arange(len(places)), side="right") - 1
    return Translated(places, (columns.parts[last] + 1).astype(np.int16), columns, others)
