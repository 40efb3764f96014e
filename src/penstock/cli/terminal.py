"""What a person sees: messages on standard error, and the progress of long work when that is a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn


def messages() -> Console:
    """Standard error. Text is shown as it is: nothing in it is markup, and lines are not broken."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


def answers() -> Console:
    """Standard output, likewise."""
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Meter:
    """Shows how far some work has come, of a total that may be unknown."""

    _progress: Progress
    _task: TaskID

    def at(self, done: int) -> None:
        self._progress.update(self._task, completed=done)

    def say(self, remark: str) -> None:
        self._progress.update(self._task, remark=remark)


@contextmanager
def metered(console: Console, title: str, total: int | None, *, shown: bool) -> Iterator[Meter]:
    """A progress bar that is gone when the work is done, and that is not drawn at all when it should not be shown."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[remark]}"))
    # Standard output is left alone: it may be a file that the matches go to.
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not shown,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        yield Meter(progress, progress.add_task(title, total=total or None, remark=""))


def count(number: int, singular: str, plural: str | None = None) -> str:
    """A number of things.

    >>> count(1, "event"), count(1200, "event"), count(2, "match", "matches")
    ('1 event', '1,200 events', '2 matches')
    """
    word = singular if number == 1 else plural or f"{singular}s"
    return f"{number:,} {word}"
