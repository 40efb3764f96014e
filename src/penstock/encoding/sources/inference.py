"""Which type a column of texts has: what a CSV file does not say.

The whole file decides, never its first block alone, so that the type of a value does not depend on how far it is from
the top. A type fits when every value that is not empty can be read as one:

- integer: ``-12``, that fits 64 bits;
- double: ``1.5``, ``-2e9``, ``inf``; an integer that a double would round is not one;
- boolean: ``true`` or ``false`` in any case;
- timestamp: ``2026-01-31``, ``2026-01-31 12:00``, ``2026-01-31T12:00:00.5Z``; UTC when no zone is given; digits
  beyond microseconds are dropped;
- string: anything.

Where several fit, the first in this list is taken. In a column that is not of strings, the usual spellings of "no
value" (``NA``, ``null``, ``NaN``, ...) are absent values; in one of strings only the empty text is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow.csv import ConvertOptions


class ValueType(StrEnum):
    """The types that a text can be read as, the narrowest first."""

    INTEGER = "integer"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    STRING = "string"


NARROW_TYPES: Final = tuple(kind for kind in ValueType if kind is not ValueType.STRING)
NO_VALUE: Final = pa.array(ConvertOptions().null_values)
ARROW_TYPES: Final = {
    ValueType.INTEGER: pa.int64(),
    ValueType.DOUBLE: pa.float64(),
    ValueType.BOOLEAN: pa.bool_(),
    ValueType.TIMESTAMP: pa.timestamp("us"),
    ValueType.STRING: pa.string(),
}
_SHAPES: Final = {
    ValueType.INTEGER: r"^-?[0-9]+$",
    ValueType.DOUBLE: r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?(?i:inf|infinity|nan)$",
    ValueType.BOOLEAN: r"^(?i:true|false)$",
    ValueType.TIMESTAMP: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]+(Z|[+-][0-9:]+)?)?$",
}


def with_nulls(kind: ValueType, texts: pa.StringArray) -> pa.StringArray:
    """Texts with a null where, in a column of this type, there is no value."""
    empty = pc.equal(texts, "") if kind is ValueType.STRING else pc.is_in(texts, NO_VALUE)
    return pc.if_else(empty, pa.scalar(None, pa.string()), texts)


def convert(kind: ValueType, texts: pa.StringArray) -> pa.Array | None:
    """Texts as values of a type, or ``None`` when one of them is not such a value. Nulls stay nulls."""
    if kind is ValueType.STRING:
        return texts
    try:
        values = _timestamps(texts) if kind is ValueType.TIMESTAMP else texts.cast(ARROW_TYPES[kind])
    except pa.ArrowInvalid:
        return None
    return values if _EXACT[kind](texts) else None


def fitting(kind: ValueType, texts: pa.StringArray) -> NDArray[np.bool_]:
    """Which of some texts are values of a type, or null."""
    if kind is ValueType.STRING:
        return np.ones(len(texts), dtype=np.bool_)
    shaped = pc.match_substring_regex(texts, _SHAPES[kind]).fill_null(True)
    fits: NDArray[np.bool_] = shaped.to_numpy(zero_copy_only=False).copy()
    places = np.flatnonzero(fits)
    _unfit(lambda part: convert(kind, texts.take(pa.array(part))) is not None, places, fits)
    return fits


def _unfit(readable: Callable[[NDArray[np.int64]], bool], places: NDArray[np.int64], fits: NDArray[np.bool_]) -> None:
    """Clear the places that are not readable. They have the right shape, so few if any are: halving finds them."""
    if len(places) == 0 or readable(places):
        return
    if len(places) == 1:
        fits[places] = False
        return
    middle = len(places) // 2
    _unfit(readable, places[:middle], fits)
    _unfit(readable, places[middle:], fits)


def _timestamps(texts: pa.StringArray) -> pa.Array:
    short = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
    # What follows the date holds a sign only before a zone.
    zoned = pc.match_substring_regex(pc.utf8_slice_codeunits(short, 10), "[Z+-]")
    nothing = pa.scalar(None, pa.string())
    local = pc.if_else(zoned, nothing, short).cast(pa.timestamp("us"))
    instants = pc.if_else(zoned, short, nothing).cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us"))
    return pc.coalesce(local, instants)


def _not_rounded(texts: pa.StringArray) -> bool:
    if (pc.max(pc.binary_length(texts)).as_py() or 0) < 16:
        return True
    long = texts.filter(pc.match_substring_regex(texts, r"^[+-]?[0-9]{16,}$"))
    return all(int(float(text)) == int(text) for text in long.to_pylist())


def _not_hexadecimal(texts: pa.StringArray) -> bool:
    return not pc.any(pc.match_substring(texts, "x", ignore_case=True)).as_py()


def _spelled_out(texts: pa.StringArray) -> bool:
    return not pc.any(pc.is_in(texts, pa.array(["0", "1"]))).as_py()


# Arrow reads more than is meant: 0x1F as an integer, 0 and 1 as booleans, any integer as the nearest double.
_EXACT: Final[dict[ValueType, Callable[[pa.StringArray], bool]]] = {
    ValueType.INTEGER: _not_hexadecimal,
    ValueType.DOUBLE: _not_rounded,
    ValueType.BOOLEAN: _spelled_out,
    ValueType.TIMESTAMP: lambda _: True,
}


@dataclass(slots=True)
class Misfits:
    """The values of a column that a type does not fit: how many, and the first of them."""

    count: int
    line: int
    text: str


@dataclass(slots=True)
class TypeGuess:
    """Watches a column of texts go by, and says at the end which type it has."""

    seen: int = 0
    candidates: dict[ValueType, Misfits | None] = field(default_factory=lambda: dict.fromkeys(NARROW_TYPES))

    def see(self, texts: pa.StringArray, lines: NDArray[np.int64]) -> None:
        """Take in some values; ``lines[i]`` is the line of ``texts[i]``."""
        present = pc.invert(pc.is_in(texts, NO_VALUE))
        texts, lines = texts.filter(present), lines[present.to_numpy(zero_copy_only=False)]
        self.seen += len(texts)
        if len(texts) == 0:
            return
        for kind, misfits in list(self.candidates.items()):
            if convert(kind, texts) is not None:
                continue
            wrong = np.flatnonzero(~fitting(kind, texts))
            if misfits is None:
                misfits = self.candidates[kind] = Misfits(0, int(lines[wrong[0]]), texts[int(wrong[0])].as_py())
            misfits.count += len(wrong)
            if misfits.count * 2 >= self.seen:
                del self.candidates[kind]  # half of the values or more are not of this type: it was not meant

    @property
    def type(self) -> ValueType:
        fits = (kind for kind, misfits in self.candidates.items() if misfits is None)
        return next(fits, ValueType.STRING)

    def doubt(self, name: str) -> str | None:
        """Why this column of strings was perhaps meant to be something else: most of its values look like it."""
        if self.type is not ValueType.STRING or not self.candidates:
            return None
        kind, misfits = min(self.candidates.items(), key=lambda item: _count(item[1]))
        if misfits is None:
            return None
        return (
            f"column {name!r} is read as strings: {self.seen - misfits.count} of its {self.seen} values look like "
            f"{kind}, but not {misfits.text!r} in line {misfits.line}; say which is meant with the type "
            f"{name}={kind} (the other lines are then set aside) or {name}={ValueType.STRING}"
        )


def _count(misfits: Misfits | None) -> int:
    return 0 if misfits is None else misfits.count


@dataclass(slots=True)
class IdGuess:
    """Watches a column of ids: integers when each is spelled as an integer is, so that 007 stays as it is."""

    type: ValueType = ValueType.INTEGER

    def see(self, texts: pa.StringArray, lines: NDArray[np.int64]) -> None:  # noqa: ARG002
        """Take in some ids."""
        if self.type is ValueType.STRING:
            return
        ids = convert(ValueType.INTEGER, with_nulls(ValueType.STRING, texts))
        if ids is None or not pc.all(pc.equal(ids.cast(pa.string()), texts), min_count=0).as_py():
            self.type = ValueType.STRING

    def doubt(self, name: str) -> str | None:  # noqa: ARG002
        """An id is right as a string, whatever it looks like."""
        return None
