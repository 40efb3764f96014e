"""AGILE on an R-tree over closed intervals (section 5.4.2, 2): inner nodes have buffers for escalated identifiers.

Leaves hold intervals, exact on both ends. Escalation moves an identifier into the buffer of the lowest node above it
whose bounding interval, as it is, holds the new interval, and from the root out of scope. The bounding interval is then
K(i). Deescalation moves an identifier a level down, to the child that has to grow least to hold its interval; K(i) is
what the bounding interval of that child leaves of it, and in a leaf the interval itself.

The paper leaves open what becomes of buffers when nodes change. K(i) stays with the identifier here, and a bounding
interval holds the K(i) of its buffer as it holds children. When a node is split, an identifier goes to the half that
holds its K(i), else up to the parent. Nodes that become too small join the sibling that has to grow least, with what
their buffer holds. When a root goes that has a leaf for its only child, what it holds is inserted into leaves under
K(i): such an entry of a leaf is not accurate, and deescalation makes it so.

An interval that moves within the bounding interval of its leaf changes nothing but the entry (GBU on R-trees, section
4.4). Nodes are split in linear time: the two intervals that lie farthest apart begin the two halves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from penstock.context.leaves import FIRST, LAST
from penstock.context.structures.requests import check_known, check_new
from penstock.errors import InvariantError

ORDER: Final = 16

Keys = tuple[int, int]


class _Node:
    """A leaf, with the intervals that it holds, or an inner node, with children and a buffer."""

    __slots__ = ("children", "held", "high", "low", "parent")

    def __init__(self) -> None:
        self.parent: _Node | None = None
        self.low, self.high = LAST, FIRST
        self.children: list[_Node] = []
        self.held: dict[int, Keys] = {}
        """K(i) of each identifier of a leaf, or of the buffer of an inner node."""

    @property
    def keys(self) -> Keys:
        """The bounding interval."""
        return self.low, self.high

    @property
    def size(self) -> int:
        return len(self.children) or len(self.held)

    def holds(self, keys: Keys) -> bool:
        return self.low <= keys[0] and keys[1] <= self.high

    def grow(self, keys: Keys) -> None:
        self.low, self.high = min(self.low, keys[0]), max(self.high, keys[1])

    def growth(self, keys: Keys) -> Keys:
        """By how much the node would have to grow to hold an interval, and its length."""
        return _growth(self.keys, keys), self.high - self.low

    def adopt(self, children: Iterable[_Node]) -> None:
        for child in children:
            child.parent = self
            self.children.append(child)
            self.grow(child.keys)


class RTree:
    """Intervals in an R-tree whose nodes have at most ``order`` children or entries."""

    name: ClassVar[str] = "r_tree"

    def __init__(self, order: int = ORDER) -> None:
        if order < 4:
            raise ValueError(f"the order is {order}; nodes need room for 4 children at least")
        self._order = order
        self._least = max(2, 2 * order // 5)
        self._root = _Node()
        self._where: dict[int, _Node] = {}
        self._outside: set[int] = set()

    def __len__(self) -> int:
        return len(self._where) + len(self._outside)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._where or identifier in self._outside

    def insert(self, identifier: int, low: int, high: int) -> None:
        check_new(identifier, low, high, self)
        self._insert(identifier, (low, high))

    def delete(self, identifier: int) -> None:
        check_known(identifier, self)
        if identifier in self._outside:
            self._outside.remove(identifier)
        else:
            self._leave(self._where.pop(identifier), identifier)

    def probe(self, key: int) -> NDArray[np.int32]:
        found = list(self._outside)
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node.low <= key <= node.high:
                found += [identifier for identifier, (low, high) in node.held.items() if low <= key <= high]
                waiting += node.children
        return np.array(found, dtype=np.int32)

    def covers(self, identifier: int, low: int, high: int) -> bool:
        begin, end = self.keys_of(identifier)
        return begin <= low and high <= end

    def escalate(self, identifier: int, low: int, high: int) -> None:
        if self.covers(identifier, low, high):
            return
        node = self._where[identifier]
        above = node.parent
        while above is not None and not above.holds((low, high)):
            above = above.parent
        if above is None:
            del self._where[identifier]
            self._outside.add(identifier)
        else:
            self._put(identifier, above.keys, above)
        # If that merges nodes, the identifier goes with the buffer that it is in by now.
        self._leave(node, identifier)

    def deescalate(self, identifier: int, low: int, high: int) -> bool:
        keys, wanted = self.keys_of(identifier), (low, high)
        if keys == wanted:
            return False
        node = self._where.get(identifier)
        if node is not None and not node.children:
            node.held[identifier] = wanted
            self._tighten(node)
            return True
        if node is None:
            self._outside.remove(identifier)
        else:
            del node.held[identifier]
        self._go_down(identifier, wanted, keys, self._root if node is None else _nearest(node.children, wanted))
        if node is not None:
            self._tighten(node)
        return True

    def widen(self, identifier: int, low: int, high: int) -> bool:
        node = self._where.get(identifier)
        if node is None or node.children or not node.holds((low, high)):
            return self.covers(identifier, low, high)
        node.held[identifier] = low, high
        return True

    def keys_of(self, identifier: int) -> tuple[int, int]:
        node = self._where.get(identifier)
        if node is None:
            check_known(identifier, self._outside)
            return FIRST, LAST
        return node.held[identifier]

    def memory(self) -> int:
        nodes = sum(sum(map(sys.getsizeof, (node, node.children, node.held))) for node, _ in self._nodes())
        return nodes + sys.getsizeof((0, 0)) * len(self) + sys.getsizeof(self._where) + sys.getsizeof(self._outside)

    def check_invariants(self) -> None:
        placed: dict[int, _Node] = {}
        leaf_depths = set()
        for node, depth in self._nodes():
            if node is not self._root and not self._least <= node.size <= self._order:
                raise InvariantError(f"a node has {node.size} parts, with an order of {self._order}")
            if not all(node.holds(keys) for keys in _parts(node)):
                raise InvariantError(f"the bounding interval {node.keys} does not hold all that it must")
            if any(child.parent is not node for child in node.children) or len(node.children) == 1:
                raise InvariantError(f"a child of the node with {node.keys} has another parent, or no sibling")
            if not node.children:
                leaf_depths.add(depth)
            if any(identifier in placed for identifier in node.held):
                raise InvariantError(f"an identifier of the node with {node.keys} is in another one too")
            placed.update(dict.fromkeys(node.held, node))
        if placed != self._where or not self._outside.isdisjoint(placed) or self._root.parent is not None:
            raise InvariantError("an identifier is not where it should be")
        if len(leaf_depths) != 1 or self._root.size > self._order:
            raise InvariantError("the leaves are not all at one depth, or the root is too large")

    def _nodes(self) -> list[tuple[_Node, int]]:
        found = []
        waiting = [(self._root, 0)]
        while waiting:
            node, depth = waiting.pop()
            found.append((node, depth))
            waiting += [(child, depth + 1) for child in node.children]
        return found

    def _put(self, identifier: int, keys: Keys, node: _Node) -> None:
        node.grow(keys)
        node.held[identifier] = keys
        self._where[identifier] = node

    def _insert(self, identifier: int, keys: Keys) -> None:
        """Into the leaf that is reached by the children which have to grow least."""
        node = self._root
        while node.children:
            node.grow(keys)
            node = _nearest(node.children, keys)
        self._put(identifier, keys, node)
        self._split(node)

    def _go_down(self, identifier: int, wanted: Keys, keys: Keys, node: _Node) -> None:
        """To the first node, from one on, that makes the keys of an identifier fewer."""
        while node.children:
            node.grow(wanted)
            fewer = max(keys[0], node.low), min(keys[1], node.high)
            if fewer != keys:
                self._put(identifier, fewer, node)
                return
            node = _nearest(node.children, wanted)
        self._put(identifier, wanted, node)
        self._split(node)

    def _leave(self, node: _Node, identifier: int) -> None:
        """Take an identifier out of a node, and the node out of the tree if it is too small then."""
        del node.held[identifier]
        while node.parent is not None and node.size < self._least:
            parent = node.parent
            parent.children.remove(node)
            sibling = _nearest(parent.children, node.keys)
            sibling.adopt(node.children)
            for each, keys in node.held.items():
                self._put(each, keys, sibling)
            self._split(sibling)
            node = parent
        self._tighten(node)
        if len(self._root.children) == 1:
            before, self._root = self._root, self._root.children[0]
            self._root.parent = None
            for each, keys in before.held.items():
                if self._root.children:
                    self._put(each, keys, self._root)
                else:
                    self._insert(each, keys)

    def _tighten(self, node: _Node | None) -> None:
        """Let a node and those above bound what they hold and no more."""
        while node is not None:
            before = node.keys
            _bound(node)
            node = node.parent if node.keys != before else None

    def _split(self, node: _Node) -> None:
        """Split a node that is too large, and those above it that are then."""
        while node.size > self._order:
            parent = node.parent
            if parent is None:
                parent = self._root = _Node()
                parent.adopt([node])
            other = _Node()
            if node.children:
                self._split_inner(node, other, parent)
            else:
                held, node.held = node.held, {}
                for side, identifiers in zip((node, other), _halves(held, self._least), strict=True):
                    side.held = {identifier: held[identifier] for identifier in identifiers}
                    self._where.update(dict.fromkeys(identifiers, side))
                    _bound(side)
            parent.adopt([other])
            node = parent

    def _split_inner(self, node: _Node, other: _Node, parent: _Node) -> None:
        children, buffer = node.children, node.held
        node.held, node.children = {}, []
        groups = _halves({place: child.keys for place, child in enumerate(children)}, self._least)
        for side, places in zip((node, other), groups, strict=True):
            side.low, side.high = LAST, FIRST
            side.adopt(children[place] for place in places)
        for identifier, keys in buffer.items():
            self._put(identifier, keys, next((side for side in (node, other) if side.holds(keys)), parent))


def _growth(bounds: Keys, keys: Keys) -> int:
    return max(0, bounds[0] - keys[0]) + max(0, keys[1] - bounds[1])


def _nearest(nodes: list[_Node], keys: Keys) -> _Node:
    """The node that has to grow least to hold an interval; of several, the shortest."""
    return min(nodes, key=lambda node: node.growth(keys))


def _parts(node: _Node) -> list[Keys]:
    return [*node.held.values(), *(child.keys for child in node.children)]


def _bound(node: _Node) -> None:
    node.low, node.high = LAST, FIRST
    for keys in _parts(node):
        node.grow(keys)


def _halves(intervals: dict[int, Keys], least: int) -> tuple[list[int], list[int]]:
    """Two groups of at least so many intervals, neither much longer than it must be."""
    first = min(intervals, key=lambda each: intervals[each][1])
    last = max((each for each in intervals if each != first), key=lambda each: intervals[each][0])
    groups = ([first], [last])
    bounds = [intervals[first], intervals[last]]
    rest = [each for each in intervals if each not in (first, last)]
    for done, each in enumerate(rest):
        left = len(rest) - done
        short = [len(group) + left <= least for group in groups]
        keys = intervals[each]
        if any(short):
            side = short.index(True)
        else:
            side = min((0, 1), key=lambda at: (_growth(bounds[at], keys), len(groups[at])))
        groups[side].append(each)
        bounds[side] = min(bounds[side][0], keys[0]), max(bounds[side][1], keys[1])
    return groups
