"""Conditions and events for property tests.

Operands and values come from one small grid with its edges (infinities, NaN, integers beyond 2**53, empty and
non-ASCII strings), so that ties at boundaries are common. ``TYPED`` keeps each attribute to one type, as a table in a
database does; ``MIXED`` lets every attribute hold anything, as a stream of JSON events may.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from penstock.model.conditions import (
    COMPARISONS,
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
from penstock.model.expressions import Arithmetic, Attribute, Call, Cast, Expression, Literal, Negation
from penstock.model.patterns import LikePattern
from penstock.model.values import Value

SMALL_INTEGERS = (-3, -1, 0, 1, 2, 3, 5, 9)
LARGE_INTEGERS = (2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62)
SMALL_DOUBLES = (-1.5, -0.0, 0.0, 0.5, 1.0, 2.0, 2.5, 9.0)
LARGE_DOUBLES = (float(2**53), float(2**53 + 2), 2.0**63, -(2.0**63), 1e300, -1e300, math.inf, -math.inf, math.nan)
STRINGS = ("", "a", "A", "ab", "aB", "abc", "b", "ba", "%", "a_c", "é", "z\U0001f600", "\uffff")
TIMESTAMPS = (
    datetime(2013, 1, 1),
    datetime(2013, 7, 4, 9, 30),
    datetime(2013, 7, 4, 9, 30, 0, 1),
    datetime(1969, 12, 31),
)
PATTERNS = ("", "%", "a%", "%b", "%b%", "a_c", "_", "a%c", "%%", "A%", "_b%", "é%")
REGEXES = ("a", "^a", "b$", "^$", "a.c", "[ab]+", "(?i)ab", "^(a|b)c?$")


@dataclass(frozen=True)
class Vocabulary:
    """Which attributes there are, what they hold, and which constructs conditions may use."""

    numbers: tuple[str, ...] = ("i", "j", "x", "y")
    strings: tuple[str, ...] = ("s", "t")
    booleans: tuple[str, ...] = ("f", "g")
    timestamps: tuple[str, ...] = ("w", "v")
    lists: tuple[str, ...] = ("tags",)
    mixed: bool = False
    large: bool = True
    special_doubles: bool = True
    patterns: bool = True
    regexes: bool = True
    arithmetic: bool = True
    null_literals: bool = True
    string_values: tuple[str, ...] = STRINGS

    @property
    def names(self) -> tuple[str, ...]:
        return self.numbers + self.strings + self.booleans + self.timestamps + self.lists

    # Values

    @cached_property
    def integers(self) -> SearchStrategy[int]:
        return st.sampled_from(SMALL_INTEGERS + (LARGE_INTEGERS if self.large else ()))

    @cached_property
    def doubles(self) -> SearchStrategy[float]:
        return st.sampled_from(SMALL_DOUBLES + (LARGE_DOUBLES if self.special_doubles else ()))

    def scalars(self, kind: str) -> SearchStrategy[Any]:
        return {
            "integer": self.integers,
            "double": self.doubles,
            "number": self.integers | self.doubles,
            "string": st.sampled_from(self.string_values),
            "boolean": st.booleans(),
            "timestamp": st.sampled_from(TIMESTAMPS),
        }[kind]

    @cached_property
    def any_value(self) -> SearchStrategy[Value]:
        scalars = st.one_of([self.scalars(kind) for kind in ("number", "string", "boolean", "timestamp")])
        return scalars | st.lists(st.none() | scalars, max_size=3).map(tuple)

    def values(self, name: str) -> SearchStrategy[Value]:
        """What an attribute may hold. The first half of the number attributes are integers, the others doubles."""
        if self.mixed:
            return self.any_value
        if name in self.lists:
            return st.lists(self.scalars("string"), max_size=3).map(tuple)
        return self.scalars(self.type_of(name))

    def type_of(self, name: str) -> str:
        if name in self.numbers:
            return "integer" if self.numbers.index(name) < len(self.numbers) // 2 else "double"
        kinds = {"string": self.strings, "boolean": self.booleans, "timestamp": self.timestamps, "list": self.lists}
        return next(kind for kind, names in kinds.items() if name in names)

    @cached_property
    def events(self) -> SearchStrategy[dict[str, Value]]:
        return st.fixed_dictionaries({}, optional={name: self.values(name) for name in self.names})

    # Conditions

    def literals(self, kind: str) -> SearchStrategy[Literal]:
        literals = self.scalars(kind).map(Literal)
        return literals | st.just(Literal(None)) if self.null_literals else literals

    def attributes(self, names: Sequence[str]) -> SearchStrategy[Attribute]:
        return st.sampled_from(self.names if self.mixed else names).map(Attribute)

    @cached_property
    def number_expressions(self) -> SearchStrategy[Expression]:
        base: SearchStrategy[Expression] = self.attributes(self.numbers)
        if not self.arithmetic:
            return base
        return st.recursive(
            base | self.literals("number"),
            lambda inner: st.one_of(
                st.builds(Arithmetic, st.sampled_from("+-*/"), inner, inner),
                st.builds(Negation, inner),
                inner.map(lambda each: Call("abs", (each,))),
                st.builds(Cast, inner, st.sampled_from(["integer", "double"])),
                st.tuples(inner, inner).map(lambda each: Call("coalesce", each)),
            ),
            max_leaves=3,
        )

    @cached_property
    def string_expressions(self) -> SearchStrategy[Expression]:
        base = self.attributes(self.strings)
        cased = st.builds(lambda name, inner: Call(name, (inner,)), st.sampled_from(["lower", "upper"]), base)
        return base | cased

    def operands(self, kind: str) -> SearchStrategy[Expression]:
        return {
            "number": self.number_expressions,
            "string": self.string_expressions,
            "boolean": self.attributes(self.booleans),
            "timestamp": self.attributes(self.timestamps),
        }[kind]

    def _compared(self, kind: str) -> SearchStrategy[Condition]:
        left, literal = self.operands(kind), self.literals(kind)
        right = literal | self.operands(kind)
        operators = st.sampled_from(sorted(COMPARISONS))
        return st.one_of(
            st.builds(Comparison, operators, left, literal),
            st.builds(Comparison, operators, right, left),
            st.builds(Between, left, right, right),
            st.builds(In, left, st.lists(literal, min_size=1, max_size=4).map(tuple)),
            st.builds(In, left, st.lists(right, min_size=1, max_size=3).map(tuple)),
        )

    @cached_property
    def predicates(self) -> SearchStrategy[Condition]:
        choices: list[SearchStrategy[Condition]] = [
            self._compared(kind) for kind in ("number", "string", "boolean", "timestamp")
        ]
        choices.append(self.attributes(self.booleans).map(Truth))
        choices.append(st.sampled_from(self.names).map(lambda name: IsNull(Attribute(name))))
        choices.append(st.builds(IsNull, self.number_expressions | self.string_expressions))
        choices.append(st.sampled_from([Constant(True), Constant(False), Constant(None)]))
        if self.patterns:
            pattern = st.sampled_from(PATTERNS).map(LikePattern.parse)
            choices.append(st.builds(Like, self.string_expressions, pattern, st.booleans()))
        if self.regexes:
            choices.append(st.builds(Matches, self.string_expressions, st.sampled_from(REGEXES)))
        if self.lists:
            item: SearchStrategy[Expression] = self.literals("string")
            if self.mixed:
                kinds = ("number", "boolean", "timestamp")
                item = st.one_of([item, *(self.literals(kind) for kind in kinds), self.attributes(self.strings)])
            choices.append(st.builds(ArrayContains, self.attributes(self.lists), item))
        return st.one_of(choices)

    @cached_property
    def conditions(self) -> SearchStrategy[Condition]:
        return st.recursive(
            self.predicates,
            lambda inner: st.one_of(
                st.lists(inner, min_size=2, max_size=3).map(lambda each: And(tuple(each))),
                st.lists(inner, min_size=2, max_size=3).map(lambda each: Or(tuple(each))),
                inner.map(Not),
                inner.filter(lambda each: not isinstance(each, (Truth, Constant))).map(IsNull),
            ),
            max_leaves=6,
        )


MIXED = Vocabulary(mixed=True)
TYPED = Vocabulary(large=False, special_doubles=False)
