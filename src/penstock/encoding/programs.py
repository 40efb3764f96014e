"""Conditions as programs of jumps over rank codes, for the kernels in ``kernels/programs.py``.

SQL's three values are compiled away first: in negation normal form each leaf asks of its predicate whether it is TRUE,
FALSE, UNKNOWN or known, and that is a question with two answers about a code. A tree of AND and OR over such
questions then becomes a run of tests, each with the test to go on with when it holds and when it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from penstock.encoding.fields import FieldTable
from penstock.encoding.predicates import Interval, Leaf, Wanted, leaf_of, presence_leaf
from penstock.encoding.ranks import LAST_BOUND, UNKNOWN_BOUND, Bound
from penstock.errors import UnsupportedConditionError
from penstock.kernels.programs import ACCEPT, REJECT
from penstock.language.folding import fold
from penstock.language.normal_forms import take_apart, to_nnf
from penstock.model.conditions import CONDITIONS, And, Condition, Constant, IsNull, Not, Or, context_attributes_of
from penstock.model.expressions import Literal

NEVER = Interval(LAST_BOUND, UNKNOWN_BOUND)


@dataclass(slots=True)
class Program:
    """A run of tests: is the code of ``fields[i]`` in ``[lows[i], highs[i]]``, and where to go on."""

    fields: list[int] = field(default_factory=list)
    lows: list[Bound] = field(default_factory=list)
    highs: list[Bound] = field(default_factory=list)
    on_true: list[int] = field(default_factory=list)
    on_false: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.fields)

    def append(self, number: int, interval: Interval, on_true: int, on_false: int) -> None:
        self.fields.append(number)
        self.lows.append(interval.low)
        self.highs.append(interval.high)
        self.on_true.append(on_true)
        self.on_false.append(on_false)


class Group(NamedTuple):
    """AND or OR with all leaves below it known, and so the number of tests that it will take."""

    conjunction: bool
    parts: tuple[Group | Leaf, ...]
    size: int


def compile_condition(condition: Condition, table: FieldTable) -> Program | None:
    """The program of a condition, whose fields and operands the table gets; ``None`` when it is plainly never TRUE."""
    refuse_context(condition)
    plain = two_valued(condition)
    if isinstance(plain, Constant):
        if plain.truth is not True:
            return None
        # TRUE is a test too: NULL has no value, in any event.
        return program_of(presence_leaf(Literal(None), table, present=False))
    return program_of(lay_out(plain, lambda leaf: _leaf(leaf, table)))


def refuse_context(condition: Condition) -> None:
    """Refuse a condition that refers to a context."""
    names = context_attributes_of(condition)
    if names:
        raise UnsupportedConditionError(
            f"the condition refers to context.{min(names)}, but this matcher knows no context; "
            "penstock.evaluate takes one"
        )


def two_valued(condition: Condition) -> Condition:
    """A tree of AND and OR over leaves that hold or do not, TRUE where the condition is TRUE; or a constant.

    A leaf is a predicate, the negation of one, or a test whether something is NULL.
    """
    return fold(_unknown_as_false(fold(to_nnf(take_apart(fold(condition))))))


def _unknown_as_false(condition: Condition) -> Condition:
    """In negation normal form nothing above a constant can turn it round."""
    match condition:
        case And(children) | Or(children):
            return type(condition)(tuple(_unknown_as_false(child) for child in children))
        case Constant(None):
            return Constant(False)
        case _:
            return condition


def lay_out(condition: Condition, translate: Callable[[Condition], Group | Leaf]) -> Group | Leaf:
    """A two-valued tree with its leaves translated."""
    if isinstance(condition, (And, Or)):
        return group(isinstance(condition, And), [lay_out(child, translate) for child in condition.children])
    return translate(condition)


def group(conjunction: bool, parts: Sequence[Group | Leaf]) -> Group:
    """All of some parts, or one of them."""
    return Group(conjunction, tuple(parts), sum(_size(part) for part in parts))


def program_of(part: Group | Leaf) -> Program:
    """The tests of a tree, in the order in which they are tried."""
    program = Program()
    _emit(part, ACCEPT, REJECT, program)
    return program


def _leaf(condition: Condition, table: FieldTable) -> Leaf:
    match condition:
        case Not(IsNull(operand)) | IsNull(operand) if not isinstance(operand, CONDITIONS):
            return presence_leaf(operand, table, present=isinstance(condition, Not))
        case Not(IsNull(operand)):
            return leaf_of(operand, Wanted.KNOWN, table)  # type: ignore[arg-type]
        case IsNull(operand):
            return leaf_of(operand, Wanted.UNKNOWN, table)  # type: ignore[arg-type]
        case Not(child):
            return leaf_of(child, Wanted.FALSE, table)  # type: ignore[arg-type]
        case _:
            return leaf_of(condition, Wanted.TRUE, table)  # type: ignore[arg-type]


def _size(part: Group | Leaf) -> int:
    return part.size if isinstance(part, Group) else max(1, len(part.intervals))


def _emit(part: Group | Leaf, on_true: int, on_false: int, program: Program) -> None:
    """Append the tests of a part; where it holds they go on at ``on_true``, where not at ``on_false``.

    Parts of a group follow one another, and one that settles nothing goes on at the first test of the next.
    """
    if isinstance(part, Leaf):
        intervals = part.intervals or (NEVER,)
        for place, interval in enumerate(intervals, start=1):
            program.append(part.field, interval, on_true, on_false if place == len(intervals) else len(program) + 1)
        return
    for place, child in enumerate(part.parts, start=1):
        following = len(program) + _size(child)
        if place == len(part.parts):
            _emit(child, on_true, on_false, program)
        elif part.conjunction:
            _emit(child, following, on_false, program)
        else:
            _emit(child, on_true, following, program)
