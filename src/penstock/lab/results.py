"""The results of a run: a row for each value, kept as CSV together with the machine that it was measured on."""

from __future__ import annotations

import csv
import os
import platform
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from penstock.errors import ResultsError
from penstock.lab.experiment import Measure, Scale

MEASURED: Final = "measured"
COMPUTED: Final = "computed"


@dataclass(frozen=True, slots=True)
class Machine:
    """What a run was made on, and when."""

    cpu: str
    cores: int
    python: str
    numba: str
    date: str

    @classmethod
    def this(cls) -> Machine:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(_cpu_model(), os.cpu_count() or 1, platform.python_version(), version("numba"), now)


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


@dataclass(frozen=True, slots=True)
class Row:
    """One value of one series at one x in one repetition."""

    experiment: str
    scale: str
    series: str
    x: float
    repetition: int
    measure: str
    value: float
    unit: str
    basis: str


class Range(tuple[float, float, float]):
    """The smallest, the middle and the largest of the repetitions."""

    __slots__ = ()

    @classmethod
    def of(cls, values: Sequence[float]) -> Range:
        return cls((min(values), statistics.median(values), max(values)))


@dataclass(frozen=True)
class Results:
    """All rows of one run of one experiment. ``labels`` names its series to people."""

    experiment: str
    scale: Scale
    rows: tuple[Row, ...]
    machine: Machine
    labels: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _values(self) -> dict[tuple[str, str], dict[float, list[float]]]:
        values: dict[tuple[str, str], dict[float, list[float]]] = {}
        for row in self.rows:
            values.setdefault((row.series, row.measure), {}).setdefault(row.x, []).append(row.value)
        return values

    def ranges(self, series: str, measure: Measure) -> dict[float, Range]:
        """For each x of a series, in order, the range of a measure over the repetitions."""
        values = self._values.get((series, measure.name), {})
        return {x: Range.of(values[x]) for x in sorted(values)}

    def medians(self, series: str, measure: Measure) -> dict[float, float]:
        """For each x of a series, in order, the median of a measure over the repetitions."""
        return {x: middle for x, (_, middle, _) in self.ranges(series, measure).items()}

    def label(self, series: str) -> str:
        return self.labels.get(series, series)

    def is_computed(self, series: str, x: float, measure: Measure) -> bool:
        """Whether a value follows from a formula instead of having been observed."""
        return (series, x, measure.name) in self._computed

    @cached_property
    def _computed(self) -> frozenset[tuple[str, float, str]]:
        return frozenset((row.series, row.x, row.measure) for row in self.rows if row.basis == COMPUTED)


_ROW_COLUMNS: Final = tuple(each.name for each in fields(Row))
_MACHINE_COLUMNS: Final = tuple(each.name for each in fields(Machine))


def results_path(directory: Path, experiment: str, scale: Scale) -> Path:
    return directory / f"{experiment}-{scale}.csv"


def write_results(results: Results, directory: Path) -> Path:
    """Write results as CSV and return the file. A run that was there before is replaced in one step."""
    directory.mkdir(parents=True, exist_ok=True)
    path = results_path(directory, results.experiment, results.scale)
    beside = path.with_suffix(".csv.part")
    with beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*_ROW_COLUMNS, *_MACHINE_COLUMNS])
        writer.writeheader()
        machine = asdict(results.machine)
        writer.writerows({**asdict(row), **machine} for row in results.rows)
    beside.replace(path)
    return path


def read_results(path: Path, labels: Mapping[str, str] | None = None) -> Results:
    """Read the results of a run; a file that does not hold such results is refused with its line."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = {*_ROW_COLUMNS, *_MACHINE_COLUMNS} - set(reader.fieldnames or ())
        if missing:
            raise ResultsError(
                f"{path} does not hold results of the lab: no column {', '.join(sorted(missing))};"
                " `penstock lab run` writes such files"
            )
        records = [_parsed(record, path, reader.line_num) for record in reader]
    if not records:
        raise ResultsError(f"{path} holds no results; run its experiment again")
    rows, machines = zip(*records, strict=True)
    return Results(rows[0].experiment, Scale(rows[0].scale), rows, machines[0], labels or {})


def _parsed(record: Mapping[str, Any], path: Path, line: int) -> tuple[Row, Machine]:
    try:
        numbers = {"x": float(record["x"]), "value": float(record["value"]), "repetition": int(record["repetition"])}
        Scale(record["scale"])
        row = Row(**{**_part(record, _ROW_COLUMNS), **numbers})
        machine = Machine(**{**_part(record, _MACHINE_COLUMNS), "cores": int(record["cores"])})
    except (TypeError, ValueError) as error:
        raise ResultsError(f"{path}, line {line}: {error}; run its experiment again") from error
    return row, machine


def _part(record: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: record[name] for name in names}
