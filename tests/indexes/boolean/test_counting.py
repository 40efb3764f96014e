"""Counting: the running example, refusals, building at once, deleting, and what must always hold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from penstock.encoding.batch import EventBatch
from penstock.errors import DuplicateSubscriptionError, InvariantError
from penstock.indexes.boolean import bulk, counting
from penstock.indexes.boolean.counting import DEAD, Counting
from penstock.indexes.boolean.predicates import Operator
from penstock.kernels.counting import OperandLists, first_at_least, insert_predicate
from penstock.kernels.predicate_lists import operands_that_hold
from penstock.language.parser import parse
from penstock.model.conditions import And, Comparison, Condition
from penstock.model.expressions import Attribute, Literal
from penstock.model.values import Value
from tests.indexes.boolean.running_example import EXAMPLE_5, TABLE_1
from tests.indexes.members import insert_all
from tests.oracle import matching_pairs
from tests.strategies import MIXED


def filled(conditions: dict[int, Condition]) -> Counting:
    index = Counting()
    index.insert_many(conditions.keys(), conditions.values())
    index.check_invariants()
    return index


def owners(index: Counting) -> dict[tuple[str, Operator], list[int]]:
    """The keys of the predicates of each list, in the order of operands."""
    found = {}
    numbers, places = index._entries.used()
    keys = index._table.keys_of(index._entries.columns[1][places])
    for number, kind in enumerate(index._kinds.values.tolist()):
        field, operator = divmod(kind, index._operators)
        found[index._vocabulary.describe(field), Operator(operator)] = keys[numbers == number].tolist()
    return found


# The running example.


def test_the_lists_of_the_running_example() -> None:
    assert owners(filled(TABLE_1)) == {
        ("A", Operator.EQUAL): [1, 4],
        ("A", Operator.AT_MOST): [2],
        ("B", Operator.EQUAL): [1, 6, 1, 6, 1],
        ("B", Operator.AT_MOST): [3],
        ("C", Operator.EQUAL): [3],
        ("C", Operator.AT_MOST): [6],
        ("C", Operator.AT_LEAST): [2],
        ("D", Operator.AT_LEAST): [6, 5],
        ("E", Operator.AT_MOST): [6, 5, 3],
        ("E", Operator.AT_LEAST): [3],
    }


def test_example_5_counts_every_predicate_that_holds() -> None:
    index = filled(TABLE_1)
    assert index.match(EXAMPLE_5).tolist() == []
    # B = 6 holds for 1 and 6, C >= 2 for 2, C <= 4 for 6, E BETWEEN 3 AND 12 twice for 3, E <= 9 for 5.
    assert index.work == (7, 7, 5)


@pytest.mark.parametrize(
    ("event", "keys"),
    [
        ({"A": 2, "B": 6, "C": 3, "D": 11, "E": 7}, [1, 2, 4, 6]),
        ({"B": 4, "C": 6, "D": 12, "E": 9}, [3, 5]),
        ({"A": 2}, [4]),
        ({"A": 9, "C": 2}, []),
        ({}, []),
    ],
)
def test_events_of_the_running_example(event: dict[str, int], keys: list[int]) -> None:
    assert filled(TABLE_1).match(event).tolist() == keys


# Conditions of all kinds.


@given(st.lists(MIXED.conditions, min_size=1, max_size=8), st.lists(MIXED.events, max_size=6))
def test_what_was_built_at_once_matches_as_the_reference_says(
    conditions: list[Condition], events: list[dict[str, Value]]
) -> None:
    held = insert_all(Counting(), dict(enumerate(conditions)))
    index = filled(held)
    found = index.match_batch(EventBatch.from_events(events))
    assert list(zip(found.rows.tolist(), found.keys.tolist(), strict=True)) == matching_pairs(events, held)
    index.check_invariants()


def test_a_refused_clause_is_never_completed() -> None:
    index = filled({1: parse("a = 1 AND s NOT LIKE '%x%' AND b IS NULL"), 2: parse("b IS NULL")})
    assert index.match({"a": 1, "s": "y"}).tolist() == [1, 2]
    assert index.match({"a": 1, "s": "xy"}).tolist() == [2]
    assert index.match({"a": 1, "s": "y", "b": 0}).tolist() == []
    assert index.match({"a": 1}).tolist() == [2]
    index.check_invariants()


def test_more_parts_than_a_counter_takes_are_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (counting, bulk):
        monkeypatch.setattr(module, "MOST_PARTS", 4)
    names = [f"a{number}" for number in range(5)]
    condition = And(tuple(Comparison("=", Attribute(name), Literal(1)) for name in names))
    index = Counting()
    index.insert(1, condition)
    index.insert_many([2], [condition])
    assert 1 in index._scanned
    assert 2 in index._scanned
    assert index.match(dict.fromkeys(names, 1)).tolist() == [1, 2]
    with pytest.raises(DuplicateSubscriptionError, match="key 2"):
        index.insert_many([3, 2], [condition, condition])


def test_strings_between_others_change_labels() -> None:
    plain = {key: parse(f"s = '{string}'") for key, string in enumerate("abc")}
    closer = {key: parse(f"s = 'a{'0' * (60 - key)}' OR q = 1") for key in range(3, 50)}
    index = filled(plain | closer)
    for key in (0, 1, 2, 10, 49):
        string = "abc"[key] if key < 3 else "a" + "0" * (60 - key)
        assert index.match({"s": string}).tolist() == [key]


# Deleting.


def test_deleting_half_builds_anew() -> None:
    index = filled({key: parse(f"a >= {key % 7} AND s = 'v{key}'") for key in range(200)})
    for key in range(120):
        index.delete(key)
        index.check_invariants()
    assert index.statistics().predicates < 400
    assert len(index._dead) < 64
    assert index.match({"a": 7, "s": "v119"}).tolist() == []
    assert index.match({"a": 7, "s": "v120"}).tolist() == [120]
    assert index._vocabulary.bytes_used() < sum(len(f"v{key}") + 16 for key in range(200))


def test_numbers_of_deleted_clauses_are_used_again() -> None:
    index = Counting()
    for step in range(5):
        index.insert_many(range(100), [parse(f"a = {key} AND b < {step}") for key in range(100)])
        for key in range(100):
            index.delete(key)
    assert index._table.room < 400
    index.insert_many(range(100), [parse(f"a = {key}") for key in range(100)])
    assert index.match({"a": 3, "b": 0}).tolist() == [3]
    index.check_invariants()


def test_single_inserts_join_what_was_built() -> None:
    index = filled({key: parse(f"a <= {key}") for key in range(20)})
    index.insert_many([20, 21], [parse("a <= 3"), parse("new = 1")])
    index.insert(22, parse("a < 4"))
    index.check_invariants()
    assert index.match({"a": 18, "new": 1}).tolist() == [18, 19, 21]
    assert index.match({"a": 3}).tolist() == [*range(3, 21), 22]
    with pytest.raises(ValueError, match="as many keys"):
        index.insert_many([30], [])


# Kernels and their naive twins.

HELD: dict[Operator, Callable[[float, int], bool]] = {
    Operator.EXCLUDED: lambda value, operand: value == operand,
    Operator.EQUAL: lambda value, operand: value == operand,
    Operator.LESS: lambda value, operand: value < operand,
    Operator.AT_MOST: lambda value, operand: value <= operand,
    Operator.GREATER: lambda value, operand: value > operand,
    Operator.AT_LEAST: lambda value, operand: value >= operand,
    Operator.KNOWN: lambda value, operand: True,
    Operator.ABSENT: lambda value, operand: True,
    Operator.LISTED: lambda value, operand: value == operand,
}


@pytest.mark.parametrize("operator", HELD)
@given(key=st.integers(-3, 3), exact=st.booleans())
def test_the_operands_that_hold_are_a_stretch(operator: Operator, key: int, exact: bool) -> None:
    value = key if exact else key + 0.5
    lowest, highest = operands_that_hold(operator, key, exact)
    for operand in range(-5, 6):
        assert (lowest <= operand <= highest) == HELD[operator](value, operand)


@given(st.lists(st.integers(-5, 5), max_size=12), st.integers(-6, 6))
def test_predicates_stay_sorted(operands: list[int], wanted: int) -> None:
    room = OperandLists(
        np.zeros((1, 1), np.int32), np.array([2]), np.zeros(1, np.int32), np.zeros(14, np.int64), np.zeros(14, np.int32)
    )
    for clause, operand in enumerate(operands):
        insert_predicate(room, 0, operand, clause)
    end = 2 + len(operands)
    assert room.operands[2:end].tolist() == sorted(operands)
    assert [operands[clause] for clause in room.clauses[2:end]] == sorted(operands)
    assert first_at_least(room.operands, 2, end, wanted) == 2 + bisect_left(sorted(operands), wanted)


# What must always hold.


DAMAGES: dict[str, Callable[[Counting], None]] = {
    "sorted": lambda index: index._entries.columns[0].__setitem__(0, 2**63 - 1),
    "a counter is not 0": lambda index: index._counts.values.__setitem__(0, 1),
    "more than it has predicates": lambda index: index._parts.values.__setitem__(0, 9),
    "waits for no part": lambda index: index._parts.values.__setitem__(0, 0),
    "5 clauses are filed": lambda index: index._parts.values.__setitem__(0, DEAD),
    "not those that": lambda index: index._kinds.values.__setitem__(0, 1),
    "another field": lambda index: index._list_of.values.__setitem__(index._kinds.values[:2], [1, 0]),
    "longer than its room": lambda index: index._entries.sizes.__setitem__(0, 5),
    "overlap": lambda index: index._entries.starts.__setitem__(1, 0),
}


@pytest.mark.parametrize("message", DAMAGES)
def test_damage_is_noticed(message: str) -> None:
    index = filled(TABLE_1)
    DAMAGES[message](index)
    with pytest.raises(InvariantError, match=message):
        index.check_invariants()
