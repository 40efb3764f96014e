"""Products and subscriptions made from rows: with the frequencies of the paper, and values that rows have."""

from __future__ import annotations

from collections import Counter
from math import log

import pytest

from penstock import evaluate
from penstock.lab.datasets import PC_PARTS
from penstock.lab.product_workloads import products, row_subscriptions, some_rows
from penstock.model.conditions import And, Comparison, Condition, In
from penstock.model.expressions import Attribute, Literal
from penstock.model.values import Value

ROWS = products(2_000, attributes=100, seed=3)


def predicates(conditions: list[Condition]) -> list[Condition]:
    return [part for each in conditions for part in (each.children if isinstance(each, And) else (each,))]


def test_attributes_are_as_frequent_as_the_paper_says() -> None:
    counts = Counter(name for row in ROWS for name in row)
    assert (counts["a0"], counts["a1"], len(counts)) == (620, 340, 100)
    assert counts["a9"] > counts["a49"] > counts["a99"] > 1


@pytest.mark.slow
def test_the_paper_has_six_attributes_a_product() -> None:
    rows = products(296_846)
    assert sum(map(len, rows)) / len(rows) == pytest.approx(5.8, abs=0.05)
    assert len({name for row in rows for name in row}) == 10_204


def test_values_are_strings_and_some_are_frequent() -> None:
    values = Counter(row["a0"] for row in ROWS if "a0" in row)
    assert values["v0"] > values["v9"]
    assert all(isinstance(value, str) for row in ROWS for value in row.values())


def test_subscriptions_ask_for_attributes_by_the_logarithm_of_their_frequency() -> None:
    frequencies = Counter(name for row in ROWS for name in row)
    asked: Counter[str] = Counter()
    for part in predicates(row_subscriptions(ROWS, 40_000, most_predicates=1)):
        assert isinstance(part, Comparison)
        assert isinstance(part.left, Attribute)
        asked[part.left.name] += 1
    total = sum(map(log, frequencies.values()))
    shares = {name: log(count) / total for name, count in frequencies.items()}
    assert {name: asked[name] / 40_000 for name in shares} == pytest.approx(shares, abs=0.004)


MIXED: list[dict[str, Value]] = [
    {"size": 1, "tags": ("x", "y"), "new": True, "once": 1},
    {"size": "large", "tags": "x", "new": False},
    {"size": 2.5, "tags": "z", "new": True},
]


def test_only_numbers_and_strings_that_more_rows_have_are_asked_for() -> None:
    asked = {
        (part.left, part.right)
        for part in predicates(row_subscriptions(MIXED, 200, most_predicates=2))
        if isinstance(part, Comparison)
    }
    sizes = {(Attribute("size"), Literal(value)) for value in (1, "large", 2.5)}
    assert asked == sizes | {(Attribute("tags"), Literal(value)) for value in ("x", "z")}


def test_sets_hold_values_of_one_kind() -> None:
    sizes = set()
    for part in predicates(row_subscriptions(MIXED, 200, set_share=1.0, most_predicates=2)):
        assert isinstance(part, In)
        values = [item.value for item in part.items if isinstance(item, Literal)]
        assert len({isinstance(value, str) for value in values}) == 1
        assert len(set(values)) == len(values) == len(part.items)
        sizes.add(len(values))
    assert sizes == {1, 2}


def test_the_share_of_sets_is_what_was_asked_for() -> None:
    parts = predicates(row_subscriptions(ROWS, 4_000, set_share=0.25))
    assert sum(isinstance(part, In) for part in parts) / len(parts) == pytest.approx(0.25, abs=0.02)


def test_sets_have_up_to_five_values() -> None:
    parts = predicates(row_subscriptions(ROWS, 500, set_share=1.0))
    assert {len(part.items) for part in parts if isinstance(part, In)} == {1, 2, 3, 4, 5}


def test_more_attributes_than_there_are_cannot_be_distinct() -> None:
    with pytest.raises(ValueError, match="3 distinct attributes are needed, found 2 that more than one row has"):
        row_subscriptions(MIXED, 5, most_predicates=3)


def test_some_rows_are_different_ones_with_attributes() -> None:
    rows: list[dict[str, int]] = [{}, *({"a": number} for number in range(10))]
    assert len({row["a"] for row in some_rows(rows, 5)}) == 5
    assert len(some_rows(rows, 100)) == 10


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_subscriptions_of_real_rows_match_some_of_them(share: float) -> None:
    rows = some_rows(PC_PARTS.rows(), 30)
    conditions = row_subscriptions(PC_PARTS.rows(), 300, set_share=share)
    assert sum(evaluate(each, row) is True for each in conditions for row in rows) > 20


def test_the_same_seed_gives_the_same_workload_and_another_seed_another() -> None:
    first, same, other = (products(100, attributes=20, seed=seed) for seed in (1, 1, 2))
    assert first == same != other
    one, again, another = (row_subscriptions(ROWS, 50, set_share=1.0, seed=seed) for seed in (1, 1, 2))
    assert one == again != another
