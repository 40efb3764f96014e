"""The page: whole, well-formed, standing alone, with every figure and claim."""

from __future__ import annotations

import base64
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from penstock.errors import MissingExtraError, ResultsError
from penstock.lab.claims import Kind, Verdict
from penstock.lab.experiment import Axis, Measure, Panel, Parameters, Scale
from penstock.lab.figures import draw, ranges_of
from penstock.lab.report import judge, load, page, write_figures, write_report
from penstock.lab.running import run_experiment
from penstock.lab.searching import STORAGE
from tests.lab.toy import TOY

VOID = {"meta", "img", "br", "link", "input", "hr"}


class WellFormed(HTMLParser):
    """Follows the tags of a page, and fails where one is closed that is not the last opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))

    def values(self, tag: str, name: str) -> list[str]:
        return [value for each, key, value in self.attributes if (each, key) == (tag, name)]


@pytest.fixture(scope="module")
def parsed() -> WellFormed:
    return WellFormed(page([judge(TOY, run_experiment(TOY, Scale.SMALL))]))


def test_it_has_every_figure(parsed: WellFormed) -> None:
    images = parsed.values("img", "src")
    assert len(images) == len(TOY.panels)
    for image in images:
        kind, _, content = image.partition(",")
        assert kind == "data:image/svg+xml;base64"
        assert b"<svg" in base64.b64decode(content)
    assert all("First <1>" in words for words in parsed.values("img", "alt"))


def test_it_has_every_claim_with_its_verdict(parsed: WellFormed) -> None:
    for claim in TOY.claims:
        assert claim.text in parsed.text
    assert "Storage grows with n. ✓ held (storage)First <1> grows 4 times from x = 10 to 40." in parsed.text
    assert "Answers & answers are equal. ✓ held (count, a check of our own)" in parsed.text
    assert "✗ did not hold (storage)First <1> is 1 times Late. They are the same here." in parsed.text
    assert "Who knows. ≈ too close to call (time)" in parsed.text
    assert "2 of 3 claims about storage and counts held; 0 of 1 claims about time held, 1 were too" in parsed.text


def test_it_has_parameters_notes_numbers_and_the_machine(parsed: WellFormed) -> None:
    for words in ("A note with a < in it.", "repetitions3", "scalesmall", "Numbers: storage, as", "Measured on "):
        assert words in parsed.text, words


def test_its_contents_lead_to_its_sections(parsed: WellFormed) -> None:
    targets = [target.removeprefix("#") for target in parsed.values("a", "href")]
    assert targets == ["toy-1"]
    assert parsed.values("section", "id") == targets


def test_it_stands_alone(parsed: WellFormed) -> None:
    tags = {tag for tag, _, _ in parsed.attributes}
    assert not tags & {"script", "link", "iframe"}
    assert all(value.startswith("data:") for value in parsed.values("img", "src"))
    assert "url(" not in parsed.text
    assert "@import" not in parsed.text


@pytest.mark.parametrize("form, magic", [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_figures_in_each_form(form: str, magic: bytes) -> None:
    results = run_experiment(TOY, Scale.SMALL)
    for panel in TOY.panels:
        assert draw(TOY, panel, results, form).startswith(magic)


def test_the_same_results_give_the_same_figure() -> None:
    results = run_experiment(TOY, Scale.SMALL)
    assert draw(TOY, TOY.panels[0], results) == draw(TOY, TOY.panels[0], results)


def test_a_panel_with_a_base_shows_multiples_of_it() -> None:
    panel = Panel(STORAGE, Axis("storage, as a multiple"), base="first")
    results = run_experiment(TOY, Scale.SMALL)
    first, late = (ranges_of(panel, series, results) for series in TOY.series)
    assert first == {10.0: (1, 1, 1), 20.0: (1, 1, 1), 40.0: (1, 1, 1)}
    stored = [results.medians(name, panel.measure) for name in ("late", "first")]
    assert {x: value for x, (_, value, _) in late.items()} == {x: stored[0][x] / stored[1][x] for x in stored[0]}
    assert draw(TOY, panel, results) != draw(TOY, TOY.panels[1], results)
    shown = page([judge(replace(TOY, panels=(panel,)), results)])
    assert '<td class="number">1</td>' in shown


def test_what_is_zero_is_left_out_of_a_logarithmic_figure() -> None:
    panel = Panel(Measure("zeros"), Axis("zeros", logarithmic=True))
    results = run_experiment(TOY, Scale.SMALL)
    zeros = tuple(replace(row, measure="zeros", value=0.0) for row in results.rows if row.series == "late")
    ones = tuple(replace(row, measure="zeros", value=row.x) for row in results.rows if row.series == "first")
    assert draw(TOY, panel, replace(results, rows=(*zeros, *ones)))
    assert draw(TOY, panel, replace(results, rows=zeros))


def test_of_many_values_of_x_only_some_are_named() -> None:
    results = run_experiment(TOY, Scale.SMALL, parameters=Parameters(xs=tuple(float(x) for x in range(1, 51))))
    figure = draw(TOY, TOY.panels[1], results).decode()
    assert [x for x in range(1, 51) if f"<!-- {x} -->" in figure] == [*range(5, 51, 5)]


def test_files_are_written(tmp_path: Path) -> None:
    run = judge(TOY, run_experiment(TOY, Scale.SMALL))
    names = [path.name for path in write_figures(run, tmp_path)]
    assert names == ["toy-1-small-1.svg", "toy-1-small-2.svg", "toy-1-small-3.svg"]
    assert write_report([run], tmp_path).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_without_results_there_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="there are no results in .*; `penstock lab run all` makes some"):
        load(tmp_path)


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    results = run_experiment(TOY, Scale.SMALL)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # what an import of something that is not installed meets
    with pytest.raises(MissingExtraError, match=r"pip install 'penstock\[lab\]'"):
        draw(TOY, TOY.panels[0], results)


def test_verdicts_of_the_toy_are_of_every_kind() -> None:
    run = judge(TOY, run_experiment(TOY, Scale.SMALL))
    assert {finding.verdict for _, finding in run.findings} == set(Verdict)
    assert {claim.kind for claim, _ in run.findings} == set(Kind)
