"""``penstock demo``: the Spark job over real flights."""

from __future__ import annotations

from argparse import Namespace

from rich.console import Console

from penstock.cli.exit_codes import ExitCode


def run(arguments: Namespace) -> int:
    """Run the demo, and return the exit code."""
    from penstock.spark.demo import run_demo  # it needs the Spark extra, which the other commands do not

    run_demo(arguments.output, Console())
    return ExitCode.FINE
