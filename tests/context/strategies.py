"""Conditions that refer to contexts, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from penstock.model.conditions import COMPARISONS, And, Between, Comparison, Condition, In, IsNull, Not, Or, Truth
from penstock.model.expressions import Arithmetic, ContextAttribute, Expression, Literal
from tests.strategies import MIXED

CONTEXTS = ("one", "two", "three")
CONTEXT_NAMES = ("k", "m", "n")

names = st.sampled_from(CONTEXT_NAMES).map(ContextAttribute)
small = st.sampled_from([0, 1, 2, 5, 0.5, 2**53, 2**53 + 1]).map(Literal)
context_sides: SearchStrategy[Expression] = st.one_of(
    names,
    names,
    st.builds(Arithmetic, st.sampled_from("+-"), names, small),
    st.builds(Arithmetic, st.just("+"), small, names),
    st.builds(Arithmetic, st.just("*"), names, small),
)
event_sides = st.one_of([MIXED.attributes(MIXED.names), MIXED.number_expressions, MIXED.string_expressions])
operators = st.sampled_from(sorted(COMPARISONS))

leaves: SearchStrategy[Condition] = st.one_of(
    st.builds(Comparison, operators, event_sides, context_sides),
    st.builds(Comparison, operators, context_sides, event_sides),
    st.builds(Between, event_sides, context_sides, context_sides),
    st.builds(In, event_sides, st.lists(context_sides | small, min_size=1, max_size=3).map(tuple)),
    st.builds(Comparison, operators, context_sides, small),
    names.map(IsNull),
    names.map(Truth),
    st.builds(Comparison, operators, st.builds(Arithmetic, st.just("+"), event_sides, names), small),
    MIXED.predicates,
)

conditions: SearchStrategy[Condition] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda each: And(tuple(each))),
        st.lists(inner, min_size=2, max_size=3).map(lambda each: Or(tuple(each))),
        inner.map(Not),
        inner.filter(lambda each: not isinstance(each, Truth)).map(IsNull),
    ),
    max_leaves=5,
)

numbers = st.integers(-3, 9) | st.sampled_from([0.5, 2.5, 2**53 + 1, -(2**62)])
values = st.one_of(numbers, numbers, MIXED.any_value, st.none())

plain_leaves: SearchStrategy[Condition] = st.one_of(
    st.builds(Comparison, operators, MIXED.attributes(MIXED.names).filter(lambda a: a.name in "ij"), context_sides),
    st.builds(
        Between, MIXED.attributes(MIXED.names).filter(lambda a: a.name in "ij"), context_sides, context_sides | small
    ),
)
plain_conditions: SearchStrategy[Condition] = st.one_of(
    plain_leaves,
    st.lists(plain_leaves, min_size=2, max_size=3).map(lambda each: And(tuple(each))),
    st.lists(plain_leaves, min_size=2, max_size=2).map(lambda each: Or(tuple(each))),
)
"""Those that indexes are about: attributes ``i`` and ``j`` bounded by contexts."""
plain_events = st.fixed_dictionaries({}, optional={"i": numbers, "j": numbers, "x": MIXED.any_value})
