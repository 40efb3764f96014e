"""Arenas, packed lists and bits against naive twins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from penstock.kernels.arena import class_size, give_back_run, grown_arena, has_room, new_arena, size_class, take_run
from penstock.kernels.bitmaps import lowest_bit
from penstock.kernels.constructs import LOGARITHMIC, POINTS, SIMPLE, Constructs, count_bits, count_pieces, highest_bit
from penstock.kernels.packed_lists import (
    ENDS,
    KEY_MASK,
    POSITIONS,
    PackedLists,
    add_entry,
    block_row,
    list_header,
    new_record,
    remove_entry,
)


@given(st.integers(1, 2**32 - 1))
def test_bits(value: int) -> None:
    assert count_bits(value) == value.bit_count()
    assert highest_bit(value) == value.bit_length() - 1


@given(st.integers(1, 2**64 - 1))
def test_the_lowest_bit_of_a_word(word: int) -> None:
    assert lowest_bit(np.uint64(word)) == (word & -word).bit_length() - 1


@given(st.integers(1, 2**30))
def test_a_size_class_holds_its_sizes_with_little_to_spare(size: int) -> None:
    number = size_class(size)
    assert size <= class_size(number) <= max(8, size * 5 // 4 + 1)
    assert size_class(class_size(number)) == number
    assert number == 0 or class_size(number - 1) < size


@given(st.lists(st.integers(1, 40) | st.integers(-5, -1), max_size=60))
def test_runs_of_an_arena_never_overlap(steps: list[int]) -> None:
    """Positive steps take a run of that size, negative ones give back one that was taken."""
    arena = new_arena(8)
    taken: list[tuple[int, int]] = []
    for step in steps:
        if step > 0:
            number = size_class(step)
            if not has_room(arena, class_size(number)):
                arena = grown_arena(arena, class_size(number))
            run = take_run(arena, number)
            taken.append((run, number))
            arena.slots[run : run + class_size(number)] = len(taken)
        elif taken:
            give_back_run(arena, *taken.pop(step % len(taken)))
        used = sorted((run, run + class_size(number)) for run, number in taken)
        assert all(end <= after for (_, end), (after, _) in pairwise(used))
        assert all(begin >= 1 and end <= len(arena.slots) for begin, end in used)


def test_an_arena_has_an_end() -> None:
    with pytest.raises(MemoryError, match="at most"):
        grown_arena(new_arena(8), 2**31)


def new_lists(constructs: Constructs, block_shift: int) -> PackedLists:
    blocks = constructs.per_start * (16 >> block_shift)
    row = ENDS + 1 + (1 << block_shift)
    return PackedLists(
        constructs,
        16,
        block_shift,
        np.zeros(blocks * row, dtype=np.int32),
        new_arena(50_000),
        np.zeros(100, dtype=np.int32),
        new_arena(5_000),
    )


def entries(lists: PackedLists, number: int) -> list[int]:
    run = int(lists.headers[block_row(lists, number >> lists.block_shift)])
    begin, end = lists.headers[list_header(lists, number) : list_header(lists, number) + 2].tolist()
    return [int(entry) & KEY_MASK for entry in lists.entries.slots[run + begin : run + end]]


@pytest.mark.parametrize("block_shift", [0, 2, 4])
@pytest.mark.parametrize(
    "constructs", [Constructs(POINTS, 0, 1), Constructs(SIMPLE, 3, 3), Constructs(LOGARITHMIC, 4, 3)]
)
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 15), st.integers(0, 2)), max_size=80))
@settings(max_examples=25)
def test_packed_lists_are_lists(constructs: Constructs, block_shift: int, steps: list[tuple[bool, int, int]]) -> None:
    """Keys of one piece each come and go; a plain dictionary of lists does the same."""
    lists = new_lists(constructs, block_shift)
    twin: dict[int, set[int]] = {}
    held: dict[int, tuple[int, int]] = {}
    for key, (inserting, start, index) in enumerate(steps):
        index %= constructs.per_start
        if inserting or not held:
            width = 0 if constructs.kind == POINTS else 1 << index if constructs.kind == LOGARITHMIC else index + 1
            assert count_pieces(constructs, width) == 1
            number = index * 16 + start
            record = new_record(lists, key, start, width, 1)
            moves = add_entry(lists, number, key)
            twin.setdefault(number, set()).add(key)
            held[key] = number, record
        else:
            gone = sorted(held)[start % len(held)]
            number, record = held.pop(gone)
            moves = remove_entry(lists, number, int(lists.bookkeeping.slots[record + POSITIONS]))
            twin[number].remove(gone)
        assert moves <= 1 << block_shift
        for number in range(16 * constructs.per_start):
            assert sorted(entries(lists, number)) == sorted(twin.get(number, set()))
        for kept, (number, record) in held.items():
            position = int(lists.bookkeeping.slots[record + POSITIONS])
            run = int(lists.headers[block_row(lists, number >> block_shift)])
            assert lists.entries.slots[run + position] == kept
