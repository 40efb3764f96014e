"""``penstock explain``."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from penstock.cli.arguments import main
from tests.cli.conftest import Run


@pytest.mark.usefixtures("here")
def test_a_condition(run: Run) -> None:
    assert run("explain", "price < 100 AND symbol = 'IBM'", '{"price": 103.2, "symbol": "IBM"}') == (
        0,
        (
            "✗ price < 100 AND symbol = 'IBM'  [FALSE]\n"
            "├─ ✗ price < 100  [FALSE]: price is 103.2, failed by 3.2\n"
            "└─ ✓ symbol = 'IBM'  [TRUE]: symbol is 'IBM'\n"
            "It does not match.\n"
        ),
        "",
    )
    assert run("explain", "price < 100", '{"price": 5}').out.endswith("\nIt matches.\n")
    assert run("explain", "price < 100", "{}").out.endswith("\nIt does not match: the condition is UNKNOWN.\n")


@pytest.mark.usefixtures("here")
def test_a_subscription_of_a_file(run: Run) -> None:
    outcome = run("explain", "cheap", '{"price": 103.2}', "--subscriptions", "subscriptions.csv")
    assert outcome == (0, "✗ price < 100  [FALSE]: price is 103.2, failed by 3.2\nIt does not match.\n", "")
    assert run("explain", "2", '{"price": 1}', "-s", "rules.txt").out.endswith("It matches.\n")


@pytest.mark.usefixtures("here")
def test_a_subscription_that_is_not_there(run: Run) -> None:
    assert run("explain", "cheep", "{}", "-s", "subscriptions.csv") == (
        2,
        "",
        "penstock: error: there is no subscription 'cheep' in subscriptions.csv; did you mean cheap?\n",
    )
    Path("bad.jsonl").write_text("oops\n")
    assert run("explain", "x", "{}", "-s", "bad.jsonl").err == (
        "penstock: error: there is no subscription 'x' in bad.jsonl (1 row of it could not be read)\n"
    )


@pytest.mark.usefixtures("here")
def test_where_the_event_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("event.json").write_text('{\n  "id": 1,\n  "attributes": {"a": {"b": 5}}\n}\n')
    assert run("explain", "`a.b` = 5", "@event.json", "--attributes", "attributes").out.endswith("It matches.\n")
    monkeypatch.setattr("sys.stdin", io.StringIO('{"price": 5}\n'))
    assert run("explain", "price = 5", "-").out.endswith("It matches.\n")


def test_a_terminal_that_cannot_show_every_character(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(screen, encoding="ascii"))
    assert main(["explain", "price < 100", '{"price": 5}']) == 0
    assert screen.getvalue() == b"\\u2713 price < 100  [TRUE]: price is 5\nIt matches.\n"


def test_context(run: Run) -> None:
    outcome = run("explain", "qty <= context.stock", '{"qty": 5}', "--context", '{"stock": 3}')
    assert outcome.code == 0
    assert "failed by 2" in outcome.out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["price <", "{}"], "the condition ends too early"),
        (
            ["price < 1", "{price: 5}"],
            "the event should be a JSON object, but is not valid JSON: Expecting property name enclosed in",
        ),
        (["price < 1", "[1]"], "the event: an event is a JSON object, found an array"),
        (["price < 1", '{"price": [[1]]}'], "the event: attribute 'price': a list within a list cannot be compared"),
        (["price < 1", "@missing.json"], "missing.json: No such file or directory"),
        (
            ["price < 1", '{"at": 1}', "--attributes", "att"],
            "the event: there is no key 'att'; did you mean at? Found at",
        ),
        (["price < 1", "{}", "--context", "5"], "the context: an event is a JSON object, found a number"),
        (["x", "{}", "-s", "missing.csv"], "there is no file 'missing.csv'"),
    ],
)
@pytest.mark.usefixtures("here")
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    outcome = run("explain", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith(f"penstock: error: {message}")
