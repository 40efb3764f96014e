"""The arithmetic of pieces against plain decompositions, and the distance tables against the paper's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from penstock.indexes.rectangle.constructs import (
    Plane,
    Vcr,
    covering_set_of_centre,
    distance_table,
    overlapped_decomposition,
    pivot,
    simple_decomposition,
    vcr_id,
    vcr_of_id,
)
from penstock.indexes.rectangle.direct import runs_of
from penstock.indexes.rectangle.hashed import distances_of, next_prime
from penstock.kernels.mixing import randomised
from penstock.kernels.vcr import (
    NO_ROOM,
    SPARE,
    Arena,
    Cut,
    ceiling_log,
    close_gap,
    copy_run,
    count_bits,
    floor_log,
    give_run,
    open_gap,
    piece_at,
    piece_count,
    piece_number,
    take_run,
)

logs = st.integers(0, 5)


@given(st.integers(0, 2**16 - 1))
def test_bits_and_logarithms(value: int) -> None:
    assert count_bits(value) == value.bit_count()
    if value:
        assert floor_log(value) == value.bit_length() - 1
        assert ceiling_log(value) == (value - 1).bit_length()


@given(st.integers(1, 200), st.integers(1, 200), logs, logs, st.booleans())
def test_pieces_are_those_of_the_paper(width: int, height: int, x_log: int, y_log: int, overlapped: bool) -> None:
    cut = overlapped_decomposition if overlapped else simple_decomposition
    found = []
    for row in range(piece_count(height, y_log, overlapped)):
        y, j, _ = piece_at(height, y_log, overlapped, row)
        for column in range(piece_count(width, x_log, overlapped)):
            x, i, _ = piece_at(width, x_log, overlapped, column)
            found.append(Vcr(x, y, 1 << i, 1 << j))
    assert found == cut(0, 0, width, height, Plane(1 << x_log, 1 << y_log, 1000, 1000))


@given(st.integers(1, 10_000), st.integers(0, 12), st.booleans(), st.data())
def test_a_piece_knows_its_number(length: int, largest: int, overlapped: bool, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, piece_count(length, largest, overlapped) - 1))
    begin, log, _ = piece_at(length, largest, overlapped, number)
    assert piece_number(length, largest, overlapped, begin, log) == number


@given(st.integers(1, 300), logs, st.booleans())
def test_every_cell_is_answered_by_one_piece(length: int, largest: int, overlapped: bool) -> None:
    answered: list[int] = []
    for number in range(piece_count(length, largest, overlapped)):
        begin, log, known = piece_at(length, largest, overlapped, number)
        answered.extend(range(begin + known, begin + (1 << log)))
    assert sorted(answered) == list(range(length))


@given(logs, logs)
def test_runs_expand_to_the_distance_table_of_the_paper(x_log: int, y_log: int) -> None:
    """The runs of direct lists name the covering VCRs of a cell's centre: the paper's, less those that end there."""
    columns, rows = 9, 70  # blocks, not cells: distances are between blocks
    plane = Plane(1 << x_log, 1 << y_log, 300, 200)
    runs = runs_of(Cut(x_log, y_log, False), rows, columns)
    a, b = 40, 40
    expanded: set[Vcr] = set()
    for distance, reach in zip(runs.distances.tolist(), runs.reaches.tolist(), strict=True):
        size, y = divmod(b + distance // columns, rows)
        assert distance % columns == 0
        j, i = divmod(size, x_log + 1)
        expanded.update(Vcr(x, y, 1 << i, 1 << j) for x in range(a - reach, a + 1))
    start = vcr_id(pivot(a, b, plane), plane)
    of_the_paper = [vcr_of_id(start + distance, plane) for distance in distance_table(plane)]
    assert expanded == {vcr for vcr in of_the_paper if vcr.x + vcr.width > a and vcr.y + vcr.height > b}
    assert len(runs.distances) == (2 * plane.largest_height - 1) * (x_log + 1)


@given(logs, logs)
def test_hashed_distances_name_the_covering_vcrs(x_log: int, y_log: int) -> None:
    plane = Plane(1 << x_log, 1 << y_log, 300, 200)
    begin = vcr_id(Vcr(40, 50, 1, 1), plane)
    named = {vcr_of_id(begin + int(distance), plane) for distance in distances_of(Cut(x_log, y_log, False), 300)}
    assert named == covering_set_of_centre(40, 50, plane)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), max_size=60))
def test_runs_of_an_arena_never_overlap(steps: list[tuple[bool, int]]) -> None:
    arena = Arena(np.zeros(128 + SPARE, dtype=np.int32), np.full(32, -1, dtype=np.int32), np.zeros(1, dtype=np.int64))
    held: list[tuple[int, int]] = []
    for take, choice in steps:
        if take:
            begin = take_run(arena, choice)
            if begin != NO_ROOM:
                held.append((begin, choice))
        elif held:
            give_run(arena, *held.pop(choice % len(held)))
        cells = [cell for begin, log in held for cell in range(begin, begin + (1 << log))]
        assert len(cells) == len(set(cells))
        assert all(cell < 128 for cell in cells)


@given(st.integers(0, 50), st.integers(0, 40), st.integers(0, 30))
def test_a_run_is_copied_whole(begin: int, count: int, written: int) -> None:
    values = np.arange(200, dtype=np.int32)
    keys = np.full(200, -1, dtype=np.int32)
    copy_run(values, begin, count, written, keys)
    assert keys[written : written + count].tolist() == values[begin : begin + count].tolist()
    assert np.all(keys[:written] == -1)
    assert np.all(keys[written + count + SPARE :] == -1)


@given(st.integers(0, 30), st.integers(0, 40))
def test_gaps_open_and_close(begin: int, count: int) -> None:
    values = np.arange(100, dtype=np.int32)
    expected = np.arange(100, dtype=np.int32)
    expected[begin + 1 : begin + count + 1] = np.arange(begin, begin + count)
    open_gap(values, begin, begin + count)
    assert values.tolist() == expected.tolist()
    close_gap(values, begin, begin + count + 1)
    expected[begin : begin + count] = np.arange(begin, begin + count)
    assert values.tolist() == expected.tolist()


def test_randomised_ids_spread() -> None:
    """Neighbouring IDs, which activated VCRs tend to have, land in different chains about as often as any would."""
    chains = {int(randomised(number)) % 10_007 for number in range(2**40, 2**40 + 10_007)}
    assert len(chains) > 0.6 * 10_007  # 1 - 1/e of all chains, if they were random


@pytest.mark.parametrize("least, prime", [(0, 2), (2, 2), (14, 17), (1_800_017, 1_800_017)])
def test_table_sizes_are_prime(least: int, prime: int) -> None:
    assert next_prime(least) == prime
