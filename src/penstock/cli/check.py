"""``penstock check``: what is wrong with the subscriptions of a file."""

from __future__ import annotations

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import indent
from typing import Any

from rich.console import Console

from penstock.cli.exit_codes import ExitCode
from penstock.cli.reject_log import place
from penstock.cli.terminal import answers, count
from penstock.encoding.batch import Reject
from penstock.encoding.sources import SubscriptionRow, describe, place_of, read_subscriptions
from penstock.errors import ConditionError
from penstock.language.contradictions import never_true
from penstock.language.parser import parse
from penstock.model.values import Identifier


class Kind(StrEnum):
    """The kinds of problems."""

    UNREADABLE = "unreadable"
    ERROR = "error"
    DUPLICATE = "duplicate"
    ID_TYPE = "id type"
    NEVER_TRUE = "never true"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a subscription, and where."""

    kind: Kind
    reject: Reject
    row: SubscriptionRow | None = None
    error: ConditionError | None = None
    first: SubscriptionRow | None = None

    def to_json(self) -> dict[str, Any]:
        """The problem for a machine."""
        return {
            "kind": self.kind,
            **place(self.reject),
            "id": None if self.row is None else self.row.id,
            "condition": None if self.row is None else self.row.condition,
            "condition_line": None if self.error is None else self.error.line,
            "condition_column": None if self.error is None else self.error.column,
            "first": None if self.first is None else place_of(self.first.source, self.first.row),
        }


@dataclass(slots=True)
class Checker:
    """Takes in subscriptions one by one and finds what is wrong with them."""

    problems: list[Problem] = field(default_factory=list)
    seen: dict[Identifier, SubscriptionRow] = field(default_factory=dict)
    checked: int = 0

    def unreadable(self, reject: Reject) -> None:
        self.checked += 1
        self.problems.append(Problem(Kind.UNREADABLE, reject))

    def check(self, row: SubscriptionRow) -> None:
        self.checked += 1
        self.problems.extend(self._of_id(row))
        self.problems.extend(_of_condition(row))

    def sort(self) -> None:
        """Put problems in the order of their places: some are found when a file is opened, others when it is read."""
        sources = list(dict.fromkeys(problem.reject.source for problem in self.problems))
        self.problems.sort(key=lambda problem: (sources.index(problem.reject.source), problem.reject.row or 0))

    def _of_id(self, row: SubscriptionRow) -> Iterator[Problem]:
        first = self.seen.setdefault(row.id, row)
        if first is not row:
            reason = f"there is a subscription {row.id!r} already, in {place_of(first.source, first.row)}"
            yield Problem(Kind.DUPLICATE, Reject(row.row, reason, row.source), row, first=first)
            return
        first = next(iter(self.seen.values()))
        if type(first.id) is not type(row.id):
            reason = (
                f"the id {row.id!r} is {_a(row.id)}, but the first one, {first.id!r} in "
                f"{place_of(first.source, first.row)}, is {_a(first.id)}; use one type for all"
            )
            yield Problem(Kind.ID_TYPE, Reject(row.row, reason, row.source), row, first=first)


def _of_condition(row: SubscriptionRow) -> Iterator[Problem]:
    try:
        condition = parse(row.condition)
    except ConditionError as error:
        reject = Reject(row.row, f"subscription {row.id!r}: {error}", row.source)
        yield Problem(Kind.ERROR, reject, row, error=error)
        return
    reason = never_true(condition)
    if reason is not None:
        explained = f"subscription {row.id!r} is never true: {reason}\n{indent(row.condition, '  ')}"
        yield Problem(Kind.NEVER_TRUE, Reject(row.row, explained, row.source), row)


def _a(subscription_id: Identifier) -> str:
    return "an integer" if isinstance(subscription_id, int) else "a string"


def run(arguments: Namespace) -> int:
    """Check, and return the exit code."""
    checker = Checker()
    rows = read_subscriptions(
        arguments.subscriptions,
        subscription_id=arguments.subscription_id,
        condition=arguments.condition,
        on_reject=checker.unreadable,
    )
    for row in rows:
        checker.check(row)
    checker.sort()
    console = answers()
    if arguments.json:
        found = {"subscriptions": checker.checked, "problems": [problem.to_json() for problem in checker.problems]}
        console.file.write(f"{json.dumps(found, indent=2, ensure_ascii=False)}\n")
    else:
        _show(console, checker)
    return ExitCode.SET_ASIDE if checker.problems else ExitCode.FINE


def _show(console: Console, checker: Checker) -> None:
    for problem in checker.problems:
        console.print(describe(problem.reject))
    total = count(checker.checked, "subscription")
    if not checker.problems:
        console.print(f"{total}: no problems", style="green")
        return
    kinds = Counter(problem.kind for problem in checker.problems)
    by_kind = ", ".join(f"{kinds[kind]} {_NAMES[kind]}" for kind in Kind if kinds[kind])
    console.print(f"{total}: {count(len(checker.problems), 'problem')} ({by_kind})", style="bold")


_NAMES = {
    Kind.UNREADABLE: "unreadable",
    Kind.ERROR: "with an error",
    Kind.DUPLICATE: "with the id of another",
    Kind.ID_TYPE: "with an id of another type",
    Kind.NEVER_TRUE: "never true",
}
