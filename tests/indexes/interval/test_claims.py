"""What the VCI paper claims in figures 5 and 7, and what we claim beyond it, as counts at a small scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from penstock.errors import ValueRefusedError
from penstock.indexes.interval import INTERVAL_STORES, VciStore, choose_max_length

RANGE = 500
WIDEST = 200
Workload = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def workload(number: int, seed: int = 1) -> Workload:
    """The paper's, section 5.2: starts anywhere, widths up to a greatest, cut off at the end of the range."""
    random = np.random.default_rng(seed)
    lows = random.integers(1, RANGE, number)
    return np.arange(number), lows, np.minimum(lows + random.integers(1, WIDEST + 1, number), RANGE)


def filled(name: str, number: int, max_length: int | None = None) -> Any:
    store: Any = INTERVAL_STORES[name](low=1, high=RANGE, max_length=max_length)
    store.insert_many(*workload(number))
    return store


def total(store: Any) -> int:
    return sum(store.memory().values())


@pytest.mark.parametrize("longest", [2, 8, 32, 128])
def test_figure_5_clipping_makes_bitmaps_smaller(longest: int) -> None:
    for short in ("sci", "lci"):
        full, clipped, virtual = (filled(short + suffix, 1000, longest).memory() for suffix in ("", "_bc", "_bv"))
        assert full["bitmaps"] > clipped["bitmaps"] > virtual["bitmaps"] == 8
        assert full["id lists"] == clipped["id lists"] == virtual["id lists"]


@pytest.mark.parametrize("longest", [4, 32, 128])
def test_figure_5_logarithmic_constructs_need_fewer_headers(longest: int) -> None:
    simple, logarithmic = filled("sci_bc", 1000, longest).memory(), filled("lci_bc", 1000, longest).memory()
    assert logarithmic["headers"] < simple["headers"]
    assert logarithmic["bitmaps"] <= simple["bitmaps"]  # rows are whole words: at L = 4 both take one


def test_figure_7_direct_lists_grow_with_the_width_of_intervals() -> None:
    _, lows, highs = workload(2000)
    assert filled("dlist", 2000).memory()["id lists"] == 4 * int((highs - lows + 1).sum())


def test_figure_7_virtual_bitmaps_with_a_table_are_small_where_intervals_are_many() -> None:
    store = filled("lci_bv_dt", 20_000)
    assert total(store) * 3 < total(filled("dlist", 20_000))
    assert total(store) < total(filled("is_list", 20_000))
    assert store.memory()["distance table"] < 100


@pytest.mark.parametrize("number", [100, 1000, 20_000])
@pytest.mark.parametrize("name", ["lci_bv_dt", "sci_bv_dt", "lci_bc", "dlist"])
def test_the_work_of_inserting_and_deleting_does_not_depend_on_how_many_there_are(name: str, number: int) -> None:
    store = filled(name, number, None if name == "dlist" else 256)
    most_pieces = {"dlist": 201, "sci_bv_dt": 1}.get(name, 8)
    for key in range(50):
        store.delete(key)
    for key in range(50):
        store.insert(key, 17, 117)
    # Each piece moves at most one entry for each list of its block: of its own list one, of those behind it one each.
    assert store.moves <= 100 * most_pieces * (1 << store.block_shift)


@pytest.mark.parametrize("name", ["lci_bv_dt", "dlist", "is_list"])
def test_room_given_back_is_used_again(name: str) -> None:
    store = filled(name, 2000)
    keys, lows, highs = (array.tolist() for array in workload(2000))
    sizes = []
    for _ in range(6):
        for key in keys:
            store.delete(key)
        for key, low, high in zip(keys, lows, highs, strict=True):
            store.insert(key, low, high)
        sizes.append(total(store))
    assert sizes[-1] == sizes[1]


def test_the_greatest_length_is_chosen_from_the_intervals() -> None:
    assert choose_max_length(np.arange(1, 201), "logarithmic") == 64
    assert choose_max_length(np.array([0, 0, 0]), "logarithmic") == 1
    assert choose_max_length(np.array([64]), "logarithmic") == 16
    assert choose_max_length(np.array([5]), "simple") == 5
    assert choose_max_length(np.arange(500), "simple") == 32
    assert choose_max_length(np.arange(500), "points") == 0
    few_are_wide = np.concatenate([np.full(10_000, 3), np.full(10, 10**6)])
    assert choose_max_length(few_are_wide, "logarithmic") == 1


def test_the_greatest_length_follows_what_is_inserted() -> None:
    store = VciStore(0, 100_000)
    for key in range(200):
        store.insert(key, 10 * key, 10 * key + 5000)
    assert store.constructs.longest == 2048
    store.check_invariants()
    assert len(store.stab(5000)) == 200
    given = VciStore(0, 100_000, max_length=64)
    given.insert_many(*workload(100))
    assert given.constructs.longest == 64


def test_a_range_that_is_too_wide_is_refused_and_nothing_changes() -> None:
    store = VciStore(0, 10)
    store.insert(1, 2, 3)
    with pytest.raises(ValueRefusedError, match="rank space"):
        store.insert(2, 0, 2**40)
    with pytest.raises(ValueRefusedError, match="after its end"):
        VciStore(3, 2)
    with pytest.raises(ValueRefusedError, match="virtual"):
        VciStore(activation="virtul")
    store.check_invariants()
    assert store.stab(2).tolist() == [1]
