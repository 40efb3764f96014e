"""Conditions to text. One renderer walks the tree and sets parentheses; a dialect spells each construct."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum

from penstock.language import build
from penstock.language.literals import format_double, format_timestamp, special_name
from penstock.model.conditions import (
    CONDITIONS,
    And,
    ArrayContains,
    Between,
    Comparison,
    Condition,
    Constant,
    In,
    IsNull,
    Like,
    Matches,
    Not,
    Or,
    Truth,
)
from penstock.model.expressions import (
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    Call,
    Cast,
    CastType,
    ContextAttribute,
    Expression,
    FunctionName,
    Literal,
    Negation,
)
from penstock.model.patterns import LikePattern, Wildcard
from penstock.model.values import Scalar


class Binding(IntEnum):
    """How tightly a construct binds, as the grammar has it: what binds looser than its place needs parentheses."""

    OR = 0
    AND = 1
    NOT = 2
    PREDICATE = 3
    SUM = 4
    PRODUCT = 5
    SIGN = 6
    ATOM = 7
    PARENTHESES = 8


_PLAIN_NAME = re.compile(
    r"(?!(?:and|or|not|in|is|null|like|ilike|rlike|between|escape|true|false)$)[^\W\d]\w*", re.IGNORECASE
)


def to_text(condition: Condition) -> str:
    """The canonical text of a condition: it parses back to the same tree.

    >>> from penstock.language.parser import parse
    >>> to_text(parse("not(price<5or( `on sale` ))and x not in(1,2)"))
    'NOT (price < 5 OR `on sale`) AND x NOT IN (1, 2)'
    """
    return Dialect().condition(condition)


def expression_to_text(expression: Expression) -> str:
    """The canonical text of a value expression."""
    return Dialect().expression(expression, Binding.OR)


class Dialect:
    """How a language writes conditions. As it stands: our own canonical text; SQL dialects override what differs."""

    escape = "\\"
    always_escape = False

    # Conditions

    def condition(self, condition: Condition, binding: Binding = Binding.OR) -> str:
        text, level = self._condition(condition)
        return text if level >= binding else f"({text})"

    def _condition(self, condition: Condition) -> tuple[str, Binding]:
        match condition:
            case Constant(truth):
                return self.constant(truth), Binding.ATOM
            case Truth(operand):
                return self.expression(operand, Binding.PREDICATE), Binding.PREDICATE
            case And(children):
                return " AND ".join(self.condition(child, Binding.NOT) for child in children), Binding.AND
            case Or(children):
                return " OR ".join(self.condition(child, Binding.AND) for child in children), Binding.OR
            case Not(child):
                return self._not(child)
            case _:
                return self._predicate(condition, ""), Binding.PREDICATE

    def _not(self, child: Condition) -> tuple[str, Binding]:
        if isinstance(child, (Between, In, Like, Matches)):
            return self._predicate(child, "NOT "), Binding.PREDICATE
        if isinstance(child, IsNull):
            return f"{self._null_test_operand(child)} IS NOT NULL", Binding.PREDICATE
        return f"NOT {self.condition(child, Binding.NOT)}", Binding.NOT

    def _predicate(self, predicate: Condition, negation: str) -> str:
        match predicate:
            case Comparison(operator, left, right):
                return f"{self.expression(left)} {operator} {self.expression(right)}"
            case Between(operand, low, high):
                bounds = f"{self.expression(low)} AND {self.expression(high)}"
                return f"{self.expression(operand)} {negation}BETWEEN {bounds}"
            case In(operand, items):
                listed = ", ".join(self.expression(item) for item in items)
                return f"{self.expression(operand)} {negation}IN ({listed})"
            case Like(operand, pattern, ignore_case):
                return self.like(self.expression(operand), negation, pattern, ignore_case=ignore_case)
            case Matches(operand, regex):
                return self.matches(self.expression(operand), negation, regex)
            case ArrayContains(operand, item):
                return self.array_contains(self.expression(operand, Binding.OR), self.expression(item, Binding.OR))
            case IsNull():
                return f"{self._null_test_operand(predicate)} IS NULL"
            case _:
                raise TypeError(f"not a predicate: {predicate!r}")

    def _null_test_operand(self, test: IsNull) -> str:
        operand = build.as_null_test_operand(test.operand)
        if isinstance(operand, CONDITIONS):
            return f"({self.condition(operand)})"
        return self.expression(operand)

    # Values

    def expression(self, expression: Expression, binding: Binding = Binding.SUM) -> str:
        text, level = self._expression(expression)
        return text if level >= binding else f"({text})"

    def _expression(self, expression: Expression) -> tuple[str, Binding]:
        match expression:
            case Literal(None):
                return "NULL", Binding.ATOM
            case Literal(value):
                text = self.literal(value)  # type: ignore[arg-type]
                return text, Binding.SIGN if text.startswith("-") else Binding.ATOM
            case Attribute(name):
                return self.name(name), Binding.ATOM
            case ContextAttribute(name):
                return self.context_name(name), Binding.ATOM
            case Negation(operand):
                # A number in parentheses stays a number with a sign before it when it is read back.
                binding = Binding.PARENTHESES if isinstance(operand, (Literal, Negation)) else Binding.ATOM
                return self.negation(self.expression(operand, binding))
            case Arithmetic(operator, left, right):
                return self.arithmetic(operator, left, right)
            case Cast(operand, kind):
                return self.cast(self.expression(operand, Binding.OR), kind), Binding.ATOM
            case Call(function, arguments):
                return self.call(
                    function, [self.expression(argument, Binding.OR) for argument in arguments]
                ), Binding.ATOM

    # What dialects spell in their own way

    def name(self, name: str) -> str:
        return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"

    def context_name(self, name: str) -> str:
        return f"context.{self.name(name)}"

    def constant(self, truth: bool | None) -> str:
        return "NULL" if truth is None else "TRUE" if truth else "FALSE"

    def literal(self, value: Scalar) -> str:
        match value:
            case bool():
                return self.constant(value)
            case int():
                return str(value)
            case float():
                return format_double(value) or f"DOUBLE '{special_name(value)}'"
            case datetime():
                return f"TIMESTAMP '{format_timestamp(value)}'"
            case str():
                return self.string(value)

    def string(self, value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def negation(self, operand: str) -> tuple[str, Binding]:
        return f"-{operand}", Binding.SIGN

    def arithmetic(self, operator: ArithmeticOperator, left: Expression, right: Expression) -> tuple[str, Binding]:
        level = Binding.SUM if operator in "+-" else Binding.PRODUCT
        return f"{self.expression(left, level)} {operator} {self.expression(right, Binding(level + 1))}", level

    def call(self, function: FunctionName, arguments: Sequence[str]) -> str:
        return f"{function}({', '.join(arguments)})"

    def cast(self, operand: str, kind: CastType) -> str:
        return f"CAST({operand} AS {kind.upper()})"

    def array_contains(self, operand: str, item: str) -> str:
        return f"array_contains({operand}, {item})"

    def matches(self, operand: str, negation: str, regex: str) -> str:
        return f"{operand} {negation}RLIKE {self.string(regex)}"

    def like(self, operand: str, negation: str, pattern: LikePattern, *, ignore_case: bool) -> str:
        word = "ILIKE" if ignore_case else "LIKE"
        escaped = self.always_escape or any(isinstance(part, str) and re.search("[%_]", part) for part in pattern.parts)
        text = f"{operand} {negation}{word} {self.string(self.pattern_text(pattern, escaped=escaped))}"
        return f"{text} ESCAPE {self.string(self.escape)}" if escaped else text

    def pattern_text(self, pattern: LikePattern, *, escaped: bool) -> str:
        pieces: list[str] = []
        for part in pattern.parts:
            if isinstance(part, Wildcard):
                pieces.append(part.value)
            elif escaped:
                pieces.extend(self.escape + c if c in ("%", "_", self.escape) else c for c in part)
            else:
                pieces.append(part)
        return "".join(pieces)
