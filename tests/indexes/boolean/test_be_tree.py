"""BE-Tree: the running example as figure 3 of the OpIndex paper has it, cutting and merging, what stays in one leaf."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, strategies as st

from penstock.encoding.batch import EventBatch
from penstock.encoding.fields import NumberField
from penstock.errors import DuplicateSubscriptionError, InvariantError
from penstock.indexes.boolean.be_tree import BETree, Work
from penstock.indexes.boolean.be_tree_shape import Bucket, CNode
from penstock.kernels.be_tree import BUCKET, CAPACITY, DIRECTORY, HOME, ROOT, SCORE, SIZE, value_of
from penstock.language.parser import parse
from penstock.model.conditions import COMPARISONS, And, Between, Comparison, Condition, In, Not
from penstock.model.expressions import Attribute, Literal
from penstock.model.values import Value
from tests.indexes.boolean.running_example import EXAMPLE_5, TABLE_1
from tests.oracle import matching_pairs


def filled(conditions: dict[int, Condition], leaf_size: int = 5) -> BETree:
    """An index with conditions inserted one by one."""
    index = BETree(leaf_size=leaf_size)
    for key, condition in conditions.items():
        index.insert(key, condition)
        index.check_invariants()
    return index


def pairs(index: BETree, events: list[dict[str, Value]]) -> list[tuple[int, int]]:
    found = index.match_batch(EventBatch.from_events(events))
    return list(zip(found.rows.tolist(), found.keys.tolist(), strict=True))


def number(name: str) -> NumberField:
    return NumberField(Attribute(name))


def keys_below(node: CNode) -> set[int]:
    """The keys in the leaf of a c-node and in all that is below it."""
    return set(node.leaf).union(*(keys_in(bucket) for bucket in node.directory.values()))


def keys_in(bucket: Bucket) -> set[int]:
    return keys_below(bucket.node).union(*map(keys_in, bucket.halves))


def work_of(index: BETree, event: Mapping[str, Value]) -> Work:
    """What matching one event takes."""
    before = index.work
    index.match(event)
    return Work(*(now - then for now, then in zip(index.work, before, strict=True)))


# The running example.


def figure_3() -> BETree:
    """The example in an order in which A and then B are what most expressions of a leaf ask for."""
    return filled({key: TABLE_1[key] for key in (2, 4, 1, 6, 3, 5)}, leaf_size=1)


def test_the_root_is_partitioned_by_a_and_b() -> None:
    root = figure_3().root()
    assert root.leaf == [5]  # asks for neither
    assert {field: keys_in(bucket) for field, bucket in root.directory.items()} == {
        number("A"): {1, 2, 4},
        number("B"): {3, 6},
    }


def test_an_expression_is_in_the_smallest_bucket_that_encloses_it() -> None:
    root = figure_3().root()
    top = root.directory[number("B")]
    assert (top.low, top.high) == (-math.inf, math.inf)
    assert top.node.leaf == [6]  # B IN (3, 6) reaches over the cut
    (half,) = top.halves
    assert half.node.leaf == [3]  # B <= 4
    assert half.low == -math.inf
    assert 4 <= half.high < 6


def test_an_event_goes_where_it_has_the_attribute_and_its_value_lies() -> None:
    index = figure_3()
    assert work_of(index, {"D": 12, "E": 3}) == Work(1, 1, 0, 0, 0)  # neither A nor B: the leaf of the root
    assert work_of(index, EXAMPLE_5) == Work(2, 2, 1, 0, 0)  # B = 6: the topmost bucket, not the half up to 4.5
    assert work_of(index, {"B": 4}) == Work(3, 3, 1, 0, 0)
    assert work_of(index, {"A": 9, "B": 6}) == Work(3, 3, 2, 0, 0)


@pytest.mark.parametrize("leaf_size", [1, 2, 3, 5])
def test_the_example_matches_as_the_reference_says(leaf_size: int) -> None:
    index = filled(TABLE_1, leaf_size)
    generator = random.Random(1)
    events: list[dict[str, Value]] = [{**EXAMPLE_5}, {}]
    for _ in range(300):
        names = generator.sample("ABCDE", generator.randint(1, 5))
        events.append({name: generator.randint(1, 14) for name in names})
    assert pairs(index, events) == matching_pairs(events, TABLE_1)


# Cutting and merging.


def test_a_bucket_is_cut_in_the_middle_of_its_values() -> None:
    conditions = {value: parse(f"a = {value}") for value in range(1, 51)}
    top = filled(conditions, leaf_size=25).root().directory[number("a")]
    # Cut when 26 were there, at 13.5; what comes later lies above, where the open end is the outermost operand.
    assert [(half.low, half.high) for half in top.halves] == [(-math.inf, 13.5), (13.5, math.inf)]
    assert keys_in(top.halves[1]) == set(range(14, 51))
    index = BETree(leaf_size=49)
    index.insert_many(conditions.keys(), conditions.values())
    top = index.root().directory[number("a")]
    assert [keys_in(half) for half in top.halves] == [set(range(1, 26)), set(range(26, 51))]


def test_a_half_is_cut_in_the_middle_between_its_ends() -> None:
    values = [0, 100, 1, 2, 26, 49]
    top = filled({value: parse(f"a = {value}") for value in values}, leaf_size=3).root().directory[number("a")]
    left, right = top.halves
    assert (left.high, right.node.leaf) == (50, [100])
    assert [(half.high, half.node.leaf) for half in left.halves] == [(25, [0, 1, 2]), (50, [26, 49])]


def test_a_half_where_the_middle_parts_nothing_is_cut_between_its_operands() -> None:
    """Else a chain of halves would follow, each with all that the last one had."""
    index = filled({0: parse("a = 1e300"), 1: parse("a = 0.5"), 2: parse("a = 0.75")}, leaf_size=1)
    left, right = index.root().directory[number("a")].halves
    assert right.node.leaf == [0]
    assert [(half.high, half.node.leaf) for half in left.halves] == [(0.625, [1]), (left.high, [2])]


def test_half_open_ranges_go_to_halves_too() -> None:
    conditions = {0: "a = 0", 1: "a = 10", 2: "a < 5", 3: "a > 5", 4: "a <= 5", 5: "a >= 5", 6: "a != 1"}
    top = filled({key: parse(text) for key, text in conditions.items()}, leaf_size=1).root().directory[number("a")]
    assert top.node.leaf == [5, 6]
    assert [keys_in(half) for half in top.halves] == [{0, 2, 4}, {1, 3}]


def test_expressions_that_nothing_parts_stay_together() -> None:
    index = filled(dict.fromkeys(range(200), parse("a = 1 AND b < 2")), leaf_size=2)
    assert index.work.splits == 2  # by a, and by b below it
    leaves = index.root().directory[number("a")].node.directory[number("b")].node.leaf
    assert leaves == list(range(200))
    index.insert(200, parse("a = 1 AND b = 9"))
    index.insert(201, parse("a = 1 AND b < 2 AND c = 1"))
    index.insert_many(range(300, 600), [parse("a = 1 AND b < 2")] * 300)  # more than the leaf was doubled for
    index.check_invariants()
    assert index.match({"a": 1, "b": 9, "c": 1}).tolist() == [200]
    assert index.match({"a": 1, "b": 1, "c": 1}).tolist() == [*range(200), 201, *range(300, 600)]


def conjunctions(count: int, attributes: int, seed: int) -> dict[int, Condition]:
    """Conjunctions of one to three predicates with small numbers."""
    generator = random.Random(seed)
    made = {}
    for key in range(count):
        names = generator.sample(range(attributes), generator.randint(1, 3))
        signs = generator.choices(["=", "<=", ">=", "<", ">"], k=len(names))
        parts = [f"a{name} {sign} {generator.randint(1, 20)}" for name, sign in zip(names, signs, strict=True)]
        made[key] = parse(" AND ".join(parts))
    return made


@pytest.mark.parametrize("attributes", [4, 300])
def test_what_is_cut_merges_again(attributes: int) -> None:
    conditions = conjunctions(400, attributes, seed=attributes)
    index = BETree(leaf_size=2)
    index.insert_many(conditions.keys(), conditions.values())
    index.check_invariants()
    assert index.work.splits > 50
    keys = list(conditions)
    random.Random(3).shuffle(keys)
    for done, key in enumerate(keys):
        index.delete(key)
        if done % 20 == 0:
            index.check_invariants()
    index.check_invariants()
    assert index.root() == CNode([], {})
    assert index.work.merges > 50
    again = index.statistics().memory["nodes"]
    index.insert_many(conditions.keys(), conditions.values())
    index.check_invariants()
    assert index.statistics().memory["nodes"] == again  # nodes given back are taken again


def test_many_at_once_make_the_tree_that_one_by_one_make() -> None:
    conditions = conjunctions(300, 20, seed=1)
    index = BETree(leaf_size=3)
    index.insert_many(conditions.keys(), conditions.values())
    assert index.root() == filled(conditions, leaf_size=3).root()


def test_a_wide_directory_is_looked_up_and_a_narrow_one_passed_through() -> None:
    conditions = {key: parse(f"a{key} = 1") for key in range(500)}
    index = BETree(leaf_size=1)
    index.insert_many(conditions.keys(), conditions.values())
    assert len(index.root().directory) == 499
    assert work_of(index, {"a3": 1, "a490": 2, "b": 1}) == Work(3, 3, 2, 0, 0)
    for key in range(3, 500):
        index.delete(key)
    index.check_invariants()
    assert work_of(index, {"a0": 1, "a1": 1, "a2": 1, "a3": 1}).p_nodes_entered == 3
    assert index.match({"a0": 1, "a1": 1, "a2": 1, "a3": 1}).tolist() == [0, 1, 2]


def test_more_matches_than_there_is_room_for_are_found_and_counted_once() -> None:
    index = BETree()
    index.insert_many(range(3000), [parse("a = 1")] * 3000)
    assert index.match({"a": 1}).tolist() == list(range(3000))
    assert index.work.expressions_checked == 3000
    assert len(pairs(index, [{"a": 1}] * 5)) == 15_000
    assert index.work.expressions_checked == 18_000


def test_an_event_that_comes_again_for_lack_of_room_has_its_keys_but_once() -> None:
    index = BETree()
    index.insert_many(range(1500), [parse("s LIKE 'a%'")] * 1500)
    index.insert_many([1500, 1501], [parse("s LIKE 'ab%' AND a = 1"), parse("s LIKE 'b%'")])
    assert index.match({"s": "abc", "a": 1}).tolist() == list(range(1501))


# Compared with the reference.

VALUES = (-math.inf, -1.5, 0, 1, 2, 3, 2**53 + 1, 2**53, 1e300, math.inf, math.nan)
values = st.sampled_from(VALUES)
attributes = st.sampled_from("abcd").map(Attribute)
literals = values.map(Literal)
comparisons = st.builds(Comparison, st.sampled_from(sorted(COMPARISONS)), attributes, literals)
sets = st.builds(In, attributes, st.lists(literals, min_size=1, max_size=3).map(tuple))
intervals = st.builds(Between, attributes, literals, literals)
predicates = comparisons | sets | intervals | (sets | intervals).map(Not)
some_conjunctions = st.lists(predicates, min_size=1, max_size=4).map(
    lambda parts: And(tuple(parts)) if len(parts) > 1 else parts[0]
)
some_events = st.lists(st.dictionaries(st.sampled_from("abcd"), values), max_size=8)


@given(
    conditions=st.lists(some_conjunctions, max_size=30),
    more=st.lists(some_conjunctions, max_size=10),
    gone=st.sets(st.integers(0, 29)),
    events=some_events,
    leaf_size=st.integers(1, 3),
)
def test_conjunctions_match_as_the_reference_says(
    conditions: list[Condition],
    more: list[Condition],
    gone: set[int],
    events: list[dict[str, Value]],
    leaf_size: int,
) -> None:
    index = BETree(leaf_size=leaf_size)
    held = dict(enumerate(conditions))
    index.insert_many(held.keys(), held.values())
    for key in gone & held.keys():
        index.delete(key)
        del held[key]
    for key, condition in enumerate(more, start=100):
        index.insert(key, condition)
        held[key] = condition
    index.check_invariants()
    assert pairs(index, events) == matching_pairs(events, held)


@given(keys=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2), kind=st.sampled_from([1, 2]))
def test_keys_keep_their_order_as_values(keys: list[int], kind: int) -> None:
    as_values = [value_of(kind, key) for key in sorted(keys)]
    assert as_values == sorted(as_values)


# Strings, lists, and what is not filed.


def test_new_labels_build_the_tree_anew() -> None:
    """Each string sorts between the last two, so that the room between their labels runs out again and again."""
    index = BETree(leaf_size=2)
    held: dict[int, Condition] = {}
    low, high = "a", "b"
    for key in range(120):
        middle = low + "m"
        held[key] = parse(f"s >= '{middle}' AND s <= '{high}' AND n = {key % 3}")
        index.insert(key, held[key])
        low, high = (middle, high) if key % 2 else (low, middle)
    index.check_invariants()
    events: list[dict[str, Value]] = [
        {"s": string, "n": n} for string in ("a", "am", "amm", "ama", "an", low, high, "b", "c") for n in range(3)
    ]
    assert pairs(index, events) == matching_pairs(events, held)
    for key in list(held)[10:]:
        index.delete(key)
        del held[key]
    index.check_invariants()
    assert pairs(index, events) == matching_pairs(events, held)


def test_strings_among_those_that_come_after_many_at_once() -> None:
    texts = [f"s = '{chr(97 + place % 26)}{place}' AND n > {place % 4}" for place in range(60)]
    texts += [f"s LIKE 'a{place}' OR s = 'b{place}x'" for place in range(60)]
    held = {key: parse(text) for key, text in enumerate(texts)}
    index = BETree(leaf_size=2)
    index.insert_many(list(held)[:70], list(held.values())[:70])
    index.insert_many(list(held)[70:], list(held.values())[70:])
    index.check_invariants()
    strings = [f"{letter}{place}{end}" for letter in "ab" for place in range(60) for end in ("", "x")]
    events: list[dict[str, Value]] = [{"s": string, "n": 3} for string in strings]
    assert pairs(index, events) == matching_pairs(events, held)


def test_fields_with_several_keys_are_not_partitioned_by() -> None:
    texts = ["s LIKE 'a%'", "s LIKE 'ab%'", "s LIKE '%b'", "s LIKE 'a%' AND s LIKE '%c'", "s LIKE 'a%' AND n = 1"]
    held = {key: parse(text) for key, text in enumerate(texts * 3)}
    index = filled(held, leaf_size=1)
    assert list(index.root().directory) == [number("n")]
    events: list[dict[str, Value]] = [{"s": "ab", "n": 1}, {"s": "abc"}, {"s": "b"}, {"n": 1}]
    assert pairs(index, events) == matching_pairs(events, held)


def test_what_asks_for_something_missing_is_scanned() -> None:
    index = filled({1: parse("a IS NULL AND b = 1"), 2: parse("s NOT LIKE '%x%'"), 3: parse("a = 1")})
    assert index.root().leaf == [3]
    assert "scanned" in index.statistics().memory
    assert index.match({"b": 1, "s": "y"}).tolist() == [1, 2]
    with pytest.raises(DuplicateSubscriptionError, match="key 2"):
        index.insert_many([4, 2], [parse("a = 1"), parse("a = 2")])
    with pytest.raises(DuplicateSubscriptionError, match="key 3"):
        index.insert_many([4, 3], [parse("a = 1"), parse("a = 2")])
    with pytest.raises(ValueError, match="found 2 and 1"):
        index.insert_many([4, 5], [parse("a = 1")])


def test_a_leaf_holds_at_least_one_expression() -> None:
    with pytest.raises(ValueError, match="found a leaf size of 0"):
        BETree(leaf_size=0)


# What is checked.


def deep() -> BETree:
    """An index with a p-node, a cut bucket and a leaf of several expressions."""
    return filled({key: parse(f"a = {key}") for key in range(6)}, leaf_size=2)


def top_of(index: BETree) -> tuple[int, int]:
    """The p-node of the root, and its topmost bucket."""
    p_node = int(index._tree.nodes[ROOT, DIRECTORY])
    return p_node, int(index._tree.p_nodes[p_node, BUCKET])


def full_leaf(index: BETree) -> int:
    return int(np.flatnonzero(index._tree.nodes[:, SIZE] == 2)[0])


def test_a_wrong_structure_is_found() -> None:
    index = deep()
    p_node, top = top_of(index)
    index._tree.p_nodes[p_node, SCORE] += 1
    with pytest.raises(InvariantError, match="counts 7"):
        index.check_invariants()
    index = deep()
    index._tree.cuts[top] = 100.0
    with pytest.raises(InvariantError, match="does not enclose"):
        index.check_invariants()
    index = deep()
    index._tree.cuts[top] = np.nan
    with pytest.raises(InvariantError, match="halves without a cut"):
        index.check_invariants()
    index = deep()
    index._tree.table_keys[:] = -1
    with pytest.raises(InvariantError, match="does not lead to p-node"):
        index.check_invariants()
    index = deep()
    index._tree.nodes[full_leaf(index), CAPACITY] = 1
    with pytest.raises(InvariantError, match="a capacity of 1"):
        index.check_invariants()
    index = deep()
    index._tree.nodes[full_leaf(index), CAPACITY] = 64
    with pytest.raises(InvariantError, match="has grown to 64"):
        index.check_invariants()
    index = deep()
    index._tree.nodes[full_leaf(index), SIZE] = 0
    with pytest.raises(InvariantError, match="it is empty"):
        index.check_invariants()
    index = deep()
    index._tree.clauses[0, HOME] = ROOT
    with pytest.raises(InvariantError, match="does not know where it is"):
        index.check_invariants()
