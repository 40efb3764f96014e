"""``is_list``: the interval skip list of Hanson and Johnson, the rival that the VCI paper compares itself with.

Needs no range of values and no greatest length: it takes both so that all stores are made alike. See
``kernels/skip_list.py`` for how it works and where it does otherwise than its paper.
"""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from penstock.errors import DuplicateSubscriptionError, InvariantError, UnknownSubscriptionError
from penstock.indexes.interval.requests import ANY_CELL, Intervals, check_interval, check_intervals, first_repeated
from penstock.indexes.interval.store import Stabs
from penstock.kernels.arena import Arena, grown_arena, has_room, new_arena
from penstock.kernels.skip_list import (
    COUNT,
    FIRST_MARKER,
    FIRST_PLACE,
    FORWARD,
    HEAD,
    HEIGHT,
    LEFT,
    LEVELS,
    MARKERS_USED,
    MARKS,
    MOST_LEVELS,
    NODES_USED,
    OWNERS,
    PLACES_USED,
    POSITION,
    RIGHT,
    RUN,
    SkipList,
    edge_place,
    join_all,
    join_ends,
    last_node_at_or_before,
    leave_ends,
    lift_marks,
    node_after,
    place_marks,
    stab_list_often,
    stab_list_once,
)


class IntervalSkipList:
    """Closed intervals of cells under keys, marked on the edges of a skip list."""

    name: ClassVar[str] = "is_list"

    def __init__(
        self,
        low: int = 0,  # noqa: ARG002  every store takes a range
        high: int = 0,  # noqa: ARG002
        *,
        max_length: int | None = None,  # noqa: ARG002
        seed: int = 1,
    ) -> None:
        self._random = np.random.default_rng(seed)
        self._count = 0
        self._list = _empty_list()

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: object) -> bool:
        keys = self._list.keys
        return isinstance(key, (int, np.integer)) and 0 <= int(key) < len(keys) and bool(keys[int(key), LEFT] != HEAD)

    def insert(self, key: int, low: int, high: int) -> None:
        key, low, high = index(key), index(low), index(high)
        check_interval(key, low, high, ANY_CELL)
        if key in self:
            raise DuplicateSubscriptionError(f"the store holds an interval with the key {key} already")
        heights = self._heights(2)
        self._make_room(key, heights)
        self._place(join_ends(self._list, key, low, high, int(heights[0]), int(heights[1])))
        self._count += 1

    def insert_many(self, keys: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        intervals = check_intervals(keys, lows, highs, ANY_CELL)
        repeated = first_repeated(intervals.keys)
        if repeated is not None:
            raise DuplicateSubscriptionError(f"the key {repeated} stands more than once among those to insert")
        known = intervals.keys[intervals.keys < len(self._list.keys)]
        for key in known[self._list.keys[known, LEFT] != HEAD][:1].tolist():
            raise DuplicateSubscriptionError(f"the store holds an interval with the key {key} already")
        if len(intervals.keys) >= max(1, self._count):
            self._insert_at_once(intervals)
            return
        for key, low, high in zip(*(array.tolist() for array in intervals), strict=True):
            self.insert(key, low, high)

    def delete(self, key: int) -> None:
        key = index(key)
        if key not in self:
            raise UnknownSubscriptionError(f"the store holds no interval with the key {key}")
        self._place(leave_ends(self._list, key))
        self._count -= 1

    def stab(self, value: int) -> NDArray[np.int32]:
        value = index(value)
        if not -(2**63) <= value < 2**63:
            return np.empty(0, dtype=np.int32)
        return stab_list_once(self._list, value)

    def stab_many(self, values: NDArray[np.int64]) -> Stabs:
        values = np.ascontiguousarray(values, dtype=np.int64)
        offsets = np.empty(len(values) + 1, dtype=np.int64)
        stab_list_often(self._list, values, False, offsets, np.empty(0, dtype=np.int32))
        keys = np.empty(int(offsets[-1]), dtype=np.int32)
        stab_list_often(self._list, values, True, offsets, keys)
        return Stabs(offsets, keys)

    def memory(self) -> dict[str, int]:
        """The bytes of all arrays: nodes and edges, the marks, and what adjustment and deletion need."""
        skips = self._list
        marks = 4 * int(skips.numbers[MARKS])
        headers = skips.values.nbytes + skips.nodes.nbytes + skips.places.nbytes + skips.free_nodes.nbytes
        bookkeeping = skips.markers.nbytes + skips.keys.nbytes + skips.numbers.nbytes + marks
        unused = skips.marks.nbytes - 2 * marks + skips.free_marks.nbytes
        return {"headers": headers, "id lists": marks, "bookkeeping": bookkeeping, "capacity not used": unused}

    def arrays(self) -> SkipList:
        """Every array that the store is made of."""
        return self._list

    # For kernels that change the arrays themselves

    def recount(self) -> None:
        """Count the intervals, after a kernel has added or taken some."""
        self._count = int(np.count_nonzero(self._list.keys[:, LEFT] != HEAD))

    def make_room_for_ends(self, keys: int) -> None:
        """Room for keys below a number and for many more nodes."""
        nodes = max(64, int(self._list.numbers[NODES_USED]) // 2)
        self._make_room(keys, np.full(nodes, 4, dtype=np.int64))
        self._list = self._list._replace(
            places=_grown(self._list.places, int(self._list.numbers[PLACES_USED]) + 2 * (1 + MOST_LEVELS) + 5 * nodes)
        )

    def place(self, keys: NDArray[np.int64]) -> None:
        """Place the marks of keys that have their ends in the list and no marks yet."""
        self._place(keys)

    # What is inside: nodes are numbers, and the head, number 0, comes before all of them

    def levels(self) -> int:
        """How many levels are in use."""
        return int(self._list.numbers[LEVELS])

    def nodes(self, level: int = 0) -> list[int]:
        """The nodes that reach a level, from left to right."""
        found = []
        node = node_after(self._list, HEAD, level)
        while node != HEAD:
            found.append(node)
            node = node_after(self._list, node, level)
        return found

    def node_values(self, level: int = 0) -> list[int]:
        """The values of the nodes that reach a level, in order."""
        return [int(self._list.values[node]) for node in self.nodes(level)]

    def height(self, node: int) -> int:
        """How many levels a node reaches."""
        return int(self._list.nodes[node, HEIGHT])

    def markers_on(self, node: int, level: int | None = None) -> list[int]:
        """The keys marked on the edge that leaves a node at a level, or on the node itself."""
        own = int(self._list.nodes[node, FIRST_PLACE])
        return self._marked(own if level is None else edge_place(self._list, node, level))

    def node_beside(self, value: int, level: int, *, before: bool, otherwise: int) -> int:
        """The value of the nearest node that reaches a level, at a value or to one side of it."""
        if level >= self.levels():
            return otherwise
        node = last_node_at_or_before(self._list, value, level)
        if not before and (node == HEAD or self._list.values[node] != value):
            node = node_after(self._list, node, level)
        return otherwise if node == HEAD else int(self._list.values[node])

    def interval(self, key: int) -> tuple[int, int]:
        """The ends of the interval of a key."""
        if key not in self:
            raise UnknownSubscriptionError(f"the store holds no interval with the key {key}")
        left, right = self._list.keys[key, :2].tolist()
        return int(self._list.values[left]), int(self._list.values[right])

    def check_invariants(self) -> None:
        wrong = self._wrong_nodes() or self._wrong_marks()
        if wrong:
            raise InvariantError(wrong)

    def _marked(self, place: int) -> list[int]:
        run, count = int(self._list.places[place, RUN]), int(self._list.places[place, COUNT])
        return [int(key) for key in self._list.marks[run : run + 2 * count : 2]]

    def _held(self) -> list[int]:
        return [int(key) for key in np.flatnonzero(self._list.keys[:, LEFT] != HEAD)]

    def _wrong_nodes(self) -> str:
        held = self._held()
        ends = [end for key in held for end in self._list.keys[key, :2].tolist()]
        nodes = self.nodes()
        if len(held) != self._count or sorted(nodes) != sorted(set(ends)):
            return f"{self._count} intervals are counted and {len(held)} held, with {len(nodes)} nodes"
        if any(int(self._list.nodes[node, OWNERS]) != ends.count(node) for node in nodes):
            return "a node counts other ends of intervals than are on it"
        for level in range(MOST_LEVELS):
            values = self.node_values(level)
            if values != sorted(set(values)):
                return f"the nodes of level {level} are not in order"
            if self.nodes(level) != [node for node in nodes if self.height(node) > level]:
                return f"level {level} does not link the nodes that reach it"
            if level >= self.levels() and values:
                return f"level {level} has nodes, above the {self.levels()} levels in use"
        return ""

    def _wrong_marks(self) -> str:
        """Each key must be marked on the path of highest edges within its interval, and nowhere else."""
        expected: dict[int, list[int]] = {}
        for key in self._held():
            for place in self._path(key):
                expected.setdefault(place, []).append(key)
        for node in [HEAD, *self.nodes()]:
            own = int(self._list.nodes[node, FIRST_PLACE])
            for place in range(own, own + 1 + self.height(node)):
                if sorted(self._marked(place)) != sorted(expected.pop(place, [])):
                    return f"the keys marked on place {place} of node {node} are not those whose paths go there"
                run, count = int(self._list.places[place, RUN]), int(self._list.places[place, COUNT])
                markers = self._list.marks[run + 1 : run + 2 * count : 2]
                if self._list.markers[markers, POSITION].tolist() != list(range(count)):
                    return f"a marker of place {place} does not know where its mark is"
        return "a path goes where no node is" if expected else ""

    def _path(self, key: int) -> list[int]:
        """The places that a key must be marked on, found without the kernels."""
        nodes, places, values = self._list.nodes, self._list.places, self._list.values
        node, right = self._list.keys[key, [LEFT, RIGHT]].tolist()
        path = [int(nodes[node, FIRST_PLACE])]
        while node != right:
            first = int(nodes[node, FIRST_PLACE])
            edges = [first + 1 + level for level in range(self.height(node))]
            within = [
                place for place in edges if places[place, FORWARD] != HEAD and self._reaches(place, values[right])
            ]
            path.append(within[-1])
            node = int(places[within[-1], FORWARD])
            path.append(int(nodes[node, FIRST_PLACE]))
        return path

    def _reaches(self, place: int, right: np.int64) -> bool:
        return bool(self._list.values[self._list.places[place, FORWARD]] <= right)

    def _heights(self, number: int) -> NDArray[np.int64]:
        """Heights of new nodes: each level is reached by half of those that reach the one below."""
        return np.minimum(self._random.geometric(0.5, number), MOST_LEVELS)

    def _insert_at_once(self, intervals: Intervals) -> None:
        """Make all nodes first, then place all marks: none has to be lifted again."""
        if len(intervals.keys) == 0:
            return
        held = self._held()
        for key in held:
            lift_marks(self._list, key)
        values = np.unique(np.concatenate([intervals.lows, intervals.highs]))
        heights = self._heights(len(values))
        self._make_room(int(intervals.keys.max()), heights)
        join_all(self._list, values, heights, *intervals)
        self._place(np.concatenate([np.array(held, dtype=np.int64), intervals.keys]))
        self._count += len(intervals.keys)

    def _make_room(self, key: int, heights: NDArray[np.int64]) -> None:
        """Room for a key and for nodes of these heights."""
        numbers = self._list.numbers
        self._list = self._list._replace(
            values=_grown(self._list.values, int(numbers[NODES_USED]) + len(heights)),
            nodes=_grown(self._list.nodes, int(numbers[NODES_USED]) + len(heights)),
            places=_grown(self._list.places, int(numbers[PLACES_USED]) + len(heights) + int(heights.sum())),
            keys=_grown(self._list.keys, key + 1),
        )

    def _place(self, keys: NDArray[np.int64]) -> None:
        placed = 0
        while placed < len(keys):
            placed, markers, slots = place_marks(self._list, placed, keys)
            if placed < len(keys):
                marks = Arena(self._list.marks, self._list.free_marks)
                self._list = self._list._replace(
                    markers=_grown(self._list.markers, int(self._list.numbers[MARKERS_USED]) + markers),
                    marks=marks.slots if has_room(marks, slots) else grown_arena(marks, slots).slots,
                )


def _empty_list() -> SkipList:
    """A list that has a head, which reaches every level, and nothing else."""
    marks = new_arena(64)
    numbers = np.zeros(6, dtype=np.int64)
    numbers[[LEVELS, NODES_USED, PLACES_USED, MARKERS_USED]] = 1, 1, 1 + MOST_LEVELS, 1
    nodes = np.zeros((8, 3), dtype=np.int32)
    nodes[HEAD, HEIGHT] = MOST_LEVELS
    return SkipList(
        numbers=numbers,
        values=np.zeros(8, dtype=np.int64),
        nodes=nodes,
        free_nodes=np.zeros(MOST_LEVELS + 1, dtype=np.int32),
        places=np.zeros((2 * (1 + MOST_LEVELS), 4), dtype=np.int32),
        markers=np.zeros((16, 3), dtype=np.int32),
        keys=np.zeros((0, FIRST_MARKER + 1), dtype=np.int32),
        marks=marks.slots,
        free_marks=marks.free,
    )


def _grown(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """The array, or a longer copy of it that has at least so many rows; the further ones are zero."""
    if rows <= len(array):
        return array
    longer = np.zeros((max(rows, len(array) * 3 // 2), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
