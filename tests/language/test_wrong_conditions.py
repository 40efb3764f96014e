"""Wrong conditions and what is said of them: the cases in golden/wrong_conditions.txt."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from penstock.errors import ConditionError
from penstock.language.json_form import from_json
from penstock.language.parser import parse, parse_many

GOLDEN = Path(__file__).parents[1] / "golden" / "wrong_conditions.txt"


def golden_cases() -> list[tuple[str, str]]:
    blocks = GOLDEN.read_text(encoding="utf-8").split("\n===\n")
    return [tuple(block.split("\n---\n")) for block in blocks if block]  # type: ignore[misc]


def test_there_are_enough_cases() -> None:
    assert len(golden_cases()) >= 40


@pytest.mark.parametrize(("text", "expected"), golden_cases())
def test_a_wrong_condition_is_refused_with_its_message(text: str, expected: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert str(caught.value) == expected


def test_an_error_has_its_place_as_data_and_survives_pickling() -> None:
    with pytest.raises(ConditionError) as caught:
        parse("price < 5 AND\n  color = 'red")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.line, error.column, error.text) == (2, 11, "price < 5 AND\n  color = 'red")
    assert str(error) == str(caught.value)


def test_a_literal_that_is_wrong_in_a_known_shape_is_refused_at_its_place() -> None:
    parse("price < 5 AND when < TIMESTAMP '2020-01-01'")
    with pytest.raises(ConditionError, match="is not a timestamp") as caught:
        parse("price < 7 AND when < TIMESTAMP '2020-99-01'")
    assert caught.value.column == 32


def test_wrong_conditions_among_many_do_not_stop_the_others() -> None:
    results = list(parse_many(["a = 1", "a = ", "a = 2"]))
    assert [isinstance(result, ConditionError) for result in results] == [False, True, False]


def test_a_condition_nested_too_deep_is_refused() -> None:
    parse("NOT " * 150 + "a")
    with pytest.raises(ConditionError, match="nested deeper than 200 levels"):
        parse("NOT " * 500 + "a")


def test_parentheses_alone_are_no_nesting() -> None:
    assert parse("(" * 5000 + "a < 5" + ")" * 5000) == parse("a < 5")


WRONG_JSON = [
    ({"<": [{"attribute": "a"}]}, "at $.<: < takes 2 operands, found 1"),
    ({"and": [True]}, "at $.and: and takes two or more conditions, found 1"),
    ({"betwen": [1, 2, 3]}, "at $.betwen: there is no operator 'betwen'; did you mean between?"),
    ({"<": [{"attribute": "a"}, 5], "x": 1}, "at $: an object here has one key, the operator; found 2"),
    ({"and": [{"attribute": "a"}, {"=": ["x", 5]}]}, "at $.and[1].=: a string and a number cannot be compared by =; "),
    ({"rlike": [{"attribute": "a"}, "("]}, "at $.rlike: missing ): ("),
    ({"in": [{"attribute": "a"}, []]}, "at $.in: in takes a value and a list of one or more values"),
    ({"attribute": ""}, "at $.attribute: the name is empty"),
    ({"timestamp": 5}, "at $.timestamp: a string is needed, found int"),
    ({"=": [{"attribute": "a"}, 2**63]}, "at $.=[1]: the integer 9223372036854775808 does not fit 64 bits"),
    ({"cast": [{"attribute": "a"}, "text"]}, "at $.cast: CAST makes INTEGER or DOUBLE of numbers, found text"),
    (["a"], "at $: a value or an object with one key is needed, found list"),
    (5, "at $: a condition is needed here, but this is a number"),
]


@pytest.mark.parametrize(("content", "expected"), WRONG_JSON)
def test_wrong_json_is_refused_with_its_path(content: object, expected: str) -> None:
    with pytest.raises(ConditionError) as caught:
        from_json(content)
    assert str(caught.value).startswith(expected)
