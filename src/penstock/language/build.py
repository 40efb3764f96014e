"""What may be combined with what: the rules by which the parser and the JSON reader build conditions.

The checks look only at kinds that are known whatever the event (a literal's, a function's), never at the values of
literals, so that one check serves every condition of the same shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from penstock.errors import ConditionError, did_you_mean
from penstock.language.literals import KIND_WORDS
from penstock.model.conditions import CONDITIONS, Comparison, Condition, Constant, Truth
from penstock.model.expressions import (
    FUNCTIONS,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    CastType,
    ContextAttribute,
    Expression,
    Literal,
    Negation,
    static_kind,
)
from penstock.model.values import Kind

Node: TypeAlias = Expression | Condition

MAX_DEPTH = 200

CAST_TYPES: Final[dict[str, CastType]] = {
    "INTEGER": "integer",
    "INT": "integer",
    "BIGINT": "integer",
    "DOUBLE": "double",
    "REAL": "double",
    "FLOAT": "double",
}

_ARGUMENT_KINDS = {"abs": Kind.NUMBER, "lower": Kind.STRING, "upper": Kind.STRING}


def as_expression(node: Node) -> Expression:
    """A node where a value is needed."""
    if isinstance(node, CONDITIONS):
        raise ConditionError("a value is needed here, but this is a condition")
    return node


def as_condition(node: Node) -> Condition:
    """A node where a condition is needed: a bare attribute becomes the question whether it is TRUE."""
    match node:
        case Literal(value) if value is None or isinstance(value, bool):
            return Constant(value)
        case Attribute() | ContextAttribute() | Call(function="coalesce") if static_kind(node) in (None, Kind.BOOLEAN):
            return Truth(node)
        case Literal() | Attribute() | ContextAttribute() | Call() | Cast() | Negation() | Arithmetic():
            found = KIND_WORDS[static_kind(node) or Kind.NUMBER]
            raise ConditionError(f"a condition is needed here, but this is {found}; compare it with something")
    return node


def as_null_test_operand(node: Node) -> Node:
    """What IS NULL asks of: a bare boolean attribute becomes the comparison with TRUE, which means the same."""
    match node:
        case Truth(operand):
            return Comparison("=", operand, Literal(True))
        case Constant(truth):
            return Literal(truth)
    return node


def check_comparable(operands: Sequence[Expression], what: str) -> None:
    """Values that are compared must not be known to be of different kinds."""
    seen: Kind | None = None
    for operand in operands:
        kind = static_kind(operand)
        if kind is None:
            continue
        if seen is not None and kind is not seen:
            raise ConditionError(
                f"{KIND_WORDS[seen]} and {KIND_WORDS[kind]} cannot be compared{what}; {_remedy(seen, kind)}"
            )
        seen = kind


def _remedy(left: Kind, right: Kind) -> str:
    kinds = {left, right}
    if kinds == {Kind.NUMBER, Kind.STRING}:
        return "write the number without quotes, or the string in single quotes"
    if kinds == {Kind.TIMESTAMP, Kind.STRING}:
        return "write the string as TIMESTAMP '...'"
    return "compare values of one kind"


def check_number(operand: Expression, what: str) -> None:
    kind = static_kind(operand)
    if kind not in (None, Kind.NUMBER):
        raise ConditionError(f"{what} needs numbers, found {KIND_WORDS[kind]}")


def check_string(operand: Expression, what: str) -> None:
    kind = static_kind(operand)
    if kind not in (None, Kind.STRING):
        raise ConditionError(f"{what} needs a string, found {KIND_WORDS[kind]}")


def check_call(name: str, arguments: Sequence[Expression]) -> None:
    """A call of one of the value functions."""
    if name not in FUNCTIONS:
        known = [*FUNCTIONS, "array_contains"]
        hint = did_you_mean(name, known) or f"; known are {', '.join(known)}"
        raise ConditionError(f"there is no function {name!r}{hint}")
    if name == "coalesce":
        if len(arguments) < 2:
            raise ConditionError(f"coalesce takes two or more values, found {len(arguments)}")
        check_comparable(arguments, " within coalesce")
        return
    if len(arguments) != 1:
        raise ConditionError(f"{name} takes one value, found {len(arguments)}")
    kind = static_kind(arguments[0])
    if kind not in (None, _ARGUMENT_KINDS[name]):
        raise ConditionError(f"{name} needs {KIND_WORDS[_ARGUMENT_KINDS[name]]}, found {KIND_WORDS[kind]}")


def cast_type(name: str) -> CastType:
    """The type that a name of SQL stands for in CAST."""
    kind = CAST_TYPES.get(name.upper())
    if kind is None:
        raise ConditionError(f"CAST makes INTEGER or DOUBLE of numbers, found {name}{did_you_mean(name, CAST_TYPES)}")
    return kind


def check_array_contains(arguments: Sequence[Expression]) -> None:
    if len(arguments) != 2:
        raise ConditionError(f"array_contains takes a list attribute and a value, found {len(arguments)} arguments")
    kind = static_kind(arguments[0])
    if kind is not None:
        raise ConditionError(f"array_contains needs an attribute that holds a list, found {KIND_WORDS[kind]}")
