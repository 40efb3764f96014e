"""What texts mean: one example for each construct, and the speed of conditions that share a shape."""

from __future__ import annotations

import math
from datetime import datetime

import pytest

from penstock.language import parser
from penstock.language.parser import parse
from penstock.language.rendering import to_text
from penstock.language.sql import to_duckdb_sql, to_spark_sql
from penstock.model.conditions import And, Comparison, Condition, In, Like, Not, Or, Truth
from penstock.model.expressions import Attribute, ContextAttribute, Literal

CANONICAL = [
    ("price<5", "price < 5"),
    ("price <> 5", "price != 5"),
    ("a=1 and b=2 or c=3", "a = 1 AND b = 2 OR c = 3"),
    ("a=1 and (b=2 or c=3)", "a = 1 AND (b = 2 OR c = 3)"),
    ("(a=1 and b=2) and c=3", "(a = 1 AND b = 2) AND c = 3"),
    ("not a = 1 and b", "NOT a = 1 AND b"),
    ("not (a = 1 and b)", "NOT (a = 1 AND b)"),
    ("not (a in (1,2))", "a NOT IN (1, 2)"),
    ("a not between 1 and 2", "a NOT BETWEEN 1 AND 2"),
    ("a not like 'x%'", "a NOT LIKE 'x%'"),
    ("a ilike 'X_'", "a ILIKE 'X_'"),
    ("a like '10!%' escape '!'", "a LIKE '10\\%' ESCAPE '\\'"),
    ("a rlike '^[a-z]+$'", "a RLIKE '^[a-z]+$'"),
    ("a is null or b is not null", "a IS NULL OR b IS NOT NULL"),
    ("(a < 5) is null", "(a < 5) IS NULL"),
    ("active", "active"),
    ("`on sale` = true", "`on sale` = TRUE"),
    ("`a.b` = 'it''s'", "`a.b` = 'it''s'"),
    ("`and` = 1", "`and` = 1"),
    ("a = -5", "a = -5"),
    ("a = - 5", "a = -5"),
    ("a = -(5)", "a = -(5)"),
    ("a = 1e3", "a = 1000.0"),
    ("a = .5", "a = 0.5"),
    ("a = 5.", "a = 5.0"),
    ("a = 1E-7", "a = 1e-07"),
    ("a = double 'NaN'", "a = DOUBLE 'NaN'"),
    ("a = timestamp '2013-07-04T09:30:00+02:00'", "a = TIMESTAMP '2013-07-04 07:30:00'"),
    ("timestamp > timestamp '2013-07-04'", "timestamp > TIMESTAMP '2013-07-04 00:00:00'"),
    ("price < 0.8 * list_price", "price < 0.8 * list_price"),
    ("a - (b - c) > (a + b) * 2", "a - (b - c) > (a + b) * 2"),
    ("a / b * c = 1", "a / b * c = 1"),
    ("-a * b < 0", "-a * b < 0"),
    ("abs(a - b) <= 5 and lower(s) = 'x'", "abs(a - b) <= 5 AND lower(s) = 'x'"),
    ("cast(a as int) = 5", "CAST(a AS INTEGER) = 5"),
    ("coalesce(a, b, 0) > 1", "coalesce(a, b, 0) > 1"),
    ("array_contains(tags, 'x')", "array_contains(tags, 'x')"),
    ("price < context.budget - 5", "price < context.budget - 5"),
    ("a = null or true", "a = NULL OR TRUE"),
    ("größe > 5", "größe > 5"),
    ("a\n  =\t5", "a = 5"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_canonical_text(text: str, canonical: str) -> None:
    assert to_text(parse(text)) == canonical
    assert parse(canonical) == parse(text)


TREES: list[tuple[str, Condition]] = [
    ("price < 5", Comparison("<", Attribute("price"), Literal(5))),
    ("price < 5.0", Comparison("<", Attribute("price"), Literal(5.0))),
    ("context.budget > price", Comparison(">", ContextAttribute("budget"), Attribute("price"))),
    ("a OR b OR c", Or((Truth(Attribute("a")), Truth(Attribute("b")), Truth(Attribute("c"))))),
    ("NOT a NOT IN (1)", Not(Not(In(Attribute("a"), (Literal(1),))))),
    (
        "a = TIMESTAMP '2013-01-01 00:00:00.000001'",
        Comparison("=", Attribute("a"), Literal(datetime(2013, 1, 1, 0, 0, 0, 1))),
    ),
]


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_trees(text: str, tree: Condition) -> None:
    assert parse(text) == tree


def test_literals_keep_their_type() -> None:
    assert Literal(1) != Literal(1.0) != Literal(True) != Literal(1)
    assert Literal(math.nan) == Literal(float("nan"))
    assert len({Literal(1), Literal(1.0), Literal(True), Literal("1")}) == 4


def test_the_largest_and_the_smallest_integer_are_read_exactly() -> None:
    condition = parse("a = 9223372036854775807 OR a = -9223372036854775808")
    assert isinstance(condition, Or)
    assert [child.right for child in condition.children] == [Literal(2**63 - 1), Literal(-(2**63))]  # type: ignore[union-attr]


def test_conditions_of_one_shape_are_parsed_by_the_grammar_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The speed of bulk parsing rests on this: after the first text of a shape the grammar is not used."""
    parse("unusual_name = 1 AND s = 'x' AND t LIKE 'a%' AND u IN (1, 2.5)")
    monkeypatch.setattr(parser, "_grammar", lambda: pytest.fail("the grammar was used again"))
    condition = parse("unusual_name = 2.5 AND s = 'it''s' AND t LIKE '%b' AND u IN (3, 4)")
    assert isinstance(condition, And)
    assert condition.children[1] == Comparison("=", Attribute("s"), Literal("it's"))
    assert isinstance(condition.children[2], Like)
    assert condition.children[3] == In(Attribute("u"), (Literal(3), Literal(4)))


def test_shapes_tell_names_apart() -> None:
    """A digit in a name, and a quote or a digit in a name in backticks, are no literals."""
    assert parse("a1 = 5") != parse("a2 = 5")
    assert parse("`it's 1` = 5") != parse("`it's 2` = 5")
    assert parse("a = 'x' AND `b1` = 5") == And((parse("a = 'x'"), Comparison("=", Attribute("b1"), Literal(5))))


SQL = [
    (
        "price < 100 AND symbol = 'IBM'",
        "`price` < 100L AND `symbol` = 'IBM'",
        '"price" < 100::BIGINT AND "symbol" = \'IBM\'',
    ),
    ("a / b > 0.5", "try_divide(`a`, `b`) > 0.5D", '("a"::DOUBLE / nullif("b", 0)::DOUBLE) > \'0.5\'::DOUBLE'),
    ("s LIKE 'a!%'", "`s` LIKE 'a!!%' ESCAPE '!'", "\"s\" LIKE 'a!!%' ESCAPE '!'"),
    ("s NOT RLIKE 'a\\.b'", "`s` NOT RLIKE 'a\\\\.b'", "NOT regexp_matches(\"s\", 'a\\.b')"),
    ("array_contains(tags, 'it''s')", "array_contains(`tags`, 'it\\'s')", "list_contains(\"tags\", 'it''s')"),
]


@pytest.mark.parametrize(("text", "spark", "duckdb"), SQL)
def test_sql_renderings(text: str, spark: str, duckdb: str) -> None:
    assert (to_spark_sql(parse(text)), to_duckdb_sql(parse(text))) == (spark, duckdb)
