"""Conditions that no event can satisfy: ``price < 5 AND price > 9``.

What is found is certain; not all is found, since whether a condition can be satisfied at all is a hard question in
general. Looked for: constants, and predicates of one conjunction that leave no value for an expression between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from penstock.language.folding import fold
from penstock.language.normal_forms import take_apart, to_nnf
from penstock.language.rendering import expression_to_text, to_text
from penstock.model.conditions import (
    CONDITIONS,
    MIRRORED,
    And,
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
    expressions_of,
)
from penstock.model.expressions import Expression, Literal
from penstock.model.values import Kind, Scalar, compare, kind_of


def never_true(condition: Condition) -> str | None:
    """Why a condition is never TRUE, whatever the event; ``None`` when no reason is found.

    >>> from penstock.language.parser import parse
    >>> never_true(parse("price < 5 AND price > 9"))
    'price < 5 and price > 9 exclude each other'
    >>> never_true(parse("price = NULL"))
    'it is always UNKNOWN: a comparison with NULL is never TRUE; write IS NULL'
    """
    folded = fold(condition)
    if isinstance(folded, Constant):
        return _constant_reason(folded)
    return _reason(fold(to_nnf(fold(take_apart(folded)))), [])


def _constant_reason(constant: Constant) -> str | None:
    if constant.truth is None:
        return "it is always UNKNOWN: a comparison with NULL is never TRUE; write IS NULL"
    return None if constant.truth else "it is always FALSE"


def _reason(condition: Condition, above: list[Condition]) -> str | None:
    """Why a condition in negation normal form cannot be TRUE together with leaves that must be TRUE above it."""
    match condition:
        case Constant():
            return _constant_reason(condition)
        case And(children):
            leaves = [child for child in children if not isinstance(child, (And, Or))]
            reason = _conflict([*above, *leaves])
            if reason is not None:
                return reason
            nested = (_reason(child, [*above, *leaves]) for child in children if isinstance(child, (And, Or)))
            return next((found for found in nested if found is not None), None)
        case Or(children):
            reasons = [_reason(child, above) for child in children]
            if all(reason is not None for reason in reasons):
                return "; ".join(dict.fromkeys(reason for reason in reasons if reason is not None))
            return None
        case _:
            return _conflict([*above, condition])


def _conflict(leaves: list[Condition]) -> str | None:
    """A reason why leaves cannot all be TRUE."""
    constraints: dict[Expression, _Constraint] = {}
    for leaf in leaves:
        if isinstance(leaf, Constant):
            if leaf.truth is not True:
                return _constant_reason(leaf)
            continue
        for expression in expressions_of(leaf.child if isinstance(leaf, Not) else leaf):
            if isinstance(expression, Literal):
                continue
            constraint = constraints.setdefault(expression, _Constraint(expression))
            reason = constraint.add(leaf)
            if reason is not None:
                return reason
    return None


@dataclass(slots=True)
class _Constraint:
    """What the leaves seen so far leave for the value of one expression, and which leaf said so."""

    expression: Expression
    kind: Kind | None = None
    kind_by: Condition | None = None
    absent_by: Condition | None = None
    low: tuple[Scalar, bool] | None = None
    low_by: Condition | None = None
    high: tuple[Scalar, bool] | None = None
    high_by: Condition | None = None
    points: list[Scalar] | None = None
    points_by: Condition | None = None
    emptied_by: Condition | None = None
    excluded: list[tuple[Scalar, Condition]] = field(default_factory=list)

    def add(self, leaf: Condition) -> str | None:
        """Take a leaf into account; a reason when nothing is left."""
        match leaf:
            case IsNull(operand) if operand == self.expression:
                self.absent_by = leaf
            case IsNull():
                return None  # a condition that is UNKNOWN says nothing certain of its values
            case Not(IsNull(operand)) if isinstance(operand, CONDITIONS):
                return None
            case _:
                self.kind_by = self.kind_by or leaf
                reason = self._narrow(leaf)
                if reason is not None:
                    return reason
        if self.absent_by is not None and self.kind_by is not None:
            name = expression_to_text(self.expression)
            return f"{_both(self.absent_by, self.kind_by)} exclude each other: {name} cannot be absent and have a value"
        return self._emptiness()

    def _narrow(self, leaf: Condition) -> str | None:
        kind, by = _required_kind(leaf, self.expression), self.kind_by
        if kind is not None:
            if self.kind is not None and kind is not self.kind:
                assert by is not None
                return f"{_both(by, leaf)} exclude each other: a value is not {self.kind} and {kind} at once"
            if self.kind is None:
                self.kind, self.kind_by = kind, leaf
        match leaf:
            case Comparison(operator, left, Literal(value)) if left == self.expression and value is not None:
                self._compare(operator, value, leaf)
            case Comparison(operator, Literal(value), right) if right == self.expression and value is not None:
                self._compare(MIRRORED[operator], value, leaf)
            case Between(operand, Literal(low), Literal(high)) if operand == self.expression:
                if low is not None and high is not None:
                    self._compare(">=", low, leaf)
                    self._compare("<=", high, leaf)
            case In(operand, items) if operand == self.expression:
                self._restrict_to([item.value for item in items if isinstance(item, Literal)], leaf)
            case Not(In(operand, items)) if operand == self.expression:
                self.excluded += [
                    (item.value, leaf) for item in items if isinstance(item, Literal) and item.value is not None
                ]
            case Truth(operand) if operand == self.expression:
                self._restrict_to([True], leaf)
            case Not(Truth(operand)) if operand == self.expression:
                self._restrict_to([False], leaf)
        return None

    def _compare(self, operator: ComparisonOperator, value: Scalar, leaf: Condition) -> None:
        match operator:
            case "=":
                self._restrict_to([value], leaf)
            case "!=":
                self.excluded.append((value, leaf))
            case "<" | "<=":
                self._lower_high(value, operator == "<=", leaf)
            case ">" | ">=":
                self._raise_low(value, operator == ">=", leaf)

    def _raise_low(self, value: Scalar, closed: bool, leaf: Condition) -> None:
        sign = 1 if self.low is None else compare(value, self.low[0])
        if sign == 1 or (sign == 0 and not closed):
            self.low, self.low_by = (value, closed), leaf

    def _lower_high(self, value: Scalar, closed: bool, leaf: Condition) -> None:
        sign = -1 if self.high is None else compare(value, self.high[0])
        if sign == -1 or (sign == 0 and not closed):
            self.high, self.high_by = (value, closed), leaf

    def _restrict_to(self, values: list[Scalar | None], leaf: Condition) -> None:
        wanted = [value for value in values if value is not None]
        if self.points is None:
            self.points, self.points_by = wanted, leaf
        else:
            self.points = [point for point in self.points if any(compare(point, value) == 0 for value in wanted)]
            if not self.points:
                self.emptied_by = leaf

    def _emptiness(self) -> str | None:
        if self.points is not None:
            assert self.points_by is not None
            if not self.points:
                return f"{_both(self.points_by, self.emptied_by)} exclude each other"
            blockers = [self._blocker(point) for point in self.points]
            if all(blocker is not None for blocker in blockers):
                return f"{_both(self.points_by, blockers[0])} exclude each other"
        elif self.low is not None and self.high is not None:
            sign = compare(self.low[0], self.high[0])
            if sign == 1 or (sign == 0 and not (self.low[1] and self.high[1])):
                if self.low_by == self.high_by:
                    return f"{to_text(self.low_by)} has no value between its bounds"  # type: ignore[arg-type]
                return f"{_both(self.high_by, self.low_by)} exclude each other"
        return None

    def _blocker(self, point: Scalar) -> Condition | None:
        """A leaf that a value does not satisfy."""
        for value, leaf in self.excluded:
            if compare(point, value) == 0:
                return leaf
        if self.low is not None:
            sign = compare(point, self.low[0])
            if sign == -1 or (sign == 0 and not self.low[1]):
                return self.low_by
        if self.high is not None:
            sign = compare(point, self.high[0])
            if sign == 1 or (sign == 0 and not self.high[1]):
                return self.high_by
        return None


def _required_kind(leaf: Condition, expression: Expression) -> Kind | None:
    """The kind that an expression must have for a leaf to be TRUE."""
    match leaf:
        case Not(child) if not isinstance(child, IsNull):
            return _required_kind(child, expression)
        case Comparison(_, left, right):
            other = right if left == expression else left
            return kind_of(other.value) if isinstance(other, Literal) else None
        case Between(operand, Literal(low), _) if operand == expression:
            return kind_of(low)
        case In(operand, (Literal(first), *_)) if operand == expression:
            return kind_of(first)
        case Like(operand) | Matches(operand) if operand == expression:
            return Kind.STRING
        case Truth(operand) if operand == expression:
            return Kind.BOOLEAN
        case _:
            return None


def _both(one: Condition | None, other: Condition | None) -> str:
    return " and ".join(to_text(leaf) for leaf in (one, other) if leaf is not None)
