"""The reference evaluator: what it means that an event satisfies a condition.

This is the definition. Every index, the engine and Spark are tested against it; it is plain on purpose.
The logic is SQL's: TRUE, FALSE and UNKNOWN (``None``), and a subscription matches when its condition is TRUE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from penstock.model.conditions import (
    COMPARISONS,
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
    Attribute,
    Call,
    Cast,
    ContextAttribute,
    Expression,
    Literal,
    Negation,
)
from penstock.model.functions import FUNCTION_BODIES, calculate, cast, negate
from penstock.model.patterns import compile_regex
from penstock.model.values import Attributes, Value, clean_attributes, compare


def evaluate(
    condition: Condition, event: Mapping[str, object], context: Mapping[str, object] | None = None
) -> bool | None:
    """Whether an event satisfies a condition: ``True``, ``False``, or ``None`` when that is unknown.

    >>> import penstock
    >>> condition = penstock.parse("price < 100 AND symbol = 'IBM'")
    >>> penstock.evaluate(condition, {"price": 99, "symbol": "IBM"})
    True
    >>> penstock.evaluate(condition, {"price": 99}) is None
    True
    """
    return truth_of(condition, clean_attributes(event), clean_attributes(context or {}))


def truth_of(condition: Condition, event: Attributes, context: Attributes) -> bool | None:
    """The truth of a condition over clean attributes."""
    match condition:
        case Constant(truth):
            return truth
        case And(children):
            return _all(truth_of(child, event, context) for child in children)
        case Or(children):
            return _any(truth_of(child, event, context) for child in children)
        case Not(child):
            return _not(truth_of(child, event, context))
        case IsNull(operand) if isinstance(operand, CONDITIONS):
            return truth_of(operand, event, context) is None
        case IsNull(operand):
            return value_of(operand, event, context) is None  # type: ignore[arg-type]
        case Truth(operand):
            value = value_of(operand, event, context)
            return value if isinstance(value, bool) else None
        case Comparison(symbol, left, right):
            sign = compare(value_of(left, event, context), value_of(right, event, context))
            return None if sign is None else COMPARISONS[symbol](sign)
        case Between(operand, low, high):
            at_least, at_most = Comparison(">=", operand, low), Comparison("<=", operand, high)
            return _all(truth_of(bound, event, context) for bound in (at_least, at_most))
        case In(operand, items):
            return _any(truth_of(Comparison("=", operand, item), event, context) for item in items)
        case ArrayContains(operand, item):
            values, wanted = value_of(operand, event, context), value_of(item, event, context)
            if not isinstance(values, tuple) or wanted is None:
                return None
            signs = [compare(value, wanted) for value in values]
            return _any(None if sign is None else sign == 0 for sign in signs)
        case Like(operand, pattern, ignore_case):
            value = value_of(operand, event, context)
            if not isinstance(value, str):
                return None
            return pattern.lower().matches(value.lower()) if ignore_case else pattern.matches(value)
        case Matches(operand, regex):
            value = value_of(operand, event, context)
            return compile_regex(regex).search(value) is not None if isinstance(value, str) else None


def value_of(expression: Expression, event: Attributes, context: Attributes) -> Value:
    """The value of an expression over clean attributes."""
    match expression:
        case Literal(value):
            return value
        case Attribute(name):
            return event.get(name)
        case ContextAttribute(name):
            return context.get(name)
        case Negation(operand):
            return negate(value_of(operand, event, context))
        case Arithmetic(symbol, left, right):
            return calculate(symbol, value_of(left, event, context), value_of(right, event, context))
        case Cast(operand, kind):
            return cast(value_of(operand, event, context), kind)
        case Call(function, arguments):
            return FUNCTION_BODIES[function](*(value_of(argument, event, context) for argument in arguments))


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _all(truths: Iterable[bool | None]) -> bool | None:
    seen = list(truths)
    return False if False in seen else None if None in seen else True


def _any(truths: Iterable[bool | None]) -> bool | None:
    seen = list(truths)
    return True if True in seen else None if None in seen else False
