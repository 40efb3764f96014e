"""Stages of a job on the console: on a terminal a moving bar while one runs, and a line with its time at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS_BETWEEN_LOOKS = 0.2


class StageDisplay:
    """Numbered stages of a job that runs in a local Spark session."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._number = 0

    @contextmanager
    def stage(self, name: str, spark: SparkSession | None = None) -> Iterator[Callable[[str], None]]:
        """One stage; what is given to the function it yields is added to the stage's line.

        With a session, the bar follows the tasks that Spark has under way.
        """
        self._number += 1
        label = f"[{self._number}/{self._total}] {name}"
        remarks: list[str] = []
        began = time.perf_counter()
        with self._bar(label) as (bar, task), _following(bar, task, spark):
            yield remarks.append
        detail = f": {', '.join(remarks)}" if remarks else ""
        seconds = time.perf_counter() - began
        self._console.print(f"{label}{detail} ({seconds:.1f} s)", markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def _bar(self, label: str) -> Iterator[tuple[Progress, TaskID]]:
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
        visible = self._console.is_terminal
        with Progress(*columns, console=self._console, transient=True, disable=not visible) as bar:
            yield bar, bar.add_task(label, total=None)


@contextmanager
def _following(bar: Progress, task: TaskID, spark: SparkSession | None) -> Iterator[None]:
    """Move the bar by the tasks of Spark, from a thread of its own, since the caller waits for Spark."""
    if spark is None or bar.disable:
        yield
        return
    tracker = spark.sparkContext.statusTracker()
    done = Event()

    def look() -> None:
        while not done.wait(_SECONDS_BETWEEN_LOOKS):
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages if stage)
            completed = sum(stage.numCompletedTasks for stage in stages if stage)
            bar.update(task, total=tasks or None, completed=completed)

    follower = Thread(target=look, name="penstock-progress", daemon=True)
    follower.start()
    try:
        yield
    finally:
        done.set()
        follower.join()
