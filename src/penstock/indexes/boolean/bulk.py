"""Many conditions at once as columns: conjunctions of plain comparisons, without an object for each predicate."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.fields import StringField
from penstock.encoding.order_keys import keys_of_doubles, keys_of_integers
from penstock.indexes.boolean.partitions import FilingColumns, chosen
from penstock.indexes.boolean.predicates import COMPARISON_OPERATORS, Operator
from penstock.indexes.boolean.vocabulary import Vocabulary
from penstock.kernels.predicate_lists import MOST_PARTS
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
    """Predicates of plain comparisons, appended one by one to compact columns."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._number_fields = vocabulary.number_fields
        self._string_fields: dict[str, int] = {}
        self.operators = array("b")
        self.fields = array("i")
        self.parts = array("h")
        self.integers = array("q")
        """The operand of each predicate, where it is an integer; 0 elsewhere."""
        self.doubles: dict[int, float] = {}
        self.strings: dict[int, str] = {}

    def add(self, condition: Condition) -> bool:
        """Append the predicates of a condition; ``False`` and nothing appended if it is of another form."""
        children = condition.children if type(condition) is And else (condition,)
        if 2 * len(children) > MOST_PARTS:
            return False
        begin = len(self.fields)
        part = 0
        for child in children:
            # Most predicates of most subscriptions compare an attribute with an integer: this is all of their cost.
            if type(child) is Comparison and type(child.right) is Literal and type(child.left) is Attribute:
                value: Any = child.right.value
                if type(value) is int:
                    field = self._number_fields.get(child.left.name)
                    if field is None:
                        field = self._vocabulary.number_field(child.left)
                    self.fields.append(field)
                    self.integers.append(value)
                    self.operators.append(_OPERATORS[child.operator])
                    self.parts.append(part)
                    part += 1
                    continue
            if not self._add_part(part, child):
                self._take_back(begin)
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
        if kind is int:
            self.fields.append(self._vocabulary.number_field(expression))
            self.integers.append(value)
        elif kind is float:
            self.doubles[len(self.fields)] = value
            self.fields.append(self._vocabulary.number_field(expression))
            self.integers.append(0)
        elif kind is str:
            self.strings[len(self.fields)] = value
            self.fields.append(self._string_field(expression))
            self.integers.append(0)
        else:
            return False
        self.operators.append(operator)
        self.parts.append(part)
        return True

    def _string_field(self, attribute: Attribute) -> int:
        number = self._string_fields.get(attribute.name)
        if number is None:
            number = self._string_fields[attribute.name] = self._vocabulary.number(StringField(attribute))
        return number

    def _take_back(self, begin: int) -> None:
        for place in range(begin, len(self.fields)):
            self.doubles.pop(place, None)
            self.strings.pop(place, None)
        for column in (self.operators, self.fields, self.parts, self.integers):
            del column[begin:]


def translate_many(conditions: Iterable[Condition], vocabulary: Vocabulary) -> Translated:
    """The conditions that are conjunctions of comparisons of attributes with constants, as columns."""
    gathered = _Gathered(vocabulary)
    plain, sizes = array("q"), array("i")
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
    return _without_inexact(np.array(plain), np.array(sizes), others, gathered, operands, exact)


def _operands(gathered: _Gathered, vocabulary: Vocabulary) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    operands, exact = keys_of_integers(np.array(gathered.integers))
    if gathered.doubles:
        places = np.fromiter(gathered.doubles, np.int64)
        operands[places] = keys_of_doubles(np.fromiter(gathered.doubles.values(), np.float64)).keys
    by_field: dict[int, list[int]] = {}
    for place in gathered.strings:
        by_field.setdefault(gathered.fields[place], []).append(place)
    for field, mine in by_field.items():
        operands[mine] = vocabulary.label_many(field, [gathered.strings[place].encode() for place in mine])
    return operands, exact


def _without_inexact(
    places: NDArray[np.int64],
    sizes: NDArray[np.int32],
    others: list[int],
    gathered: _Gathered,
    operands: NDArray[np.int64],
    exact: NDArray[np.bool_],
) -> Translated:
    """Columns of the conditions whose operands all have keys of their own; the rest joins the others."""
    owners = np.repeat(np.arange(len(places)), sizes)
    columns = FilingColumns(
        owners,
        np.array(gathered.operators),
        np.array(gathered.fields),
        operands,
        np.array(gathered.parts).astype(np.int32),
    )
    last = np.searchsorted(owners, np.arange(len(places)), side="right") - 1
    translated = Translated(places, (columns.parts[last] + 1).astype(np.int16), columns, others)
    served = np.ones(len(places), dtype=np.bool_)
    served[owners[~exact]] = False
    return only(translated, served)


def only(translated: Translated, served: NDArray[np.bool_]) -> Translated:
    """Some of the conditions as columns; the rest joins the others."""
    if served.all():
        return translated
    filings = chosen(translated.filings, served[translated.filings.owners])
    renumbered = np.cumsum(served) - 1
    return Translated(
        translated.plain[served],
        translated.parts[served],
        filings._replace(owners=renumbered[filings.owners]),
        sorted(translated.others + translated.plain[~served].tolist()),
    )
