"""What was set aside: the first few shown, all of them counted and, if wanted, written to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console

from penstock.encoding.batch import Reject
from penstock.encoding.sources import describe, raise_reject
from penstock.encoding.sources.formats import counts_lines
from penstock.model.values import Identifier

SHOWN: Final = 10


@dataclass(slots=True)
class RejectLog:
    """Takes in rejects, of events and of subscriptions."""

    console: Console
    file: TextIO | None
    strict: bool
    count: int = 0

    def event(self, reject: Reject) -> None:
        self._add("events", reject, None)

    def subscription(self, reject: Reject, subscription_id: Identifier | None = None) -> None:
        self._add("subscriptions", reject, subscription_id)

    def _add(self, what: str, reject: Reject, subscription_id: Identifier | None) -> None:
        if self.strict:
            raise_reject(reject)
        self.count += 1
        if self.count <= SHOWN:
            self.console.print(describe(reject))
        if self.count == SHOWN + 1:
            hint = "" if self.file is not None else " (--rejects FILE writes all of them)"
            self.console.print(f"more was set aside, which is counted but not shown{hint}")
        if self.file is not None:
            self.file.write(json.dumps({"input": what, **place(reject), "id": subscription_id}, ensure_ascii=False))
            self.file.write("\n")


def place(reject: Reject) -> dict[str, object]:
    """A reject for a machine: where it is, by line in text and by row in a table, and the reason."""
    lines = reject.source is not None and counts_lines(reject.source)
    return {
        "source": reject.source,
        "line": reject.row if lines else None,
        "row": None if lines else reject.row,
        "reason": reject.reason,
    }


@contextmanager
def open_reject_log(console: Console, path: str | None, *, strict: bool) -> Iterator[RejectLog]:
    """A log that writes to a file, if one is given."""
    with Path(path).open("w", encoding="utf-8") if path is not None else nullcontext() as file:
        yield RejectLog(console, file, strict)
