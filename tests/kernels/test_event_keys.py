"""What events know put in the order of events, and what was found handed out in order."""

from __future__ import annotations

import operator

import numpy as np
from hypothesis import given, strategies as st

from penstock.kernels.event_keys import last_of_each, order_by_event
from penstock.kernels.matches import order_matches

entries = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(-9, 9), st.booleans()))


@given(entries)
def test_entries_are_put_in_the_order_of_events(found: list[tuple[int, int, int, bool]]) -> None:
    rows, fields, keys, exact = (list(column) for column in zip(*found, strict=True)) if found else ([], [], [], [])
    ordered = order_by_event(
        5, np.array(rows, np.int32), np.array(fields, np.int32), np.array(keys, np.int64), np.array(exact, np.bool_)
    )
    expected = sorted(found, key=operator.itemgetter(0))
    assert ordered.offsets.tolist() == [sum(row < event for row, *_ in found) for event in range(6)]
    columns = zip(ordered.fields.tolist(), ordered.keys.tolist(), ordered.exact.tolist(), strict=True)
    assert list(columns) == [(field, key, on) for _, field, key, on in expected]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9))))
def test_matches_are_handed_out_in_order_and_once(found: list[tuple[int, int]]) -> None:
    rows, keys = np.array([row for row, _ in found], np.int32), np.array([key for _, key in found], np.int64)
    ordered_rows, ordered_keys = np.empty(len(found), np.int64), np.empty(len(found), np.int64)
    count = order_matches(5, rows, keys, ordered_rows, ordered_keys)
    assert list(zip(ordered_rows[:count].tolist(), ordered_keys[:count].tolist(), strict=True)) == sorted(set(found))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))).map(lambda each: sorted(each, key=lambda e: e[0])))
def test_the_last_of_each_is_kept(found: list[tuple[int, int]]) -> None:
    names, rows = np.array([name for _, name in found], np.int32), np.array([row for row, _ in found], np.int32)
    kept = last_of_each(names, rows, 4)
    assert kept.tolist() == [pair not in found[place + 1 :] for place, pair in enumerate(found)]
