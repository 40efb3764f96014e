"""One page with everything: each figure beside its paper's claims and whether they held here.

The page stands alone: its style and its figures are within it, and it needs no script.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from penstock.errors import ResultsError
from penstock.lab.claims import Claim, Finding, Kind, Verdict
from penstock.lab.experiment import AnyExperiment, Axis, Panel, Scale
from penstock.lab.experiments import EXPERIMENTS
from penstock.lab.figures import draw, ranges_of, tick
from penstock.lab.results import Machine, Range, Results, read_results, results_path

REPORT_NAME: Final = "report.html"

_CLASSES: Final = {Verdict.HELD: "held", Verdict.CLOSE: "close", Verdict.FAILED: "failed"}
MARKS: Final = {Verdict.HELD: "✓", Verdict.CLOSE: "≈", Verdict.FAILED: "✗"}


@dataclass(frozen=True, slots=True)
class Judged:
    """A run of an experiment and how its claims fared."""

    experiment: AnyExperiment
    results: Results
    findings: tuple[tuple[Claim, Finding], ...]


def judge(experiment: AnyExperiment, results: Results) -> Judged:
    """Ask every claim of an experiment about results."""
    return Judged(experiment, results, tuple((claim, claim.judge(results)) for claim in experiment.claims))


def load(directory: Path) -> list[Judged]:
    """All runs in a directory, the larger scale of each experiment, in the order of the experiments."""
    found = []
    for experiment in EXPERIMENTS.values():
        paths = [results_path(directory, experiment.name, scale) for scale in (Scale.PAPER, Scale.SMALL)]
        path = next((path for path in paths if path.exists()), None)
        if path is not None:
            found.append(judge(experiment, read_results(path, experiment.labels)))
    if not found:
        raise ResultsError(f"there are no results in {directory}; `penstock lab run all` makes some")
    return found


def write_report(runs: Sequence[Judged], directory: Path) -> Path:
    """Write the page and return its file."""
    path = directory / REPORT_NAME
    path.write_text(page(runs), encoding="utf-8")
    return path


def write_figures(run: Judged, directory: Path) -> list[Path]:
    """Write the figures of a run as files of their own and return them."""
    written = []
    for number, panel in enumerate(run.experiment.panels, start=1):
        suffix = f"-{number}" if len(run.experiment.panels) > 1 else ""
        path = directory / f"{run.experiment.name}-{run.results.scale}{suffix}.svg"
        path.write_bytes(draw(run.experiment, panel, run.results))
        written.append(path)
    return written


def page(runs: Sequence[Judged]) -> str:
    """The page as text."""
    style = files("penstock.lab").joinpath("report.css").read_text(encoding="utf-8")
    sections = "\n".join(_section(run) for run in runs)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Penstock lab</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>What the papers claim, and what we found</h1>
<p>Penstock contains the index structures of several papers, and runs their experiments again. Below is each figure with
the claims that its paper makes about it, in our words, and whether they held here. Storage and counts are the same on
every machine; times are those of the machine named below.</p>
{_tally(runs)}
{_machines(runs)}
{_contents(runs)}
</header>
<main>
{sections}
</main>
</body>
</html>
"""


def _tally(runs: Sequence[Judged]) -> str:
    findings = [pair for run in runs for pair in run.findings]
    timed = [finding.verdict for claim, finding in findings if claim.kind == Kind.TIME]
    counted = [finding.verdict for claim, finding in findings if claim.kind != Kind.TIME]
    return (
        f"<p><strong>{counted.count(Verdict.HELD)} of {len(counted)}</strong> claims about storage and counts held;"
        f" <strong>{timed.count(Verdict.HELD)} of {len(timed)}</strong> claims about time held,"
        f" {timed.count(Verdict.CLOSE)} were too close to call.</p>"
    )


def _machines(runs: Sequence[Judged]) -> str:
    """Each machine once, with the days it was used on."""
    days: dict[tuple[str, int, str, str], set[str]] = {}
    for machine in (run.results.machine for run in runs):
        key = (machine.cpu, machine.cores, machine.python, machine.numba)
        days.setdefault(key, set()).add(_day(machine))
    return "\n".join(
        f'<p class="machine">Measured on {escape(cpu)}, {cores} cores; Python {escape(python)}, Numba {escape(numba)};'
        f" {', '.join(sorted(dates))}.</p>"
        for (cpu, cores, python, numba), dates in days.items()
    )


def _day(machine: Machine) -> str:
    return escape(machine.date.partition("T")[0])


def _contents(runs: Sequence[Judged]) -> str:
    items = "\n".join(
        f'<li><a href="#{run.experiment.name}">{escape(run.experiment.heading)}</a>'
        f'<span class="score">{_score(run)}</span></li>'
        for run in runs
    )
    return f'<nav aria-label="Contents">\n<ol>\n{items}\n</ol>\n</nav>'


def _score(run: Judged) -> str:
    verdicts = [finding.verdict for _, finding in run.findings]
    return f"{verdicts.count(Verdict.HELD)} of {len(verdicts)} held"


def _section(run: Judged) -> str:
    experiment = run.experiment
    return f"""<section id="{experiment.name}">
<h2>{escape(experiment.heading)}</h2>
<p>{escape(experiment.question)}</p>
<div class="figures">
{"".join(_figure(run, panel) for panel in experiment.panels)}</div>
<h3>What is claimed</h3>
<ul class="claims">
{"".join(_claim(claim, finding) for claim, finding in run.findings)}</ul>
{_notes(experiment.notes)}<h3>Parameters</h3>
{_parameters(run)}
{"".join(_values(run, panel) for panel in experiment.panels)}</section>"""


def _figure(run: Judged, panel: Panel) -> str:
    image = b64encode(draw(run.experiment, panel, run.results)).decode()
    series = ", ".join(series.label for series in run.experiment.series)
    words = f"{panel.y.title} over {run.experiment.x.title}: {series}"
    return (
        f'<figure><img alt="{escape(words)}" src="data:image/svg+xml;base64,{image}">'
        f"<figcaption>{escape(_caption(run, panel))}</figcaption></figure>\n"
    )


def _caption(run: Judged, panel: Panel) -> str:
    repetitions = run.experiment.scales[run.results.scale].repetitions
    title = panel.y.title[0].upper() + panel.y.title[1:]
    if repetitions == 1 or not panel.measure.is_time:
        return f"{title}."
    return f"{title}: the median of {repetitions} repetitions, and between which values they lay."


def _claim(claim: Claim, finding: Finding) -> str:
    verdict = finding.verdict
    kind = f"{claim.kind}, a check of our own" if claim.ours else str(claim.kind)
    return (
        f'<li class="{_CLASSES[verdict]}">{escape(claim.text)} '
        f'<span class="verdict">{MARKS[verdict]} {verdict}</span> <span class="soft">({kind})</span>'
        f'<span class="evidence">{escape(claim.reason(finding))}</span></li>\n'
    )


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<p class="notes">{escape(note)}</p>\n' for note in notes)


def _parameters(run: Judged) -> str:
    scale = run.results.scale
    rows = [("scale", f"{scale}"), *run.experiment.scales[scale].described()]
    cells = "\n".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f'<div class="scroll"><table>\n{cells}\n</table></div>'


def _values(run: Judged, panel: Panel) -> str:
    """The medians behind a figure, for whoever wants to read numbers."""
    x_axis, y_axis = run.experiment.x, panel.y
    columns = {series.label: ranges_of(panel, series, run.results) for series in run.experiment.series}
    xs = sorted({x for column in columns.values() for x in column})
    head = "".join(f'<th class="number">{escape(label)}</th>' for label in columns)
    body = "\n".join(
        f'<tr><th class="number">{escape(tick(x_axis, x))}</th>'
        + "".join(f'<td class="number">{_value(column.get(x), y_axis)}</td>' for column in columns.values())
        + "</tr>"
        for x in xs
    )
    return (
        f"<details><summary>Numbers: {escape(y_axis.title)}</summary>"
        f'<div class="scroll"><table>\n<tr><th class="number">{escape(x_axis.title)}</th>{head}</tr>\n'
        f"{body}\n</table></div></details>\n"
    )


def _value(values: Range | None, axis: Axis) -> str:
    return "" if values is None else f"{values[1] * axis.factor:,.4g}"
