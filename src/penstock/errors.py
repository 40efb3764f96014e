"""Every exception that Penstock raises on purpose.

All derive from :class:`PenstockError`. A message says what was found, where, and what would be right; the same
facts are attributes, so that a program can use them without reading the text.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class PenstockError(Exception):
    """The base of all errors that Penstock raises on purpose."""


class ConditionError(PenstockError):
    """A condition that cannot be understood.

    >>> import penstock
    >>> try:
    ...     penstock.parse("price BETWEN 5 AND 9")
    ... except penstock.ConditionError as error:
    ...     print(error)
    'BETWEN' is not an operator; did you mean BETWEEN? (line 1, column 7)
      price BETWEN 5 AND 9
            ^^^^^^
    """

    def __init__(
        self,
        message: str,
        *,
        text: str | None = None,
        line: int | None = None,
        column: int | None = None,
        width: int = 1,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.line = line
        self.column = column
        self.width = width

    def __str__(self) -> str:
        if self.text is None or self.line is None or self.column is None:
            return self.message
        lines = self.text.split("\n")
        shown = lines[self.line - 1] if self.line <= len(lines) else ""
        caret = " " * (self.column - 1) + "^" * max(1, min(self.width, len(shown) - self.column + 1))
        # A tab before the caret stays a tab, so that the caret stands under its place on any terminal.
        lead = "".join("\t" if character == "\t" else " " for character in shown[: self.column - 1])
        caret = lead + caret[self.column - 1 :]
        return f"{self.message} (line {self.line}, column {self.column})\n  {shown}\n  {caret}"

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments need help to survive pickling, which Spark and multiprocessing do.
        return _rebuild_condition_error, (self.message, self.text, self.line, self.column, self.width)


def _rebuild_condition_error(
    message: str, text: str | None, line: int | None, column: int | None, width: int
) -> ConditionError:
    return ConditionError(message, text=text, line=line, column=column, width=width)


class NormalFormTooLargeError(ConditionError):
    """A condition whose DNF or CNF would have more clauses than the limit allows."""


class UnsupportedConditionError(ConditionError):
    """A condition that is right, but that this index or matcher does not serve."""


class ValueRefusedError(PenstockError, ValueError):
    """A value that is none of the types of an event, or that does not fit its type."""


class SourceError(PenstockError):
    """A file or table that cannot be read as events or subscriptions."""


class DuplicateSubscriptionError(PenstockError):
    """A subscription id that is already there."""


class UnknownSubscriptionError(PenstockError, KeyError):
    """A subscription id that is not there."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


class UnknownIndexError(PenstockError, ValueError):
    """A name that the index registry does not have."""


class InvariantError(PenstockError, AssertionError):
    """A structure that is not in the state it must always be in: a defect of Penstock."""


class SnapshotError(PenstockError):
    """A saved matcher that cannot be opened."""


class MissingExtraError(PenstockError, ImportError):
    """A part of Penstock whose optional dependencies are not installed."""


class UnknownExperimentError(PenstockError, ValueError):
    """A name that the lab has no experiment of."""


class ResultsError(PenstockError):
    """A file that does not hold results of the lab."""


class JavaError(PenstockError):
    """No usable Java for Spark."""


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """A clause that suggests the nearest known word, or nothing when none is near."""
    by_folded = {word.lower(): word for word in known}
    near = get_close_matches(found.lower(), by_folded, n=1, cutoff=0.7)
    return f"; did you mean {by_folded[near[0]]}?" if near else ""
