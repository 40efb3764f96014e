"""AMKH: equation 2, what is chosen and why, the same matches as the oracle, and what it spares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from penstock.encoding.batch import EventBatch
from penstock.errors import InvariantError, ValueRefusedError
from penstock.indexes.boolean.predicates import Operator
from penstock.indexes.hashing import amkh as module
from penstock.indexes.hashing.amkh import Amkh, Mkh
from penstock.indexes.hashing.choosing import FEW_CONJUNCTIONS, SMALL_SET, Rule
from penstock.indexes.hashing.positions import intervals_of
from penstock.indexes.hashing.selectivity import share_let_through
from penstock.kernels.amkh import SCHEMA_WEIGHT, weighted
from penstock.kernels.amkh_constraints import coordinate_of
from penstock.lab.amkh_workload import alert_events, alert_subscriptions
from penstock.lab.boolean_workloads import event_dictionaries, events_table
from penstock.language.parser import parse
from penstock.model.conditions import And, Condition
from penstock.model.values import Value
from tests.indexes.members import insert_all
from tests.oracle import matching_pairs
from tests.strategies import MIXED, Vocabulary

GIVEN = [
    (1, 2),
    (9, None),
    *(pytest.param(*each, marks=pytest.mark.slow) for each in [(0, 2), (1, None), (2, 3), (9, 2)]),
]
COMPARED = Vocabulary(
    mixed=True,
    numbers=("i", "x"),
    strings=("s",),
    booleans=(),
    timestamps=("w",),
    lists=(),
    arithmetic=False,
    patterns=False,
    regexes=False,
)


def pairs(index: Amkh, events: list[dict[str, Value]]) -> list[tuple[int, int]]:
    matches = index.match_batch(EventBatch.from_events(events))
    return list(zip(matches.rows.tolist(), matches.keys.tolist(), strict=True))


def filled(texts: list[str], index: Amkh | None = None) -> Amkh:
    index = Amkh() if index is None else index
    index.insert_many(range(len(texts)), [parse(text) for text in texts])
    index.check_invariants()
    return index


def accepted(conditions: list[Condition]) -> dict[int, Condition]:
    """The conditions whose normal forms are not too large."""
    return insert_all(Amkh(), dict(enumerate(conditions)))


# Equation 2


def test_equation_2_with_small_numbers() -> None:
    weights, residues, buckets = (3, 5, 7), 2, 11
    # An equality id 4, a non-equality id 9 and a non-equality id 6; the last attribute is not hashed.
    terms = [
        weighted(np.uint64(weights[0]), coordinate_of(4, True, residues)),
        weighted(np.uint64(weights[1]), coordinate_of(9, False, residues)),
    ]
    assert [int(term) for term in terms] == [3 * 4, 5 * (9 % 2)]
    assert sum(map(int, terms)) % buckets == (12 + 5) % 11
    assert coordinate_of(9, False, 0) == 9  # B larger than any id: equation 1


@given(weight=st.integers(0, 2**63 - 1), coordinate=st.integers(0, 2**31 - 1))
def test_products_are_taken_modulo_2_to_the_63(weight: int, coordinate: int) -> None:
    assert int(weighted(np.uint64(weight), coordinate)) == weight * coordinate % 2**63


def test_a_conjunction_is_in_the_bucket_that_equation_2_says() -> None:
    texts = ["a = 1 AND b > 5", "a = 2 AND b > 6", "a = 1 AND b = 7", "a = 2 AND b > 7", "a = 3 AND b > 8"]
    index = filled(texts, Amkh(general=1, residues=2, buckets=1000))
    a, b = (int(index._axes.weights[index._vocabulary.number_fields[name]]) for name in "ab")
    for key, text in enumerate(texts):
        (point,) = index.points(key)
        assert point.hashed == ("a", "b")
        b_term = point.coordinates["b"] if "b =" in text else point.coordinates["b"] % 2
        schema = 1  # there is one schema, and it counts as one more coordinate
        assert point.bucket == (SCHEMA_WEIGHT * schema + a * point.coordinates["a"] + b * b_term) % 2**63 % 1000
    assert {index.points(key)[0].coordinates["a"] for key in range(5)} == {1, 2, 3}
    assert {index.points(key)[0].coordinates["b"] for key in range(5)} == {1, 2, 3, 4, 5}


def test_an_attribute_that_is_not_hashed_does_not_matter() -> None:
    index = filled(["a = 1 AND b > 5", "a = 1 AND b > 6"], Amkh(general=0))
    points = [index.points(key)[0] for key in range(2)]
    assert [point.hashed for point in points] == [("a",)] * 2
    assert points[0].bucket == points[1].bucket
    assert points[0].coordinates != points[1].coordinates


def test_mkh_hashes_every_attribute() -> None:
    index = Mkh()
    filled(["a = 1 AND b > 5 AND c < 2 AND d >= 3"], index)
    assert index.points(0)[0].hashed == ("a", "b", "c", "d")
    assert index.explain().attributes[0].residues is None


def test_the_ids_of_constraints_that_nobody_uses_are_given_again() -> None:
    index = filled(["a = 1", "a = 2", "a = 3"])
    index.delete(1)
    index.insert(7, parse("a > 9"))
    assert index.points(7)[0].coordinates == {"a": 2}
    index.check_invariants()


# Choosing


def with_equalities(count: int, copies: int = FEW_CONJUNCTIONS) -> list[str]:
    """Conjunctions of one schema with so many equality clauses, and three others."""
    equal = [f"e{place} = 1" for place in range(count)]
    return [" AND ".join([*equal, f"g > {n}", f"h < {n}", f"k != {n}"]) for n in range(copies)]


def many_equality_only() -> list[str]:
    """Enough equality-only attributes elsewhere that they are no small set."""
    return [f"other{place} = 1" for place in range(SMALL_SET + 1)]


@pytest.mark.parametrize("equalities, general", [(0, 2), (1, 2), (2, 2), (3, 1), (4, 0), (5, 0)])
def test_g_with_a_small_set_of_equality_only_attributes(equalities: int, general: int) -> None:
    (choice,) = filled(with_equalities(equalities)).explain().schemas
    assert (choice.general, choice.equality_clauses) == (general, equalities)


@pytest.mark.parametrize("equalities, general", [(0, 2), (1, 1), (2, 1), (3, 1), (4, 0), (5, 0)])
def test_g_with_many_equality_only_attributes(equalities: int, general: int) -> None:
    choices = filled(with_equalities(equalities) + many_equality_only()).explain().schemas
    (choice,) = [each for each in choices if each.conjunctions == FEW_CONJUNCTIONS]
    assert (choice.general, choice.equality_clauses) == (general, equalities)


def test_few_conjunctions_are_examined_at_once() -> None:
    (choice,) = filled(with_equalities(1, FEW_CONJUNCTIONS - 1)).explain().schemas
    assert (choice.general, choice.rule) == (0, Rule.FEW)


def test_the_most_selective_attributes_are_hashed_first() -> None:
    texts = [f"e = 1 AND wide != {n} AND middle > {n} AND narrow BETWEEN {n} AND {n + 1}" for n in range(40)]
    index = filled(texts + [f"e2 = {n}" for n in range(40)], Amkh(general=2, residues=2))
    assert index.points(0)[0].hashed == ("e", "middle", "narrow")


@pytest.mark.parametrize(
    "text, residues", [("b BETWEEN {n} AND {m}", None), ("b > {n}", 2), ("b != {n}", 2), ("b IN ({n}, {m})", None)]
)
def test_b_follows_the_selectivity(text: str, residues: int | None) -> None:
    index = filled([f"a = 1 AND {text.format(n=2 * n, m=2 * n + 1)}" for n in range(100)])
    (choice,) = index.explain().attributes
    assert (choice.attribute, choice.residues) == ("b", residues)


def test_the_share_of_values_that_constraints_let_through() -> None:
    above = [intervals_of(Operator.GREATER, operand) for operand in (10, 20, 30)]
    # Seven places: the three operands, and what lies before, between and behind them.
    assert share_let_through([(above[0], 1)], above[1:]) == 5 / 7
    assert share_let_through([(above[0], 3), (above[2], 1)], above) == (3 * 5 / 7 + 1 / 7) / 4
    assert share_let_through([(intervals_of(Operator.KNOWN, 0), 1)], []) == 1
    assert share_let_through([(intervals_of(Operator.DIFFERENT, 10), 1)], []) == 2 / 3


@pytest.mark.parametrize("general, residues", GIVEN)
def test_what_is_given_is_not_chosen(general: int, residues: int | None) -> None:
    index = filled(with_equalities(5), Amkh(general=general, residues=residues))
    explanation = index.explain()
    assert {choice.general for choice in explanation.schemas} == {min(3, general)}
    assert {choice.rule for choice in explanation.schemas} == {Rule.GIVEN}
    assert {choice.residues for choice in explanation.attributes} <= {residues}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"general": -1}, "general is -1"),
        ({"residues": 1}, "residues is 1; it must be at least 2"),
        ({"buckets": 0}, "buckets is 0"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueRefusedError, match=message):
        Amkh(**options)


def test_an_explanation_says_what_was_chosen_and_why() -> None:
    index = filled([f"a = {n % 4} AND b < {n} AND c > {n}" for n in range(30)] + ["d = 1", "e = 2"])
    assert str(index.explain()).splitlines() == [
        "32 conjunctions in 128 buckets; 3 equality-only attributes, hashed wherever mentioned",
        f"G = 2 for 30 conjunctions in 1 schema with 1 equality-only attribute: {Rule.SMALL.value}",
        "G = 0 for 2 conjunctions in 2 schemas with 1 equality-only attribute: fewer than 8 conjunctions each",
        "B = 2 for b, hashed in 1 schema: the selectivity is low; 49% of the values pass its 30 non-equality clauses",
        "B = 2 for c, hashed in 1 schema: the selectivity is low; 49% of the values pass its 30 non-equality clauses",
    ]


def test_an_attribute_becomes_general_with_its_first_other_clause() -> None:
    index = Amkh(general=0)
    for key in range(40):
        index.insert(key, parse(f"a = {key} AND b = {key}"))
    assert index.explain().equality_only == 2
    index.insert(40, parse("a = 1 AND b > 20"))
    assert index.explain().equality_only == 1
    assert index.match({"a": 1, "b": 30}).tolist() == [40]
    index.rebuild()
    assert index.points(7)[0].hashed == ("a",)
    assert index.match({"a": 7, "b": 7}).tolist() == [7]
    index.delete(40)
    index.rebuild()
    assert index.explain().equality_only == 2
    assert index.points(7)[0].hashed == ("a", "b")
    index.check_invariants()


def test_it_is_chosen_again_when_the_index_has_doubled() -> None:
    index = Amkh()
    for key in range(2000):
        index.insert(key, parse(f"a = {key % 10} AND b > {key}"))
    (choice,) = index.explain().schemas
    assert choice.general == 1
    assert index.explain().buckets >= 2 * 2000


def test_a_schema_that_outgrows_its_choice_is_chosen_again() -> None:
    index = filled([f"z{n} = 1" for n in range(1000)])
    for key in range(1000, 1200):
        index.insert(key, parse(f"a > {key} AND b < {key}"))
    index.check_invariants()
    assert index.points(1100)[0].hashed == ("a", "b")


# Matching


@pytest.mark.parametrize("general, residues", GIVEN)
@given(data=st.data())
def test_matches_are_those_of_the_reference(general: int, residues: int | None, data: st.DataObject) -> None:
    conditions = accepted(data.draw(st.lists(COMPARED.conditions, min_size=1, max_size=12)))
    events = data.draw(st.lists(COMPARED.events, max_size=6))
    gone = data.draw(st.sets(st.sampled_from(sorted(conditions)))) if conditions else set()
    index = Amkh(general=general, residues=residues, buckets=data.draw(st.sampled_from([None, 1, 7])))
    if data.draw(st.booleans()):
        index.insert_many(list(conditions), list(conditions.values()))
    else:
        for key, condition in conditions.items():
            index.insert(key, condition)
    assert pairs(index, events) == matching_pairs(events, conditions)
    for key in gone:
        index.delete(key)
        del conditions[key]
    if data.draw(st.booleans()):
        index.rebuild()
    index.check_invariants()
    assert pairs(index, events) == matching_pairs(events, conditions)
    for row, event in enumerate(events):
        assert index.match(event).tolist() == [key for found, key in matching_pairs(events, conditions) if found == row]


@given(conditions=st.lists(MIXED.conditions, max_size=12), more=st.lists(MIXED.conditions, max_size=12))
def test_many_at_once_match_as_one_by_one(conditions: list[Condition], more: list[Condition]) -> None:
    at_once, one_by_one = Amkh(), Amkh()
    everything = accepted([*conditions, *more])
    first = [key for key in everything if key < len(conditions)]
    for part in (first, [key for key in everything if key not in first]):
        at_once.insert_many(part, [everything[key] for key in part])
    for key, condition in everything.items():
        one_by_one.insert(key, condition)
    at_once.check_invariants()
    assert at_once.statistics().subscriptions == one_by_one.statistics().subscriptions == len(everything)
    for event in ({"i": 1, "s": "a", "x": 2.5}, {"i": 2**53 + 1, "t": "b"}, {}):
        assert at_once.match(event).tolist() == one_by_one.match(event).tolist()


@pytest.mark.parametrize("options", [{}, {"general": 0}, {"general": 9, "residues": None}])
def test_the_edges_of_keys_that_values_lie_between(options: dict[str, int | None]) -> None:
    large = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1, 2**63 - 1, -(2**63), -(2**53) - 1]
    texts = [f"x {sign} {value}" for sign in ("=", "<", "<=", ">", ">=", "!=") for value in [*large, "1e300", 5, 5.5]]
    texts += [f"x BETWEEN {low} AND {high}" for low in large for high in large if low < high]
    conditions = {key: parse(text) for key, text in enumerate(texts * 2)}
    index = Amkh(**options)  # type: ignore[arg-type]
    index.insert_many(list(conditions), list(conditions.values()))
    events: list[dict[str, Value]] = [{"x": value} for value in [*large, *map(float, large), 5, 5.25, float("inf")]]
    assert pairs(index, events) == matching_pairs(events, conditions)


def test_strings_may_come_between_others_for_ever() -> None:
    index = Amkh(general=1, residues=2)
    conditions = {}
    for key in range(120):
        text = "a" * (key + 1)  # each comes between the one before and 'b'
        conditions[key] = parse(f"n = 1 AND s > '{text}' AND s < 'b' AND t = '{text}'")
        index.insert(key, conditions[key])
    index.check_invariants()
    events: list[dict[str, Value]] = [{"n": 1, "s": "a" * size + "0", "t": "a" * size} for size in range(1, 130, 7)]
    assert pairs(index, events) == matching_pairs(events, conditions)


def test_strings_that_nothing_asks_for_are_forgotten() -> None:
    index = Amkh()
    for key in range(300):
        index.insert(key, parse(f"s = 'text {key}'"))
        index.delete(key)
    assert index.statistics().memory["operands"] < 5000
    index.check_invariants()


def test_fields_of_scanned_conditions_are_known_to_events() -> None:
    index = filled(["a = 1"])
    assert index.match({"a": 1}).tolist() == [0]
    for key in range(1, 40):
        index.insert(key, parse(f"b{key} LIKE '%x%'"))
    event: dict[str, object] = {f"b{key}": "x" for key in range(1, 40)}
    assert index.match({"a": 1, **event}).tolist() == list(range(40))


def test_more_matches_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_OUTPUT_ROOM", 64)
    monkeypatch.setattr(module, "MOST_STABS", 50)
    conditions = {key: parse(f"a = 1 AND b < {key}") for key in range(100)}
    index = Amkh(general=1, residues=2)
    index.insert_many(list(conditions), list(conditions.values()))
    events: list[dict[str, Value]] = [{"a": 1, "b": value} for value in range(0, 100, 5)]
    assert pairs(index, events) == matching_pairs(events, conditions)
    assert index.work.events == 20
    assert index.work.examined - index.work.unmatched == len(matching_pairs(events, conditions))


def test_more_candidate_coordinates_than_conjunctions() -> None:
    """Hundreds of matched ids on each of three attributes: the product of them is never gone through."""
    index = Mkh()
    texts = [" AND ".join(f"{name} > {n + shift}" for shift, name in enumerate("abc")) for n in range(300)]
    filled(texts, index)
    assert index.match({"a": 1000, "b": 1000, "c": 2}).tolist() == []
    assert index.match({"a": 1000, "b": 1000, "c": 1000}).tolist() == list(range(300))
    assert index.work.candidates == 0
    assert index.work.examined == 300


def test_never_true_and_always_true() -> None:
    index = filled(["a > 5 AND a < 3", "TRUE", "a = 1 AND a = 2", "a >= 4 AND a <= 4"])
    assert index.match({"a": 4}).tolist() == [1, 3]
    index.insert(9, And((parse("a > 5"), parse("a < 5"))))
    assert index.match({"a": 5}).tolist() == [1]
    assert index.points(9) == []
    for key in (0, 2, 9):
        index.delete(key)
    index.check_invariants()


def test_what_is_no_comparison_is_scanned() -> None:
    index = filled(["a IS NULL AND b = 1", "s LIKE '%x%' AND b = 1", "b = 1"])
    assert index.explain().conjunctions == 1
    assert index.match({"b": 1, "s": "axe"}).tolist() == [0, 1, 2]


# What it spares


def unmatched(index: Amkh, highest: int, count: int = 4000) -> tuple[float, float]:
    """Unmatched conjunctions that are examined for an event, with and without those that only share a bucket."""
    index.insert_many(range(count), alert_subscriptions(count, highest=highest))
    index.match_batch(EventBatch.from_arrow(events_table(alert_events(500)), attributes="attributes"))
    return index.work.unmatched_per_event, index.work.evaluated_in_vain_per_event


MANY_BUCKETS = 2**19


@pytest.mark.parametrize("highest", [15, 55, 95])
def test_amkh_1_2_examines_fewer_than_amkh_0(highest: int) -> None:
    """As in figure 1, as long as there are enough buckets: it looks up three coordinates where AMKH(0,-) has one."""
    hashed, not_hashed = (
        unmatched(Amkh(general=general, residues=2, buckets=MANY_BUCKETS), highest) for general in (1, 0)
    )
    assert hashed[0] < not_hashed[0]
    assert hashed[1] < not_hashed[1] / 2


def test_mkh_examines_fewest_where_operands_are_few_and_most_where_they_are_many() -> None:
    few = [unmatched(index, 15)[0] for index in (Mkh(buckets=MANY_BUCKETS), Amkh(general=0, buckets=MANY_BUCKETS))]
    many = [unmatched(index, 95)[0] for index in (Mkh(buckets=MANY_BUCKETS), Amkh(general=0, buckets=MANY_BUCKETS))]
    assert few[0] < few[1]
    assert many[0] > many[1]


def test_the_papers_workload_gets_the_papers_choice() -> None:
    index = Amkh()
    unmatched(index, 95)
    explanation = index.explain()
    assert [(choice.general, choice.schemas) for choice in explanation.schemas] == [(1, 9)]
    assert [(choice.attribute, choice.residues) for choice in explanation.attributes] == [("a10", 2)]
    assert explanation.equality_only == 10


def test_each_examined_conjunction_is_counted() -> None:
    index = filled(["a = 1 AND b > 1", "a = 1 AND b > 2", "a = 1 AND b = 3", "a = 2 AND b = 4"], Amkh(general=0))
    assert index.match({"a": 1, "b": 2}).tolist() == [0]
    assert index.work == (1, 1, 3, 2, 0)
    assert index.work.unmatched_per_event == 2
    index = filled(["a = 1 AND b > 1", "a = 1 AND b > 2", "a = 1 AND b = 3"], Amkh(general=1, residues=None))
    assert index.match({"a": 1, "b": 3}).tolist() == [0, 1, 2]
    assert index.work == (1, 3, 3, 0, 0)


def test_dictionaries_and_columns_examine_the_same() -> None:
    events = alert_events(50)
    one, other = (Amkh(general=1, residues=2) for _ in range(2))
    for index in (one, other):
        index.insert_many(range(2000), alert_subscriptions(2000, highest=35))
    other.match_batch(EventBatch.from_arrow(events_table(events), attributes="attributes"))
    for event in event_dictionaries(events):
        one.match(event)
    assert one.work == other.work


# Damage


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda index: index._filed.arrays().sums.__setitem__(3, 1), id="sum"),
        pytest.param(lambda index: index._filed.arrays().heads.fill(-1), id="buckets"),
        pytest.param(lambda index: index._schemas.populations.fill(5), id="population"),
        pytest.param(lambda index: index._axes.uses.fill(7), id="uses"),
        pytest.param(lambda index: index._axes.constraints.identities.fill(1), id="ids"),
        pytest.param(lambda index: index._axes.constraints.arrays().bounds.fill(1), id="bounds"),
        pytest.param(lambda index: index._axes.constraints.equalities().heads.fill(-1), id="equalities"),
        pytest.param(lambda index: index._axes.asked.fill(0), id="asked"),
        pytest.param(lambda index: index._axes[2].lookup.add(99, ((4, 9),)), id="lookup"),
    ],
)
def test_damage_is_noticed(damage: Callable[[Amkh], object]) -> None:
    index = filled([f"a = {n % 3} AND b > {n}" for n in range(20)], Amkh(general=1))
    damage(index)
    with pytest.raises(InvariantError):
        index.check_invariants()
