"""Conditions as Spark SQL and DuckDB SQL, for typed columns: bigint, double, string, boolean, timestamp, array.

The renderings keep our meaning where the databases would raise an error instead: division by zero and integer overflow
are NULL. What they cannot keep is exactness between bigint and double beyond 2**53, where both databases round.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from penstock.errors import UnsupportedConditionError
from penstock.language.literals import format_double, format_timestamp, special_name
from penstock.language.rendering import Binding, Dialect
from penstock.model.conditions import Condition
from penstock.model.expressions import ArithmeticOperator, CastType, Expression, FunctionName
from penstock.model.values import Scalar


def to_spark_sql(condition: Condition) -> str:
    """A condition as a Spark SQL expression.

    >>> from penstock.language.parser import parse
    >>> to_spark_sql(parse("price < 0.8 * list_price"))
    '`price` < try_multiply(0.8D, `list_price`)'
    """
    return SparkDialect().condition(condition)


def to_duckdb_sql(condition: Condition) -> str:
    """A condition as a DuckDB SQL expression.

    >>> from penstock.language.parser import parse
    >>> to_duckdb_sql(parse("price < 100 AND symbol = 'IBM'"))
    '"price" < 100::BIGINT AND "symbol" = \\'IBM\\''
    """
    return DuckDbDialect().condition(condition)


class _SqlDialect(Dialect):
    escape = "!"
    always_escape = True

    def context_name(self, name: str) -> str:
        raise UnsupportedConditionError(f"context.{name} has no column in SQL; put the value in before rendering")


class SparkDialect(_SqlDialect):
    """Spark SQL with ANSI mode on or off."""

    _FUNCTIONS: ClassVar[dict[ArithmeticOperator, str]] = {
        "+": "try_add",
        "-": "try_subtract",
        "*": "try_multiply",
        "/": "try_divide",
    }

    def name(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def constant(self, truth: bool | None) -> str:
        return "CAST(NULL AS BOOLEAN)" if truth is None else super().constant(truth)

    def literal(self, value: Scalar) -> str:
        match value:
            case bool():
                return super().literal(value)
            case int():
                return f"{value}L"
            case float():
                plain = format_double(value)
                return f"double('{special_name(value)}')" if plain is None else f"{plain}D"
            case datetime():
                return f"TIMESTAMP '{format_timestamp(value)}+00:00'"
        return super().literal(value)

    def string(self, value: str) -> str:
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def negation(self, operand: str) -> tuple[str, Binding]:
        return f"try_multiply(-1L, {operand})", Binding.ATOM

    def arithmetic(self, operator: ArithmeticOperator, left: Expression, right: Expression) -> tuple[str, Binding]:
        return (
            f"{self._FUNCTIONS[operator]}({self.expression(left, Binding.OR)}, {self.expression(right, Binding.OR)})",
            Binding.ATOM,
        )

    def cast(self, operand: str, kind: CastType) -> str:
        return f"try_cast({operand} AS {'BIGINT' if kind == 'integer' else 'DOUBLE'})"

    def call(self, function: FunctionName, arguments: Sequence[str]) -> str:
        if function == "abs":  # abs of the smallest integer is an error in ANSI mode
            return f"CASE WHEN {arguments[0]} < 0 THEN try_multiply(-1L, {arguments[0]}) ELSE {arguments[0]} END"
        return super().call(function, arguments)

    def array_contains(self, operand: str, item: str) -> str:
        if item == "NULL":  # which Spark refuses to look for
            return self.constant(None)
        return super().array_contains(operand, item)


class DuckDbDialect(_SqlDialect):
    """DuckDB SQL."""

    def name(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def constant(self, truth: bool | None) -> str:
        return "NULL::BOOLEAN" if truth is None else super().constant(truth)

    def literal(self, value: Scalar) -> str:
        match value:
            case bool():
                return super().literal(value)
            case int():
                return f"{value}::BIGINT" if value >= 0 else f"({value})::BIGINT"
            case float():  # through a string: a number with a dot would be a DECIMAL first, and rounded twice
                return f"'{format_double(value) or special_name(value)}'::DOUBLE"
        return super().literal(value)

    def negation(self, operand: str) -> tuple[str, Binding]:
        return f"TRY(-{operand})", Binding.ATOM

    def arithmetic(self, operator: ArithmeticOperator, left: Expression, right: Expression) -> tuple[str, Binding]:
        if operator == "/":
            divisor = f"nullif({self.expression(right, Binding.OR)}, 0)::DOUBLE"
            return f"({self.expression(left, Binding.ATOM)}::DOUBLE / {divisor})", Binding.ATOM
        return (
            f"TRY({self.expression(left, Binding.ATOM)} {operator} {self.expression(right, Binding.ATOM)})",
            Binding.ATOM,
        )

    def cast(self, operand: str, kind: CastType) -> str:
        if kind == "integer":  # a cast to BIGINT would round
            return f"TRY_CAST(trunc({operand}) AS BIGINT)"
        return f"TRY_CAST({operand} AS DOUBLE)"

    def call(self, function: FunctionName, arguments: Sequence[str]) -> str:
        text = super().call(function, arguments)
        return f"TRY({text})" if function == "abs" else text

    def array_contains(self, operand: str, item: str) -> str:
        return f"list_contains({operand}, {item})"

    def matches(self, operand: str, negation: str, regex: str) -> str:
        return f"{negation}regexp_matches({operand}, {self.string(regex)})"
