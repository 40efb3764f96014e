"""The way into an index: intervals that the values of an event must lie in for a condition to be TRUE.

A conjunction needs each of its parts, so each part that is one interval of one field is a way in. What the intervals do
not say (other parts, patterns, disjunctions) is checked afterwards on the few events that lie in them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from penstock.encoding.fields import Field, FieldTable, NumberField, StringField, TimestampField
from penstock.encoding.predicates import Wanted, leaf_of
from penstock.encoding.ranks import ON, Bound, NumberSpace, RankSpace
from penstock.language.folding import fold
from penstock.language.normal_forms import take_apart, to_nnf
from penstock.language.rendering import expression_to_text
from penstock.model.conditions import And, Comparison, Condition, Constant, IsNull, Not, Or
from penstock.model.expressions import Arithmetic, Expression, Literal

ORDERED_FIELDS = (NumberField, StringField, TimestampField)

# A circle is taken a little larger than it is, far more than rounding could make of it; the check afterwards is exact.
_SLACK = 1e-9
_UNDERFLOW = 1e-150  # the square of a smaller distance may be rounded to 0


class End(NamedTuple):
    """An end of an interval: just before, on or just after an operand."""

    operand: Any
    place: int


class Span(NamedTuple):
    """An interval of a field's values; ``None`` is an end that is not bounded."""

    low: End | None
    high: End | None


class Access(NamedTuple):
    """What must lie where: all spans of all fields. Exact when they say all that the condition says."""

    spans: dict[Field, list[Span]]
    exact: bool

    def only(self, fields: tuple[Field, ...]) -> Access:
        """The same by some of the fields alone."""
        return Access({each: self.spans[each] for each in fields}, self.exact and len(fields) == len(self.spans))


def access_of(condition: Condition) -> Access:
    """The ways into a condition; no spans at all when it has none."""
    plain = fold(to_nnf(take_apart(fold(condition))))
    leaves = plain.children if isinstance(plain, And) else (plain,)
    spans: dict[Field, list[Span]] = {}
    exact = True
    for leaf in leaves:
        found = _spans_of(leaf)
        exact = exact and found.exact
        for each, intervals in found.spans.items():
            spans.setdefault(each, []).extend(intervals)
    return Access(spans, exact)


def _spans_of(leaf: Condition) -> Access:
    if isinstance(leaf, (And, Or, Constant)):
        return Access({}, exact=False)
    circle = _circle(leaf)
    if circle is not None:
        return circle
    wanted = Wanted.FALSE if isinstance(leaf, Not) else Wanted.TRUE
    predicate = leaf.child if isinstance(leaf, Not) else leaf
    if isinstance(predicate, IsNull):
        return Access({}, exact=False)
    table = FieldTable()
    number, intervals = leaf_of(predicate, wanted, table)  # type: ignore[arg-type]
    field, space = table.fields[number], table.spaces[number]
    if not isinstance(field, ORDERED_FIELDS) or len(intervals) != 1:
        return Access({}, exact=False)
    low, high = intervals[0]
    return Access({field: [Span(_end(low, space), _end(high, space))]}, exact=True)


def _end(bound: Bound, space: RankSpace[Any]) -> End | None:
    return None if bound < 0 else End(space.operand(bound), bound & 3)


def _circle(leaf: Condition) -> Access | None:
    """``(x - a) * (x - a) + (y - b) * (y - b) <= c``: the square around the circle."""
    match leaf:
        case Comparison("<" | "<=", Arithmetic("+", first, second), Literal(int() | float() as limit)):
            pass
        case Comparison(">" | ">=", Literal(int() | float() as limit), Arithmetic("+", first, second)):
            pass
        case _:
            return None
    sides = [_squared_distance(first), _squared_distance(second)]
    if isinstance(limit, bool) or not 0 <= limit < math.inf or None in sides:
        return None
    spans: dict[Field, list[Span]] = {}
    for side in sides:
        assert side is not None
        operand, centre = side
        reach = math.sqrt(limit) * (1 + _SLACK) + _UNDERFLOW
        low = math.nextafter(centre - reach, -math.inf)
        high = math.nextafter(centre + reach, math.inf)
        ends = End(NumberSpace.key(low), ON), End(NumberSpace.key(high), ON)
        spans.setdefault(NumberField(operand), []).append(Span(*ends))
    return Access(spans, exact=False)


def _squared_distance(expression: Expression) -> tuple[Expression, float] | None:
    """The operand and the centre of ``(operand - centre) * (operand - centre)``."""
    match expression:
        case Arithmetic("*", Arithmetic("-", operand, Literal(int() | float() as centre)) as one, other) if (
            one == other
        ):
            if isinstance(centre, bool) or not math.isfinite(centre):
                return None
            return operand, float(centre)
    return None


def preference(field: Field, spans: list[Span]) -> tuple[int, str]:
    """Which field to go in by: a point before an interval, that before what is open at one end."""
    closed = sum((span.low is not None) + (span.high is not None) for span in spans)
    point = any(span.low is not None and span.low == span.high for span in spans)
    return (-2 if point else -1 if closed >= 2 else 0, expression_to_text(field.expression))  # type: ignore[attr-defined]
