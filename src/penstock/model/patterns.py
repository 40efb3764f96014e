"""String patterns: LIKE, as a sequence of literal runs and wildcards, and RLIKE, through RE2.

Both take time that is bounded by the lengths of pattern and string, so no condition can hang a matcher.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Protocol, TypeAlias

import re2


class Wildcard(Enum):
    """A wildcard of LIKE."""

    ANY = "%"
    ONE = "_"


PatternPart: TypeAlias = str | Wildcard

_WILDCARDS = re.compile("([%_])")
_BY_SIGN = {wildcard.value: wildcard for wildcard in Wildcard}


@dataclass(frozen=True, slots=True)
class LikePattern:
    """A LIKE pattern with its escapes resolved: literal runs (never empty, never adjacent) and wildcards.

    >>> LikePattern.parse("10!%%", escape="!").parts
    ('10%', <Wildcard.ANY: '%'>)
    """

    parts: tuple[PatternPart, ...]

    @classmethod
    def parse(cls, pattern: str, escape: str | None = None) -> LikePattern:
        """Read a pattern as SQL writes it. Without ``escape`` no character is special but ``%`` and ``_``."""
        if escape is None:
            return cls(_without_escapes(pattern))
        if len(escape) != 1:
            raise ValueError(f"ESCAPE takes one character, found {len(escape)}")
        parts: list[PatternPart] = []
        literal: list[str] = []
        characters = iter(pattern)
        for character in characters:
            if character == escape:
                literal.append(_escaped(characters, escape))
            elif character in "%_":
                _flush(literal, parts)
                if character == "_" or not parts or parts[-1] is not Wildcard.ANY:
                    parts.append(Wildcard(character))
            else:
                literal.append(character)
        _flush(literal, parts)
        return cls(tuple(parts))

    def matches(self, string: str) -> bool:
        """Whether the whole string fits the pattern.

        On a mismatch only the last ``%`` is stretched: an earlier one never needs to be, because the literal text
        after it was already found at its first place.
        """
        pattern = self._units()
        place = unit = 0
        retry_unit = retry_place = -1
        while place < len(string):
            if unit < len(pattern) and pattern[unit] is Wildcard.ANY:
                retry_unit, retry_place = unit, place
                unit += 1
            elif unit < len(pattern) and pattern[unit] in (Wildcard.ONE, string[place]):
                unit += 1
                place += 1
            elif retry_unit >= 0:
                retry_place += 1
                unit, place = retry_unit + 1, retry_place
            else:
                return False
        return all(rest is Wildcard.ANY for rest in pattern[unit:])

    def lower(self) -> LikePattern:
        """The pattern with its literal text in lower case, as ILIKE uses it."""
        return LikePattern(tuple(part.lower() if isinstance(part, str) else part for part in self.parts))

    def _units(self) -> list[PatternPart]:
        units: list[PatternPart] = []
        for part in self.parts:
            units.extend(part) if isinstance(part, str) else units.append(part)
        return units


def _without_escapes(pattern: str) -> tuple[PatternPart, ...]:
    parts: list[PatternPart] = []
    for piece in _WILDCARDS.split(pattern):
        if piece in _BY_SIGN:
            wildcard = _BY_SIGN[piece]
            if wildcard is Wildcard.ONE or not parts or parts[-1] is not Wildcard.ANY:
                parts.append(wildcard)
        elif piece:
            parts.append(piece)
    return tuple(parts)


def _escaped(characters: Iterator[str], escape: str) -> str:
    following = next(characters, None)
    if following is None or (following not in "%_" and following != escape):
        found = "the end of the pattern" if following is None else repr(following)
        raise ValueError(f"the escape character {escape!r} must stand before '%', '_' or itself, found {found}")
    return following


def _flush(literal: list[str], parts: list[PatternPart]) -> None:
    if literal:
        parts.append("".join(literal))
        literal.clear()


class Searcher(Protocol):
    """A compiled regular expression, as far as we use it."""

    def search(self, string: str) -> object: ...


@lru_cache(maxsize=4096)
def compile_regex(regex: str) -> Searcher:
    """A regular expression in RE2 syntax; ``ValueError`` says why it is refused."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled: Searcher = re2.compile(regex, options)
    except re2.error as error:
        detail = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise ValueError(detail) from None
    return compiled
