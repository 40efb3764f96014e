"""``penstock lab``: the papers' experiments, run again."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.cli.exit_codes import ExitCode
from penstock.cli.terminal import answers, count, messages, metered

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.lab.experiment import AnyExperiment, Parameters, Scale
    from penstock.lab.report import Judged


def run(arguments: Namespace) -> int:
    """List or run experiments, or write the report, and return the exit code."""
    actions = {"list": _list, "run": _run, "report": _report}
    actions[arguments.action](arguments)
    return ExitCode.FINE


def _list(arguments: Namespace) -> None:
    del arguments
    from penstock.lab.experiments import EXPERIMENTS

    console = answers()
    width = max(map(len, EXPERIMENTS))
    for name, experiment in EXPERIMENTS.items():
        console.print(f"{name:<{width}}  {experiment.heading}")


def _run(arguments: Namespace) -> None:
    from penstock.lab.experiment import Scale
    from penstock.lab.experiments import find_experiments
    from penstock.lab.figures import require_matplotlib
    from penstock.lab.report import write_figures

    require_matplotlib()  # at once, rather than after a long run
    console = messages()
    experiments = find_experiments(arguments.names)
    scale = Scale(arguments.scale)
    # All before the first is run: data that is missing is told at once.
    parameters = [_parameters(experiment, scale, arguments.data) for experiment in experiments]
    for experiment, chosen in zip(experiments, parameters, strict=True):
        judged = _run_one(experiment, scale, chosen, arguments.output, console)
        write_figures(judged, arguments.output)
        _tell(judged)
    console.print(f"Results are in {arguments.output}; `penstock lab report{_same_output(arguments)}` gathers them.")


def _parameters(experiment: AnyExperiment, scale: Scale, data: Path | None) -> Parameters:
    parameters: Parameters = experiment.scales[scale]
    return parameters if data is None else parameters.with_data(data)


def _run_one(experiment: AnyExperiment, scale: Scale, parameters: Parameters, output: Path, console: Console) -> Judged:
    from penstock.lab.report import judge
    from penstock.lab.results import write_results
    from penstock.lab.running import Step, run_experiment

    with metered(console, experiment.name, 100, shown=console.is_terminal) as meter:

        def on_step(step: Step) -> None:
            meter.at(100 * step.done // step.total)
            meter.say(step.remark)

        results = run_experiment(experiment, scale, parameters=parameters, on_step=on_step)
    write_results(results, output)
    return judge(experiment, results)


def _tell(judged: Judged) -> None:
    from penstock.lab.report import MARKS

    console = answers()
    console.print(f"{judged.experiment.name}  {judged.experiment.heading}")
    for claim, finding in judged.findings:
        console.print(f"  {MARKS[finding.verdict]} {claim.text} [{claim.kind}] {claim.reason(finding)}")


def _report(arguments: Namespace) -> None:
    from penstock.lab.report import load, write_report

    runs = load(arguments.output)
    path = write_report(runs, arguments.output)
    messages().print(f"{count(len(runs), 'experiment')} in {path}")


def _same_output(arguments: Namespace) -> str:
    from penstock.cli.arguments import LAB_OUTPUT

    return "" if arguments.output == LAB_OUTPUT else f" --output {arguments.output}"
