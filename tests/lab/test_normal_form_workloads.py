"""Subscriptions in normal forms: of as many clauses as was asked for, and dual to each other."""

from __future__ import annotations

from collections import Counter

import pytest

from penstock.lab.normal_form_workloads import FORMS, normal_forms
from penstock.model.conditions import And, Condition, Or, attributes_of


@pytest.mark.parametrize("form, kind", [("cnf", And), ("dnf", Or)])
def test_numbers_of_clauses_are_alike(form: str, kind: type[And] | type[Or]) -> None:
    made = normal_forms(4_000, form, most_clauses=4, most_predicates=1, seed=3)
    sizes = Counter(len(each.children) if isinstance(each, kind) else 1 for each in made)
    assert sizes == pytest.approx({1: 1_000, 2: 1_000, 3: 1_000, 4: 1_000}, rel=0.1)


@pytest.mark.parametrize("form", FORMS)
def test_clauses_have_distinct_attributes(form: str) -> None:
    inner = Or if form == "cnf" else And
    for condition in normal_forms(300, form, dimensions=6, most_predicates=4):
        for clause in condition.children if isinstance(condition, And | Or) else ():
            if isinstance(clause, inner):
                assert len(attributes_of(clause)) == len(clause.children) <= 4


def test_both_forms_are_made_of_the_same_clauses() -> None:
    for conjunctive, disjunctive in zip(normal_forms(200, "cnf"), normal_forms(200, "dnf"), strict=True):
        assert attributes_of(conjunctive) == attributes_of(disjunctive)
        assert _dual(conjunctive) == disjunctive


def _dual(condition: Condition) -> Condition:
    if isinstance(condition, And | Or):
        other = Or if isinstance(condition, And) else And
        return other(tuple(_dual(child) for child in condition.children))
    return condition


def test_the_same_seed_gives_the_same_workload_and_another_seed_another() -> None:
    assert normal_forms(20, "cnf", seed=1) == normal_forms(20, "cnf", seed=1)
    assert normal_forms(20, "cnf", seed=1) != normal_forms(20, "cnf", seed=2)
