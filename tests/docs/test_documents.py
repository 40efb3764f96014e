"""What README and docs say is what happens: their Python is run, their commands are executed.

Behind a line of Python that has a value, comments that follow it state the value as printed; behind ``print`` they
state the output. In a ``console`` block a line with ``$`` is a command, and what follows is its output.
"""

from __future__ import annotations

import ast
import io
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from penstock.cli.arguments import main

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(document: Path, language: str) -> list[str]:
    return [content for kind, content in BLOCK.findall(document.read_text(encoding="utf-8")) if kind == language]


def with_python(*, spark: bool) -> list[Path]:
    return [path for path in DOCUMENTS if any(("penstock.spark" in block) == spark for block in blocks(path, "python"))]


def run(block: str, names: dict[str, Any]) -> None:
    """Run a block statement by statement and compare what it states with what happened."""
    lines = block.splitlines()
    statements = ast.parse(block).body
    for number, statement in enumerate(statements):
        begin = statement.end_lineno or 0
        end = statements[number + 1].lineno - 1 if number + 1 < len(statements) else len(lines)
        stated = [line[2:] for line in lines[begin:end] if line.startswith("# ")]
        source = "\n".join(lines[statement.lineno - 1 : begin])
        output = io.StringIO()
        with redirect_stdout(output):
            if isinstance(statement, ast.Expr):
                value = eval(source, names)
                if value is not None:
                    print(repr(value))
            else:
                exec(source, names)
        if stated:
            assert output.getvalue().splitlines() == stated, source


def run_python(document: Path, *, spark: bool) -> None:
    names: dict[str, Any] = {}
    for block in blocks(document, "python"):
        if ("penstock.spark" in block) == spark:
            run(block, names)


@pytest.mark.parametrize("document", with_python(spark=False), ids=lambda path: path.name)
def test_python_in_documents(document: Path) -> None:
    run_python(document, spark=False)


@pytest.mark.spark
@pytest.mark.parametrize("document", with_python(spark=True), ids=lambda path: path.name)
def test_spark_in_documents(document: Path) -> None:
    # In a process of its own: a document starts Spark itself, and a process has one Spark at a time.
    program = "import sys; from pathlib import Path; from tests.docs.test_documents import run_python; "
    program += "run_python(Path(sys.argv[1]), spark=True)"
    result = subprocess.run(
        [sys.executable, "-c", program, document], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "document", [path for path in DOCUMENTS if blocks(path, "console")], ids=lambda path: path.name
)
def test_commands_in_documents(
    document: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for block in blocks(document, "console"):
        for command, *stated in (part.splitlines() for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part):
            program, *arguments = shlex.split(command)
            assert program == "penstock"
            assert main(arguments) == 0, command
            shown = capsys.readouterr().out.splitlines()
            if stated:
                assert shown == stated, command


def test_targets_of_make_in_documents_exist() -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    documents = [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"]
    wanted = {
        target
        for path in documents
        for target in re.findall(r"(?:`|^)make ([a-z-]+)\b", path.read_text(encoding="utf-8"))
    }
    assert wanted <= known, wanted - known
    assert {"demo", "test", "help"} <= known


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(example), run_name="__main__")
    assert "matches: ['ibm-low', 'big-move']" in capsys.readouterr().out
