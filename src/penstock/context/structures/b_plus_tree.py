"""AGILE on a B+-tree (section 5.4.2, 2): each node has a buffer for the identifiers that are escalated to it.

Leaves hold keys, each with the identifiers that have it; inner nodes lead to them. K(i) of an identifier in a buffer is
the range of that node. Escalation moves an identifier into the buffer of the lowest inner node above it that has the
new key in its range, and from a root that is a leaf out of scope. Deescalation moves it a level down, into the buffer
of the node that the search for its key meets there, or to its key in a leaf. See ``one_end.py`` for what the keys are.

The paper leaves open what becomes of buffers when nodes change. K(i) is not bounded below here, so that all that counts
is where the range of a node ends. Two nodes that share their children anew keep the end that the right one has, and an
identifier goes from the left buffer to the right one when its own end would fall. A node that is split gives its lower
half to a new node, and its buffer stays as it is.

Leaves have buffers too: an identifier that moves within the range of its leaf (GBU) waits there. A deescalation that
would not make K(i) smaller goes on to the next level. Leaves are not linked, since a search must meet the buffers of
the nodes above them anyhow.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from operator import attrgetter
from typing import Any, ClassVar, Final

from penstock.context.leaves import FIRST, LAST
from penstock.context.structures.one_end import OneEnd
from penstock.errors import InvariantError

ORDER: Final = 32
_HIGH: Final = attrgetter("high")


class _Node:
    """A leaf, with keys and the identifiers of each, or an inner node, with children."""

    __slots__ = ("buffer", "children", "entries", "high", "keys")

    def __init__(self, high: int) -> None:
        self.high = high
        """The last key of the range, which begins behind that of the node before."""
        self.buffer: set[int] = set()
        self.keys: list[int] = []
        self.entries: list[set[int]] = []
        self.children: list[_Node] = []

    @property
    def size(self) -> int:
        return len(self.children) or len(self.keys)

    @property
    def highest(self) -> int:
        """Where the range must not end before."""
        return self.children[-1].high if self.children else self.keys[-1]

    def child(self, key: int) -> _Node:
        return self.children[bisect_left(self.children, key, key=_HIGH)]

    def give(self, other: _Node, count: int, *, first: bool) -> None:
        """Give the first children or keys to the end of the node before, or the last ones to the next node's front."""
        pairs: list[tuple[list[Any], list[Any]]]
        pairs = [(self.keys, other.keys), (self.entries, other.entries), (self.children, other.children)]
        for mine, theirs in pairs:
            if first:
                theirs += mine[:count]
                del mine[:count]
            else:
                theirs[:0] = mine[-count:]
                del mine[-count:]


class BPlusTree(OneEnd):
    """Intervals by one end, in B+-trees."""

    name: ClassVar[str] = "b_plus_tree"

    def __init__(self, order: int = ORDER) -> None:
        if order < 4:
            raise ValueError(f"the order is {order}; nodes need room for 4 children at least")
        super().__init__(lambda: BPlusEndTree(order))


class BPlusEndTree:
    """One B+-tree whose nodes have at most ``order`` children or keys, and at least half as many."""

    def __init__(self, order: int) -> None:
        self._order = order
        self._root = _Node(LAST)
        self._exact: dict[int, int] = {}
        """The keys of identifiers in leaves; not the leaves, which change."""
        self._buffered: dict[int, _Node] = {}

    def __len__(self) -> int:
        return len(self._exact) + len(self._buffered)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._exact or identifier in self._buffered

    def insert(self, identifier: int, key: int) -> None:
        path = self._path(key)
        leaf = path[-1]
        place = bisect_left(leaf.keys, key)
        if place == len(leaf.keys) or leaf.keys[place] != key:
            leaf.keys.insert(place, key)
            leaf.entries.insert(place, set())
        leaf.entries[place].add(identifier)
        self._exact[identifier] = key
        self._split(path)

    def admit(self, identifier: int, key: int) -> None:
        self._go_down(identifier, key, 0, LAST)

    def delete(self, identifier: int) -> None:
        if identifier in self._buffered:
            self._buffered.pop(identifier).buffer.remove(identifier)
        else:
            self._leave_leaf(identifier)

    def reach(self, identifier: int) -> int:
        key = self._exact.get(identifier)
        return self._buffered[identifier].high if key is None else key

    def probe(self, key: int) -> list[int]:
        found: list[int] = []
        waiting = [self._root]
        while waiting:
            # Only nodes come here whose range ends at the key or after it.
            node = waiting.pop()
            found += node.buffer
            waiting += node.children[bisect_left(node.children, key, key=_HIGH) :]
            for identifiers in node.entries[bisect_left(node.keys, key) :]:
                found += identifiers
        return found

    def escalate(self, identifier: int, key: int) -> bool:
        above, _ = self._place_of(identifier)
        for node in reversed(above):
            if key <= node.high:
                self._move(identifier, node)
                return True
        return False

    def deescalate(self, identifier: int, key: int) -> bool:
        reach = self.reach(identifier)
        if reach == key:
            return False
        above, _ = self._place_of(identifier)
        self._go_down(identifier, key, len(above) + 1, reach)
        return True

    def widen(self, identifier: int, key: int) -> bool:
        _, node = self._place_of(identifier)
        if identifier in self._buffered or key > node.high:
            return False
        self._move(identifier, node)
        return True

    def memory(self) -> int:
        total = sys.getsizeof(self._exact) + sys.getsizeof(self._buffered)
        for node, _ in self._nodes():
            parts = (node, node.buffer, node.keys, node.entries, node.children, *node.entries)
            total += sum(map(sys.getsizeof, parts))
        return total

    def check_invariants(self) -> None:
        exact: dict[int, int] = {}
        buffered: dict[int, _Node] = {}
        before, leaf_depths = FIRST - 1, set()
        for node, depth in self._nodes():
            if node is not self._root and not self._least() <= node.size <= self._order:
                raise InvariantError(f"a node has {node.size} parts, with an order of {self._order}")
            buffered.update(dict.fromkeys(node.buffer, node))
            if node.children:
                if node.highest != node.high or len(node.children) < 2:
                    raise InvariantError("an inner node does not end with its last child, or has one only")
                continue
            leaf_depths.add(depth)
            if node.keys != sorted(set(node.keys)) or any(not before < key <= node.high for key in node.keys):
                raise InvariantError(f"the keys of the leaf up to {node.high} are not in order within its range")
            if not all(node.entries) or len(node.entries) != len(node.keys):
                raise InvariantError(f"a key in the leaf up to {node.high} has no identifiers")
            before = node.high
            for key, identifiers in zip(node.keys, node.entries, strict=True):
                exact.update(dict.fromkeys(identifiers, key))
        if before != LAST or len(leaf_depths) != 1:
            raise InvariantError("the leaves do not cover all keys at one depth")
        if exact != self._exact or buffered != self._buffered or not exact.keys().isdisjoint(buffered):
            raise InvariantError("an identifier is not where it should be")

    def _least(self) -> int:
        return self._order // 2

    def _path(self, key: int) -> list[_Node]:
        """The nodes from the root to the leaf that has a key in its range."""
        node = self._root
        path = [node]
        while node.children:
            node = node.child(key)
            path.append(node)
        return path

    def _nodes(self) -> list[tuple[_Node, int]]:
        """All nodes with their depths, leaves in the order of their keys."""
        found = []
        waiting = [(self._root, 0)]
        while waiting:
            node, depth = waiting.pop()
            found.append((node, depth))
            waiting += [(child, depth + 1) for child in reversed(node.children)]
        return found

    def _place_of(self, identifier: int) -> tuple[list[_Node], _Node]:
        """The node that an identifier is in, and the ones above it from the root on."""
        node = self._buffered.get(identifier)
        if node is None:
            path = self._path(self._exact[identifier])
            return path[:-1], path[-1]
        path = self._path(node.high)
        return path[: path.index(node)], node

    def _go_down(self, identifier: int, key: int, depth: int, reach: int) -> None:
        """To the first buffer on the way to a key, from a depth on, that has a lower reach; else to its leaf."""
        for node in self._path(key)[depth:-1]:
            if node.high < reach:
                self._move(identifier, node)
                return
        if identifier in self:
            self.delete(identifier)
        self.insert(identifier, key)

    def _move(self, identifier: int, node: _Node) -> None:
        """Into the buffer of a node."""
        before = self._buffered.get(identifier)
        self._buffered[identifier] = node
        node.buffer.add(identifier)
        if before is not None:
            before.buffer.remove(identifier)
        elif identifier in self._exact:
            self._leave_leaf(identifier)  # if that merges nodes, the identifier goes with the buffer it is in by now

    def _leave_leaf(self, identifier: int) -> None:
        key = self._exact.pop(identifier)
        path = self._path(key)
        leaf = path[-1]
        place = bisect_left(leaf.keys, key)
        leaf.entries[place].remove(identifier)
        if not leaf.entries[place]:
            del leaf.keys[place], leaf.entries[place]
            self._refill(path)

    def _split(self, path: list[_Node]) -> None:
        """Split the last node of a path if it is too large, and those above it that are then."""
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            if node.size <= self._order:
                return
            lower = _Node(FIRST)
            node.give(lower, node.size // 2, first=True)
            lower.high = lower.highest
            if depth == 0:
                self._root = _Node(LAST)
                self._root.children = [lower, node]
            else:
                above = path[depth - 1].children
                above.insert(above.index(node), lower)

    def _refill(self, path: list[_Node]) -> None:
        """Fill up the last node of a path if it is too small, and those above it that are then."""
        for depth in range(len(path) - 1, 0, -1):
            node, siblings = path[depth], path[depth - 1].children
            if node.size >= self._least():
                return
            place = max(siblings.index(node) - 1, 0)
            left, right = siblings[place], siblings[place + 1]
            if left.size + right.size < 2 * self._least():
                left.give(right, left.size, first=False)
                del siblings[place]
                self._empty_buffer(left, right)
            elif node is right:
                left.give(right, 1, first=False)
                left.high = left.highest
                self._empty_buffer(left, right)
            else:
                right.give(left, 1, first=True)
                left.high = left.highest
        if len(self._root.children) == 1:
            before, self._root = self._root, self._root.children[0]
            self._empty_buffer(before, self._root)

    def _empty_buffer(self, node: _Node, into: _Node) -> None:
        """Move identifiers to a buffer that reaches as far at least."""
        into.buffer |= node.buffer
        self._buffered.update(dict.fromkeys(node.buffer, into))
        node.buffer = set()
