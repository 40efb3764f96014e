"""OpIndex's figure 12: on made-up products and on real rows, and whole sets of these from a folder."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.cli.arguments import main
from penstock.errors import SourceError
from penstock.lab.experiment import Scale
from penstock.lab.experiments.opindex.products import (
    FIGURE_12AC,
    FIGURE_12BD,
    FIGURE_12F,
    ON_EVENTS,
    ON_PARTS,
    PRODUCT_EXPERIMENTS,
    ROWS,
)
from penstock.lab.running import run_experiment
from penstock.model.conditions import And, Comparison, Condition, In


def parts(conditions: list[Condition]) -> list[Condition]:
    return [part for each in conditions for part in (each.children if isinstance(each, And) else (each,))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Whole sets, which are few rows here."""
    for name in ("pc_parts/products", "gh_events/events"):
        path = tmp_path / "whole" / f"{name}.jsonl.gz"
        path.parent.mkdir(parents=True)
        rows = [{"id": number, "attributes": {f"a{each}": number % 3 for each in range(6)}} for number in range(9)]
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return tmp_path / "whole"


def test_each_part_has_its_name() -> None:
    names = [each.name for each in PRODUCT_EXPERIMENTS]
    figures = ["opindex-12ac", "opindex-12bd", "opindex-12e", "opindex-12f"]
    assert names == [*figures, "opindex-12-parts", "opindex-12-events"]


def test_at_the_papers_scale_products_are_as_many_as_the_papers() -> None:
    parameters = FIGURE_12AC.scales[Scale.PAPER]
    assert (parameters.products, parameters.attributes) == (296_846, 10_204)


def test_subscriptions_ask_for_single_values_or_for_sets() -> None:
    for experiment, kind in ((FIGURE_12AC, Comparison), (FIGURE_12BD, In)):
        conditions = experiment.scales[Scale.SMALL].at(300.0).conditions()
        assert {type(part) for part in parts(conditions)} == {kind}
    longer = FIGURE_12F.scales[Scale.SMALL].at(20.0).conditions()
    assert max(len(each.children) for each in longer if isinstance(each, And)) == 20


def test_products_are_made_once_for_all_series() -> None:
    parameters = FIGURE_12AC.scales[Scale.SMALL]
    assert parameters.at(100.0).rows() is parameters.at(200.0).rows()


def test_real_rows_are_those_of_the_sample_unless_there_is_a_folder(folder: Path) -> None:
    parameters = ON_PARTS.scales[Scale.SMALL]
    assert len(parameters.rows()) == 1_500
    whole = parameters.with_data(folder)
    assert len(whole.rows()) == 9
    assert whole == replace(parameters, data=folder)


def test_results_say_how_many_rows_there_were(folder: Path) -> None:
    parameters = replace(ON_EVENTS.scales[Scale.SMALL].with_data(folder), xs=(0.5,), count=20, repetitions=1)
    results = run_experiment(ON_EVENTS, Scale.SMALL, parameters=parameters)
    assert results.medians("opindex", ROWS) == {0.5: 9}


def test_other_experiments_have_no_use_for_data(tmp_path: Path) -> None:
    parameters = FIGURE_12AC.scales[Scale.SMALL]
    assert parameters.with_data(tmp_path) is parameters


def test_a_set_that_the_folder_lacks_is_told_before_anything_runs(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "gh_events/events.jsonl.gz").unlink()
    with pytest.raises(SourceError, match=r"there is no gh_events/events.jsonl.gz in .*whole"):
        ON_EVENTS.scales[Scale.SMALL].with_data(folder)
    arguments = ["opindex-12-parts", "opindex-12-events", "--data", str(folder), "--output", str(tmp_path / "out")]
    assert main(["lab", "run", *arguments]) == 2
    assert "there is no gh_events/events.jsonl.gz" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_command_takes_whole_sets_from_a_folder(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["lab", "run", "opindex-12-parts", "--data", str(folder), "--output", str(tmp_path)]
    assert main(arguments) == 0
    assert "OpIndex figure 12: subscriptions made from real rows: computer parts" in capsys.readouterr().out
    rows = (tmp_path / "opindex-12-parts-small.csv").read_text(encoding="utf-8").splitlines()
    assert {row.split(",")[6] for row in rows if ROWS.name in row} == {"9.0"}
