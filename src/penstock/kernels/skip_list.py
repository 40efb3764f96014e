"""The interval skip list of Hanson and Johnson (Information Systems 21(3), 1996) in flat arrays.

Nodes are the end points of intervals, linked at levels as in a skip list. An interval is marked along the path from its
left end to its right end that always takes the highest edge within it: on each of these edges, and on each node of the
path. The marks are decided by the nodes and their heights alone. A value between two nodes is stabbed strictly inside
of one edge at each level; a value on a node, besides that node, inside of the edges that pass over it. The edges of a
path overlap at nodes only, so a search meets each interval once.

A new node splits the edges below its height that pass over it. The intervals that change are those marked on these;
a node that goes changes those marked on it. Their marks are lifted and placed again along the path that is now the
highest: the same marks that the paper's adjustment leads to by raising and lowering them edge by edge.

A place is where marks are: a node has one for itself, followed by one for its edge at each level. Marks of a place
are a run of pairs in an arena: a key, and the number of the marker that knows where this mark is. Markers of one key
are linked, so that lifting them searches nothing. Node 0 is the head and stands for "no node" too: nothing leads to it.
Marker 0 means "no marker".
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, class_size, give_back_run, has_room, size_class, take_run
from penstock.kernels.compiling import kernel

HEAD: Final = 0
MOST_LEVELS: Final = 32

LEVELS, NODES_USED, PLACES_USED, MARKERS_USED, FREE_MARKER, MARKS = 0, 1, 2, 3, 4, 5
"""What ``numbers`` hold: levels in use; nodes, places and markers ever used; the first free marker; all marks."""
HEIGHT, FIRST_PLACE, OWNERS = 0, 1, 2
"""What ``nodes`` hold: the height, the node's own place, and how many ends of intervals are here."""
FORWARD, RUN, COUNT, ROOM = 0, 1, 2, 3
"""What ``places`` hold: where the edge leads, and the run of marks with how many there are and how many fit."""
PLACE, POSITION, NEXT = 0, 1, 2
"""What ``markers`` hold: the place of the mark, where it is in the run, and the next marker of the same key."""
LEFT, RIGHT, FIRST_MARKER = 0, 1, 2
"""What ``keys`` hold: the nodes of both ends (HEAD where the key is not in use) and the first marker."""


class SkipList(NamedTuple):
    """The arrays of an interval skip list; columns are named by the constants above."""

    numbers: NDArray[np.int64]
    values: NDArray[np.int64]
    nodes: NDArray[np.int32]
    free_nodes: NDArray[np.int32]
    """For each height, the first node that is free; the next one is where its lowest edge leads."""
    places: NDArray[np.int32]
    markers: NDArray[np.int32]
    keys: NDArray[np.int32]
    marks: NDArray[np.int32]
    free_marks: NDArray[np.int64]


@kernel
def edge_place(skips: SkipList, node: int, level: int) -> int:
    """The place of the edge that leaves a node at a level."""
    return int(skips.nodes[node, FIRST_PLACE]) + 1 + level


@kernel
def node_after(skips: SkipList, node: int, level: int) -> int:
    return int(skips.places[edge_place(skips, node, level), FORWARD])


@kernel
def _find_before(skips: SkipList, value: int, before: NDArray[np.int64]) -> int:
    """Note at each level the last node before a value; the node on the value, or HEAD."""
    node = HEAD
    for level in range(int(skips.numbers[LEVELS]) - 1, -1, -1):
        after = node_after(skips, node, level)
        while after != HEAD and skips.values[after] < value:
            node = after
            after = node_after(skips, node, level)
        before[level] = node
    after = node_after(skips, node, 0)
    return after if after != HEAD and skips.values[after] == value else HEAD


@kernel
def last_node_at_or_before(skips: SkipList, value: int, level: int) -> int:
    """The last node that reaches a level and is not beyond a value, or HEAD."""
    node = HEAD
    for at in range(int(skips.numbers[LEVELS]) - 1, level - 1, -1):
        after = node_after(skips, node, at)
        while after != HEAD and skips.values[after] <= value:
            node = after
            after = node_after(skips, node, at)
    return node


@kernel
def _next_on_path(skips: SkipList, node: int, right: int) -> tuple[int, int]:
    """The highest edge from a node that ends at a value or before, and the node that it leads to."""
    for level in range(int(skips.nodes[node, HEIGHT]) - 1, -1, -1):
        after = node_after(skips, node, level)
        if after != HEAD and skips.values[after] <= right:
            return edge_place(skips, node, level), after
    return HEAD, HEAD


# Marks


@kernel
def _add_mark(skips: SkipList, place: int, key: int) -> None:
    """Mark a place for a key. There must be room for a marker and, if the run is full, for a longer run."""
    marks = Arena(skips.marks, skips.free_marks)
    places, markers = skips.places, skips.markers
    count, room = int(places[place, COUNT]), int(places[place, ROOM])
    if count == room:
        number = size_class(max(2, 4 * room))
        run = take_run(marks, number)
        if room > 0:
            old = int(places[place, RUN])
            for slot in range(2 * count):
                skips.marks[run + slot] = skips.marks[old + slot]
            give_back_run(marks, old, size_class(2 * room))
        places[place, RUN] = run
        places[place, ROOM] = class_size(number) // 2
    marker = int(skips.numbers[FREE_MARKER])
    if marker != 0:
        skips.numbers[FREE_MARKER] = markers[marker, NEXT]
    else:
        marker = int(skips.numbers[MARKERS_USED])
        skips.numbers[MARKERS_USED] += 1
    run = int(places[place, RUN])
    skips.marks[run + 2 * count] = key
    skips.marks[run + 2 * count + 1] = marker
    places[place, COUNT] = count + 1
    markers[marker, PLACE] = place
    markers[marker, POSITION] = count
    markers[marker, NEXT] = skips.keys[key, FIRST_MARKER]
    skips.keys[key, FIRST_MARKER] = marker
    skips.numbers[MARKS] += 1


@kernel
def _remove_mark(skips: SkipList, marker: int) -> None:
    """Take away the mark of a marker; the last mark of the place comes to where it was."""
    place, position = int(skips.markers[marker, PLACE]), int(skips.markers[marker, POSITION])
    run, last = int(skips.places[place, RUN]), int(skips.places[place, COUNT]) - 1
    skips.marks[run + 2 * position] = skips.marks[run + 2 * last]
    moved = skips.marks[run + 2 * last + 1]
    skips.marks[run + 2 * position + 1] = moved
    skips.markers[moved, POSITION] = position
    skips.places[place, COUNT] = last
    skips.numbers[MARKS] -= 1
    if last == 0:
        give_back_run(Arena(skips.marks, skips.free_marks), run, size_class(2 * int(skips.places[place, ROOM])))
        skips.places[place, ROOM] = 0


@kernel
def lift_marks(skips: SkipList, key: int) -> None:
    """Take away all marks of a key."""
    marker = int(skips.keys[key, FIRST_MARKER])
    while marker != 0:
        _remove_mark(skips, marker)
        after = int(skips.markers[marker, NEXT])
        skips.markers[marker, NEXT] = skips.numbers[FREE_MARKER]
        skips.numbers[FREE_MARKER] = marker
        marker = after
    skips.keys[key, FIRST_MARKER] = 0


@kernel
def _room_for_mark(skips: SkipList, place: int) -> int:
    """How many slots a further mark on a place may take."""
    room = int(skips.places[place, ROOM])
    return class_size(size_class(max(2, 4 * room))) if skips.places[place, COUNT] == room else 0


@kernel
def _room_for_path(skips: SkipList, key: int) -> tuple[int, int]:
    """How many markers and slots of marks the path of a key takes at most."""
    node = int(skips.keys[key, LEFT])
    right = int(skips.values[skips.keys[key, RIGHT]])
    markers, slots = 1, _room_for_mark(skips, int(skips.nodes[node, FIRST_PLACE]))
    while skips.values[node] != right:
        edge, node = _next_on_path(skips, node, right)
        markers += 2
        slots += _room_for_mark(skips, edge) + _room_for_mark(skips, int(skips.nodes[node, FIRST_PLACE]))
    return markers, slots


@kernel
def place_marks(skips: SkipList, first: int, keys: NDArray[np.int64]) -> tuple[int, int, int]:
    """Mark the paths of keys that have no marks, from ``first`` on, as long as there is room for one more.

    Returns the first key that was not reached, and the markers and slots of marks that it may take.
    """
    for number in range(first, len(keys)):
        key = int(keys[number])
        markers, slots = _room_for_path(skips, key)
        free = len(skips.markers) - int(skips.numbers[MARKERS_USED])
        if markers > free or not has_room(Arena(skips.marks, skips.free_marks), slots):
            return number, markers, slots
        node = int(skips.keys[key, LEFT])
        right = int(skips.values[skips.keys[key, RIGHT]])
        _add_mark(skips, int(skips.nodes[node, FIRST_PLACE]), key)
        while skips.values[node] != right:
            edge, node = _next_on_path(skips, node, right)
            _add_mark(skips, edge, key)
            _add_mark(skips, int(skips.nodes[node, FIRST_PLACE]), key)
    return len(keys), 0, 0


@kernel
def _lift_all_on(skips: SkipList, place: int, keys: NDArray[np.int64], lifted: int) -> int:
    """Lift the keys that are marked on a place and write them down; how many are written then."""
    while skips.places[place, COUNT] > 0:
        key = int(skips.marks[skips.places[place, RUN]])
        lift_marks(skips, key)
        keys[lifted] = key
        lifted += 1
    return lifted


# Nodes


@kernel
def _new_node(skips: SkipList, value: int, height: int) -> int:
    node = int(skips.free_nodes[height])
    if node != HEAD:
        skips.free_nodes[height] = node_after(skips, node, 0)
    else:
        node, first = int(skips.numbers[NODES_USED]), int(skips.numbers[PLACES_USED])
        skips.numbers[NODES_USED] = node + 1
        skips.numbers[PLACES_USED] = first + 1 + height
        skips.nodes[node, HEIGHT] = height
        skips.nodes[node, FIRST_PLACE] = first
        skips.places[first : first + 1 + height] = 0
    skips.nodes[node, OWNERS] = 0
    skips.values[node] = value
    return node


@kernel
def join_node(skips: SkipList, value: int, height: int) -> tuple[int, NDArray[np.int64]]:
    """The node on a value, made with a height if there is none, and the keys that were lifted for it.

    There must be room for a node of that height. Marks of the lifted keys are to be placed again.
    """
    before = np.zeros(MOST_LEVELS, dtype=np.int64)
    found = _find_before(skips, value, before)
    if found != HEAD:
        return found, np.empty(0, dtype=np.int64)
    skips.numbers[LEVELS] = max(int(skips.numbers[LEVELS]), height)
    changing = 0
    for level in range(height):
        changing += int(skips.places[edge_place(skips, int(before[level]), level), COUNT])
    keys = np.empty(changing, dtype=np.int64)
    lifted = 0
    node = _new_node(skips, value, height)
    for level in range(height):
        split = edge_place(skips, int(before[level]), level)
        lifted = _lift_all_on(skips, split, keys, lifted)
        skips.places[edge_place(skips, node, level), FORWARD] = skips.places[split, FORWARD]
        skips.places[split, FORWARD] = node
    return node, keys


@kernel
def leave_node(skips: SkipList, node: int) -> NDArray[np.int64]:
    """Give up one end of an interval on a node, and the node with the last one; the keys that were lifted for it."""
    skips.nodes[node, OWNERS] -= 1
    if skips.nodes[node, OWNERS] > 0:
        return np.empty(0, dtype=np.int64)
    own = int(skips.nodes[node, FIRST_PLACE])
    keys = np.empty(int(skips.places[own, COUNT]), dtype=np.int64)
    _lift_all_on(skips, own, keys, 0)
    before = np.zeros(MOST_LEVELS, dtype=np.int64)
    _find_before(skips, int(skips.values[node]), before)
    height = int(skips.nodes[node, HEIGHT])
    for level in range(height):
        skips.places[edge_place(skips, int(before[level]), level), FORWARD] = node_after(skips, node, level)
    while skips.numbers[LEVELS] > 1 and node_after(skips, HEAD, int(skips.numbers[LEVELS]) - 1) == HEAD:
        skips.numbers[LEVELS] -= 1
    skips.places[own + 1, FORWARD] = skips.free_nodes[height]
    skips.free_nodes[height] = node
    return keys


@kernel
def join_ends(skips: SkipList, key: int, low: int, high: int, low_height: int, high_height: int) -> NDArray[np.int64]:
    """Enter a key with nodes on both ends of its interval; the keys to be placed, itself the last.

    There must be room for two nodes of these heights.
    """
    left, lifted_left = join_node(skips, low, low_height)
    right, lifted_right = join_node(skips, high, high_height)
    skips.nodes[left, OWNERS] += 1
    skips.nodes[right, OWNERS] += 1
    skips.keys[key, LEFT] = left
    skips.keys[key, RIGHT] = right
    keys = np.empty(len(lifted_left) + len(lifted_right) + 1, dtype=np.int64)
    keys[: len(lifted_left)] = lifted_left
    keys[len(lifted_left) : len(keys) - 1] = lifted_right
    keys[len(keys) - 1] = key
    return keys


@kernel
def join_all(
    skips: SkipList,
    values: NDArray[np.int64],
    heights: NDArray[np.int64],
    keys: NDArray[np.int64],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
) -> None:
    """The same for many keys where nothing is marked. Nodes on all values, with these heights, come first."""
    for number in range(len(values)):
        join_node(skips, int(values[number]), int(heights[number]))
    for number in range(len(keys)):
        join_ends(skips, int(keys[number]), int(lows[number]), int(highs[number]), 1, 1)


@kernel
def leave_ends(skips: SkipList, key: int) -> NDArray[np.int64]:
    """Take a key out, with the nodes that no other needs; the keys to be placed again."""
    lift_marks(skips, key)
    left, right = int(skips.keys[key, LEFT]), int(skips.keys[key, RIGHT])
    skips.keys[key, LEFT] = HEAD
    skips.keys[key, RIGHT] = HEAD
    lifted_left = leave_node(skips, left)
    lifted_right = leave_node(skips, right)
    keys = np.empty(len(lifted_left) + len(lifted_right), dtype=np.int64)
    keys[: len(lifted_left)] = lifted_left
    keys[len(lifted_left) :] = lifted_right
    return keys


# Stabbing


@kernel
def _take_marks(skips: SkipList, place: int, copying: bool, keys: NDArray[np.int32], written: int) -> int:
    count = int(skips.places[place, COUNT])
    if copying:
        run = int(skips.places[place, RUN])
        for mark in range(count):
            keys[written + mark] = skips.marks[run + 2 * mark]
    return written + count


@kernel
def stab_list(skips: SkipList, value: int, copying: bool, keys: NDArray[np.int32], written: int) -> int:
    """Copy the keys of all intervals that hold a value, or only count them; how many are written then."""
    node = HEAD
    for level in range(int(skips.numbers[LEVELS]) - 1, -1, -1):
        after = node_after(skips, node, level)
        while after != HEAD and skips.values[after] < value:
            node = after
            after = node_after(skips, node, level)
        if after != HEAD and skips.values[after] == value:
            return _take_marks(skips, int(skips.nodes[after, FIRST_PLACE]), copying, keys, written)
        written = _take_marks(skips, edge_place(skips, node, level), copying, keys, written)
    return written


@kernel
def stab_list_once(skips: SkipList, value: int) -> NDArray[np.int32]:
    """The keys of all intervals that hold a value."""
    keys = np.empty(stab_list(skips, value, False, np.empty(0, dtype=np.int32), 0), dtype=np.int32)
    stab_list(skips, value, True, keys, 0)
    return keys


@kernel
def stab_list_often(
    skips: SkipList, values: NDArray[np.int64], copying: bool, offsets: NDArray[np.int64], keys: NDArray[np.int32]
) -> None:
    """Note how many keys come before those of each value and in all; or write the keys where that says."""
    written = 0
    for query in range(len(values)):
        offsets[query] = written
        written = stab_list(skips, int(values[query]), copying, keys, written)
    offsets[len(values)] = written
