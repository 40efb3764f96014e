"""The shape of a condition's text: the text with its literals taken out.

Conditions in bulk come from few templates that differ only in their literals: ``price < 5`` and ``price < 7`` have the
same shape. A shape is parsed once; after that a text costs one split and the construction of its tree.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Literals: TypeAlias = list[str]
Shape: TypeAlias = str

# Quoted names are split off too, so that a digit or a quote within one is not taken for a literal. The pattern begins
# with one class of characters because the regular-expression engine then skips to the next of them at full speed.
_SPLIT = re.compile(
    r"""
    (['`0-9.]
        (?: (?<=') [^']* (?:''[^']*)* '
          | (?<=`) [^`]* `
          | (?<![\w.].)                            # not within a name or behind a dot
            (?: (?<=[0-9]) [0-9]* \.? [0-9]* | (?<=\.) [0-9]+ )
            (?: [eE][+-]?[0-9]+ )?
        )
    )""",
    re.VERBOSE,
).split


# A number is known by its first character, a string by its quote.
_KINDS = str.maketrans(dict.fromkeys(".0123456789", "n"))


def take_apart(text: str) -> tuple[Shape, Literals]:
    """Split a text into its shape, which all texts share that differ in literals only, and its literals in order.

    The shape is the text with a NUL for each literal, and behind it the kind of each.

    >>> take_apart("price < 5 AND symbol = 'IBM'")
    ("price < \\x00 AND symbol = \\x00n'", ['5', "'IBM'"])
    """
    parts = _SPLIT(text)
    literals = parts[1::2]
    kinds = "".join([literal[0] for literal in literals]).translate(_KINDS)
    if "`" in kinds:
        return _take_apart_with_names(parts)
    return "\0".join(parts[::2]) + kinds, literals


def _take_apart_with_names(parts: list[str]) -> tuple[Shape, Literals]:
    """The slower way for texts with names in backticks, which belong to the shape."""
    fixed = [parts[0]]
    literals = []
    for literal, following in zip(parts[1::2], parts[2::2], strict=True):
        if literal[0] == "`":
            fixed[-1] += literal + following
        else:
            literals.append(literal)
            fixed.append(following)
    kinds = "".join([literal[0] for literal in literals]).translate(_KINDS)
    return "\0".join(fixed) + kinds, literals


def literal_places(text: str) -> dict[int, int]:
    """Where each literal of a text begins: position -> its number among the literals."""
    places: dict[int, int] = {}
    position = 0
    for number, part in enumerate(_SPLIT(text)):
        if number % 2 and part[0] != "`":
            places[position] = len(places)
        position += len(part)
    return places


def unquote(literal: str) -> str:
    """The string that a literal in single quotes stands for."""
    inner = literal[1:-1]
    return inner.replace("''", "'") if "'" in inner else inner
