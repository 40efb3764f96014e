"""``penstock lab``: list, run and report, as a user meets them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from penstock.cli.arguments import main
from penstock.lab.experiments import EXPERIMENTS
from tests.lab.test_report import WellFormed


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(EXPERIMENTS)
    assert lines[0].split(maxsplit=1) == ["vci-5", "VCI figure 5: storage by the longest construct interval"]


def test_run_and_report(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lab", "run", "vci-7b", "--scale", "small", "vcr-9b"]) == 0
    shown = capsys.readouterr()
    assert "vci-7b  VCI figure 7(b): storage over a large range\n  ✓ " in shown.out
    assert shown.err == "Results are in lab-output; `penstock lab report` gathers them.\n"
    assert main(["lab", "report"]) == 0
    assert capsys.readouterr().err == "2 experiments in lab-output/report.html\n"
    names = {path.name for path in Path("lab-output").iterdir()}
    figures = {"vci-7b-small-1.svg", "vci-7b-small-2.svg", "vcr-9b-small.svg"}
    assert names == {"vci-7b-small.csv", "vcr-9b-small.csv", "report.html", *figures}
    page = WellFormed(Path("lab-output/report.html").read_text(encoding="utf-8"))
    for name in ("vci-7b", "vcr-9b"):
        assert all(claim.text in page.text for claim in EXPERIMENTS[name].claims)


@pytest.mark.slow
def test_run_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["lab", "run", "all", "--output", str(tmp_path)]) == 0
    assert f"`penstock lab report --output {tmp_path}` gathers them" in capsys.readouterr().err
    assert main(["lab", "report", "-o", str(tmp_path)]) == 0
    page = WellFormed((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert page.values("section", "id") == list(EXPERIMENTS)
    assert len(page.values("img", "src")) == sum(len(each.panels) for each in EXPERIMENTS.values())


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["run", "vci-6"], "there is no experiment 'vci-6'; did you mean vci-6"),
        (["report", "-o", "nowhere"], "there are no results in nowhere; `penstock lab run all` makes some"),
    ],
)
def test_wrong_names_are_told(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["lab", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "the following arguments are required: ACTION"),
        (["walk"], "invalid choice: 'walk'"),
        (["run"], "the following arguments are required: NAME"),
        (["run", "vci-5", "--scale", "huge"], "invalid choice: 'huge'"),
    ],
)
def test_wrong_usage_ends_with_2(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["lab", *arguments])
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("action", [[], ["list"], ["run"], ["report"]])
def test_help_has_examples(capsys: pytest.CaptureFixture[str], action: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(["lab", *action, "--help"])
    assert "examples:\n  penstock lab " in capsys.readouterr().out


def test_without_matplotlib_it_says_what_to_install_before_it_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["lab", "run", "vci-5", "--output", str(tmp_path / "out")]) == 2
    assert "pip install 'penstock[lab]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
