"""The program as a whole: its help, its exit codes, and how it behaves in a pipe and on a terminal."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import penstock
from penstock.cli.arguments import main
from tests.cli.conftest import MATCHES, Run

COMMANDS = ["match", "check", "explain", "demo", "lab"]
PROGRAM = [sys.executable, "-m", "penstock"]


def help_of(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    with pytest.raises(SystemExit) as exit_:
        main([*command, "--help"])
    assert exit_.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_tells_the_exit_codes_and_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    text = help_of(capsys, *command)
    assert "examples:\n  penstock " in text
    assert "exit codes:\n  0    all is well" in text
    assert "  130  stopped by Ctrl-C" in text
    assert max(map(len, text.splitlines())) <= 120


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(capsys)
    assert re.findall(r"^    (\w+) ", text, re.MULTILINE) == COMMANDS


@pytest.mark.usefixtures("here")
def test_the_examples_in_the_help_work(capsys: pytest.CaptureFixture[str]) -> None:
    more_sample_files()
    examples = [
        line.strip()
        for command in COMMANDS
        for line in help_of(capsys, command).splitlines()
        if line.startswith("  penstock ") and " demo" not in line and " lab " not in line
    ]
    assert len(examples) == 11
    for example in examples:
        assert main(shlex.split(example)[1:]) == 0, f"{example}: {capsys.readouterr().err}"


def more_sample_files() -> None:
    Path("events.parquet").rename("more.parquet")
    Path("events.csv").rename("flights.csv")
    Path("products.jsonl.gz").write_bytes(gzip.compress(Path("nested.jsonl").read_bytes()))
    Path("event.json").write_text('{"price": 5}')
    renamed = {"subscription_id": "id", "condition": "rule"}
    pq.write_table(pq.read_table("subscriptions.parquet").rename_columns(renamed), "rules.parquet")


@pytest.mark.usefixtures("here")
def test_the_example_of_a_pipe_works() -> None:
    script = f"cat events.jsonl | {shlex.join(PROGRAM)} match - rules.txt | head"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 3


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"penstock {penstock.__version__}\n"


def test_without_a_command_there_is_help(run: Run) -> None:
    outcome = run()
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("usage: penstock [-h] [--version] COMMAND ...")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["mach"], "invalid choice: 'mach'"),
        (["match", "events.jsonl"], "the following arguments are required: SUBSCRIPTIONS"),
        (["match", "a.jsonl", "b.txt", "--batch-size", "0"], "--batch-size: should be a positive integer, found '0'"),
        (["match", "a.jsonl", "b.txt", "--format", "xml"], "invalid choice: 'xml'"),
        (["check", "a", "b"], "unrecognized arguments: b"),
    ],
)
def test_wrong_usage_ends_with_2(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_the_heavy_parts_are_loaded_by_the_commands_only() -> None:
    heavy = ("numba", "numpy", "pyarrow", "rich", "lark", "re2")
    script = (
        f"import sys, penstock.cli.arguments as a; a.build_parser(); print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.usefixtures("here")
def test_as_a_program_in_a_pipe() -> None:
    done = subprocess.run([*PROGRAM, "match", "events.jsonl", "subscriptions.csv"], capture_output=True, text=True)
    assert done.returncode == 0
    assert [tuple(json.loads(line).values()) for line in done.stdout.splitlines()] == MATCHES
    # The summary and nothing else: no bar, no colours.
    assert re.fullmatch(r"3 events, 2 subscriptions: 3 matches in \d+\.\d\d s\n", done.stderr)


@pytest.mark.usefixtures("here")
def test_an_error_is_told_without_a_traceback() -> None:
    done = subprocess.run([*PROGRAM, "check", "missing.csv"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "penstock: error: there is no file 'missing.csv'\n"


def run_on_terminal(arguments: list[str], *, output_too: bool) -> str:
    """What a program shows on a terminal: standard error, and standard output too if wanted."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "60"}
    with subprocess.Popen(
        [*PROGRAM, *arguments], stderr=theirs, stdout=theirs if output_too else subprocess.DEVNULL, env=environment
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux tells the end of a terminal
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert process.returncode == 0
    return shown.decode()


@pytest.mark.usefixtures("here")
def test_progress_is_shown_on_a_terminal() -> None:
    shown = run_on_terminal(["match", "events.jsonl", "rules.txt", "-o", "matches.csv"], output_too=False)
    assert "Matching" in shown
    assert "100%" in shown
    quiet = run_on_terminal(["match", "events.jsonl", "rules.txt", "-o", "matches.csv", "--quiet"], output_too=False)
    assert quiet == ""


@pytest.mark.usefixtures("here")
def test_on_a_terminal_matches_are_a_table_cut_to_its_width() -> None:
    Path("long.txt").write_text("price < 100 AND symbol IN ('IBM', 'SAP', 'NOKIA', 'ERIC', 'AAPL')\n")
    shown = run_on_terminal(["match", "events.jsonl", "long.txt"], output_too=True)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert lines[0] == "event_id  subscription_id  condition"
    assert lines[1].startswith("e1        1                price < 100 AND symbol IN ('IBM")
    assert lines[1].endswith("…")
    assert len(lines[1]) == 60
    assert lines[-1].startswith("3 events, 1 subscription: 1 match in ")


@pytest.mark.usefixtures("here")
def test_a_closed_pipe_ends_the_program_quietly() -> None:
    Path("many.jsonl").write_text('{"price": 1}\n' * 20_000)
    for form in ("jsonl", "parquet"):
        command = [*PROGRAM, "match", "many.jsonl", "rules.txt", "--quiet", "--batch-size", "100", "--format", form]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(1)
            process.stdout.close()
            assert process.stderr.read() == b"", form
        assert process.returncode == 0


@pytest.mark.usefixtures("here")
def test_ctrl_c_ends_the_program_with_130() -> None:
    command = [*PROGRAM, "match", "-", "rules.txt", "--batch-size", "1"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background of a shell, Ctrl-C is ignored, and programs inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write('{"price": 1}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"event_id": 0, "subscription_id": 2}
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
    assert process.returncode == 130
