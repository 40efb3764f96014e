"""Strings as labels: in the same order, never changed by what comes later unless there is no room left."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from penstock.encoding.labels import FEW, StringLabels

strings = st.text("abé\U0001f600", max_size=4)


@given(st.lists(strings, unique=True), strings)
def test_labels_sort_as_strings_do(operands: list[str], value: str) -> None:
    labels = StringLabels()
    given_out = {operand: labels.add(operand.encode()) for operand in operands}
    assert None not in given_out.values()
    assert {operand: labels.find(operand.encode()) for operand in operands} == given_out
    assert sorted(operands, key=str.encode) == sorted(operands, key=lambda each: given_out[each] or 0)
    key, exact = labels.key_of(value)
    for operand, label in given_out.items():
        assert label is not None
        assert (label == key and exact) == (operand == value)
        assert (label > key) == (operand.encode() > value.encode())


@given(st.lists(strings, unique=True, min_size=1), st.lists(strings))
def test_many_strings_have_the_keys_of_each(operands: list[str], values: list[str]) -> None:
    labels = StringLabels()
    labels.add_many([operand.encode() for operand in operands])
    many = (values + ["a", "b"] * FEW)[: FEW + len(values)]
    found = labels.keys_of(pa.array(many, pa.large_string()))
    assert list(zip(found.keys.tolist(), found.exact.tolist(), strict=True)) == [labels.key_of(each) for each in many]


def test_labels_run_out_and_are_spread_anew() -> None:
    labels = StringLabels()
    labels.add(b"a")
    labels.add(b"b")
    last = b"a"
    while (found := labels.add(last + b"z")) is not None:
        last += b"z"
        assert found > (labels.find(b"a") or 0)
    before = {operand: labels.find(operand) for operand in (b"a", b"b", last)}
    changed = labels.add_many([last + b"z"])
    assert {operand: changed[label] for operand, label in before.items() if label is not None} == {
        operand: labels.find(operand) for operand in before
    }
    assert labels.add(last + b"zz") is not None


def test_operands_are_forgotten_and_the_others_keep_their_labels() -> None:
    labels = StringLabels()
    kept = labels.add(b"b")
    labels.add(b"a")
    assert kept is not None
    labels.keep_only(np.array([kept]))
    assert (len(labels), labels.find(b"a"), labels.find(b"b")) == (1, None, kept)
    assert labels.key_of("a")[1] is False


@pytest.mark.parametrize("count", [0, 3])
def test_an_empty_set_of_operands_has_keys_too(count: int) -> None:
    found = StringLabels().keys_of(pa.array(["x"] * count, pa.large_string()))
    assert len(found.keys) == count
    assert not found.exact.any()
