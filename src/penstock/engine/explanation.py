"""Why an event satisfies a condition, or which predicates failed and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from penstock.language.rendering import expression_to_text, to_text
from penstock.model.conditions import (
    And,
    ArrayContains,
    Between,
    Comparison,
    ComparisonOperator,
    Condition,
    In,
    IsNull,
    Like,
    Matches,
    Not,
    Or,
    Truth,
    children_of,
    expressions_of,
)
from penstock.model.evaluation import truth_of, value_of
from penstock.model.expressions import Attribute, ContextAttribute, Expression, Literal, operands
from penstock.model.values import Attributes, Value, clean_attributes, compare, kind_of

_MARKS = {True: "✓", False: "✗", None: "?"}
_WORDS = {True: "TRUE", False: "FALSE", None: "UNKNOWN"}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The truth of a condition for an event, why, and the same for each part of the condition."""

    condition: str
    truth: bool | None
    reason: str
    parts: tuple[Explanation, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        reason = f": {self.reason}" if self.reason else ""
        yield f"{_MARKS[self.truth]} {self.condition}  [{_WORDS[self.truth]}]{reason}"
        for number, part in enumerate(self.parts, start=1):
            last = number == len(self.parts)
            first, *rest = part._lines()
            yield f"{'└─' if last else '├─'} {first}"
            for line in rest:
                yield f"{'   ' if last else '│  '}{line}"


def explain(
    condition: Condition, event: Mapping[str, object], context: Mapping[str, object] | None = None
) -> Explanation:
    """Why an event satisfies a condition, or why not.

    >>> from penstock.language.parser import parse
    >>> print(explain(parse("price < 100 AND symbol = 'IBM'"), {"price": 103.2, "symbol": "IBM"}))
    ✗ price < 100 AND symbol = 'IBM'  [FALSE]
    ├─ ✗ price < 100  [FALSE]: price is 103.2, failed by 3.2
    └─ ✓ symbol = 'IBM'  [TRUE]: symbol is 'IBM'
    """
    return _explain(condition, clean_attributes(event), clean_attributes(context or {}))


def _explain(condition: Condition, event: Attributes, context: Attributes) -> Explanation:
    truth = truth_of(condition, event, context)
    parts = tuple(_explain(child, event, context) for child in children_of(condition))
    reason = "" if isinstance(condition, (And, Or, Not)) else _reason(condition, truth, event, context)
    return Explanation(to_text(condition), truth, reason, parts)


def _reason(condition: Condition, truth: bool | None, event: Attributes, context: Attributes) -> str:
    facts = [f"{expression_to_text(each)} is {_show(value_of(each, event, context))}" for each in _looked_at(condition)]
    if truth is None and not isinstance(condition, IsNull):
        facts.extend(_mismatch(condition, event, context))
    elif truth is False:
        margin = _margin(condition, event, context)
        if margin is not None:
            facts.append(f"failed by {margin}")
    return ", ".join(facts)


def _looked_at(condition: Condition) -> list[Expression]:
    """The values that a predicate depends on: its attributes, and computed operands beside what they are made of."""
    found: dict[Expression, None] = {}
    pending = list(expressions_of(condition))
    while pending:
        expression = pending.pop(0)
        if isinstance(expression, Literal):
            continue
        found[expression] = None
        pending.extend(operands(expression))
    return sorted(found, key=lambda each: not isinstance(each, (Attribute, ContextAttribute)))


def _show(value: Value) -> str:
    if value is None:
        return "absent"
    if isinstance(value, tuple):
        return f"[{', '.join(_show(item) for item in value)}]"
    return expression_to_text(Literal(value))


def _mismatch(condition: Condition, event: Attributes, context: Attributes) -> Iterator[str]:
    """Why a predicate is UNKNOWN although its values are there."""
    values = [value_of(each, event, context) for each in expressions_of(condition)]
    kinds = [kind for kind in map(kind_of, values) if kind is not None]
    match condition:
        case Comparison() | Between() | In():
            if len(set(kinds)) > 1:
                yield f"a {kinds[0]} is not compared with a {next(kind for kind in kinds if kind is not kinds[0])}"
        case Like() | Matches() if kinds and kinds[0] != "string":
            yield f"a {kinds[0]} has no pattern"
        case Truth() if kinds and kinds[0] != "boolean":
            yield f"a {kinds[0]} is neither TRUE nor FALSE"
        case ArrayContains() if kinds and kinds[0] != "list":
            yield f"a {kinds[0]} is not a list"


def _margin(condition: Condition, event: Attributes, context: Attributes) -> str | None:
    """By how much an ordered predicate failed."""
    match condition:
        case Comparison(operator, left, right):
            return _distance(operator, value_of(left, event, context), value_of(right, event, context))
        case Between(operand, low, high):
            value = value_of(operand, event, context)
            for operator, bound in ((">=", low), ("<=", high)):
                limit = value_of(bound, event, context)
                sign = compare(value, limit)
                if sign is not None and sign == (-1 if operator == ">=" else 1):
                    return _distance(operator, value, limit)
    return None


def _distance(operator: ComparisonOperator, left: Value, right: Value) -> str | None:
    if operator == "!=":
        return None
    if isinstance(left, datetime) and isinstance(right, datetime):
        return str(abs(left - right))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and not isinstance(left, bool):
        # As decimals: 103.2 - 100 is 3.2 to a reader.
        distance = abs(Decimal(repr(left)) - Decimal(repr(right)))
        if not distance.is_finite():
            return None
        return f"{distance.normalize():f}" if distance else "0 (the bound itself is outside)"
    return None
