"""Many small lists in shared columns, beside plain lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from penstock.encoding.runs import Runs


def lists_of(runs: Runs) -> list[list[tuple[int, int]]]:
    lists: list[list[tuple[int, int]]] = [[] for _ in range(len(runs))]
    numbers, places = runs.used()
    one, other = runs.columns
    for number, place in zip(numbers.tolist(), places.tolist(), strict=True):
        lists[number].append((int(one[place]), int(other[place])))
    return lists


@given(st.lists(st.integers(0, 5)), st.integers(1, 6))
def test_appending_to_lists_that_move(targets: list[int], count: int) -> None:
    runs = Runs(np.int32, np.int64)
    expected: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for _ in range(count):
        runs.new()
    for value, target in enumerate(targets):
        number = target % count
        assert runs.append(number, value, -value) == len(expected[number])
        expected[number].append((value, -value))
    assert lists_of(runs) == expected
    assert runs.lost <= 2 * len(targets)


def test_lists_written_anew_have_no_room_lost_and_can_still_grow() -> None:
    runs = Runs(np.int32, np.int64)
    runs.replace(np.array([2, 0, 1]), np.array([1, 2, 3], np.int32), np.array([4, 5, 6], np.int64))
    assert lists_of(runs) == [[(1, 4), (2, 5)], [], [(3, 6)]]
    runs.append(1, 7, 8)
    runs.append(0, 9, 10)
    assert lists_of(runs) == [[(1, 4), (2, 5), (9, 10)], [(7, 8)], [(3, 6)]]
    assert runs.lost == 2
