"""Every condition of SQLite's own test suite that our sample holds, with the rows that SQLite says match."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

from penstock.encoding.batch import EventBatch
from penstock.indexes.scan import ScanIndex
from penstock.language.parser import parse
from penstock.model.evaluation import evaluate

SUITE = Path(__file__).parents[1] / "golden" / "sqllogictest"
CASES = 20_531

Table = tuple[str, str]


def load(name: str) -> list[dict[str, object]]:
    with gzip.open(SUITE / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rows_by_table() -> dict[Table, dict[int, dict[str, object]]]:
    tables: dict[Table, dict[int, dict[str, object]]] = defaultdict(dict)
    for row in load("tables.jsonl.gz"):
        tables[row["file"], row["table"]][row["rowid"]] = row["attributes"]  # type: ignore[index, assignment]
    return tables


every_case_or_some = pytest.mark.parametrize(
    "step", [pytest.param(1, marks=pytest.mark.slow, id="all"), pytest.param(20, id="some")]
)


def cases(step: int) -> list[dict[str, object]]:
    found = load("where_cases.jsonl.gz")
    assert len(found) == CASES
    return found[::step]


@every_case_or_some
def test_the_reference_agrees(step: int) -> None:
    tables = rows_by_table()
    wrong = []
    for case in cases(step):
        condition = parse(case["where"])  # type: ignore[arg-type]
        rows = tables[case["file"], case["table"]]  # type: ignore[index]
        found = [rowid for rowid, attributes in rows.items() if evaluate(condition, attributes) is True]
        if found != case["match_rowids"]:
            wrong.append(case["where"])
    assert wrong == []


@every_case_or_some
def test_the_scan_index_agrees(step: int) -> None:
    tables = rows_by_table()
    cases_of_table: dict[Table, list[dict[str, object]]] = defaultdict(list)
    for case in cases(step):
        cases_of_table[case["file"], case["table"]].append(case)  # type: ignore[index]
    for table, table_cases in cases_of_table.items():
        index = ScanIndex()
        for key, case in enumerate(table_cases):
            index.insert(key, parse(case["where"]))  # type: ignore[arg-type]
        index.check_invariants()
        rows = tables[table]
        matches = index.match_batch(EventBatch.from_events(list(rows.values())))
        rowids = list(rows)
        found: dict[int, list[int]] = defaultdict(list)
        for row, key in zip(matches.rows.tolist(), matches.keys.tolist(), strict=True):
            found[key].append(rowids[row])
        for key, case in enumerate(table_cases):
            assert found[key] == case["match_rowids"], case["where"]
