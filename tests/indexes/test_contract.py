"""What every index of the registry must do, whatever it is made of."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from penstock.encoding.batch import EventBatch
from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError
from penstock.indexes import Index, new_index
from penstock.language.parser import parse
from penstock.model.conditions import Condition, IsNull, Not
from penstock.model.values import Value
from tests.indexes.members import every_index, insert_all
from tests.oracle import matching_pairs
from tests.strategies import MIXED


def pairs(index: Index, events: list[dict[str, Value]]) -> list[tuple[int, int]]:
    matches = index.match_batch(EventBatch.from_events(events))
    return list(zip(matches.rows.tolist(), matches.keys.tolist(), strict=True))


@every_index
@given(data=st.data())
def test_a_batch_matches_as_the_reference_says(name: str, data: st.DataObject) -> None:
    conditions = dict(enumerate(data.draw(st.lists(MIXED.conditions, min_size=1, max_size=8))))
    events = data.draw(st.lists(MIXED.events, max_size=6))
    index = new_index(name)
    conditions = insert_all(index, conditions)
    index.check_invariants()
    assert pairs(index, events) == matching_pairs(events, conditions)
    for row, event in enumerate(events):
        assert index.match(event).tolist() == [key for found, key in matching_pairs(events, conditions) if found == row]


@every_index
@given(condition=MIXED.conditions, event=MIXED.events)
def test_each_event_is_in_one_part_of_the_ternary_partition(
    name: str, condition: Condition, event: dict[str, Value]
) -> None:
    index = new_index(name)
    parts = dict(enumerate((condition, Not(condition), IsNull(condition))))
    assume(len(insert_all(index, parts)) == len(parts))
    assert len(index.match(event)) == 1


@every_index
def test_an_empty_index_matches_nothing(name: str) -> None:
    index = new_index(name)
    index.check_invariants()
    assert pairs(index, [{"a": 1}, {}]) == []
    assert index.match({"a": 1}).tolist() == []
    assert index.statistics().subscriptions == 0


@every_index
def test_an_empty_batch_matches_nothing(name: str) -> None:
    index = new_index(name)
    index.insert(0, parse("a = 1"))
    assert pairs(index, []) == []


@every_index
def test_the_same_condition_under_two_keys_matches_twice(name: str) -> None:
    index = new_index(name)
    index.insert(4, parse("a = 1"))
    index.insert(2, parse("a = 1"))
    assert index.match({"a": 1}).tolist() == [2, 4]
    index.delete(4)
    assert index.match({"a": 1}).tolist() == [2]


@every_index
def test_a_key_is_inserted_once_and_deleted_once(name: str) -> None:
    index = new_index(name)
    index.insert(1, parse("a = 1"))
    with pytest.raises(DuplicateSubscriptionError, match="key 1"):
        index.insert(1, parse("a = 2"))
    index.delete(1)
    with pytest.raises(UnknownSubscriptionError, match="key 1"):
        index.delete(1)
    index.insert(1, parse("a = 3"))
    assert index.match({"a": 3}).tolist() == [1]
    assert index.match({"a": 1}).tolist() == []


@every_index
def test_statistics_count_what_is_there(name: str) -> None:
    index = new_index(name)
    for key in range(10):
        index.insert(key, parse(f"a = {key}"))
    index.match({"a": 1})
    statistics = index.statistics()
    assert statistics.subscriptions == 10
    assert statistics.bytes == sum(statistics.memory.values()) > 0
