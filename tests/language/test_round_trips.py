"""Text, JSON and normal forms keep what a condition says."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, strategies as st

from penstock.errors import ConditionError, NormalFormTooLargeError
from penstock.language.contradictions import never_true
from penstock.language.folding import fold
from penstock.language.json_form import from_json, to_json
from penstock.language.normal_forms import cnf_clauses, dnf_clauses, take_apart, to_cnf, to_dnf, to_nnf
from penstock.language.parser import parse
from penstock.language.rendering import to_text
from penstock.model.conditions import And, Comparison, Condition, IsNull, Not, Or, children_of
from penstock.model.evaluation import evaluate
from penstock.model.values import Value
from tests.strategies import MIXED


@given(MIXED.conditions)
def test_canonical_text_parses_back_to_the_same_tree(condition: Condition) -> None:
    assert parse(to_text(condition)) == condition


@given(MIXED.conditions)
def test_json_reads_back_to_the_same_tree(condition: Condition) -> None:
    assert from_json(json.loads(json.dumps(to_json(condition)))) == condition


@given(MIXED.conditions, MIXED.events)
def test_rewritings_keep_all_three_truth_values(condition: Condition, event: dict[str, Value]) -> None:
    expected = evaluate(condition, event)
    for rewrite in (fold, take_apart, to_nnf):
        assert evaluate(rewrite(condition), event) is expected, rewrite.__name__


@given(MIXED.conditions, MIXED.events)
def test_dnf_and_cnf_keep_all_three_truth_values(condition: Condition, event: dict[str, Value]) -> None:
    for rewrite in (to_dnf, to_cnf):
        try:
            rewritten = rewrite(condition, limit=200)
        except NormalFormTooLargeError:
            assume(False)
        assert evaluate(rewritten, event) is evaluate(condition, event), rewrite.__name__


@given(MIXED.conditions)
def test_nnf_has_negation_and_null_tests_only_at_leaves(condition: Condition) -> None:
    pending = [to_nnf(condition)]
    while pending:
        current = pending.pop()
        if isinstance(current, Not):
            assert not isinstance(current.child, (And, Or, Not, Comparison))
        if isinstance(current, IsNull):
            assert not isinstance(current.operand, (And, Or, Not, IsNull))
        pending.extend(children_of(current) if isinstance(current, (And, Or)) else ())


@given(MIXED.conditions, MIXED.events)
def test_what_is_called_never_true_is_never_true(condition: Condition, event: dict[str, Value]) -> None:
    if never_true(condition) is not None:
        assert evaluate(condition, event) is not True


@given(st.text(alphabet="ab 1.'`()<>=!%-+*/,eE\n\"é", max_size=30) | st.text(max_size=30))
def test_any_text_is_a_condition_or_a_condition_error(text: str) -> None:
    try:
        condition = parse(text)
    except ConditionError as error:
        assert error.line is not None
        assert error.column is not None
        assert str(error)
    else:
        assert parse(to_text(condition)) == condition


WORDS = ["a", "b", "<", "<=", "=", "<>", "5", "2.5", "'x'", "''", "AND", "OR", "NOT", "(", ")", "IN", "LIKE", "BETWEEN"]
WORDS += ["IS", "NULL", "+", "-", "*", "/", "abs(", ",", "TRUE", "TIMESTAMP", "'2013-01-01'"]


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_any_words_are_a_condition_or_a_condition_error(words: list[str]) -> None:
    text = " ".join(words)
    try:
        condition = parse(text)
    except ConditionError as error:
        assert (error.text, error.line) == (text, 1)
    else:
        assert parse(to_text(condition)) == condition


def test_normal_forms_beyond_the_limit_are_refused() -> None:
    condition = And(tuple(parse(f"a{n} = 1 OR b{n} = 1") for n in range(12)))
    with pytest.raises(NormalFormTooLargeError, match="the DNF of this condition would have more than 1000 clauses"):
        dnf_clauses(condition)
    assert len(dnf_clauses(condition, limit=4096)) == 4096
    assert len(cnf_clauses(condition)) == 12


def test_the_negation_of_a_dnf_is_refused_as_a_cnf_too() -> None:
    condition = Or(tuple(parse(f"a{n} = 1 AND b{n} = 1") for n in range(12)))
    with pytest.raises(NormalFormTooLargeError, match="the CNF of this condition would have more than 100 clauses"):
        to_cnf(condition, limit=100)
