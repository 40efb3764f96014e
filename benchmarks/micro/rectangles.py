"""Question: how does the best VCR index compare with what a Python user would pick to find the rectangles of a point?

The workload is that of the VCR paper (section 3.1): a range of 300 by 200, widths of 1 to 40, heights of 1 to 20,
corners uniform or by the 90%-10% rule, events by the same rule. The others: ``cell lists`` (a list for each cell, in
numpy, made beforehand: as fast as can be, and as large), STRtree of ``shapely``, ``geoindex-rs`` and ``rtree``, as far
as installed. The marks, for 128,000 rectangles and more: a batch at least 3 times faster than the fastest of the
libraries and within 3 times of the cell lists, at a third of their memory; insert and delete under 20 microseconds
each, whatever n.

All are asked in turn, each round beginning with another one, and checked to find the same number; times are of the
processor, medians over the rounds, per rectangle (build, insert, delete) or per event (batch, single).
Run with ``python -m benchmarks.micro.rectangles [rounds] [n ...]``; the results are appended to
``benchmarks/results/rectangles.csv`` with the machine.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from benchmarks.measuring import RESULTS, keep, median_and_ends
from numpy.typing import NDArray

from penstock.indexes.rectangle import RECTANGLE_STORES, Rectangle, Rectangles
from penstock.kernels.compiling import kernel
from penstock.kernels.vcr import SPARE, copy_run

WIDTH, HEIGHT = 300, 200
POINTS = 5_000
BATCH = 500
"""Points asked at once: few enough that the answers fit into memory that is already there. With all points in one
batch, a large part of the time is the kernel's, for fresh pages, and it falls on whoever is asked first in a round."""
SINGLES = 500
CHANGES = 1_000
OURS = ["vcr_sd", "vcr_od", "vcr_sd_hash", "vcr_od_hash"]
LIBRARIES = {"shapely": "shapely", "geoindex-rs": "geoindex_rs", "rtree": "rtree"}

Points = tuple[NDArray[np.int64], NDArray[np.int64]]


class Rival(Protocol):
    """Something that is built from rectangles and finds those of a point."""

    def stab(self, x: int, y: int) -> Any: ...
    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> int:
        """How many were found, after finding them all."""

    def bytes_used(self) -> int | None: ...


class Ours:
    def __init__(self, name: str, rectangles: Rectangles) -> None:
        self.store = RECTANGLE_STORES[name](x_high=WIDTH - 1, y_high=HEIGHT - 1)
        self.store.insert_many(np.arange(len(rectangles.x_lows)), rectangles)
        self.stab = self.store.stab

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> int:
        return len(self.store.stab_many(xs, ys).keys)

    def bytes_used(self) -> int:
        return sum(self.store.memory().values())


@kernel
def fill_cells(rectangles: Rectangles, cursors: NDArray[np.int64], keys: NDArray[np.int32]) -> None:
    """Count each rectangle into its cells; where there are keys to fill, write it there too."""
    for key in range(len(rectangles.x_lows)):
        for y in range(rectangles.y_lows[key], rectangles.y_highs[key] + 1):
            for x in range(rectangles.x_lows[key], rectangles.x_highs[key] + 1):
                cell = y * WIDTH + x
                if len(keys):
                    keys[cursors[cell]] = key
                cursors[cell] += 1


@kernel
def copy_cells(
    offsets: NDArray[np.int64], lists: NDArray[np.int32], cells: NDArray[np.int64], keys: NDArray[np.int32]
) -> None:
    written = 0
    for cell in cells:
        copy_run(lists, offsets[cell], offsets[cell + 1] - offsets[cell], written, keys)
        written += offsets[cell + 1] - offsets[cell]


class CellLists:
    def __init__(self, rectangles: Rectangles) -> None:
        counts = np.zeros(WIDTH * HEIGHT, dtype=np.int64)
        fill_cells(rectangles, counts, np.empty(0, dtype=np.int32))
        self.offsets = np.concatenate([[0], np.cumsum(counts)])
        self.keys = np.empty(int(self.offsets[-1]) + SPARE, dtype=np.int32)
        fill_cells(rectangles, self.offsets[:-1].copy(), self.keys)

    def stab(self, x: int, y: int) -> Any:
        cell = y * WIDTH + x
        return self.keys[self.offsets[cell] : self.offsets[cell + 1]].copy()

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> int:
        cells = ys * WIDTH + xs
        found = np.concatenate([[0], np.cumsum(self.offsets[cells + 1] - self.offsets[cells])])
        keys = np.empty(int(found[-1]) + SPARE, dtype=np.int32)
        copy_cells(self.offsets, self.keys, cells, keys)
        return int(found[-1])

    def bytes_used(self) -> int:
        return self.offsets.nbytes + self.keys.nbytes


class Shapely:
    def __init__(self, rectangles: Rectangles) -> None:
        import shapely

        self.shapely = shapely
        columns = (column.astype(np.float64) for column in rectangles)
        self.tree = shapely.STRtree(shapely.box(*columns))

    def stab(self, x: int, y: int) -> Any:
        return self.tree.query(self.shapely.Point(x, y))

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> int:
        return int(self.tree.query(self.shapely.points(xs, ys)).shape[1])

    def bytes_used(self) -> None:
        return None


class Geoindex:
    def __init__(self, rectangles: Rectangles) -> None:
        from geoindex_rs import rtree

        self.rtree = rtree
        builder = rtree.RTreeBuilder(len(rectangles.x_lows))
        builder.add(*(column.astype(np.float64) for column in rectangles))
        self.tree = builder.finish()

    def stab(self, x: int, y: int) -> Any:
        return self.rtree.search(self.tree, x, y, x, y)

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> int:
        """It has no batch of points: one call each."""
        search, tree = self.rtree.search, self.tree
        return sum(len(search(tree, x, y, x, y)) for x, y in zip(xs.tolist(), ys.tolist(), strict=True))

    def bytes_used(self) -> int | None:
        return int(self.tree.num_bytes) if hasattr(self.tree, "num_bytes") else None


class RTree:
    def __init__(self, rectangles: Rectangles) -> None:
        from rtree.index import Index

        rows = zip(*(column.tolist() for column in rectangles), strict=True)
        self.tree = Index((key, row, None) for key, row in enumerate(rows))

    def stab(self, x: int, y: int) -> Any:
        return list(self.tree.intersection((x, y, x, y)))

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> int:
        points = np.stack([xs, ys], axis=1).astype(np.float64)
        found, _ = self.tree.intersection_v(points, points)
        return len(found)

    def bytes_used(self) -> None:
        return None


RIVALS: dict[str, Callable[[Rectangles], Rival]] = {"shapely": Shapely, "geoindex-rs": Geoindex, "rtree": RTree}


def corners(random: np.random.Generator, count: int, skewed: bool) -> Points:
    share = np.where(random.random(count) < 0.9, np.sqrt(0.1), 1.0) if skewed else np.ones(count)
    places = (0.5 + (random.random(count) - 0.5) * share, 0.5 + (random.random(count) - 0.5) * share)
    return (places[0] * WIDTH).astype(np.int64), (places[1] * HEIGHT).astype(np.int64)


def workload(random: np.random.Generator, count: int, skewed: bool) -> Rectangles:
    xs, ys = corners(random, count, skewed)
    x_highs = np.minimum(xs + random.integers(1, 41, count), WIDTH - 1)
    return Rectangles(xs, ys, x_highs, np.minimum(ys + random.integers(1, 21, count), HEIGHT - 1))


def microseconds(work: Callable[[], Any], times: int) -> float:
    begin = time.process_time()
    work()
    return (time.process_time() - begin) / times * 1e6


def stab_in_batches(rival: Rival, points: Points) -> int:
    xs, ys = points
    return sum(rival.stab_many(xs[at : at + BATCH], ys[at : at + BATCH]) for at in range(0, len(xs), BATCH))


def measure(rival: Rival, points: Points, new: list[Rectangle], first_key: int) -> dict[str, float]:
    """One round of one competitor."""
    few = list(zip(*(axis[:SINGLES].tolist() for axis in points), strict=True))
    figures = {
        "batch": microseconds(lambda: stab_in_batches(rival, points), len(points[0])),
        "single": microseconds(lambda: [rival.stab(x, y) for x, y in few], SINGLES),
    }
    if isinstance(rival, Ours):
        store = rival.store
        keyed = list(enumerate(new, first_key))
        figures["insert"] = microseconds(lambda: [store.insert(key, each) for key, each in keyed], CHANGES)
        figures["delete"] = microseconds(lambda: [store.delete(key) for key, _ in keyed], CHANGES)
    return figures


def compare(count: int, skewed: bool, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Figures by competitor and measure, a list with one figure a round."""
    random = np.random.default_rng(count)
    rectangles, points = workload(random, count, skewed), corners(random, POINTS, skewed)
    new = [Rectangle(*map(int, row)) for row in zip(*workload(random, CHANGES, skewed), strict=True)]
    factories: dict[str, Callable[[Rectangles], Rival]] = {"cell lists": CellLists}
    factories |= {name: lambda columns, name=name: Ours(name, columns) for name in OURS}  # type: ignore[misc]
    factories |= {name: RIVALS[name] for name, module in LIBRARIES.items() if find_spec(module)}
    built: dict[str, Rival] = {}
    figures: dict[str, dict[str, list[float]]] = {name: {} for name in factories}
    for name, factory in factories.items():
        factory(Rectangles(*(column[:100] for column in rectangles))).stab_many(*points)  # compiles what is compiled
        begin = time.process_time()
        built[name] = factory(rectangles)
        figures[name]["build"] = [(time.process_time() - begin) * 1e6 / count]
        used = built[name].bytes_used()
        if used is not None:
            figures[name]["megabytes"] = [used / 1e6]
    found = {name: stab_in_batches(rival, points) for name, rival in built.items()}
    assert len(set(found.values())) == 1, found
    for rival in built.values():
        measure(rival, points, new, count)
    order = list(built)
    for number in range(rounds):
        first = number % len(order)
        for name in order[first:] + order[:first]:
            for what, figure in measure(built[name], points, new, count).items():
                figures[name].setdefault(what, []).append(figure)
    return figures


def show(count: int, skewed: bool, figures: dict[str, dict[str, list[float]]]) -> None:
    print(f"\n{count:,} rectangles, {'90%-10%' if skewed else 'uniform'}; microseconds, median (least to most)")
    for name, measures in figures.items():
        shown = [
            f"{what} {statistics.median(values):.2f}"
            + (f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else "")
            for what, values in measures.items()
        ]
        print(f"  {name:12} {', '.join(shown)}")
    middle = {name: statistics.median(measures["batch"]) for name, measures in figures.items()}
    best = min(OURS, key=lambda name: middle[name])
    libraries = [name for name in LIBRARIES if name in middle]
    if libraries:
        fastest = min(libraries, key=lambda name: middle[name])
        print(f"  {best} is {middle[fastest] / middle[best]:.1f} times faster than {fastest}")
    memory = figures[best]["megabytes"][0] / figures["cell lists"]["megabytes"][0]
    ratio = middle[best] / middle["cell lists"]
    print(f"  {best} takes {ratio:.2f} times as long as cell lists, and {memory:.2f} of their memory")


def record(count: int, skewed: bool, figures: dict[str, dict[str, list[float]]]) -> None:
    rule = "90-10" if skewed else "uniform"
    rows = [
        [count, rule, name, what, len(values), *median_and_ends(values)]
        for name, measures in figures.items()
        for what, values in measures.items()
    ]
    names = ["n", "skew", "index", "measure", "rounds", "median", "least", "most"]
    keep(RESULTS / "rectangles.csv", names, rows)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    counts = [int(argument) for argument in sys.argv[2:]] or [32_000, 128_000, 256_000]
    absent = [name for name, module in LIBRARIES.items() if not find_spec(module)]
    print("not installed, so not compared: " + ", ".join(absent) if absent else "all libraries are installed")
    for count in counts:
        for skewed in (False, True):
            figures = compare(count, skewed, rounds)
            show(count, skewed, figures)
            record(count, skewed, figures)


if __name__ == "__main__":
    main()
