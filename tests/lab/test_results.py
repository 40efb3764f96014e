"""Results survive being written and read, and a file that holds none is refused with what is wrong."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from penstock.errors import ResultsError
from penstock.lab.experiment import Scale
from penstock.lab.results import Machine, read_results, write_results
from penstock.lab.running import run_experiment
from tests.lab.toy import TOY


def test_round_trip(tmp_path: Path) -> None:
    results = run_experiment(TOY, Scale.SMALL)
    path = write_results(results, tmp_path / "new")
    assert path.name == "toy-1-small.csv"
    assert read_results(path, TOY.labels) == results
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_columns_are_those_that_the_documents_name(tmp_path: Path) -> None:
    path = write_results(run_experiment(TOY, Scale.SMALL), tmp_path)
    with path.open(newline="") as file:
        reader = csv.reader(file)
        columns = "experiment,scale,series,x,repetition,measure,value,unit,basis,cpu,cores,python,numba,date"
        assert ",".join(next(reader)) == columns


def test_the_machine_is_described() -> None:
    machine = Machine.this()
    assert machine.cpu
    assert machine.cores >= 1
    assert machine.python.startswith("3.")
    assert machine.date.endswith("+00:00")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: "a,b\n1,2\n", "does not hold results of the lab: no column basis, cores"),
        (lambda text: text.partition("\n")[0] + "\n", "holds no results"),
        (lambda text: text.replace(",10.0,", ",ten,", 1), "line 2: could not convert string to float: 'ten'"),
        (lambda text: text.replace(",small,", ",tiny,", 1), "line 2: 'tiny' is not a valid Scale"),
        (lambda text: text + "toy-1,small\n", "; run its experiment again"),
    ],
)
def test_a_file_without_results_is_refused(tmp_path: Path, change, message: str) -> None:  # type: ignore[no-untyped-def]
    path = write_results(run_experiment(TOY, Scale.SMALL), tmp_path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(ResultsError) as error:
        read_results(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)
