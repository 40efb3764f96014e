"""The arguments of the command line, all of them, and what runs a command.

Heavy parts are imported by the commands themselves, so that ``penstock --help`` is quick.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from penstock.cli.exit_codes import MEANINGS, ExitCode
from penstock.errors import PenstockError

_EXIT_CODES = "\n".join(["exit codes:", *(f"  {code:<4d} {meaning}" for code, meaning in MEANINGS.items())])

_PROGRAM = """\
Find every standing subscription that each event satisfies. A subscription is a condition as SQL writes it after
WHERE; an absent attribute is NULL. Files may be JSON lines, CSV, Parquet or Arrow, told by their names.
"""

_PROGRAM_EXAMPLES = """\
examples:
  penstock match events.jsonl subscriptions.csv
  penstock check subscriptions.csv
  penstock explain "price < 100 AND symbol = 'IBM'" '{"price": 103.2, "symbol": "IBM"}'
  penstock demo
  penstock lab run all
"""

_MATCH = """\
Match events with subscriptions and write a row (event_id, subscription_id) for each match. Events are read and
matches written a batch at a time, so their number is not limited by memory. Input that cannot be read is reported with
its file and line and set aside; the rest is matched.
"""

_MATCH_EXAMPLES = """\
examples:
  penstock match events.jsonl subscriptions.csv
  penstock match events.jsonl more.parquet rules.txt --output matches.parquet
  penstock match flights.csv rules.txt --type tailnum=string --format csv
  penstock match products.jsonl.gz rules.txt --event-id id --attributes attributes --rejects rejects.jsonl
  cat events.jsonl | penstock match - rules.txt | head

events:
  .jsonl .ndjson .json  JSON lines, one object on each line; objects within become dotted names (address.city)
  .csv .tsv             the first line names the attributes; an empty field is an absent attribute
  .parquet              Parquet
  .arrow .feather       Arrow IPC, file or stream
  a directory           all its files of these formats;  - is JSON lines on standard input
  Text may be compressed (.gz).

subscriptions:
  The same formats with the columns subscription_id and condition; or plain text (.txt .sql) with a condition on each
  line, whose number is the id (blank lines and lines that start with -- are skipped).
"""

_CHECK = """\
Check the subscriptions of a file. Every condition that cannot be understood is shown with its place, and so are ids
that occur twice (with both places) and conditions that are never true (with the reason).
"""

_CHECK_EXAMPLES = """\
examples:
  penstock check subscriptions.csv
  penstock check rules.txt --json
  penstock check rules.parquet --subscription-id id --condition rule
"""

_EXPLAIN = """\
Show why an event satisfies a condition, or which of its parts fail and by how much.
"""

_EXPLAIN_EXAMPLES = """\
examples:
  penstock explain "price < 100 AND symbol = 'IBM'" '{"price": 103.2, "symbol": "IBM"}'
  penstock explain cheap '{"price": 103.2}' --subscriptions subscriptions.csv
  penstock explain "qty <= context.stock" '{"qty": 5}' --context '{"stock": 3}'
  penstock explain "price < 100" @event.json
"""

_DEMO = """\
Match a sample of real flights with the subscriptions that travellers might have, as a Spark job on this machine, and
show the busiest of them.
"""

_DEMO_EXAMPLES = """\
examples:
  penstock demo
  penstock demo --output results
"""

_LAB = """\
Run the experiments of the papers again, at a small scale (seconds) or at that of the papers (minutes), and gather the
figures into one page, each beside what its paper claims and whether that held here.
"""

_LAB_EXAMPLES = """\
examples:
  penstock lab list
  penstock lab run vci-5 vcr-9b
  penstock lab run all --scale paper --output results
  penstock lab report
"""

_RUN_EXAMPLES = """\
examples:
  penstock lab run vci-5 vcr-9b
  penstock lab run all --scale paper --output results
  penstock lab run opindex-12-parts --data data

data:
  Experiments on real rows use samples that come with Penstock. A folder with the whole sets has
  pc_parts/products.jsonl.gz and gh_events/events.jsonl.gz: JSON lines with the keys id and attributes.
"""

LAB_OUTPUT = Path("lab-output")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return ExitCode.FAILED
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character should show its code rather than end the program.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = int(import_module(f"penstock.cli.{arguments.command}").run(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return ExitCode.FINE
    except PenstockError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return code


def _failed(message: str) -> int:
    sys.stderr.write(f"penstock: error: {message}\n")
    return ExitCode.FAILED


def _drop_output() -> None:
    """Let the interpreter flush what is left of standard output into nothing, since its reader is gone."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="penstock",
        description=_PROGRAM,
        epilog=f"{_PROGRAM_EXAMPLES}\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_VersionAction, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=_MixedArgumentParser
    )
    _add_match(commands)
    _add_check(commands)
    _add_explain(commands)
    _add_demo(commands)
    _add_lab(commands)
    return parser


class _VersionAction(argparse.Action):
    """Shows the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        sys.stdout.write(f"penstock {version('penstock')}\n")
        parser.exit()


class _MixedArgumentParser(argparse.ArgumentParser):
    """Takes options also between files: ``match a.jsonl b.jsonl --strict rules.txt``."""

    _mixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        # Mixed parsing calls this method itself, and cannot be had with commands within commands.
        if self._mixed or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixed = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixed = False


def _command(commands: Any, name: str, summary: str, description: str, examples: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"{examples}\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def _add_match(commands: Any) -> None:
    parser = _command(commands, "match", "match events with subscriptions", _MATCH, _MATCH_EXAMPLES)
    parser.add_argument("events", nargs="+", metavar="EVENTS", help="files or directories of events, or -")
    parser.add_argument("subscriptions", metavar="SUBSCRIPTIONS", help="the file of subscriptions, always last")
    writing = parser.add_argument_group("what is written")
    writing.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where matches go; its suffix tells the format (default: standard output)",
    )
    writing.add_argument(
        "-f",
        "--format",
        choices=("table", "jsonl", "csv", "parquet", "arrow"),
        help="the format (default: by the suffix; on a terminal a table, otherwise jsonl)",
    )
    writing.add_argument("--rejects", metavar="FILE", help="write all that was set aside, as JSON lines")
    writing.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    reading = parser.add_argument_group("what is read")
    reading.add_argument(
        "--event-id",
        metavar="NAME",
        help="the column of event ids (default: event_id, or else the events are numbered)",
    )
    reading.add_argument(
        "--attributes", metavar="NAME", help="the column that holds all attributes: an object, a map, a struct or JSON"
    )
    reading.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="NAME=TYPE",
        help="the type of a CSV column: integer, double, boolean, timestamp or string (default: what its values are)",
    )
    _add_subscription_columns(reading)
    reading.add_argument("--strict", action="store_true", help="stop at the first input that cannot be read")
    matching = parser.add_argument_group("how it is matched")
    matching.add_argument("--index", default="auto", metavar="NAME", help="the index to use (default: auto)")
    matching.add_argument(
        "--batch-size", type=_positive, metavar="N", help="how many events are matched at once (default: 16384)"
    )


def _add_check(commands: Any) -> None:
    parser = _command(commands, "check", "check a file of subscriptions", _CHECK, _CHECK_EXAMPLES)
    parser.add_argument("subscriptions", metavar="SUBSCRIPTIONS", help="the file of subscriptions")
    _add_subscription_columns(parser)
    parser.add_argument("--json", action="store_true", help="write the findings as one JSON object")


def _add_explain(commands: Any) -> None:
    parser = _command(commands, "explain", "show why an event matches or not", _EXPLAIN, _EXPLAIN_EXAMPLES)
    parser.add_argument(
        "condition_or_id", metavar="CONDITION", help="a condition; with --subscriptions the id of one of them"
    )
    parser.add_argument("event", metavar="EVENT", help="the event as a JSON object, @FILE that holds it, or -")
    parser.add_argument("-s", "--subscriptions", metavar="FILE", help="the file of subscriptions to take one from")
    _add_subscription_columns(parser)
    parser.add_argument("--attributes", metavar="NAME", help="the key of the event that holds its attributes")
    parser.add_argument("--context", metavar="JSON", help="what context.name refers to, as a JSON object")


def _add_demo(commands: Any) -> None:
    parser = _command(commands, "demo", "run the demo: a Spark job over real flights", _DEMO, _DEMO_EXAMPLES)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="where it writes (default: demo-output)",
    )


def _add_lab(commands: Any) -> None:
    parser = _command(commands, "lab", "run the experiments of the papers", _LAB, _LAB_EXAMPLES)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    _command(actions, "list", "list the experiments", "List the experiments.", "examples:\n  penstock lab list\n")
    running = _command(
        actions,
        "run",
        "run experiments",
        "Run experiments: results go to CSV files, figures beside them, and what held is shown.",
        _RUN_EXAMPLES,
    )
    running.add_argument("names", nargs="+", metavar="NAME", help="experiments as listed, or all")
    running.add_argument("--scale", choices=("small", "paper"), default="small", help="how large (default: small)")
    running.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="take whole data sets from there (default: the samples that are carried)",
    )
    reporting = _command(
        actions,
        "report",
        "gather results into one page",
        "Gather all results of a directory into one HTML page that needs nothing else.",
        "examples:\n  penstock lab report\n  penstock lab report --output results\n",
    )
    for action in (running, reporting):
        action.add_argument(
            "-o",
            "--output",
            type=Path,
            default=LAB_OUTPUT,
            metavar="DIR",
            help=f"where results are (default: {LAB_OUTPUT})",
        )


def _add_subscription_columns(parser: Any) -> None:
    parser.add_argument(
        "--subscription-id",
        default="subscription_id",
        metavar="NAME",
        help="the column of subscription ids (default: subscription_id)",
    )
    parser.add_argument(
        "--condition", default="condition", metavar="NAME", help="the column of conditions (default: condition)"
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"should be a positive integer, found {text!r}")
    return int(text)
