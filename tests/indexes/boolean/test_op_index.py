"""OpIndex: the running example, what its optimisations save, pivots, normal forms, operators of one's own."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from penstock.encoding.batch import EventBatch
from penstock.errors import (
    DuplicateSubscriptionError,
    InvariantError,
    NormalFormTooLargeError,
    UnsupportedConditionError,
)
from penstock.indexes.boolean.op_index import OpIndex, OpIndexBs
from penstock.indexes.boolean.operators import LIST_OPERATORS, ListOperator, PrefixList
from penstock.kernels.predicate_lists import signature_bit
from penstock.language.parser import parse
from penstock.model.conditions import And, Comparison, Condition, Like, Or
from penstock.model.evaluation import evaluate
from penstock.model.expressions import Attribute, Literal
from penstock.model.patterns import LikePattern, Wildcard
from penstock.model.values import Value
from tests.indexes.boolean.running_example import EXAMPLE_5, TABLE_1
from tests.indexes.members import insert_all
from tests.oracle import matching_pairs
from tests.strategies import MIXED

both = pytest.mark.parametrize("kind", [OpIndex, OpIndexBs])


def filled(index: OpIndex, conditions: dict[int, Condition]) -> OpIndex:
    index.insert_many(conditions.keys(), conditions.values())
    index.check_invariants()
    return index


def pivots(index: OpIndex) -> dict[str, set[int]]:
    """The keys filed under each pivot."""
    filed: dict[str, set[int]] = {}
    for partitions in (index._conjunctions, index._disjunctions):
        for partition, pivot in enumerate(partitions.pivots.values.tolist()):
            keys = set(index._table.keys_of(partitions.clauses_in(partition)).tolist())
            if keys:
                filed.setdefault(index._vocabulary.describe(pivot), set()).update(keys)
    return filed


def pairs(index: OpIndex, events: list[dict[str, Value]]) -> list[tuple[int, int]]:
    found = index.match_batch(EventBatch.from_events(events))
    return list(zip(found.rows.tolist(), found.keys.tolist(), strict=True))


# The running example.


@both
def test_subscriptions_of_table_1_are_filed_as_in_figure_4(kind: type[OpIndex]) -> None:
    assert pivots(filled(kind(), TABLE_1)) == {"A": {1, 2, 4}, "C": {3}, "D": {5, 6}}


def test_predicates_are_partitioned_as_in_figure_5() -> None:
    index = filled(OpIndex(), TABLE_1)
    clauses, filings = index._conjunctions.columns()
    names = {2: "=", 4: "<=", 6: ">="}
    lists: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for owner, operator, field in zip(filings.owners, filings.operators, filings.fields, strict=True):
        key = int(index._table.keys_of(clauses.clauses[owner : owner + 1])[0])
        pivot = index._vocabulary.describe(int(clauses.pivots[owner]))
        lists.setdefault((pivot, names[int(operator)]), []).append((index._vocabulary.describe(int(field)), key))
    assert {place: sorted(entries) for place, entries in lists.items()} == {
        ("A", "="): [("A", 1), ("A", 4), ("B", 1), ("B", 1), ("B", 1)],
        ("A", "<="): [("A", 2)],
        ("A", ">="): [("C", 2)],
        ("C", "="): [("C", 3)],
        ("C", "<="): [("B", 3), ("E", 3)],
        ("C", ">="): [("E", 3)],
        ("D", "="): [("B", 6), ("B", 6)],
        ("D", "<="): [("C", 6), ("E", 5), ("E", 6)],
        ("D", ">="): [("D", 5), ("D", 6)],
    }
    parts = dict(zip(clauses.clauses.tolist(), clauses.parts.tolist(), strict=True))
    assert parts == dict(enumerate([2, 2, 4, 1, 2, 4]))


@both
def test_example_5_touches_the_lists_of_pivot_c_alone(kind: type[OpIndex]) -> None:
    index = filled(kind(), TABLE_1)
    touched = index.trace(EXAMPLE_5)
    assert {(each.pivot, each.operator) for each in touched} == {("C", "="), ("C", "<="), ("C", ">=")}
    assert index.match(EXAMPLE_5).tolist() == []
    # S3 alone is a candidate: S2 and S5, which match in part, are never looked at.
    assert (index.work.partitions_opened, index.work.candidates) == (1, 1)


def test_signatures_spare_searches_in_example_5() -> None:
    signed, plain = filled(OpIndex(), TABLE_1), filled(OpIndexBs(), TABLE_1)
    for index in (signed, plain):
        index.match(EXAMPLE_5)
    assert signed.work.segments_searched < plain.work.segments_searched
    assert signed.work.predicates_held == plain.work.predicates_held


@both
def test_table_1_matches_as_the_reference_says(kind: type[OpIndex]) -> None:
    index = filled(kind(), TABLE_1)
    values = [1, 2, 3, 4, 6, 9, 12]
    source = random.Random(1)
    events: list[dict[str, Value]] = [
        {name: source.choice(values) for name in "ABCDE" if source.random() < 0.8} for _ in range(300)
    ]
    assert pairs(index, events) == matching_pairs(events, TABLE_1)


def test_an_event_log_decides_the_pivots() -> None:
    log = {"A": 1000, "B": 10, "C": 500, "D": 700, "E": 20}
    index = filled(OpIndex(frequencies=log), TABLE_1)
    assert pivots(index) == {"B": {1, 3, 6}, "C": {2}, "A": {4}, "E": {5}}
    one_by_one = OpIndex(frequencies=log)
    insert_all(one_by_one, TABLE_1)
    assert pivots(one_by_one) == pivots(index)


# Signatures.


@given(st.integers(0, 12), st.integers(0, 2**31 - 1), st.integers(-(2**63), 2**63 - 1))
def test_a_signature_is_one_bit(operator: int, field: int, operand: int) -> None:
    assert int(signature_bit(operator, field, operand)).bit_count() == 1


@given(data=st.data())
def test_signatures_hide_nothing(data: st.DataObject) -> None:
    """With and without them the same predicates hold."""
    conditions = dict(enumerate(data.draw(st.lists(MIXED.conditions, min_size=1, max_size=12))))
    events = data.draw(st.lists(MIXED.events, min_size=1, max_size=4))
    signed, plain = OpIndex(), OpIndexBs()
    for index in (signed, plain):
        insert_all(index, conditions)
        index.match_batch(EventBatch.from_events(events))
    assert signed.work.predicates_held == plain.work.predicates_held
    assert signed.work.segments_searched <= plain.work.segments_searched


def test_a_signature_without_the_bit_of_an_entry_is_found_out() -> None:
    index = filled(OpIndex(), TABLE_1)
    index._conjunctions._signatures.values[:] = 0
    with pytest.raises(InvariantError, match="signature"):
        index.check_invariants()


# Many at once, and over time.


@given(data=st.data())
def test_many_at_once_are_the_same_as_one_by_one(data: st.DataObject) -> None:
    conditions = dict(enumerate(data.draw(st.lists(MIXED.conditions, min_size=1, max_size=8))))
    events = data.draw(st.lists(MIXED.events, max_size=4))
    held = insert_all(OpIndex(), conditions)
    index = filled(OpIndex(), held)
    assert pairs(index, events) == matching_pairs(events, held)


def test_many_join_those_that_are_there() -> None:
    index = filled(OpIndex(), {1: parse("a = 1"), 2: parse("a = 1 OR b = 2")})
    index.delete(1)
    index.insert_many([3, 4], [parse("s = 'x' AND a IN (1, 2, 2.0)"), parse("s < 'y' AND b BETWEEN 1 AND 2.5")])
    index.insert_many([5], [parse("s >= 'a' AND t = 'u'")])
    index.check_invariants()
    assert index.match({"a": 2, "b": 2, "s": "x", "t": "u"}).tolist() == [2, 3, 4, 5]
    with pytest.raises(DuplicateSubscriptionError, match="key 3"):
        index.insert_many([7, 3], [parse("a = 1"), parse("a = 1")])
    with pytest.raises(DuplicateSubscriptionError, match="key 8 stands twice"):
        index.insert_many([8, 8], [parse("a = 1"), parse("a = 1")])
    assert 7 not in index._table


def test_labels_that_run_out_are_spread_anew() -> None:
    """Each string falls between the last one and a fixed one, so the room between halves every time."""
    index = OpIndex()
    index.insert(0, parse("s >= 'a' AND s <= 'b'"))
    strings = ["a" + "z" * length for length in range(1, 80)]
    for key, string in enumerate(strings, start=1):
        index.insert(key, parse(f"s = '{string}'"))
    index.check_invariants()
    for key, string in enumerate(strings, start=1):
        assert index.match({"s": string}).tolist() == [0, key]


def test_labels_that_run_out_while_many_come_at_once() -> None:
    """A condition that goes in by itself may change the labels of strings that came with it."""
    conditions = {key: parse(f"s = '{letter}'") for key, letter in enumerate("abc")}
    for zeros in range(40, 0, -1):
        conditions[100 + zeros] = parse(f"s = 'a{'0' * zeros}' OR q = 1")
    index = filled(OpIndex(), conditions)
    events: list[dict[str, Value]] = [{"s": "b"}, {"s": "a000"}, {"s": "c", "q": 1}]
    assert pairs(index, events) == matching_pairs(events, conditions)


def test_deleted_clauses_and_their_operands_are_forgotten() -> None:
    index = OpIndex()
    for key in range(200):
        index.insert(key, parse(f"s = 'value {key}' AND t LIKE '%{key}%' AND (a = {key} OR b = {key})"))
    before = index.statistics()
    for key in range(195):
        index.delete(key)
    index.check_invariants()
    after = index.statistics()
    assert after.predicates < before.predicates / 4
    assert after.memory["operands"] < before.memory["operands"] / 4
    assert index.match({"s": "value 199", "t": "1999", "b": 199}).tolist() == [199]


# Pivots that follow the events.


def test_pivots_follow_the_events_when_asked_to() -> None:
    conditions = {key: parse(f"rare = {key % 7} AND common = {key % 5}") for key in range(100)}
    events: list[dict[str, Value]] = [{"common": number % 5, "other": 1} for number in range(2000)]
    events += [{"common": 1, "rare": 1}]
    still, moving = (
        filled(OpIndex(frequencies={"rare": 9, "common": 1}), conditions),
        OpIndex(frequencies={"rare": 9, "common": 1}, repivot=True),
    )
    filled(moving, conditions)
    for index in (still, moving):
        assert pivots(index) == {"common": set(conditions)}
        index.match_batch(EventBatch.from_events(events))
    assert pivots(moving) == {"rare": set(conditions)}
    assert (still.repivots, moving.repivots) == (0, 1)
    moving.check_invariants()
    before = [index.work.candidates for index in (still, moving)]
    assert pairs(moving, events) == pairs(still, events) == matching_pairs(events, conditions)
    spent = [index.work.candidates - was for index, was in zip((still, moving), before, strict=True)]
    assert spent[1] * 100 < spent[0]


def test_pivots_stay_when_the_events_are_as_expected() -> None:
    conditions = {key: parse(f"rare = {key % 7} AND common = {key % 5}") for key in range(100)}
    index = filled(OpIndex(frequencies={"rare": 1, "common": 9}, repivot=True), conditions)
    index.match_batch(EventBatch.from_events([{"common": 1}] * 2000))
    assert index.repivots == 0


# Normal forms.


def wide(clauses: int) -> Condition:
    """A conjunction of disjunctions that has no small DNF."""
    parts = tuple(
        Or((Comparison("=", Attribute(f"a{n}"), Literal(n)), Comparison("=", Attribute(f"b{n}"), Literal(n))))
        for n in range(clauses)
    )
    return And(parts)


@both
@pytest.mark.parametrize("clauses", [2, 63, 64, 65, 128, 200])
def test_masks_of_any_number_of_disjunctions(kind: type[OpIndex], clauses: int) -> None:
    condition = wide(clauses)
    index = kind(form="cnf")
    index.insert(7, condition)
    index.check_invariants()
    event: dict[str, object] = {f"{'ab'[n % 2]}{n}": n for n in range(clauses)}
    assert index.match(event).tolist() == [7]
    assert index.match({**event, f"b{0}": 0, "a1": 1}).tolist() == [7]  # a disjunction may hold twice
    for missing in (0, clauses // 2, clauses - 1):
        assert index.match({name: value for name, value in event.items() if value != missing}).tolist() == []
    index.delete(7)
    assert index.match(event).tolist() == []


def test_the_pivot_set_is_the_clause_with_the_fewest_predicates() -> None:
    index = OpIndex(form="cnf")
    index.insert(1, parse("(a = 1 OR b = 2 OR c = 3) AND (d = 4 OR e = 5)"))
    assert pivots(index) == {"d": {1}, "e": {1}}
    assert index.match({"a": 1, "d": 4, "e": 5}).tolist() == [1]
    assert index.match({"a": 1, "e": 5}).tolist() == [1]
    assert index.match({"a": 1}).tolist() == []


def test_the_shorter_normal_form_is_chosen() -> None:
    index = OpIndex()
    index.insert(1, wide(30))
    assert len(index._disjunctions) > 0
    assert len(index._conjunctions) == 0
    index.insert(2, parse("a = 1 AND b = 2 OR c = 3 AND d = 4"))
    assert len(index._conjunctions) > 0


@pytest.mark.parametrize("form", ["dnf", "cnf", "auto"])
@settings(max_examples=30)
@given(data=st.data())
def test_every_form_matches_as_the_reference_says(form: str, data: st.DataObject) -> None:
    conditions = dict(enumerate(data.draw(st.lists(MIXED.conditions, min_size=1, max_size=6))))
    events = data.draw(st.lists(MIXED.events, max_size=4))
    index = OpIndex(form=form)
    held = insert_all(index, conditions)
    index.check_invariants()
    assert pairs(index, events) == matching_pairs(events, held)


def test_a_condition_whose_normal_forms_are_too_large_is_refused() -> None:
    # A product of sums of products: large in both forms.
    half = " AND ".join(f"(a{n} = 1 OR b{n} = 1)" for n in range(12))
    other = " OR ".join(f"(c{n} = 1 AND d{n} = 1)" for n in range(12))
    index = OpIndex()
    with pytest.raises(NormalFormTooLargeError, match="more than 1000 clauses"):
        index.insert(1, parse(f"({half}) OR ({other}) AND e = 1 AND ({half})"))
    index.check_invariants()
    assert index.statistics().subscriptions == 0
    with pytest.raises(NormalFormTooLargeError, match="DNF"):
        OpIndex(form="dnf").insert(1, wide(30))


def test_a_clause_of_very_many_predicates_is_refused() -> None:
    many = And(tuple(Comparison("=", Attribute(f"a{n}"), Literal(n)) for n in range(16_001)))
    with pytest.raises(UnsupportedConditionError, match="16,001 predicates"):
        OpIndex().insert(1, many)


# What is missing, and operators of one's own.


def test_what_must_be_missing_refuses() -> None:
    index = OpIndex()
    index.insert(1, parse("a = 1 AND b IS NULL"))
    index.insert(2, parse("b IS NULL"))
    index.insert(3, parse("a = 1 AND s NOT LIKE '%x%' AND s NOT RLIKE '^y'"))
    assert index.match({"a": 1}).tolist() == [1, 2]
    assert index.match({"a": 1, "b": 0, "s": "abc"}).tolist() == [3]
    assert index.match({"a": 1, "b": 0, "s": "axc"}).tolist() == []
    assert index.match({"a": 1, "b": 0, "s": "yes"}).tolist() == []
    assert pivots(index)["every event"] == {2}


class WordList:
    """Words that a string must hold, found by splitting it once: a list for ``LIKE '%word%'`` written by a user."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.asked = 0

    def insert(self, operand: str, entry: int) -> None:
        self.words[operand] = entry

    def delete(self, operand: str) -> None:
        del self.words[operand]

    def match(self, value: str) -> list[int]:
        self.asked += 1
        return [entry for word, entry in self.words.items() if word in value]


def infix(predicate: Condition) -> str | None:
    match predicate:
        case Like(pattern=LikePattern((Wildcard.ANY, str() as word, Wildcard.ANY)), ignore_case=False):
            return word
    return None


def test_an_operator_of_ones_own() -> None:
    made: list[WordList] = []

    def new_list() -> WordList:
        made.append(WordList())
        return made[-1]

    index = OpIndex(operators=(ListOperator("infix", infix, new_list), *LIST_OPERATORS))
    conditions = {
        1: parse("title LIKE '%phone%' AND price < 5"),
        2: parse("title LIKE '%case%'"),
        3: parse("title NOT LIKE '%case%' AND price < 9"),
        4: parse("title LIKE 'i%'"),
    }
    insert_all(index, conditions)
    events: list[dict[str, Value]] = [
        {"title": "iphone case", "price": 4},
        {"title": "phone", "price": 7},
        {"price": 1},
    ]
    assert pairs(index, events) == matching_pairs(events, conditions)
    assert len(made) == 1
    assert made[0].words.keys() == {"phone", "case"}
    assert ("title", "infix") in {(each.attribute, each.operator) for each in index.trace({"title": "iphone case"})}
    asked = made[0].asked
    index.match_batch(EventBatch.from_events([{"title": "phone"}] * 50))
    assert made[0].asked == asked + 1  # once for each distinct value
    index.delete(1)
    assert made[0].words.keys() == {"case"}


@given(st.lists(st.text("ab", max_size=4), unique=True), st.text("abc", max_size=6))
def test_prefix_lists_find_all_prefixes(prefixes: list[str], value: str) -> None:
    found = PrefixList()
    for entry, prefix in enumerate(prefixes):
        found.insert(prefix, entry)
    assert sorted(found.match(value)) == [entry for entry, each in enumerate(prefixes) if value.startswith(each)]
    for prefix in prefixes:
        found.delete(prefix)
    assert found.match(value) == []


def test_batches_with_more_matches_than_there_is_room_for() -> None:
    conditions = {key: parse(f"a >= {key % 3}") for key in range(3000)}
    index = filled(OpIndex(), conditions)
    found = index.match_batch(EventBatch.from_events([{"a": number % 3} for number in range(100)]))
    expected = sum(
        evaluate(condition, {"a": number % 3}) is True for number in range(3) for condition in conditions.values()
    )
    assert len(found.rows) == expected * 33 + sum(evaluate(each, {"a": 0}) is True for each in conditions.values())
    assert np.all(np.diff(found.rows) >= 0)
