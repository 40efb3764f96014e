"""What all benchmarks share: clocks, memory, medians, and results kept as CSV with the machine they come from."""

from __future__ import annotations

import csv
import ctypes
import gc
import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def resident() -> int:
    """Bytes of this process that are in memory, after free ones were given back; 0 where the system does not say."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):
        return 0


def median_and_ends(values: Sequence[float], digits: int = 3) -> list[float]:
    """The median, the least and the most, rounded."""
    return [round(each, digits) for each in (statistics.median(values), min(values), max(values))]


def keep(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Append rows of results to a CSV file, each with the time and the machine before what ``names`` names."""
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    machine = [now, platform.machine(), os.cpu_count(), platform.python_version()]
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(["when", "machine", "cores", "python", *names])
        writer.writerows([*machine, *row] for row in rows)
