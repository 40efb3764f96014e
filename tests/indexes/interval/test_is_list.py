"""The interval skip list from inside: levels, markers, and why a search meets each interval once."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from penstock.indexes.interval import IntervalSkipList

ends = st.integers(0, 30)
some_intervals = st.dictionaries(
    st.integers(0, 60), st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair))), min_size=1, max_size=25
)


def filled(held: dict[int, tuple[int, int]], seed: int = 1) -> IntervalSkipList:
    skips = IntervalSkipList(seed=seed)
    for key, (low, high) in held.items():
        skips.insert(key, low, high)
    return skips


def edges_and_nodes(skips: IntervalSkipList, key: int) -> tuple[list[tuple[int, int, int]], list[int]]:
    """The marks of a key: edges as (level, from, to) in values, and the values of nodes."""
    edges, nodes = [], []
    for level in range(skips.levels()):
        at_level = skips.nodes(level)
        values = skips.node_values(level)
        for place, node in enumerate(at_level):
            if key in skips.markers_on(node, level):
                edges.append((level, values[place], values[place + 1]))
            if level == 0 and key in skips.markers_on(node):
                nodes.append(values[place])
    return sorted(edges, key=lambda edge: edge[1]), nodes


def test_levels_hold_the_ends_of_intervals() -> None:
    skips = filled({0: (3, 9), 1: (5, 5), 2: (3, 20)})
    assert skips.node_values() == [3, 5, 9, 20]
    assert 1 <= skips.levels() <= 32
    for level in range(skips.levels()):
        assert set(skips.node_values(level)) == {
            value for value, node in zip([3, 5, 9, 20], skips.nodes(), strict=True) if skips.height(node) > level
        }
    assert skips.interval(2) == (3, 20)
    skips.delete(2)
    assert skips.node_values() == [3, 5, 9]
    skips.delete(0)
    assert skips.node_values() == [5]
    assert skips.markers_on(skips.nodes()[0]) == [1]


@given(held=some_intervals, seed=st.integers(0, 50))
@settings(max_examples=40)
def test_the_edges_of_an_interval_follow_one_another_from_end_to_end(
    held: dict[int, tuple[int, int]], seed: int
) -> None:
    """So a value lies strictly inside of one edge or on one node of its path: it is met once."""
    skips = filled(held, seed)
    for key, (low, high) in held.items():
        edges, nodes = edges_and_nodes(skips, key)
        path = [low, *(end for _, _, end in edges)]
        assert [begin for _, begin, _ in edges] == path[:-1]
        assert path[-1] == high
        assert nodes == path


@given(held=some_intervals, gone=some_intervals, seed=st.integers(0, 50))
@settings(max_examples=40)
def test_marks_do_not_depend_on_what_has_come_and_gone(
    held: dict[int, tuple[int, int]], gone: dict[int, tuple[int, int]], seed: int
) -> None:
    """Marks always stand on the highest edges, whatever was raised and lowered before."""
    skips = filled(held, seed)
    for key, (low, high) in gone.items():
        skips.insert(1000 + key, low, high)
    for key in gone:
        skips.delete(1000 + key)
    skips.check_invariants()
    heights = {value: skips.height(node) for value, node in zip(skips.node_values(), skips.nodes(), strict=True)}
    for key, (low, high) in held.items():
        expected, at = [], low
        while at != high:
            level = max(level for level in range(heights[at]) if _after(heights, at, level) <= high)
            expected.append((level, at, _after(heights, at, level)))
            at = _after(heights, at, level)
        assert edges_and_nodes(skips, key)[0] == expected


def _after(heights: dict[int, int], value: int, level: int) -> int:
    return min((other for other, height in heights.items() if other > value and height > level), default=10**9)


def test_a_path_has_few_marks() -> None:
    """Expected O(log n) for an interval: the paper's claim, as a count over 2,000 nodes."""
    skips = IntervalSkipList()
    starts = np.arange(1000)
    skips.insert_many(starts, starts, starts + 1000)
    assert skips.memory()["id lists"] // 4 < 1000 * 8 * np.log2(2000)


def test_the_same_seed_gives_the_same_list() -> None:
    held = {key: (key, 2 * key) for key in range(40)}
    first, second, third = filled(held, 1), filled(held, 1), filled(held, 2)
    heights = [[skips.height(node) for node in skips.nodes()] for skips in (first, second, third)]
    assert heights[0] == heights[1] != heights[2]
