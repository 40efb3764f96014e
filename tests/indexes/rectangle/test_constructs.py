"""The VCR paper's definitions, figures and formulas."""

from __future__ import annotations

from hypothesis import given, strategies as st

from penstock.indexes.rectangle.constructs import (
    Plane,
    Vcr,
    covering_set,
    covering_set_of_centre,
    distance_table,
    overlapped_decomposition,
    pivot,
    simple_decomposition,
    vcr_id,
    vcr_of_id,
)

PAPER = Plane(4, 4, 300, 200)
planes = st.builds(
    lambda kx, ky, x_range, y_range: Plane(1 << kx, 1 << ky, x_range, y_range),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(40, 60),
    st.integers(40, 60),
)


def test_nine_vcrs_begin_at_each_point() -> None:
    """Figure 1(a): VCR 0 is (0, 0, 1, 1) and VCR 8 is (0, 0, 4, 4)."""
    assert PAPER.shapes == 9
    at_origin = [vcr_of_id(number, PAPER) for number in range(9)]
    assert at_origin[0] == Vcr(0, 0, 1, 1)
    assert at_origin[1] == Vcr(0, 0, 2, 1)
    assert at_origin[3] == Vcr(0, 0, 1, 2)
    assert at_origin[8] == Vcr(0, 0, 4, 4)
    assert vcr_of_id(9, PAPER) == Vcr(1, 0, 1, 1)
    assert vcr_of_id(9 * 300, PAPER) == Vcr(0, 1, 1, 1)


@given(planes, st.data())
def test_equation_1_is_a_bijection(plane: Plane, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, plane.shapes * plane.x_range * plane.y_range - 1))
    assert vcr_id(vcr_of_id(number, plane), plane) == number


def test_simple_decomposition_of_figure_3() -> None:
    assert simple_decomposition(3, 3, 11, 6, PAPER) == [
        Vcr(3, 3, 4, 4),
        Vcr(7, 3, 4, 4),
        Vcr(11, 3, 2, 4),
        Vcr(13, 3, 1, 4),
        Vcr(3, 7, 4, 2),
        Vcr(7, 7, 4, 2),
        Vcr(11, 7, 2, 2),
        Vcr(13, 7, 1, 2),
    ]


def test_overlapped_decomposition_of_figure_4() -> None:
    assert overlapped_decomposition(3, 3, 11, 6, PAPER) == [
        Vcr(3, 3, 4, 4),
        Vcr(7, 3, 4, 4),
        Vcr(10, 3, 4, 4),
        Vcr(3, 5, 4, 4),
        Vcr(7, 5, 4, 4),
        Vcr(10, 5, 4, 4),
    ]


@given(planes, st.integers(1, 40), st.integers(1, 40))
def test_decompositions_cover_the_rectangle_and_nothing_else(plane: Plane, width: int, height: int) -> None:
    for cut in (simple_decomposition, overlapped_decomposition):
        squares = [
            (x, y)
            for piece in cut(0, 0, width, height, plane)
            for x in range(piece.x, piece.x + piece.width)
            for y in range(piece.y, piece.y + piece.height)
        ]
        assert set(squares) == {(x, y) for x in range(width) for y in range(height)}
        if cut is simple_decomposition:
            assert len(squares) == width * height


def test_a_rectangle_without_area_has_no_pieces_in_the_paper() -> None:
    assert simple_decomposition(0, 0, 0, 3, PAPER) == overlapped_decomposition(0, 0, 3, 0, PAPER) == []


@given(planes)
def test_covering_sets_have_one_size(plane: Plane) -> None:
    """Theorem 1, and its like for the centres of cells."""
    largest_width, largest_height = plane.largest_width, plane.largest_height
    assert len(covering_set(20, 20, plane)) == (2 * largest_width + plane.kx) * (2 * largest_height + plane.ky)
    assert len(covering_set_of_centre(20, 20, plane)) == (2 * largest_width - 1) * (2 * largest_height - 1)


@given(planes, st.integers(16, 23), st.integers(16, 23))
def test_covering_sets_are_what_equation_2_says(plane: Plane, a: int, b: int) -> None:
    widths = [1 << i for i in range(plane.kx + 1)]
    heights = [1 << j for j in range(plane.ky + 1)]
    assert covering_set(a, b, plane) == {
        Vcr(x, y, width, height)
        for x in range(a - plane.largest_width, a + 1)
        for y in range(b - plane.largest_height, b + 1)
        for width in widths
        for height in heights
        if a <= x + width <= a + plane.largest_width and b <= y + height <= b + plane.largest_height
    }


def test_appendix_a() -> None:
    """Under one height (4) and one y (b - 4) ten VCRs cover (a, b): 1, 1, 2, 3 and 3 from left to right."""
    a, b = 50, 50
    row = [vcr for vcr in covering_set(a, b, PAPER) if vcr.y == b - 4 and vcr.height == 4]
    assert [sum(vcr.x == x for vcr in row) for x in range(a - 4, a + 1)] == [1, 1, 2, 3, 3]
    assert len(row) == 2 * 4 + 2


@given(planes, st.integers(16, 23), st.integers(16, 23))
def test_gap_patterns_are_identical(plane: Plane, a: int, b: int) -> None:
    """Theorem 2: one distance table, counted from the pivot, names the covering VCRs of every point."""
    start = vcr_id(pivot(a, b, plane), plane)
    covering = sorted(vcr_id(vcr, plane) for vcr in covering_set(a, b, plane))
    assert [start + distance for distance in distance_table(plane)] == covering


def test_the_pivot_is_no_member() -> None:
    assert pivot(50, 60, PAPER) == Vcr(46, 56, 1, 1)
    assert pivot(50, 60, PAPER) not in covering_set(50, 60, PAPER)
