"""The values that an event carries, and how two of them compare.

A value is a 64-bit integer, a double, a string, a boolean, a timestamp, a list of those, or absent (``None``).
Timestamps are instants with microseconds, kept as naive :class:`datetime.datetime` in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeAlias

from penstock.errors import ValueRefusedError

Scalar: TypeAlias = int | float | str | bool | datetime
Value: TypeAlias = Scalar | tuple[Scalar | None, ...] | None
Attributes: TypeAlias = Mapping[str, Value]
Identifier: TypeAlias = int | str

SMALLEST_INTEGER = -(2**63)
LARGEST_INTEGER = 2**63 - 1


class Kind(StrEnum):
    """What a value is, as far as comparing goes: integers and doubles are both numbers."""

    NUMBER = "number"
    STRING = "string"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    LIST = "list"


_KINDS = {
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    str: Kind.STRING,
    bool: Kind.BOOLEAN,
    datetime: Kind.TIMESTAMP,
    tuple: Kind.LIST,
}


def kind_of(value: Value) -> Kind | None:
    """The kind of a clean value; ``None`` for an absent one."""
    return None if value is None else _KINDS[type(value)]


def fits_integer(value: int) -> bool:
    """Whether an integer fits 64 bits."""
    return SMALLEST_INTEGER <= value <= LARGEST_INTEGER


def clean_attributes(attributes: Mapping[str, object]) -> dict[str, Value]:
    """The attributes of an event as values of the model, or an error that names the attribute."""
    clean: dict[str, Value] = {}
    for name, value in attributes.items():
        plain: Any = value
        kind = type(plain)
        # Almost all values are clean already, and events are many.
        if plain is None or kind is float or kind is bool or (kind is str and plain.isascii()):
            clean[name] = plain
            continue
        if kind is int and SMALLEST_INTEGER <= plain <= LARGEST_INTEGER:
            clean[name] = plain
            continue
        try:
            clean[name] = clean_value(value)
        except ValueRefusedError as error:
            raise ValueRefusedError(f"attribute {name!r}: {error}") from None
    return clean


def clean_value(value: object) -> Value:
    """A value of the model from what a Python program has at hand.

    A date is the instant at which it begins, a decimal is the nearest double (an integer when it has no fraction
    digits), a timestamp without a zone is taken to be in UTC.

    >>> from decimal import Decimal
    >>> clean_value(Decimal("0.10")), clean_value(["a", 1])
    (0.1, ('a', 1))
    """
    if isinstance(value, (list, tuple)):
        return tuple(_clean_item(item) for item in value)
    return _clean_scalar(value)


def _clean_item(value: object) -> Scalar | None:
    if isinstance(value, (list, tuple)):
        raise ValueRefusedError("a list within a list cannot be compared; flatten it")
    return _clean_scalar(value)


def _clean_scalar(value: object) -> Scalar | None:
    match value:
        case None | bool():
            return value
        case str():
            return _clean_string(value)
        case int():
            if not fits_integer(value):
                raise ValueRefusedError(f"the integer {value} does not fit 64 bits; give it as a double or a string")
            return int(value)
        case float():
            return float(value)
        case datetime():
            return _clean_timestamp(value)
        case date():
            return datetime(value.year, value.month, value.day)
        case Decimal():
            exponent = value.as_tuple().exponent
            return _clean_scalar(int(value)) if exponent == 0 else float(value)
    item = getattr(value, "item", None)  # numpy and Arrow scalars
    plain = item() if callable(item) else value
    if plain is value or isinstance(plain, type(value)):
        raise ValueRefusedError(
            f"a value of type {type(value).__name__} is none of integer, double, string, boolean, timestamp, list"
        )
    return _clean_scalar(plain)


def _clean_timestamp(value: datetime) -> datetime:
    if value.tzinfo is not None:
        value = value.astimezone(UTC)
    # Spelled out, since a subclass (pandas has one) must become a plain datetime.
    return datetime(value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)


def _clean_string(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueRefusedError("the string is not valid Unicode (it holds half of a surrogate pair)") from None
    return str(value)


def compare(left: Value, right: Value) -> int | None:
    """-1, 0 or 1 as left is less than, equal to or greater than right; ``None`` where they cannot be compared.

    Numbers compare exactly, also integers with doubles beyond 2**53. NaN equals NaN and is greater than any other
    number; -0.0 equals 0.0. Strings compare by code point, which is the order of their UTF-8 bytes.

    >>> compare(2**53 + 1, float(2**53)), compare("a", 1), compare(float("nan"), float("inf"))
    (1, None, 1)
    """
    kind = kind_of(left)
    if kind is None or kind is Kind.LIST or kind is not kind_of(right):
        return None
    if kind is Kind.NUMBER:
        left_nan, right_nan = left != left, right != right
        if left_nan or right_nan:
            return int(left_nan) - int(right_nan)
    return (left > right) - (left < right)  # type: ignore[operator]


def same_literal(left: Value, right: Value) -> bool:
    """Whether two values are the same in type too: 1, 1.0 and TRUE are three values; NaN is the same as NaN."""
    if type(left) is not type(right):
        return False
    return left == right or (left != left and right != right)
