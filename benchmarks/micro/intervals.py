"""Question: how does ``lci_bv_dt`` compare with what a Python user would pick to find the intervals that hold a value?

On the workload of the VCI paper (section 5.2: values 1 to R, widths 1 to W, cut off at R): building, one query, a batch
of queries, insertion, deletion and memory. Rivals are lists of keys for each value in numpy arrays, our ``dlist``, and
the libraries superintervals, ailist, ncls and intervaltree as far as they are installed; they are no dependencies of
Penstock. The marks: a batch at n >= 128,000 at least 3 times faster than the fastest library and within 3 times of the
lists for each value at a third of their memory or less; insertion and deletion below 20 microseconds whatever n is.

Run with ``python -m benchmarks.micro.intervals [--rounds 7] [--sizes 128000,1024000] [--ranges 5000]``. All rivals
take turns in each round. Medians and spreads are appended to ``benchmarks/results/intervals.csv`` with the machine.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from benchmarks.measuring import RESULTS, keep, median_and_ends, resident

from penstock.indexes.interval import INTERVAL_STORES

WIDEST = 200
SINGLE_QUERIES = 200
CHANGES = 1000
MOST_HITS_IN_BATCH = 10_000_000
SLOW_LIBRARY_LIMIT = 16_000


class Store:
    """One of our stores."""

    library = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def build(self, keys: Any, lows: Any, highs: Any, size: int) -> None:
        self.store = INTERVAL_STORES[self.name](low=1, high=size)
        self.store.insert_many(keys, lows, highs)

    def stab(self, value: int) -> int:
        return len(self.store.stab(value))

    def stab_many(self, values: Any) -> int:
        return len(self.store.stab_many(values).keys)

    def insert(self, key: int, low: int, high: int) -> None:
        self.store.insert(key, low, high)

    def delete(self, key: int, low: int, high: int) -> None:  # noqa: ARG002
        self.store.delete(key)

    def bytes(self) -> int:
        return sum(self.store.memory().values())


@numba.njit
def fill_lists(lows: Any, highs: Any, ends: Any, keys: Any) -> None:
    for key in range(len(lows)):
        for value in range(lows[key], highs[key] + 1):
            keys[ends[value]] = key
            ends[value] += 1


class ListsInNumpy:
    """Keys value by value in one array, built once: the least that a query can cost."""

    library = ""
    name = "lists for each value"

    def build(self, keys: Any, lows: Any, highs: Any, size: int) -> None:  # noqa: ARG002
        changes = np.bincount(lows, minlength=size + 2) - np.bincount(highs + 1, minlength=size + 2)
        self.offsets = np.concatenate([[0], np.cumsum(np.cumsum(changes))])
        self.keys = np.empty(self.offsets[-1], dtype=np.int32)
        fill_lists(lows, highs, self.offsets[:-1].copy(), self.keys)

    def stab(self, value: int) -> int:
        return len(self.keys[self.offsets[value] : self.offsets[value + 1]].copy())

    def stab_many(self, values: Any) -> int:
        offsets = self.offsets
        return len(np.concatenate([self.keys[offsets[value] : offsets[value + 1]] for value in values.tolist()]))

    def bytes(self) -> int:
        return int(self.offsets.nbytes + self.keys.nbytes)


class SuperIntervals:
    """superintervals: closed intervals, batches as lists of lists."""

    library = name = "superintervals"

    def build(self, keys: Any, lows: Any, highs: Any, size: int) -> None:  # noqa: ARG002
        module = importlib.import_module(self.library)
        self.map = module.IntervalMap.from_arrays(lows.astype(np.int32), highs.astype(np.int32))

    def stab(self, value: int) -> int:
        return len(self.map.search_idxs(value, value))

    def stab_many(self, values: Any) -> int:
        narrow = values.astype(np.int32)
        return sum(len(found) for found in self.map.search_idxs_batch(narrow, narrow))


class AiList:
    """ailist: half-open intervals."""

    library = name = "ailist"

    def build(self, keys: Any, lows: Any, highs: Any, size: int) -> None:  # noqa: ARG002
        self.list = importlib.import_module(self.library).AIList.from_array(lows, highs + 1, keys)
        self.list.construct()

    def stab(self, value: int) -> int:
        return len(self.list.intersect_ids(value, value + 1))

    def stab_many(self, values: Any) -> int:
        return len(self.list.intersect_ids(values, values + 1)[1])


class Ncls:
    """ncls: half-open intervals."""

    library = name = "ncls"

    def build(self, keys: Any, lows: Any, highs: Any, size: int) -> None:  # noqa: ARG002
        self.list = importlib.import_module(self.library).NCLS(lows, highs + 1, keys)

    def stab(self, value: int) -> int:
        return sum(1 for _ in self.list.find_overlap(value, value + 1))

    def stab_many(self, values: Any) -> int:
        return len(self.list.all_overlaps_both(values, values + 1, np.arange(len(values)))[1])


class IntervalTree:
    """intervaltree: half-open intervals in Python objects; it can insert and delete."""

    library = name = "intervaltree"

    def build(self, keys: Any, lows: Any, highs: Any, size: int) -> None:  # noqa: ARG002
        triples = zip(lows.tolist(), (highs + 1).tolist(), keys.tolist(), strict=True)
        self.tree = importlib.import_module(self.library).IntervalTree.from_tuples(triples)

    def stab(self, value: int) -> int:
        return len(self.tree.at(value))

    def stab_many(self, values: Any) -> int:
        return sum(len(self.tree.at(value)) for value in values.tolist())

    def insert(self, key: int, low: int, high: int) -> None:
        self.tree.addi(low, high + 1, key)

    def delete(self, key: int, low: int, high: int) -> None:
        self.tree.removei(low, high + 1, key)


def rivals(number: int) -> list[Any]:
    """All that are installed; those absent are named."""
    found: list[Any] = [Store("lci_bv_dt"), ListsInNumpy(), Store("dlist")]
    for rival in (SuperIntervals(), AiList(), Ncls(), IntervalTree()):
        try:
            importlib.import_module(rival.library)
        except ImportError:
            print(f"{rival.library} is not installed: left out")
            continue
        if rival.library == "intervaltree" and number > SLOW_LIBRARY_LIMIT:
            print(f"intervaltree is left out above n = {SLOW_LIBRARY_LIMIT:,}: milliseconds a query")
            continue
        found.append(rival)
    return found


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


def change_all(rival: Any, rows: list[tuple[int, int, int]], change: str) -> None:
    apply = getattr(rival, change)
    for row in rows:
        apply(*row)


def measure(size: int, number: int, rounds: int) -> dict[tuple[str, str], list[float]]:
    """Microseconds for each query or change, seconds to build, megabytes: for each rival and measure, by round."""
    random = np.random.default_rng(7)
    lows = random.integers(1, size, number)
    highs = np.minimum(lows + random.integers(1, WIDEST + 1, number), size)
    keys = np.arange(number)
    queries = random.integers(1, size + 1, max(100, min(10_000, MOST_HITS_IN_BATCH * size // (100 * number))))
    changed = random.choice(number, CHANGES, replace=False).tolist()
    rows = [(key, int(lows[key]), int(highs[key])) for key in changed]
    figures: dict[tuple[str, str], list[float]] = defaultdict(list)
    all_rivals = rivals(number)
    hits = set()
    for rival in all_rivals:
        rival.build(keys[:10], lows[:10], highs[:10], size)  # compiles what is to be compiled
        rival.stab_many(queries[:3])
        before = resident()
        seconds, _ = timed(lambda rival=rival: rival.build(keys, lows, highs, size))
        figures[rival.name, "build, s"].append(seconds)
        used = rival.bytes() if hasattr(rival, "bytes") else resident() - before
        figures[rival.name, "memory, MB"].append(used / 1e6)
        hits.add(rival.stab_many(queries))
    assert len(hits) == 1, hits
    print(f"\nR = {size:,}, n = {number:,}, {len(queries):,} queries with {hits.pop() / len(queries):,.0f} hits each")
    for _ in range(rounds):
        for rival in all_rivals:
            some = queries[:SINGLE_QUERIES].tolist()
            seconds, _ = timed(lambda rival=rival, some=some: [rival.stab(value) for value in some])
            figures[rival.name, "single, us"].append(seconds / len(some) * 1e6)
            seconds, _ = timed(lambda rival=rival: rival.stab_many(queries))
            figures[rival.name, "batch, us"].append(seconds / len(queries) * 1e6)
            for change in ("delete", "insert") if hasattr(rival, "insert") else ():
                seconds, _ = timed(lambda rival=rival, change=change: change_all(rival, rows, change))
                figures[rival.name, f"{change}, us"].append(seconds / len(rows) * 1e6)
    return figures


def report(figures: dict[tuple[str, str], list[float]]) -> None:
    for measured in dict.fromkeys(measured for _, measured in figures):
        ours = statistics.median(figures["lci_bv_dt", measured])
        for (name, of), values in figures.items():
            if of == measured:
                median = statistics.median(values)
                spread = f"{min(values):,.2f} to {max(values):,.2f}"
                print(f"  {measured:12} {name:22} {median:12,.2f}  ({spread}), {median / ours:,.2f} times lci_bv_dt")


def record(size: int, number: int, figures: dict[tuple[str, str], list[float]]) -> None:
    names = ["range", "widest", "intervals", "rival", "measure", "median", "least", "most", "rounds"]
    rows = [
        [size, WIDEST, number, name, measured, *median_and_ends(values), len(values)]
        for (name, measured), values in figures.items()
    ]
    keep(RESULTS / "intervals.csv", names, rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--sizes", default="16000,128000,1024000")
    arguments.add_argument("--ranges", default="5000,250000")
    chosen = arguments.parse_args()
    for size in map(int, chosen.ranges.split(",")):
        for number in map(int, chosen.sizes.split(",")):
            figures = measure(size, number, chosen.rounds)
            report(figures)
            record(size, number, figures)


if __name__ == "__main__":
    main()
