"""The reference evaluator against databases: the same conditions over the same rows, all three truth values."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import cache

import duckdb
import pyarrow as pa
from hypothesis import given, strategies as st

from penstock.language.rendering import Binding, Dialect
from penstock.language.sql import to_duckdb_sql
from penstock.model.conditions import Condition
from penstock.model.evaluation import evaluate
from penstock.model.expressions import ArithmeticOperator, CastType, Expression
from penstock.model.patterns import LikePattern
from penstock.model.values import Scalar, Value
from tests.strategies import TYPED, Vocabulary

Rows = Sequence[dict[str, Value]]

ARROW_TYPES = {
    "integer": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us"),
    "list": pa.list_(pa.string()),
}

# With NaN, infinities and integers up to 64 bits, but no integer beside a double, which DuckDB rounds.
DUCKDB_INTEGERS = Vocabulary(numbers=("i", "j"), special_doubles=False, arithmetic=False)
DUCKDB_DOUBLES = Vocabulary(numbers=("x", "y"), large=False)


class SqliteDialect(Dialect):
    """SQLite, whose LIKE is made case-sensitive, whose booleans are numbers and whose timestamps are texts."""

    escape = "!"
    always_escape = True

    def literal(self, value: Scalar) -> str:
        return (
            self.string(value.isoformat(timespec="microseconds"))
            if isinstance(value, datetime)
            else super().literal(value)
        )

    def name(self, name: str) -> str:
        return f'"{name}"'

    def arithmetic(self, operator: ArithmeticOperator, left: Expression, right: Expression) -> tuple[str, Binding]:
        text, binding = super().arithmetic(operator, left, right)
        if operator == "/":
            return (
                f"CAST({self.expression(left, Binding.OR)} AS REAL) / {self.expression(right, Binding.ATOM)}",
                binding,
            )
        return text, binding

    def cast(self, operand: str, kind: CastType) -> str:
        return f"CAST({operand} AS {'INTEGER' if kind == 'integer' else 'REAL'})"

    def like(self, operand: str, negation: str, pattern: LikePattern, *, ignore_case: bool) -> str:
        if ignore_case:
            return super().like(f"lower({operand})", negation, pattern.lower(), ignore_case=False)
        return super().like(operand, negation, pattern, ignore_case=False)


SQLITE = Vocabulary(
    large=False,
    special_doubles=False,
    regexes=False,
    lists=(),
    string_values=("", "a", "A", "ab", "aB", "abc", "b", "%", "a_c"),
)


@cache
def duckdb_connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(":memory:")


def truths_by_duckdb(condition: Condition, rows: Rows, vocabulary: Vocabulary) -> list[bool | None]:
    columns = {
        name: pa.array([_plain(row.get(name)) for row in rows], ARROW_TYPES[vocabulary.type_of(name)])
        for name in vocabulary.names
    }
    table = pa.table({"row": pa.array(range(len(rows)), pa.int64()), **columns})
    connection = duckdb_connection()
    connection.register("events", table)
    answers = connection.execute(f"SELECT ({to_duckdb_sql(condition)}) FROM events ORDER BY row").fetchall()
    return [answer for (answer,) in answers]


def truths_by_sqlite(condition: Condition, rows: Rows) -> list[bool | None]:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA case_sensitive_like = ON")
    names = ", ".join(f'"{name}"' for name in SQLITE.names)
    connection.execute(f"CREATE TABLE events ({names})")
    marks = ", ".join("?" for _ in SQLITE.names)
    connection.executemany(
        f"INSERT INTO events VALUES ({marks})", [[_text(row.get(name)) for name in SQLITE.names] for row in rows]
    )
    answers = connection.execute(
        f"SELECT ({SqliteDialect().condition(condition)}) FROM events ORDER BY rowid"
    ).fetchall()
    connection.close()
    return [None if answer is None else bool(answer) for (answer,) in answers]


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


def _text(value: Value) -> object:
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value


@given(TYPED.conditions, st.lists(TYPED.events, min_size=1, max_size=6))
def test_duckdb_agrees(condition: Condition, rows: Rows) -> None:
    assert truths_by_duckdb(condition, rows, TYPED) == [evaluate(condition, row) for row in rows]


@given(DUCKDB_INTEGERS.conditions, st.lists(DUCKDB_INTEGERS.events, min_size=1, max_size=6))
def test_duckdb_agrees_on_large_integers(condition: Condition, rows: Rows) -> None:
    assert truths_by_duckdb(condition, rows, DUCKDB_INTEGERS) == [evaluate(condition, row) for row in rows]


@given(DUCKDB_DOUBLES.conditions, st.lists(DUCKDB_DOUBLES.events, min_size=1, max_size=6))
def test_duckdb_agrees_on_nan_and_infinities(condition: Condition, rows: Rows) -> None:
    assert truths_by_duckdb(condition, rows, DUCKDB_DOUBLES) == [evaluate(condition, row) for row in rows]


@given(SQLITE.conditions, st.lists(SQLITE.events, min_size=1, max_size=6))
def test_sqlite_agrees(condition: Condition, rows: Rows) -> None:
    assert truths_by_sqlite(condition, rows) == [evaluate(condition, row) for row in rows]
