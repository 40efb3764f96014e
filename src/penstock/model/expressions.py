"""Value expressions: what stands on either side of a comparison. Immutable trees."""

from __future__ import annotations

from typing import Final, Literal as OneOf, TypeAlias

from penstock.model.nodes import node
from penstock.model.values import Kind, Scalar, kind_of, same_literal

ArithmeticOperator: TypeAlias = OneOf["+", "-", "*", "/"]
CastType: TypeAlias = OneOf["integer", "double"]
FunctionName: TypeAlias = OneOf["abs", "lower", "upper", "coalesce"]

FUNCTIONS: Final[tuple[FunctionName, ...]] = ("abs", "lower", "upper", "coalesce")


@node
class Literal:
    """A constant. ``None`` is NULL. Literals are equal when value and type are: 1 and 1.0 are two literals."""

    value: Scalar | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and same_literal(self.value, other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), None if self.value != self.value else self.value))


@node
class Attribute:
    """The value of an attribute of the event."""

    name: str


@node
class ContextAttribute:
    """The value of an attribute of the subscriber's context: ``context.name``."""

    name: str


@node
class Negation:
    """``-operand``."""

    operand: Expression


@node
class Arithmetic:
    """``left operator right`` over numbers."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression


@node
class Call:
    """A function of the language applied to its arguments."""

    function: FunctionName
    arguments: tuple[Expression, ...]


@node
class Cast:
    """``CAST(operand AS type)``: a number as a number of the other type."""

    operand: Expression
    type: CastType


Expression: TypeAlias = Literal | Attribute | ContextAttribute | Negation | Arithmetic | Call | Cast
EXPRESSIONS: Final = (Literal, Attribute, ContextAttribute, Negation, Arithmetic, Call, Cast)


def static_kind(expression: Expression) -> Kind | None:
    """The kind that an expression has whatever the event; ``None`` where that depends on the event (or is NULL)."""
    match expression:
        case Literal(value):
            return kind_of(value)
        case Negation() | Arithmetic() | Cast() | Call(function="abs"):
            return Kind.NUMBER
        case Call(function="lower" | "upper"):
            return Kind.STRING
        case Call(arguments=arguments):
            return next((kind for kind in map(static_kind, arguments) if kind is not None), None)
        case _:
            return None


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly within an expression."""
    match expression:
        case Negation(operand) | Cast(operand):
            return (operand,)
        case Arithmetic(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case _:
            return ()
