"""Leaves of conditions that refer to a context: at any moment each is an interval of what an event holds.

``quantity <= context.stock`` asks of the event's quantity to lie at most at the stock, wherever that is now. A leaf
that compares an expression over the event with one over the context is such a reading; so is a leaf over the context
alone, which holds for all events or for none.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum
from typing import Final, NamedTuple

from penstock.encoding.columns import microseconds
from penstock.encoding.fields import FALSE_CODE, TRUE_CODE, BooleanField, NumberField, StringField, TimestampField
from penstock.encoding.order_keys import LARGEST_SURELY_EXACT, key_of_number
from penstock.indexes.boolean.vocabulary import Vocabulary
from penstock.model.conditions import (
    MIRRORED,
    And,
    Comparison,
    ComparisonOperator,
    Condition,
    IsNull,
    Not,
    Or,
    attributes_of,
    context_attributes_of,
)
from penstock.model.evaluation import truth_of, value_of
from penstock.model.expressions import Arithmetic, Attribute, ContextAttribute, Expression, Literal
from penstock.model.values import Value

UNKNOWN: Final = -(2**63)
"""The key of a field that an event does not know."""
FIRST: Final = UNKNOWN + 1
LAST: Final = 2**63 - 1

MOST_EXACT_SUM: Final = LARGEST_SURELY_EXACT // 2
"""Two integers that are not larger than this have a sum that is exact as a double."""


class Reading(IntEnum):
    """What a leaf makes of the value of its side over the context."""

    LESS = 0
    AT_MOST = 1
    GREATER = 2
    AT_LEAST = 3
    EQUAL = 4
    KNOWN = 5
    """The comparison is TRUE or FALSE."""
    UNKNOWN = 6
    """The comparison is neither."""
    TRUTH = 7
    """The leaf is over the context alone: it holds for all events, or for none."""


_READINGS: Final[dict[ComparisonOperator, Reading]] = {
    "<": Reading.LESS,
    "<=": Reading.AT_MOST,
    ">": Reading.GREATER,
    ">=": Reading.AT_LEAST,
    "=": Reading.EQUAL,
}


class KeyInterval(NamedTuple):
    """The keys of a field, from ``low`` to ``high``, that satisfy something; none when ``low`` is above ``high``."""

    field: int
    low: int
    high: int


class ContextLeaf(NamedTuple):
    """A leaf that refers to a context."""

    reading: Reading
    event_side: Expression
    context_side: Expression | Condition
    offset: float | None
    """What is added to the one context attribute that the leaf refers to; ``None`` where it does something else."""

    @property
    def names(self) -> frozenset[str]:
        """The context attributes that it refers to."""
        side = self.context_side
        if self.reading is Reading.TRUTH:
            return context_attributes_of(side)  # type: ignore[arg-type]
        return context_attributes_of(IsNull(side))

    def interval(self, context: Mapping[str, Value], vocabulary: Vocabulary) -> KeyInterval:
        """What satisfies the leaf under a context."""
        if self.reading is Reading.TRUTH:
            holds = truth_of(self.context_side, {}, context) is True  # type: ignore[arg-type]
            return KeyInterval(vocabulary.always, UNKNOWN if holds else LAST, LAST if holds else UNKNOWN)
        value = value_of(self.context_side, {}, context)  # type: ignore[arg-type]
        return _interval(self.reading, self.event_side, value, vocabulary)


def context_leaf(leaf: Condition) -> ContextLeaf | None:
    """A leaf of a two-valued tree that refers to a context as a reading of it; ``None`` if it is none."""
    if not attributes_of(leaf):
        return ContextLeaf(Reading.TRUTH, Literal(None), leaf, None)
    match leaf:
        case Comparison(operator, left, right) if operator in _READINGS:
            return _comparison(_READINGS[operator], operator, left, right)
        case Not(IsNull(Comparison(operator, left, right))):
            return _comparison(Reading.KNOWN, operator, left, right)
        case IsNull(Comparison(operator, left, right)):
            return _comparison(Reading.UNKNOWN, operator, left, right)
    return None


def differences_apart(condition: Condition) -> Condition:
    """``!=`` with a context as what lies below and what lies above: an interval each."""
    match condition:
        case And(children) | Or(children):
            return type(condition)(tuple(differences_apart(child) for child in children))
        case Comparison("!=", left, right) if context_attributes_of(condition) and attributes_of(condition):
            return Or((Comparison("<", left, right), Comparison(">", left, right)))
        case _:
            return condition


def _comparison(
    reading: Reading, operator: ComparisonOperator, left: Expression, right: Expression
) -> ContextLeaf | None:
    sides = _names(left), _names(right)
    match sides:
        case ((True, False), (False, True)):
            return ContextLeaf(reading, left, right, _offset(right))
        case ((False, True), (True, False)):
            turned = _READINGS[MIRRORED[operator]] if reading < Reading.KNOWN else reading
            return ContextLeaf(turned, right, left, _offset(left))
        case _:
            return None


def _names(side: Expression) -> tuple[bool, bool]:
    """Whether a side refers to the event, and whether to the context."""
    return bool(attributes_of(IsNull(side))), bool(context_attributes_of(IsNull(side)))


def _offset(side: Expression) -> float | None:
    match side:
        case ContextAttribute():
            return 0.0
        case Arithmetic("+", ContextAttribute(), Literal(value)) | Arithmetic("+", Literal(value), ContextAttribute()):
            return _plain(value)
        case Arithmetic("-", ContextAttribute(), Literal(value)):
            plain = _plain(value)
            return None if plain is None else -plain
        case _:
            return None


def _plain(value: object) -> float | None:
    if type(value) is float or (type(value) is int and abs(value) <= MOST_EXACT_SUM):
        return float(value)
    return None


def is_plain_number(value: object) -> bool:
    """Whether a context value is a number that can be added to as a double, exactly."""
    return type(value) is float or (type(value) is int and abs(value) <= MOST_EXACT_SUM)


def _interval(reading: Reading, side: Expression, value: Value, vocabulary: Vocabulary) -> KeyInterval:
    field, key, exact = _key(side, value, vocabulary)
    if field is None:
        always = reading is Reading.UNKNOWN
        return KeyInterval(vocabulary.always, UNKNOWN if always else LAST, LAST if always else UNKNOWN)
    match reading:
        case Reading.LESS:
            return KeyInterval(field, FIRST, key - 1 if exact else key)
        case Reading.AT_MOST:
            return KeyInterval(field, FIRST, key)
        case Reading.GREATER:
            return KeyInterval(field, key + 1, LAST)
        case Reading.AT_LEAST:
            return KeyInterval(field, key if exact else key + 1, LAST)
        case Reading.EQUAL:
            return KeyInterval(field, key, key) if exact else KeyInterval(field, LAST, UNKNOWN)
        case Reading.KNOWN:
            return KeyInterval(field, FIRST, LAST)
        case _:
            return KeyInterval(field, UNKNOWN, UNKNOWN)


def _key(side: Expression, value: Value, vocabulary: Vocabulary) -> tuple[int | None, int, bool]:
    """The field in which an expression is compared with a value, and the key of the value there."""
    match value:
        case bool():
            return vocabulary.number(BooleanField(side)), TRUE_CODE if value else FALSE_CODE, True
        case int() | float():
            return vocabulary.number(NumberField(side)), *key_of_number(value)
        case str():
            field = vocabulary.number(StringField(side))
            return field, vocabulary.label(field, value.encode()), True
        case datetime():
            return vocabulary.number(TimestampField(side)), microseconds(value), True
        case _:
            return None, 0, False


def indexable(leaf: ContextLeaf) -> bool:
    """Whether a leaf bounds an attribute of the event as a number, with what it reads from the context."""
    return isinstance(leaf.event_side, Attribute) and leaf.reading <= Reading.EQUAL
