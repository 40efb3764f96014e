"""``penstock check``."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Run

BAD = """\
subscription_id,condition
cheap,price < 100
bad,price BETWEN 5 AND 9
cheap,price < 50
never,price < 5 AND price > 9
,price < 1
long,"price < 100
  AND symbol LIKE 5"
fine,symbol = 'IBM'
"""

FINDINGS = """\
subscriptions.csv:3: subscription 'bad': 'BETWEN' is not an operator; did you mean BETWEEN? (line 1, column 7)
  price BETWEN 5 AND 9
        ^^^^^^
subscriptions.csv:4: there is a subscription 'cheap' already, in subscriptions.csv:2
subscriptions.csv:5: subscription 'never' is never true: price < 5 and price > 9 exclude each other
  price < 5 AND price > 9
subscriptions.csv:6: the id 'subscription_id' is null; every row needs one
"""


@pytest.mark.parametrize(
    "name", ["subscriptions.jsonl", "subscriptions.csv", "subscriptions.parquet", "subscriptions.arrow", "rules.txt"]
)
@pytest.mark.usefixtures("here")
def test_a_file_without_problems(run: Run, name: str) -> None:
    assert run("check", name) == (0, "2 subscriptions: no problems\n", "")


@pytest.mark.usefixtures("here")
def test_every_problem_is_shown_with_its_place(run: Run) -> None:
    Path("subscriptions.csv").write_text(BAD)
    outcome = run("check", "subscriptions.csv")
    assert outcome.code == 1
    assert outcome.err == ""
    lines = outcome.out.splitlines()
    assert lines[:7] == FINDINGS.splitlines()
    assert lines[7].startswith("subscriptions.csv:7: subscription 'long': ")
    assert "(line 2, column " in lines[7]
    assert lines[8:10] == ["    AND symbol LIKE 5", "                    ^"]
    assert lines[-1] == (
        "7 subscriptions: 5 problems (1 unreadable, 2 with an error, 1 with the id of another, 1 never true)"
    )


@pytest.mark.usefixtures("here")
def test_json_for_machines(run: Run) -> None:
    Path("subscriptions.csv").write_text(BAD)
    outcome = run("check", "subscriptions.csv", "--json")
    assert outcome.code == 1
    found = json.loads(outcome.out)
    assert found["subscriptions"] == 7
    by_line = {problem["line"]: problem for problem in found["problems"]}
    assert {line: problem["kind"] for line, problem in by_line.items()} == {
        3: "error",
        4: "duplicate",
        5: "never true",
        6: "unreadable",
        7: "error",
    }
    assert by_line[3]["id"] == "bad"
    assert by_line[3]["condition"] == "price BETWEN 5 AND 9"
    assert (by_line[3]["condition_line"], by_line[3]["condition_column"]) == (1, 7)
    assert by_line[4]["first"] == "subscriptions.csv:2"
    assert json.loads(run("check", "rules.txt", "--json").out) == {"subscriptions": 2, "problems": []}


@pytest.mark.usefixtures("here")
def test_a_table_is_told_by_rows(run: Run) -> None:
    table = pa.table({"id": [1, 1, None], "rule": ["price < 100", "price <", "a = 1"]})
    pq.write_table(table, "rules.parquet")
    outcome = run("check", "rules.parquet", "--subscription-id", "id", "--condition", "rule")
    assert outcome.code == 1
    assert "rules.parquet, row 1: there is a subscription 1 already, in rules.parquet, row 0\n" in outcome.out
    assert "rules.parquet, row 1: subscription 1: the condition ends too early" in outcome.out
    assert "rules.parquet, row 2: the id 'id' is null; every row needs one\n" in outcome.out


@pytest.mark.usefixtures("here")
def test_ids_of_two_types(run: Run) -> None:
    Path("mixed.jsonl").write_text(
        '{"subscription_id": 1, "condition": "a = 1"}\n{"subscription_id": "x", "condition": "a = 1"}\n'
    )
    assert run("check", "mixed.jsonl") == (
        1,
        (
            "mixed.jsonl:2: the id 'x' is a string, but the first one, 1 in mixed.jsonl:1, is an integer; use one type "
            "for all\n2 subscriptions: 1 problem (1 with an id of another type)\n"
        ),
        "",
    )


@pytest.mark.usefixtures("here")
def test_a_file_that_cannot_be_checked(run: Run) -> None:
    assert run("check", "missing.csv") == (2, "", "penstock: error: there is no file 'missing.csv'\n")
    outcome = run("check", "events.csv")
    assert outcome.code == 2
    assert outcome.err.startswith("penstock: error: events.csv: there is no column 'subscription_id'; found event_id,")
