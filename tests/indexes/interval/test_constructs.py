"""The worked examples and formulas of the VCI paper, sections 2 to 4."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from penstock.errors import ValueRefusedError
from penstock.indexes.interval import ConstructIntervals, VciStore
from penstock.indexes.interval.constructs import Piece
from penstock.kernels import bitmaps, constructs as arithmetic

P, Q = 10, 11
SIMPLE_4 = ConstructIntervals("simple", 4)
LOGARITHMIC_4 = ConstructIntervals("logarithmic", 4)

some_constructs = st.one_of(
    st.builds(ConstructIntervals, st.just("simple"), st.integers(1, 9)),
    st.builds(ConstructIntervals, st.just("logarithmic"), st.sampled_from([1, 2, 4, 8, 16])),
    st.just(ConstructIntervals("points", 0)),
)


def test_figure_1_numbers_simple_constructs_start_by_start() -> None:
    first_starts = [SIMPLE_4.piece(coordinate) for coordinate in range(8)]
    assert first_starts == [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (1, 5)]


@given(some_constructs, st.integers(0, 400))
def test_coordinates_have_an_inverse(constructs: ConstructIntervals, coordinate: int) -> None:
    piece = constructs.piece(coordinate)
    assert constructs.coordinate(piece) == coordinate
    if constructs.kind == "simple":
        assert coordinate == piece.start * constructs.longest + (piece.end - piece.start) - 1  # equation (1)


def test_equation_2_numbers_logarithmic_constructs() -> None:
    # Figure 3(b): L = 4, so three constructs begin at each value.
    pieces = [LOGARITHMIC_4.piece(coordinate) for coordinate in range(6)]
    assert pieces == [(0, 1), (0, 2), (0, 4), (1, 2), (1, 3), (1, 5)]


def test_figure_3_inserts_p_and_q() -> None:
    store = VciStore(0, 6, constructs="simple", activation="bitmap", max_length=4)
    store.insert(Q, 0, 2)
    assert store.set_bits() == {(0, 1), (1, 1), (2, 1)}
    store.insert(P, 0, 6)
    assert store.id_list(1) == [Q]
    assert store.id_list(3) == [P]
    assert store.id_list(17) == [P]
    of_p = {(0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (4, 17), (5, 17), (6, 17)}
    assert store.set_bits() == {(0, 1), (1, 1), (2, 1)} | of_p
    assert sum(len(store.id_list(coordinate)) for coordinate in range(28)) == 3
    store.delete(Q)
    assert store.set_bits() == of_p


@pytest.mark.parametrize("first", [0, 100, -50])
def test_bits_do_not_depend_on_where_the_range_begins(first: int) -> None:
    store = VciStore(first, first + 6, constructs="simple", activation="clipped", max_length=4)
    store.insert(P, first, first + 6)
    assert {coordinate for _, coordinate in store.set_bits()} == {3, 17}


def test_the_examples_of_decomposition() -> None:
    assert SIMPLE_4.decompose(0, 6) == [(0, 4), (4, 6)]
    assert SIMPLE_4.decompose(0, 8) == [(0, 4), (4, 8)]  # m = floor((8 - 1) / 4) = 1 of length L, and a remnant
    assert ConstructIntervals("logarithmic", 16).decompose(0, 7) == [(0, 4), (4, 6), (6, 7)]
    assert ConstructIntervals("logarithmic", 4).decompose(1, 12) == [(1, 5), (5, 9), (9, 11), (11, 12)]


@given(some_constructs, st.integers(0, 50), st.integers(0, 60))
def test_pieces_cover_exactly_their_interval(constructs: ConstructIntervals, low: int, width: int) -> None:
    pieces = constructs.decompose(low, low + width)
    if constructs.kind != "points" and width == 0:
        assert pieces == [(low, low + 1)]
        return
    assert pieces[0].start == low
    assert pieces[-1].end == low + width
    gap = 1 if constructs.kind == "points" else 0
    assert all(right.start == left.end + gap for left, right in pairwise(pieces))
    if constructs.kind == "simple" and width > 0:
        assert len(pieces) == (width - 1) // constructs.longest + 1


@given(some_constructs, st.integers(0, 50), st.integers(0, 60))
def test_compiled_arithmetic_makes_the_same_pieces(constructs: ConstructIntervals, low: int, width: int) -> None:
    compiled = constructs.compiled
    pieces = constructs.decompose(low, low + width)
    assert arithmetic.count_pieces(compiled, width) == len(pieces)
    remaining = arithmetic.covered_width(compiled, width)
    for number, piece in enumerate(pieces):
        length = arithmetic.next_length(compiled, remaining)
        index = arithmetic.index_of_length(compiled, length)
        assert length == piece.end - piece.start
        assert arithmetic.length_at(compiled, index) == length == constructs.lengths[index]
        assert arithmetic.piece_number(compiled, low, width, piece.start, index) == number
        remaining -= length


@pytest.mark.parametrize("value", range(4, 12))
def test_figure_4_covering_segments(value: int) -> None:
    segment = SIMPLE_4.covering_segment(value)
    assert (segment[0], segment[-1]) == ((value - 4) * 4 + 3, value * 4 + 3)
    assert len(segment) == 4**2 + 1
    segment = LOGARITHMIC_4.covering_segment(value)
    assert (segment[0], segment[-1]) == ((value - 4) * 3 + 2, value * 3 + 2)
    assert len(segment) == 4 * 3 + 1


@given(some_constructs, st.integers(0, 40))
def test_covering_segments_also_below_the_greatest_length(constructs: ConstructIntervals, value: int) -> None:
    segment = constructs.covering_segment(value)
    assert bitmaps.least_covering(constructs.compiled, value) == segment[0]
    assert bitmaps.greatest_covering(constructs.compiled, value) == segment[-1]
    every = range((value + 1) * constructs.per_start)
    covering = [number for number in every if constructs.piece(number).start <= value <= constructs.piece(number).end]
    assert covering == constructs.covering(value)


@pytest.mark.parametrize("power", range(6))
def test_equation_3_gives_the_sizes_of_distance_tables(power: int) -> None:
    longest = 2**power
    for value in range(longest, longest + 3):
        assert len(ConstructIntervals("simple", longest).distance_table(value)) == longest * (longest + 3) // 2
        assert len(ConstructIntervals("logarithmic", longest).distance_table(value)) == 2 * longest + power


@given(some_constructs, st.integers(0, 20))
def test_one_distance_table_serves_all_values_from_the_greatest_length(
    constructs: ConstructIntervals, beyond: int
) -> None:
    assert constructs.distance_table(constructs.longest + beyond) == constructs.distance_table(constructs.longest)


@given(some_constructs, st.integers(0, 60))
def test_runs_of_distances_name_the_same_constructs(constructs: ConstructIntervals, value: int) -> None:
    stride = 64
    expanded = set()
    for index, (distance, count) in enumerate(constructs.distance_runs(stride)):
        for number in range(value + distance, value + distance + count):
            start = number - index * stride
            if start >= 0:
                expanded.add(Piece(start, start + constructs.lengths[index]))
    assert {constructs.coordinate(piece) for piece in expanded} == set(constructs.covering(value))


@pytest.mark.parametrize(
    ("kind", "longest", "said"),
    [
        ("logarithmic", 6, "power of 2, not 6"),
        ("simple", 0, "is 0"),
        ("logaritmic", 4, "logarithmic"),
        ("points", 1, "not 1"),
    ],
)
def test_wrong_constructs_are_refused(kind: str, longest: int, said: str) -> None:
    with pytest.raises(ValueRefusedError, match=said):
        ConstructIntervals(kind, longest)
