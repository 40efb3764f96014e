"""Conditions as JSON, for programs that build them: an object with one key, the operator, and its operands.

``{"and": [{"<": [{"attribute": "price"}, 100]}, {"like": [{"attribute": "title"}, "iphone%"]}]}``. Numbers, strings,
booleans and ``null`` stand for themselves; ``{"timestamp": "..."}`` and ``{"double": "NaN"}`` for what JSON lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NoReturn, TypeAlias, TypeVar, get_args

from penstock.errors import ConditionError, did_you_mean
from penstock.language import build
from penstock.language.build import MAX_DEPTH, Node
from penstock.language.literals import (
    checked_integer,
    format_timestamp,
    parse_special_double,
    parse_timestamp,
    special_name,
)
from penstock.language.rendering import Dialect
from penstock.model.conditions import (
    And,
    ArrayContains,
    Between,
    Comparison,
    ComparisonOperator,
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
    FUNCTIONS,
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    Call,
    Cast,
    ContextAttribute,
    Expression,
    Literal,
    Negation,
)
from penstock.model.patterns import LikePattern, compile_regex
from penstock.model.values import Scalar

Json: TypeAlias = Any
Result = TypeVar("Result")

_COMPARISONS: tuple[ComparisonOperator, ...] = get_args(ComparisonOperator)
_ARITHMETIC: tuple[ArithmeticOperator, ...] = get_args(ArithmeticOperator)


def to_json(condition: Condition) -> Json:
    """A condition as JSON values (dictionaries, lists, strings, numbers).

    >>> from penstock.language.parser import parse
    >>> to_json(parse("price < 100 AND in_stock"))
    {'and': [{'<': [{'attribute': 'price'}, 100]}, {'attribute': 'in_stock'}]}
    """
    return _write(condition)


def from_json(content: Json) -> Condition:
    """The condition that JSON values stand for.

    >>> from penstock.language.rendering import to_text
    >>> to_text(from_json({"in": [{"attribute": "color"}, ["red", "blue"]]}))
    "color IN ('red', 'blue')"
    """
    return _Reader().condition(content, "$", 1)


def _write(node: Node) -> Json:
    match node:
        case Constant(truth):
            return truth
        case Literal(value):
            return _write_scalar(value)
        case Attribute(name):
            return {"attribute": name}
        case ContextAttribute(name):
            return {"context": name}
        case Truth(operand):
            return _write(operand)
        case And(children):
            return {"and": [_write(child) for child in children]}
        case Or(children):
            return {"or": [_write(child) for child in children]}
        case Not(child):
            return {"not": _write(child)}
        case IsNull(operand):
            return {"is_null": _write(operand)}
        case Comparison(operator, left, right) | Arithmetic(operator, left, right):
            return {operator: [_write(left), _write(right)]}
        case Between(operand, low, high):
            return {"between": [_write(operand), _write(low), _write(high)]}
        case In(operand, items):
            return {"in": [_write(operand), [_write(item) for item in items]]}
        case Like(operand, pattern, ignore_case):
            text = Dialect().pattern_text(pattern, escaped=True)
            return {"ilike" if ignore_case else "like": [_write(operand), text, Dialect.escape]}
        case Matches(operand, regex):
            return {"rlike": [_write(operand), regex]}
        case ArrayContains(operand, item):
            return {"array_contains": [_write(operand), _write(item)]}
        case Negation(operand):
            return {"negate": _write(operand)}
        case Cast(operand, kind):
            return {"cast": [_write(operand), kind]}
        case Call(function, arguments):
            return {function: [_write(argument) for argument in arguments]}


def _write_scalar(value: Scalar | None) -> Json:
    if isinstance(value, datetime):
        return {"timestamp": format_timestamp(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"double": special_name(value)}
    return value


class _Reader:
    """Reads JSON values and says by path what is wrong: ``at $.and[1].<[0]: ...``."""

    def condition(self, content: Json, path: str, depth: int) -> Condition:
        return self._guard(path, build.as_condition, self.node(content, path, depth))

    def expression(self, content: Json, path: str, depth: int) -> Expression:
        return self._guard(path, build.as_expression, self.node(content, path, depth))

    def node(self, content: Json, path: str, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self._fail(path, f"the condition is nested deeper than {MAX_DEPTH} levels; simplify it")
        if isinstance(content, Mapping):
            if len(content) != 1:
                self._fail(path, f"an object here has one key, the operator; found {len(content)}")
            ((key, operands),) = content.items()
            return self._object(str(key), operands, path, depth + 1)
        if content is None or isinstance(content, (bool, str, float)):
            return Literal(content)
        if isinstance(content, int):
            return Literal(self._guard(path, checked_integer, content))
        return self._fail(path, f"a value or an object with one key is needed, found {type(content).__name__}")

    def _object(self, key: str, operands: Json, path: str, depth: int) -> Node:
        inner = f"{path}.{key}"
        if key in ("attribute", "context"):
            name = self._string(operands, inner)
            if not name:
                self._fail(inner, "the name is empty")
            return Attribute(name) if key == "attribute" else ContextAttribute(name)
        if key == "timestamp":
            return Literal(self._guard(inner, parse_timestamp, self._string(operands, inner)))
        if key == "double":
            return Literal(self._guard(inner, parse_special_double, self._string(operands, inner)))
        if key == "not":
            return Not(self.condition(operands, inner, depth))
        if key == "is_null":
            return IsNull(build.as_null_test_operand(self.node(operands, inner, depth)))
        if key == "negate":
            operand = self.expression(operands, inner, depth)
            self._guard(inner, build.check_number, operand, "-")
            return Negation(operand)
        if not isinstance(operands, list):
            self._fail(inner, f"{key} takes a list of operands, found {type(operands).__name__}")
        return self._operator(key, operands, inner, depth)

    def _operator(self, key: str, operands: list[Json], path: str, depth: int) -> Node:
        if key in ("and", "or"):
            children = tuple(self.condition(each, f"{path}[{i}]", depth) for i, each in enumerate(operands))
            if len(children) < 2:
                self._fail(path, f"{key} takes two or more conditions, found {len(children)}")
            return And(children) if key == "and" else Or(children)
        if key in ("like", "ilike", "rlike"):
            return self._pattern(key, operands, path, depth)
        if key == "cast":
            return self._cast(operands, path, depth)
        if key == "in":
            return self._in(operands, path, depth)
        values = [self.expression(each, f"{path}[{i}]", depth) for i, each in enumerate(operands)]
        return self._over_values(key, values, path)

    def _over_values(self, key: str, values: list[Expression], path: str) -> Node:
        if key in _COMPARISONS:
            self._count(key, values, 2, path)
            self._guard(path, build.check_comparable, values, f" by {key}")
            return Comparison(key, *values)
        if key in _ARITHMETIC:
            self._count(key, values, 2, path)
            for value in values:
                self._guard(path, build.check_number, value, key)
            return Arithmetic(key, *values)
        if key == "between":
            self._count(key, values, 3, path)
            self._guard(path, build.check_comparable, values, " by BETWEEN")
            return Between(*values)
        if key == "array_contains":
            self._guard(path, build.check_array_contains, values)
            return ArrayContains(*values)
        if key in FUNCTIONS:
            self._guard(path, build.check_call, key, values)
            return Call(key, tuple(values))
        known = [*_COMPARISONS, *_ARITHMETIC, *FUNCTIONS, "and", "or", "not", "between", "in", "like", "ilike", "rlike"]
        known += ["is_null", "array_contains", "negate", "cast", "attribute", "context", "timestamp", "double"]
        return self._fail(path, f"there is no operator {key!r}{did_you_mean(key, known)}")

    def _cast(self, operands: list[Json], path: str, depth: int) -> Node:
        if len(operands) != 2:
            self._fail(path, "cast takes a value and the name of a type")
        operand = self.expression(operands[0], f"{path}[0]", depth)
        self._guard(path, build.check_number, operand, "CAST")
        return Cast(operand, self._guard(path, build.cast_type, self._string(operands[1], f"{path}[1]")))

    def _in(self, operands: list[Json], path: str, depth: int) -> Node:
        if len(operands) != 2 or not isinstance(operands[1], list) or not operands[1]:
            self._fail(path, "in takes a value and a list of one or more values")
        operand = self.expression(operands[0], f"{path}[0]", depth)
        items = tuple(self.expression(each, f"{path}[1][{i}]", depth) for i, each in enumerate(operands[1]))
        self._guard(path, build.check_comparable, [operand, *items], " by IN")
        return In(operand, items)

    def _pattern(self, key: str, operands: list[Json], path: str, depth: int) -> Node:
        most = 2 if key == "rlike" else 3
        if not 2 <= len(operands) <= most:
            self._fail(path, f"{key} takes a value and a pattern{'' if most == 2 else ', and perhaps an escape'}")
        operand = self.expression(operands[0], f"{path}[0]", depth)
        self._guard(path, build.check_string, operand, key.upper())
        texts = [self._string(each, f"{path}[{i}]") for i, each in enumerate(operands[1:], start=1)]
        try:
            if key == "rlike":
                compile_regex(texts[0])
                return Matches(operand, texts[0])
            return Like(operand, LikePattern.parse(*texts), ignore_case=key == "ilike")
        except ValueError as error:
            self._fail(path, str(error))

    def _count(self, key: str, values: list[Expression], wanted: int, path: str) -> None:
        if len(values) != wanted:
            self._fail(path, f"{key} takes {wanted} operands, found {len(values)}")

    def _string(self, content: Json, path: str) -> str:
        if isinstance(content, str):
            return content
        return self._fail(path, f"a string is needed, found {type(content).__name__}")

    def _guard(self, path: str, rule: Callable[..., Result], *arguments: Any) -> Result:
        try:
            return rule(*arguments)
        except ConditionError as error:
            self._fail(path, error.message)

    def _fail(self, path: str, message: str) -> NoReturn:
        raise ConditionError(f"at {path}: {message}")
