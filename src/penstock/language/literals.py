"""Literals of the language and the values that they stand for."""

from __future__ import annotations

import math
import re
from datetime import datetime

from penstock.errors import ConditionError
from penstock.model.values import LARGEST_INTEGER, SMALLEST_INTEGER, Kind, clean_value

SPECIAL_DOUBLES = {"nan": math.nan, "infinity": math.inf, "-infinity": -math.inf}

_MOST_DIGITS = 1000  # Python itself refuses to read integers of several thousand digits

_TIMESTAMP = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?", re.ASCII
)


def checked_integer(value: int) -> int:
    """An integer that fits 64 bits."""
    if SMALLEST_INTEGER <= value <= LARGEST_INTEGER:
        return value
    raise ConditionError(f"the integer {value} does not fit 64 bits; write it as a double, with a dot or an exponent")


def parse_number(text: str) -> int | float:
    """An integer of any size, or a double when the text has a dot or an exponent."""
    if text.isdigit():
        if len(text) > _MOST_DIGITS:
            raise ConditionError(f"the integer {text[:20]}... has {len(text)} digits and does not fit 64 bits")
        return int(text)
    value = float(text)
    if math.isinf(value):
        raise ConditionError(f"{text} is too large for a double (the largest is 1.7976931348623157e308)")
    return value


def parse_special_double(text: str) -> float:
    value = SPECIAL_DOUBLES.get(text.strip().lower())
    if value is None:
        raise ConditionError(f"DOUBLE takes 'NaN', 'Infinity' or '-Infinity', found {text!r}")
    return value


def format_double(value: float) -> str | None:
    """A double as the language writes it; ``None`` for NaN and infinities, which have no plain form."""
    return repr(value) if math.isfinite(value) else None


def special_name(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def parse_timestamp(text: str) -> datetime:
    """A timestamp as ISO 8601 writes it; without a zone it is UTC."""
    if _TIMESTAMP.fullmatch(text.strip()):
        try:
            value = clean_value(datetime.fromisoformat(text.strip()))
        except (ValueError, OverflowError) as error:
            raise ConditionError(f"{text!r} is not a timestamp: {error}") from None
        assert isinstance(value, datetime)
        return value
    raise ConditionError(
        f"{text!r} is not a timestamp; write it like '2013-07-04 09:30:00', with at most six digits of fraction "
        "and perhaps a zone such as 'Z' or '+02:00'"
    )


def format_timestamp(value: datetime) -> str:
    return value.isoformat(sep=" ")


KIND_WORDS = {
    Kind.NUMBER: "a number",
    Kind.STRING: "a string",
    Kind.BOOLEAN: "a boolean",
    Kind.TIMESTAMP: "a timestamp",
    Kind.LIST: "a list",
}
