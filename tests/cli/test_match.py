"""``penstock match``: what goes in."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import penstock
from penstock.indexes import REGISTRY
from tests.cli.conftest import EVENTS, MATCHES, SUBSCRIPTIONS, Run


def pairs(out: str) -> list[tuple[object, object]]:
    return [tuple(json.loads(line).values()) for line in out.splitlines()]


@pytest.mark.parametrize(
    "events", ["events.jsonl", "events.json.gz", "events.csv", "events.tsv", "events.parquet", "events.feather"]
)
@pytest.mark.parametrize(
    "subscriptions", ["subscriptions.jsonl", "subscriptions.csv", "subscriptions.parquet", "subscriptions.arrow"]
)
@pytest.mark.usefixtures("here")
def test_every_format_gives_the_same_matches(run: Run, events: str, subscriptions: str) -> None:
    outcome = run("match", events, subscriptions)
    assert outcome.code == 0
    assert pairs(outcome.out) == MATCHES
    assert re.fullmatch(r"3 events, 2 subscriptions: 3 matches in \d+\.\d\d s\n", outcome.err)


@pytest.mark.usefixtures("here")
def test_lines_of_plain_text_are_known_by_their_numbers(run: Run) -> None:
    assert pairs(run("match", "events.jsonl", "rules.txt").out) == [("e1", 2), ("e1", 4), ("e3", 2)]


@pytest.mark.usefixtures("here")
def test_many_files_and_options_between_them(run: Run) -> None:
    outcome = run("match", "events.jsonl", "--quiet", "events.parquet", "--index", "auto", "rules.txt")
    assert outcome.code == 0
    assert len(pairs(outcome.out)) == 6
    assert outcome.err == ""


def test_a_directory(here: Path, run: Run) -> None:
    (here / "log").mkdir()
    for name in ("events.jsonl", "events.parquet"):
        (here / name).rename(here / "log" / name)
    assert len(pairs(run("match", "log", "rules.txt").out)) == 6


def test_the_output_of_an_earlier_run_is_not_taken_for_events(here: Path, run: Run) -> None:
    (here / "log").mkdir()
    (here / "events.jsonl").rename(here / "log" / "events.jsonl")
    arguments = ["match", "log", "rules.txt", "--quiet", "--output", "log/matches.jsonl"]
    assert run(*arguments).code == 0
    assert run(*arguments) == (
        2,
        "",
        "penstock: error: matches.jsonl is given to be read and to be written; choose another name\n",
    )


@pytest.mark.usefixtures("here")
def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Path("events.jsonl").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert pairs(run("match", "-", "subscriptions.csv").out) == MATCHES


@pytest.mark.usefixtures("here")
def test_the_columns_may_have_other_names(run: Run) -> None:
    outcome = run("match", "nested.jsonl", "rules.txt", "--event-id", "id", "--attributes", "attributes")
    assert pairs(outcome.out) == [("e1", 2), ("e1", 4), ("e3", 2)]
    Path("other.csv").write_text("name,rule\nx,price < 100\n")
    outcome = run("match", "events.jsonl", "other.csv", "--subscription-id", "name", "--condition", "rule")
    assert pairs(outcome.out) == [("e1", "x"), ("e3", "x")]


@pytest.mark.usefixtures("here")
def test_events_without_ids_are_numbered(run: Run) -> None:
    Path("plain.jsonl").write_text('{"price": 1}\noops\n{"price": 2}\n')
    assert pairs(run("match", "plain.jsonl", "plain.jsonl", "rules.txt").out) == [(0, 2), (2, 2), (3, 2), (5, 2)]


@pytest.mark.usefixtures("here")
def test_the_type_of_a_csv_column_can_be_given(run: Run) -> None:
    Path("zip.csv").write_text("zip\n02134\n10001\n")
    Path("zip.txt").write_text("zip = '02134'\n")
    assert pairs(run("match", "zip.csv", "zip.txt").out) == []
    assert pairs(run("match", "zip.csv", "zip.txt", "--type", "zip=string").out) == [(0, 1)]


@pytest.mark.parametrize("name", ["auto", *REGISTRY])
@pytest.mark.usefixtures("here")
def test_every_index_gives_the_same_matches(run: Run, name: str) -> None:
    assert pairs(run("match", "events.jsonl", "subscriptions.csv", "--index", name).out) == MATCHES


@pytest.mark.usefixtures("here")
def test_the_size_of_a_batch_changes_nothing(run: Run) -> None:
    outcome = run("match", "events.jsonl", "subscriptions.csv", "--batch-size", "1")
    assert pairs(outcome.out) == MATCHES


@pytest.mark.usefixtures("here")
def test_bad_input_is_reported_and_the_rest_is_matched(run: Run) -> None:
    with Path("events.jsonl").open("a") as file:
        file.write('{"event_id": "e4", "price":\n{"event_id": "e5", "price": 7}\n')
    with Path("subscriptions.csv").open("a") as file:
        file.write("bad,price BETWEN 5 AND 9\ncheap,price < 50\nlast,price = 7\n")
    Path("broken.parquet").write_text("oops")
    outcome = run("match", "broken.parquet", "events.jsonl", "subscriptions.csv", "--rejects", "rejects.jsonl")
    assert outcome.code == 1
    assert pairs(outcome.out) == [*MATCHES, ("e5", "cheap"), ("e5", "last")]
    assert outcome.err.splitlines()[:-2] == [
        (
            "subscriptions.csv:4: subscription 'bad': 'BETWEN' is not an operator; did you mean BETWEEN? "
            "(line 1, column 7)"
        ),
        "  price BETWEN 5 AND 9",
        "        ^^^^^^",
        "subscriptions.csv:5: there is a subscription 'cheap' already, in subscriptions.csv:2",
        (
            "broken.parquet: it is not a Parquet file that can be read: Parquet file size is 4 bytes, smaller than the "
            "minimum file footer (8 bytes)"
        ),
        "events.jsonl:4: not valid JSON: Expecting value: line 1 column 28 (char 27)",
    ]
    assert outcome.err.splitlines()[-1] == "4 inputs set aside; all of it is in rejects.jsonl"
    rejects = [json.loads(line) for line in Path("rejects.jsonl").read_text().splitlines()]
    assert [(each["input"], each["source"], each["line"], each["row"], each["id"]) for each in rejects] == [
        ("subscriptions", "subscriptions.csv", 4, None, "bad"),
        ("subscriptions", "subscriptions.csv", 5, None, "cheap"),
        ("events", "broken.parquet", None, None, None),
        ("events", "events.jsonl", 4, None, None),
    ]
    assert rejects[3]["reason"] == "not valid JSON: Expecting value: line 1 column 28 (char 27)"


@pytest.mark.usefixtures("here")
def test_a_row_of_a_table_is_told_by_its_row(run: Run) -> None:
    pq.write_table(pa.table({"event_id": ["a", None], "price": [1, 2]}), "null.parquet")
    outcome = run("match", "null.parquet", "rules.txt", "--rejects", "rejects.jsonl")
    assert outcome.code == 1
    assert outcome.err.startswith("null.parquet, row 1: the id is NULL; every event needs one\n")
    assert json.loads(Path("rejects.jsonl").read_text()) == {
        "input": "events",
        "source": "null.parquet",
        "line": None,
        "row": 1,
        "reason": "the id is NULL; every event needs one",
        "id": None,
    }


@pytest.mark.usefixtures("here")
def test_only_the_first_of_many_bad_lines_are_shown(run: Run) -> None:
    Path("bad.jsonl").write_text("oops\n" * 50 + '{"price": 1}\n')
    outcome = run("match", "bad.jsonl", "rules.txt")
    assert outcome.code == 1
    assert pairs(outcome.out) == [(50, 2)]
    lines = outcome.err.splitlines()
    assert len(lines) == 13
    assert lines[10] == "more was set aside, which is counted but not shown (--rejects FILE writes all of them)"
    assert lines[-1] == "50 inputs set aside"


@pytest.mark.usefixtures("here")
def test_strict_stops_at_the_first_bad_input(run: Run) -> None:
    Path("bad.jsonl").write_text('{"price": 1}\noops\n')
    outcome = run("match", "bad.jsonl", "rules.txt", "--strict", "--output", "matches.jsonl")
    assert outcome == (
        2,
        "",
        "penstock: error: bad.jsonl:2: not valid JSON: Expecting value: line 1 column 1 (char 0)\n",
    )
    assert not list(Path().glob("matches*"))
    Path("bad.txt").write_text("price <\n")
    outcome = run("match", "events.jsonl", "bad.txt", "--strict")
    assert outcome.code == 2
    assert outcome.err.startswith("penstock: error: bad.txt:1: subscription 1: the condition ends too early")


@pytest.mark.usefixtures("here")
def test_no_subscription_that_can_be_used(run: Run) -> None:
    Path("bad.txt").write_text("price <\n")
    outcome = run("match", "events.jsonl", "bad.txt")
    assert outcome.code == 2
    assert outcome.err.endswith("penstock: error: no subscription of bad.txt could be used\n")


@pytest.mark.usefixtures("here")
def test_no_event_that_can_be_read_leaves_an_earlier_output_alone(run: Run) -> None:
    Path("bad.jsonl").write_text("oops\n")
    Path("matches.jsonl").write_text("earlier")
    outcome = run("match", "bad.jsonl", "rules.txt", "--output", "matches.jsonl")
    assert outcome.code == 2
    assert outcome.err.endswith("penstock: error: no event could be read\n")
    assert Path("matches.jsonl").read_text() == "earlier"
    assert not Path("matches.jsonl.partial").exists()


@pytest.mark.usefixtures("here")
def test_an_empty_side_is_no_problem(run: Run) -> None:
    Path("empty.jsonl").touch()
    outcome = run("match", "empty.jsonl", "rules.txt")
    assert outcome[:2] == (0, "")
    assert outcome.err.startswith("0 events, 2 subscriptions: 0 matches in ")
    outcome = run("match", "events.jsonl", "empty.jsonl")
    assert outcome[:2] == (0, "")
    assert outcome.err.startswith("3 events, 0 subscriptions: 0 matches in ")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["missing.jsonl", "rules.txt"], "there is no file 'missing.jsonl'"),
        (["events.jsonl", "missing.txt"], "there is no file 'missing.txt'"),
        (["rules.txt", "rules.txt"], "the format of 'rules.txt' is not known; its name should end in .jsonl[.gz], "),
        (["events.jsonl", "events.csv"], "events.csv: there is no column 'subscription_id'; found event_id, symbol"),
        (["events.jsonl", "rules.txt", "--index", "skan"], "there is no index 'skan'; did you mean scan?"),
        (["events.jsonl", "rules.txt", "--index", "zzz"], "there is no index 'zzz'; known are auto, "),
        (["-", "-"], "standard input (-) can be read only once, but it is given twice"),
        (
            ["events.jsonl", "rules.txt", "--type", "price"],
            "--type takes NAME=TYPE, the type being integer, double, boolean, timestamp or string; found 'price'",
        ),
        (["events.jsonl", "rules.txt", "--type", "price=int"], "--type takes NAME=TYPE"),
        (
            ["events.jsonl", "rules.txt", "-o", "x.parket"],
            "the suffix of 'x.parket' tells no format; did you mean .parquet?; or give the format with --format",
        ),
        (["events.jsonl", "rules.txt", "-o", "no/where.csv"], "no/where.csv.partial: No such file or directory"),
        (["events.jsonl", "rules.txt", "--rejects", "no/where.csv"], "no/where.csv: No such file or directory"),
        (
            ["events.jsonl", "rules.txt", "-o", "./events.jsonl"],
            "events.jsonl is given to be read and to be written; choose another name",
        ),
        (
            ["events.jsonl", "rules.txt", "-o", "x.jsonl", "--rejects", "x.jsonl"],
            "--output and --rejects name the same file",
        ),
    ],
)
@pytest.mark.usefixtures("here")
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    outcome = run("match", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith(f"penstock: error: {message}")
    assert outcome.err.count("\n") == 1


def test_the_matches_are_what_the_reference_says() -> None:
    """The answers that these tests expect are not made up."""
    found = [
        (event["event_id"], each_id)
        for event in EVENTS
        for each_id, text in SUBSCRIPTIONS
        if penstock.evaluate(penstock.parse(text), event) is True
    ]
    assert found == MATCHES
