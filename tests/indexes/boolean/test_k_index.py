"""The k-index: figure 2 of the OpIndex paper, declared domains and their promise, deleting, what is served."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from penstock.encoding.batch import EventBatch
from penstock.encoding.order_keys import doubles_of_keys
from penstock.errors import DuplicateSubscriptionError, InvariantError, ValueRefusedError
from penstock.indexes.boolean.k_index import KIndex
from penstock.kernels.posting_lists import BEGIN, KEY, LISTS, SIZE
from penstock.language.parser import parse
from penstock.model.conditions import And, Between, Comparison, Condition, In, Not, Or
from penstock.model.expressions import Attribute, Literal
from tests.indexes.boolean.running_example import EXAMPLE_5, TABLE_1
from tests.oracle import matching_pairs


def filled(conditions: dict[int, Condition], domain: tuple[int, int] | None = (1, 12)) -> KIndex:
    index = KIndex(domain=domain)
    index.insert_many(conditions.keys(), conditions.values())
    index.check_invariants()
    return index


def postings(index: KIndex) -> dict[tuple[int, str, float], list[int]]:
    """The keys in each posting list, by size, attribute and number."""
    found = {}
    for (size, field, key), clauses in index.posting_lists().items():
        value = float(doubles_of_keys(np.array([key]))[0])
        keys = index._table.keys_of(np.array(clauses, dtype=np.int32))
        found[size, index._vocabulary.describe(field), value] = keys.tolist()
    return found


def over(size: int, attribute: str, values: range | tuple[int, ...], keys: list[int]) -> dict[object, list[int]]:
    return {(size, attribute, float(value)): keys for value in values}


# The running example.

FIGURE_2 = (
    over(1, "A", (2,), [4])
    | over(2, "A", range(1, 9), [2])
    | over(2, "A", (2,), [1, 2])
    | over(2, "B", (3, 6, 9), [1])
    | over(2, "C", range(2, 13), [2])
    | over(2, "D", (12,), [5])
    | over(2, "E", range(1, 10), [5])
    | over(3, "B", range(1, 5), [3])
    | over(3, "C", (6,), [3])
    | over(3, "E", range(3, 13), [3])
    | over(4, "B", (3, 6), [6])
    | over(4, "C", range(1, 5), [6])
    | over(4, "D", range(10, 13), [6])
    | over(4, "E", range(1, 8), [6])
)


def test_the_posting_lists_are_those_of_figure_2() -> None:
    index = filled(TABLE_1)
    assert postings(index) == FIGURE_2
    assert index.posting_count == sum(map(len, FIGURE_2.values()))
    one_by_one = KIndex(domain=(1, 12))
    for key, condition in TABLE_1.items():
        one_by_one.insert(key, condition)
        one_by_one.check_invariants()
    assert one_by_one.posting_lists() == index.posting_lists()


def test_example_5_reads_the_three_subscriptions_that_match_in_part() -> None:
    index = filled(TABLE_1)
    assert index.match(EXAMPLE_5).tolist() == []
    # Partition 4 is too large for the event, partition 3 has one list (of S3), too few to be walked. In partition 2
    # the lists of B = 6, C = 3 and E = 9 have a posting each, of S1, S2 and S5. Partition 1 has none.
    assert index.work == (3 * 3, 1 + 3, 3)


@pytest.mark.parametrize(
    ("event", "keys"),
    [
        ({"A": 2, "B": 6, "C": 3, "D": 11, "E": 7}, [1, 2, 4, 6]),
        ({"B": 4, "C": 6, "D": 12, "E": 9}, [3, 5]),
        ({"A": 2.0, "Z": "z"}, [4]),
        ({"A": 9, "C": 2}, []),
        ({}, []),
    ],
)
def test_events_of_the_running_example(event: dict[str, object], keys: list[int]) -> None:
    assert filled(TABLE_1).match(event).tolist() == keys


# Against the reference.

DOMAIN = (-2, 3)
VALUES = st.integers(*DOMAIN)
ATTRIBUTES = st.sampled_from("abcd").map(Attribute)
NUMBERS = st.one_of(VALUES, st.sampled_from([-7, 9, 0.5, math.inf, -math.inf, 2**53 + 1])).map(Literal)
COMPARED = st.one_of(
    st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), ATTRIBUTES, NUMBERS),
    st.builds(Between, ATTRIBUTES, NUMBERS, NUMBERS),
    st.builds(In, ATTRIBUTES, st.lists(NUMBERS, min_size=1, max_size=3).map(tuple)),
    st.builds(Comparison, st.just("="), st.just(Attribute("s")), st.sampled_from(["x", "y"]).map(Literal)),
)
CONDITIONS = st.recursive(
    COMPARED,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(lambda each: And(tuple(each))),
        st.lists(inner, min_size=2, max_size=2).map(lambda each: Or(tuple(each))),
        inner.map(Not),
    ),
    max_leaves=6,
)
EVENTS = st.fixed_dictionaries({}, optional=dict.fromkeys("abcd", VALUES) | {"s": st.sampled_from(["x", "y", "z"])})


def pairs(index: KIndex, events: list[dict[str, object]]) -> list[tuple[int, int]]:
    found = index.match_batch(EventBatch.from_events(events))
    return list(zip(found.rows.tolist(), found.keys.tolist(), strict=True))


@given(st.lists(CONDITIONS, min_size=1, max_size=8), st.lists(EVENTS, max_size=6))
def test_over_a_declared_domain_it_matches_as_the_reference_says(
    conditions: list[Condition], events: list[dict[str, object]]
) -> None:
    held = dict(enumerate(conditions))
    index = KIndex(domain=DOMAIN)
    for key, condition in held.items():
        index.insert(key, condition)
    index.check_invariants()
    assert pairs(index, events) == matching_pairs(events, held)
    assert pairs(filled(held, DOMAIN), events) == matching_pairs(events, held)


@given(st.lists(CONDITIONS, min_size=2, max_size=8), st.data(), st.lists(EVENTS, max_size=4))
def test_what_is_deleted_leaves_nothing_behind(
    conditions: list[Condition], data: st.DataObject, events: list[dict[str, object]]
) -> None:
    held = dict(enumerate(conditions))
    index = filled(held, DOMAIN)
    for key in data.draw(st.permutations(range(len(conditions)))):
        index.delete(key)
        del held[key]
        index.check_invariants()
        assert pairs(index, events) == matching_pairs(events, held)
    assert (index.posting_count, index.posting_lists()) == (0, {})
    assert not index._relied.values.any()


def test_many_come_and_go() -> None:
    conditions = {key: parse(f"a >= {key % 9} AND b = {key % 5} AND s = 'v{key}'") for key in range(300)}
    index = filled(conditions)
    for key in range(0, 300, 2):
        index.delete(key)
    index.insert_many(range(300, 340), [parse(f"b <= {key % 12} AND s > 'w'") for key in range(300, 340)])
    index.insert_many(range(400, 500), [parse(f"b != {key % 12}") for key in range(400, 500)])
    index.check_invariants()
    assert index.match({"a": 9, "b": 1, "s": "v1"}).tolist() == [1, *(key for key in range(400, 500) if key % 12 != 1)]
    for key in (*range(1, 300, 2), *range(400, 500)):
        index.delete(key)
    index.check_invariants()
    assert index.match({"b": 1, "s": "x"}).tolist() == [key for key in range(300, 340) if key % 12 >= 1]
    assert index._vocabulary.bytes_used() == 0
    with pytest.raises(DuplicateSubscriptionError, match="key 300"):
        index.insert_many([300], [parse("a = 1")])


# Sets of values.


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("a >= 3 AND a <= 12 AND a != 5", [3, 4, 6, 7, 8, 9, 10, 11, 12]),
        ("a BETWEEN 3 AND 5", [3, 4, 5]),
        ("a NOT BETWEEN 3 AND 11", [1, 2, 12]),
        ("a NOT IN (1, 2, 3, 4, 5, 6, 7)", [8, 9, 10, 11, 12]),
        ("a IN (1, 5, 20) AND a > 2", [5, 20]),
        ("a IN (1, 5) AND a IN (5, 6)", [5]),
        ("a > 2.5 AND a < 4.5", [3, 4]),
        ("a = 1 AND a = 2", []),
        ("a > 12", []),
        ("a = 1.5", [1.5]),
    ],
)
def test_what_a_clause_asks_of_one_field_is_one_set_of_values(condition: str, values: list[float]) -> None:
    index = filled({7: parse(condition)})
    assert postings(index) == {(1, "a", value): [7] for value in values}


@pytest.mark.parametrize(
    "condition",
    ["a = 1", "a IN (1, 5) AND a != 5", "s = 'x'", "s IN ('x', 'y') AND s < 'y'", "f", "a = b", "a = 1 OR f"],
)
def test_equality_needs_no_domain(condition: str) -> None:
    index = filled({1: parse(condition)}, None)
    assert len(index._scanned) == 0
    assert index.match({"a": 1, "b": 1, "s": "x", "f": True}).tolist() == [1]
    assert index.match({"a": 2, "b": 3, "s": "y", "f": False}).tolist() == []


@pytest.mark.parametrize(
    "condition",
    [
        "s < 'y'",
        "a + 1 < 5",
        "a IS NULL",
        "a IS NOT NULL",
        "s LIKE 'x%'",
        "s NOT LIKE '%z'",
        "TRUE",
        "a = 1 OR s < 'y'",
    ],
)
def test_what_sets_of_values_cannot_express_is_scanned(condition: str) -> None:
    index = filled({1: parse(condition)})
    assert len(index._scanned) == 1
    assert index.posting_count == 0
    assert index.match({"a": 1, "s": "x"}).tolist() == ([] if condition == "a IS NULL" else [1])


def test_ranges_without_a_domain_are_scanned() -> None:
    index = KIndex(domains={"a": (0, 9)})
    index.insert_many([1, 2, 3], [parse("a < 5"), parse("b < 5"), parse("a > 3 AND b != 2")])
    assert sorted(key for key in (1, 2, 3) if key in index._scanned) == [2, 3]
    assert index.match({"a": 4, "b": 4.5}).tolist() == [1, 2, 3]


def test_strings_between_others_change_labels() -> None:
    plain = {key: parse(f"s = '{string}' AND s < 'x'") for key, string in enumerate("abc")}
    closer = {key: parse(f"s = 'a{'0' * (60 - key)}' OR q = 1") for key in range(3, 50)}
    index = filled(plain | closer)
    for key in (0, 1, 2, 10, 49):
        string = "abc"[key] if key < 3 else "a" + "0" * (60 - key)
        assert index.match({"s": string}).tolist() == [key]


# The promise of a domain.


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (13, "13"),
        (2.5, "2.5"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (2**53 + 1, "a little more than 9007199254740992"),
    ],
)
def test_a_number_outside_the_domain_is_refused(value: float, shown: str) -> None:
    index = filled({1: parse("a <= 5 AND b = 1")})
    for match in (index.match, lambda event: index.match_batch(EventBatch.from_events([{"a": 3}, event]))):
        with pytest.raises(ValueRefusedError, match=f"'a': found {shown}, .* integers from 1 to 12"):
            match({"a": value})
    assert index.match({"a": 5.0, "b": 1}).tolist() == [1]


def test_a_promise_that_nothing_relies_on_is_not_checked() -> None:
    index = filled({1: parse("a = 5"), 2: parse("b > 3")})
    assert index.match({"a": 99, "b": 4}).tolist() == [2]
    assert index.match({"a": 99, "b": "text", "c": 0.5}).tolist() == []
    with pytest.raises(ValueRefusedError, match="'b': found 99"):
        index.match({"b": 99})
    index.delete(2)
    assert index.match({"a": 5, "b": 99}).tolist() == [1]


def test_a_promise_counts_even_where_no_value_satisfies() -> None:
    index = filled({1: parse("a > 20")})
    with pytest.raises(ValueRefusedError, match="found 25"):
        index.match({"a": 25})


def test_domains_of_single_attributes_come_before_that_of_all() -> None:
    index = KIndex(domain=(0, 1), domains={"b": (-5, -3)})
    index.insert_many([1, 2], [parse("a >= 0"), parse("b >= -4")])
    assert postings(index) == {(1, "a", 0.0): [1], (1, "a", 1.0): [1], (1, "b", -4.0): [2], (1, "b", -3.0): [2]}
    with pytest.raises(ValueRefusedError, match="'b': found 0, .* from -5 to -3"):
        index.match({"b": 0})


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ((2, 1), "a lowest and a highest integer"),
        ((0, 1.5), "a lowest and a highest integer"),
        ((0, 10**9), "1,000,000,001 values"),
        ((2**60, 2**60 + 1), "beyond 2\\*\\*53"),
    ],
)
def test_domains_that_cannot_be_declared(domain: tuple[int, int], message: str) -> None:
    with pytest.raises(ValueRefusedError, match=f"the domain .*{message}"):
        KIndex(domain=domain)
    with pytest.raises(ValueRefusedError, match=f"the domain of 'a' .*{message}"):
        KIndex(domains={"a": domain})


# What must always hold.


def all_on_the_longest(runs: NDArray[np.int32]) -> None:
    runs[:, BEGIN] = runs[np.argmax(runs[:, SIZE]), BEGIN]


DAMAGES: dict[str, Callable[[KIndex], object]] = {
    "are counted": lambda index: index._lists.arrays.counts.__setitem__(LISTS, 1),
    "not found": lambda index: index._lists.arrays.heads[:, KEY].__iadd__(1),
    "not ascending": lambda index: index._lists.arrays.entries.slots.fill(0),
    "overlap": lambda index: all_on_the_longest(index._lists.arrays.runs),
    "not those": lambda index: index._asked.columns[2].__setitem__(0, 2**40),
    "by size": lambda index: index._held.values.__setitem__(2, 9),
    "rely on": lambda index: index._relied.values.__setitem__(1, 9),
    "5 clauses are filed": lambda index: index._asked.sizes.__setitem__(0, 0),
}


@pytest.mark.parametrize("message", DAMAGES)
def test_damage_is_noticed(message: str) -> None:
    index = filled(TABLE_1)
    DAMAGES[message](index)
    with pytest.raises(InvariantError, match=message):
        index.check_invariants()
