"""Operators beyond comparing: prefix, suffix, patterns, regular expressions, and how to add one (OpIndex, section 6.2).

An operator recognises its predicates and keeps their operands in a *predicate list*, a small index that answers which
operands a value satisfies. It is asked once for each distinct value of a batch; what it answers takes part in matching
as keys of a field with several values, so that all that follows is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from penstock.model.conditions import Condition, Like, Matches
from penstock.model.expressions import Expression
from penstock.model.patterns import LikePattern, Searcher, Wildcard, compile_regex

Operand = TypeVar("Operand", bound=Hashable)
Inserted = TypeVar("Inserted", contravariant=True)
Entry = int
"""The number by which an index knows an operand."""


class PredicateList(Protocol[Inserted]):
    """The operands of one operator on one attribute."""

    def insert(self, operand: Inserted, entry: Entry) -> None:
        """Add an operand under a number. No operand is added twice."""

    def delete(self, operand: Inserted) -> None:
        """Remove an operand that is there."""

    def match(self, value: str) -> Sequence[Entry]:
        """The numbers of all operands that a string satisfies, each once."""


@dataclass(frozen=True, slots=True)
class ListOperator(Generic[Operand]):
    """An operator with predicate lists of its own.

    ``recognise`` takes a predicate and returns its operand, or ``None`` for a predicate of another operator. The
    predicate must have an ``operand`` (the expression that it looks at, a string), and be TRUE or FALSE for any string.
    """

    name: str
    recognise: Callable[[Condition], Operand | None]
    new_list: Callable[[], PredicateList[Operand]]


class PrefixList:
    """Prefixes by length: a string has one beginning of each length, and each is looked up.

    A trie would be walked down the same string; a table a length does it with one look a length that occurs.
    """

    def __init__(self) -> None:
        self._by_length: dict[int, dict[str, Entry]] = {}

    def insert(self, operand: str, entry: Entry) -> None:
        self._by_length.setdefault(len(operand), {})[operand] = entry

    def delete(self, operand: str) -> None:
        same_length = self._by_length[len(operand)]
        del same_length[operand]
        if not same_length:
            del self._by_length[len(operand)]

    def match(self, value: str) -> list[Entry]:
        found = (entries.get(value[:length]) for length, entries in self._by_length.items() if length <= len(value))
        return [entry for entry in found if entry is not None]


class SuffixList(PrefixList):
    """Suffixes: prefixes of the string read backwards."""

    def insert(self, operand: str, entry: Entry) -> None:
        super().insert(operand[::-1], entry)

    def delete(self, operand: str) -> None:
        super().delete(operand[::-1])

    def match(self, value: str) -> list[Entry]:
        return super().match(value[::-1])


LikeOperand = tuple[LikePattern, bool]


class LikeList:
    """Patterns that are neither a prefix nor a suffix, and those that ignore case: each is tried."""

    def __init__(self) -> None:
        self._patterns: dict[LikeOperand, tuple[LikePattern, Entry]] = {}

    def insert(self, operand: LikeOperand, entry: Entry) -> None:
        pattern, ignore_case = operand
        self._patterns[operand] = pattern.lower() if ignore_case else pattern, entry

    def delete(self, operand: LikeOperand) -> None:
        del self._patterns[operand]

    def match(self, value: str) -> list[Entry]:
        lowered = value.lower()
        return [
            entry
            for (_, ignore_case), (pattern, entry) in self._patterns.items()
            if pattern.matches(lowered if ignore_case else value)
        ]


class RegexList:
    """Regular expressions: each is tried."""

    def __init__(self) -> None:
        self._searchers: dict[str, tuple[Searcher, Entry]] = {}

    def insert(self, operand: str, entry: Entry) -> None:
        self._searchers[operand] = compile_regex(operand), entry

    def delete(self, operand: str) -> None:
        del self._searchers[operand]

    def match(self, value: str) -> list[Entry]:
        return [entry for searcher, entry in self._searchers.values() if searcher.search(value) is not None]


def _prefix(predicate: Condition) -> str | None:
    match predicate:
        case Like(pattern=LikePattern((str() as prefix, Wildcard.ANY)), ignore_case=False):
            return prefix
    return None


def _suffix(predicate: Condition) -> str | None:
    match predicate:
        case Like(pattern=LikePattern((Wildcard.ANY, str() as suffix)), ignore_case=False):
            return suffix
    return None


def _pattern(predicate: Condition) -> LikeOperand | None:
    return (predicate.pattern, predicate.ignore_case) if isinstance(predicate, Like) else None


def _regex(predicate: Condition) -> str | None:
    return predicate.regex if isinstance(predicate, Matches) else None


LIST_OPERATORS: Final[tuple[ListOperator, ...]] = (  # type: ignore[type-arg]
    ListOperator("prefix", _prefix, PrefixList),
    ListOperator("suffix", _suffix, SuffixList),
    ListOperator("like", _pattern, LikeList),
    ListOperator("rlike", _regex, RegexList),
)
"""The operators of the language that have lists, in the order in which they are asked to recognise a predicate."""


def looked_at(predicate: Condition) -> Expression:
    """The expression that the predicate of a list operator looks at."""
    return predicate.operand  # type: ignore[union-attr, return-value]
