"""What can be said of a condition without an event: folding constants, and finding conditions that are never TRUE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from penstock.model.conditions import (
    CONDITIONS,
    And,
    ArrayContains,
    Comparison,
    Condition,
    Constant,
    IsNull,
    Not,
    Or,
    expressions_of,
)
from penstock.model.evaluation import truth_of, value_of
from penstock.model.expressions import (
    EXPRESSIONS,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    Expression,
    Literal,
    Negation,
    operands,
)


def fold(condition: Condition) -> Condition:
    """The same condition with all that is constant worked out: it is TRUE, FALSE and UNKNOWN for the same events.

    >>> from penstock.language.parser import parse
    >>> from penstock.language.rendering import to_text
    >>> to_text(fold(parse("price < 2 * 50 AND (1 < 2 OR color = 'red')")))
    'price < 100'
    """
    match condition:
        case And(children):
            return _fold_connective(And, children, absorbing=False)
        case Or(children):
            return _fold_connective(Or, children, absorbing=True)
        case Not(child):
            folded = fold(child)
            if isinstance(folded, Constant):
                return Constant(None if folded.truth is None else not folded.truth)
            return Not(folded)
        case IsNull(operand) if isinstance(operand, CONDITIONS):
            folded = fold(operand)
            return Constant(folded.truth is None) if isinstance(folded, Constant) else IsNull(folded)
        case Constant():
            return condition
        case _:
            return _fold_predicate(condition)


def _fold_connective(
    connective: type[And] | type[Or], children: tuple[Condition, ...], *, absorbing: bool
) -> Condition:
    """AND is FALSE as soon as one child is, and a TRUE child changes nothing. OR is the other way round."""
    kept: dict[Condition, None] = {}
    for child in children:
        folded = fold(child)
        if isinstance(folded, Constant):
            if folded.truth is absorbing:
                return folded
            if folded.truth is (not absorbing):
                continue
        for part in folded.children if isinstance(folded, connective) else (folded,):
            kept[part] = None
    if len(kept) > 1:
        return connective(tuple(kept))
    return next(iter(kept), Constant(not absorbing))


def _fold_predicate(predicate: Condition) -> Condition:
    if _is_folded(predicate):
        return predicate
    folded = _with_expressions(predicate, fold_expression)
    if isinstance(folded, (Comparison, ArrayContains)) and Literal(None) in expressions_of(folded):
        return Constant(None)
    if all(isinstance(each, Literal) for each in expressions_of(folded)):
        return Constant(truth_of(folded, {}, {}))
    return folded


def _is_folded(predicate: Condition) -> bool:
    """Whether a predicate compares attributes with constants, as almost all do, so that there is nothing to fold."""
    attributes = 0
    for expression in expressions_of(predicate):
        if type(expression) is Attribute:
            attributes += 1
        elif type(expression) is not Literal or expression.value is None:
            return False
    return attributes > 0


def _with_expressions(predicate: Condition, change: Callable[[Expression], Expression]) -> Condition:
    """The predicate with each expression directly within it changed."""
    changed: dict[str, Any] = {}
    for name in predicate.__match_args__:  # the fields, in order
        value = getattr(predicate, name)
        if isinstance(value, EXPRESSIONS):
            changed[name] = change(value)
        elif name == "items":
            changed[name] = tuple(change(item) for item in value)
    return replace(predicate, **changed)


def fold_expression(expression: Expression) -> Expression:
    """An expression with its constant parts worked out."""
    match expression:
        case Negation(operand):
            folded: Expression = Negation(fold_expression(operand))
        case Arithmetic(operator, left, right):
            folded = Arithmetic(operator, fold_expression(left), fold_expression(right))
        case Cast(operand, kind):
            folded = Cast(fold_expression(operand), kind)
        case Call(function, arguments):
            folded = Call(function, tuple(fold_expression(argument) for argument in arguments))
        case _:
            return expression
    if isinstance(folded, Arithmetic) and Literal(None) in operands(folded):
        return Literal(None)
    if all(isinstance(each, Literal) for each in operands(folded)):
        value = value_of(folded, {}, {})
        return Literal(value) if not isinstance(value, tuple) else folded
    return folded
