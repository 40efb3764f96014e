"""What holds for VCR stores: memory, counts, choices, long lists, large ranges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from penstock.errors import InvariantError, ValueRefusedError
from penstock.indexes.rectangle import Rectangle, Rectangles, VcrStore
from penstock.indexes.rectangle.choosing import Workload, choose_logs
from penstock.indexes.rectangle.vcr import Decomposition, Storage
from penstock.kernels.vcr import Cut
from penstock.kernels.vcr_direct import SEARCHED_LOG

SCHEMES: list[tuple[Decomposition, Storage]] = [
    ("simple", "direct"),
    ("overlapped", "direct"),
    ("simple", "hashed"),
    ("overlapped", "hashed"),
]
every_scheme = pytest.mark.parametrize("decomposition, storage", SCHEMES)


def workload(count: int, x_range: int = 300, y_range: int = 200) -> Rectangles:
    """The paper's (section 3.1), with its 90%-10% rule: nine in ten begin in the middle tenth."""
    random = np.random.default_rng(7)
    hot = random.random(count) < 0.9
    share = np.where(hot, np.sqrt(0.1), 1.0)
    xs = ((0.5 + (random.random(count) - 0.5) * share) * x_range).astype(np.int64)
    ys = ((0.5 + (random.random(count) - 0.5) * share) * y_range).astype(np.int64)
    x_highs = np.minimum(xs + random.integers(1, 41, count), x_range - 1)
    return Rectangles(xs, ys, x_highs, np.minimum(ys + random.integers(1, 21, count), y_range - 1))


def array_bytes(thing: object) -> int:
    """The bytes of all arrays that can be reached from an object."""
    if isinstance(thing, np.ndarray):
        return int(thing.nbytes)
    if isinstance(thing, tuple):
        return sum(array_bytes(part) for part in thing)
    if type(thing).__module__.startswith("penstock") and hasattr(thing, "__dict__"):
        return sum(array_bytes(part) for part in vars(thing).values())
    return 0


@every_scheme
def test_memory_is_exact(decomposition: Decomposition, storage: Storage) -> None:
    store = VcrStore((0, 299), (0, 199), decomposition=decomposition, storage=storage)
    assert sum(store.memory().values()) == array_bytes(store)
    store.insert_many(np.arange(500), workload(500))
    for key in range(500, 600):
        store.insert(key, Rectangle(key % 200, key % 150, key % 200 + 30, key % 150 + 9))
    memory = store.memory()
    assert sum(memory.values()) == array_bytes(store)
    assert list(memory) == ["headers", "hash table", "id lists", "distance table", "bookkeeping"]
    assert (memory["headers"] == 0) == (storage == "hashed")
    assert (memory["hash table"] == 0) == (storage == "direct")


def test_overlapped_decomposition_activates_fewer_vcrs() -> None:
    """Figure 9(b): with a table of one size, OD has the lower load factor."""
    stores = [
        VcrStore((0, 299), (0, 199), decomposition=cut, storage="hashed", max_width=16, max_height=8, hash_size=90_001)
        for cut in ("simple", "overlapped")
    ]
    for store in stores:
        store.insert_many(np.arange(8000), workload(8000))
    simple, overlapped = stores
    assert overlapped.activated() < simple.activated()
    assert overlapped.load_factor() < simple.load_factor()
    assert simple.load_factor() == simple.activated() / 90_001


def test_hashing_needs_less_storage_in_a_large_range() -> None:
    """Figure 8(b): R of 3,000,000, overlapped decomposition."""
    sizes = {}
    for storage in ("direct", "hashed"):
        store = VcrStore(
            (0, 1999),
            (0, 1499),
            decomposition="overlapped",
            storage=storage,
            max_width=16,
            max_height=8,
        )
        store.insert_many(np.arange(4000), workload(4000, 2000, 1500))
        sizes[storage] = sum(store.memory().values())
    assert sizes["hashed"] < sizes["direct"] / 10


@every_scheme
def test_activation_is_counted(decomposition: Decomposition, storage: Storage) -> None:
    store = VcrStore((0, 99), (0, 99), decomposition=decomposition, storage=storage, max_width=4, max_height=4)
    store.insert(1, Rectangle(3, 3, 13, 8))  # 11 by 6 cells: figures 3 and 4
    pieces = 8 if decomposition == "simple" else 6
    assert store.activated() == pieces
    store.insert(2, Rectangle(3, 3, 13, 8))
    assert store.activated() == pieces
    store.delete(1)
    store.delete(2)
    assert store.activated() == 0
    assert store.load_factor() == 0


@every_scheme
def test_a_list_too_long_to_be_searched(decomposition: Decomposition, storage: Storage) -> None:
    """The same rectangle under more keys than a block is searched for: it crosses over and back."""
    count = (1 << SEARCHED_LOG) + 300
    store = VcrStore((0, 31), (0, 31), decomposition=decomposition, storage=storage, max_width=4, max_height=4)
    same, left, other = Rectangle(3, 3, 9, 6), Rectangle(1, 3, 7, 6), Rectangle(5, 3, 12, 6)
    for key in range(count):
        store.insert(key, (same, left, other)[key % 3] if key < 300 else same)
    store.check_invariants()
    for key in range(count, count + 200):
        store.insert(key, (same, left, other)[key % 3])
    store.check_invariants()
    order = np.random.default_rng(1).permutation(count + 200).tolist()
    for key in order[: count - 100]:
        store.delete(key)
    store.check_invariants()
    rest = order[count - 100 :]
    expected = [key for key in rest if not 300 <= key < count and key % 3 == 2]
    assert sorted(store.stab(12, 6).tolist()) == sorted(expected)


def test_sides_can_be_asked_for_and_are_chosen_otherwise() -> None:
    asked = VcrStore((0, 299), (0, 199), max_width=16, max_height=8)
    chosen = VcrStore((0, 299), (0, 199))
    for store in (asked, chosen):
        store.insert_many(np.arange(20_000), workload(20_000))
    assert (asked.max_width, asked.max_height) == (16, 8)
    assert chosen.max_width >= 16
    assert chosen.max_height <= 4


@pytest.mark.parametrize("hashed", [False, True])
def test_larger_rectangles_get_larger_sides(hashed: bool) -> None:
    def logs(size: int) -> tuple[int, int]:
        sizes = np.full(100, size, dtype=np.int64)
        return choose_logs(Workload(sizes, sizes, 10**6, 300, 200), overlapped=False, hashed=hashed)

    assert logs(1) == (0, 0)
    assert sum(logs(8)) < sum(logs(64)) < sum(logs(512))


@pytest.mark.parametrize("side", [0, 3, -4, 2**13])
def test_sides_are_powers_of_two(side: int) -> None:
    with pytest.raises(ValueRefusedError, match=f"max_width .* this one is {side}$"):
        VcrStore((0, 9), (0, 9), max_width=side)
    with pytest.raises(ValueRefusedError, match=f"max_height .* this one is {side}$"):
        VcrStore((0, 9), (0, 9), max_height=side)


def test_wrong_parameters() -> None:
    with pytest.raises(ValueRefusedError, match="'nice' is none of simple, overlapped"):
        VcrStore((0, 9), (0, 9), decomposition="nice")  # type: ignore[arg-type]
    with pytest.raises(ValueRefusedError, match="hash_size is a positive number; this one is 0"):
        VcrStore((0, 9), (0, 9), storage="hashed", hash_size=0)
    with pytest.raises(ValueRefusedError, match="x from 9 to 0"):
        VcrStore((9, 0), (0, 9))


def test_a_range_too_large_for_headers_is_refused_with_the_remedy() -> None:
    store = VcrStore((0, 9), (0, 9))
    store.insert(1, Rectangle(1, 1, 2, 2))
    with pytest.raises(ValueRefusedError, match="hashed storage"):
        store.insert(2, Rectangle(10**6, 10**6, 10**6, 10**6))
    store.check_invariants()
    assert len(store) == 1
    hashed = VcrStore((0, 9), (0, 9), storage="hashed")
    hashed.insert(2, Rectangle(10**6, 10**6, 10**6 + 5, 10**6))
    hashed.insert(3, Rectangle(-(10**6), -(10**6), -(10**6), -(10**6)))
    assert hashed.stab(10**6 + 5, 10**6).tolist() == [2]
    assert hashed.stab(-(10**6), -(10**6)).tolist() == [3]
    hashed.check_invariants()


@pytest.mark.parametrize("storage", ["direct", "hashed"])
def test_a_rectangle_of_too_many_pieces_is_refused(storage: Storage) -> None:
    store = VcrStore((0, 4999), (0, 4999), storage=storage, max_width=1, max_height=1)
    with pytest.raises(ValueRefusedError, match="25,000,000 pieces of 1 by 1"):
        store.insert(1, Rectangle(0, 0, 4999, 4999))
    with pytest.raises(ValueRefusedError, match="25,000,000 pieces of 1 by 1"):
        store.insert_many(np.array([1]), Rectangles(*(np.array([bound]) for bound in (0, 0, 4999, 4999))))
    assert len(store) == 0


def test_ranges_and_ids_have_limits() -> None:
    store = VcrStore((0, 9), (0, 9), storage="hashed")
    with pytest.raises(ValueRefusedError, match="a range has"):
        store.insert(1, Rectangle(2**40, 0, 2**40, 0))
    with pytest.raises(ValueRefusedError, match=r"cells are from -2\*\*62"):
        store.insert(1, Rectangle(2**63, 0, 2**63, 0))
    with pytest.raises(ValueRefusedError, match="64-bit IDs"):
        VcrStore((0, 2**31 - 2**15), (0, 2**31 - 2**15), storage="hashed")


@every_scheme
def test_rectangles_can_be_asked_back(decomposition: Decomposition, storage: Storage) -> None:
    store = VcrStore((-5, 5), (-5, 5), decomposition=decomposition, storage=storage)
    held = {3: Rectangle(-5, -4, 5, 5), 700: Rectangle(-50, 40, 60, 41)}
    for key, rectangle in held.items():
        store.insert(key, rectangle)
    assert {key: store.rectangle(key) for key in held} == held


class Damage(NamedTuple):
    """An array of a store to damage."""

    values: NDArray[np.int32]
    places: NDArray[np.int64]


@every_scheme
def test_damage_is_noticed(decomposition: Decomposition, storage: Storage) -> None:
    store = VcrStore((0, 99), (0, 99), decomposition=decomposition, storage=storage)
    store.insert_many(np.arange(50), workload(50, 100, 100))
    store.check_invariants()
    entries = store._lists.lists.entries.values
    used = int(store._lists.lists.entries.used[0])
    # Room that is not used may hold a 7 too, so each of them is damaged.
    sevens = np.flatnonzero(entries[:used] == 7)
    for damage in (Damage(entries, sevens), Damage(store._book.arrays.records[:, 0], np.array([9]))):
        damage.values[damage.places] += 1
        with pytest.raises(InvariantError):
            store.check_invariants()
        damage.values[damage.places] -= 1
    store.check_invariants()


def test_cuts_travel_as_tuples() -> None:
    assert Cut(4, 3, True)._asdict() == {"x_log": 4, "y_log": 3, "overlapped": True}
