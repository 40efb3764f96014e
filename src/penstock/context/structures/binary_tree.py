"""AGILE on a binary search tree: the paper's running example (section 5.1, figures 5 to 7).

A node has a key and three sets of identifiers: *exact* with that key, and the escalated ones, *left* and *right*, of
which the tree only knows that their keys are on that side, within the range of the node.

Escalation moves an identifier to the nearest ancestor that has a set for the new key: the left set if it comes from the
left, else the right one. From the root it goes out of scope. Deescalation moves it a level down, into a set of the node
that the search for its key meets there, and where no node is left, into the exact set of a new leaf. See ``one_end.py``
for what the keys are.

Deviations: K(i) is not bounded below, and deescalation goes on past a set that would not make it smaller, as from a
left set into the right set of the child. A cheap update can leave an identifier in the exact set of a higher key;
deescalation makes such a one accurate at once. The paper says nothing of balance: here the part of the tree that makes
a new leaf too deep is built anew, as in a scapegoat tree.
"""

from __future__ import annotations

import sys
from typing import ClassVar, Final

from penstock.context.leaves import LAST
from penstock.context.structures.one_end import OneEnd
from penstock.errors import InvariantError

LEFT, EXACT, RIGHT = 0, 1, 2
"""The sets of a node."""
MOST_TIMES_DEEPER: Final = 4
"""How many times the logarithm of the number of nodes a leaf may be deep."""
HEAVY: Final = 2 ** (-1 / MOST_TIMES_DEEPER)
"""On the way up from a leaf that is deeper there is a node with more than this share of its nodes on one side."""


class _Node:
    """A node, the highest key of its range, and the identifiers of its three sets."""

    __slots__ = ("above", "below", "high", "key", "parent", "sets")

    def __init__(self, key: int, high: int, parent: _Node | None) -> None:
        self.key = key
        self.high = high
        self.parent = parent
        self.below: _Node | None = None
        self.above: _Node | None = None
        self.sets: tuple[set[int], set[int], set[int]] = set(), set(), set()

    def side(self, key: int) -> int:
        """The set of this node that is for a key."""
        return EXACT if key == self.key else LEFT if key < self.key else RIGHT

    def reach(self, side: int) -> int:
        """The highest key of a set."""
        return (self.key - 1, self.key, self.high)[side]


class BinaryTree(OneEnd):
    """Intervals by one end, in binary trees."""

    name: ClassVar[str] = "bst"

    def __init__(self) -> None:
        super().__init__(BinaryEndTree)

    def sets(self, *, lower: bool = False) -> dict[int, tuple[list[int], list[int], list[int]]]:
        """The left, exact and right identifiers by node, of the tree of upper ends or of that of lower ones."""
        tree = self._lowers if lower else self._uppers
        assert isinstance(tree, BinaryEndTree)
        return {-key: sets[::-1] for key, sets in tree.sets().items()} if lower else tree.sets()


class BinaryEndTree:
    """One binary tree."""

    def __init__(self) -> None:
        self._root: _Node | None = None
        self._count = 0
        self._where: dict[int, tuple[_Node, int]] = {}

    def __len__(self) -> int:
        return len(self._where)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._where

    def insert(self, identifier: int, key: int) -> None:
        self._settle(identifier, key, self._path(key))

    def admit(self, identifier: int, key: int) -> None:
        self._go_down(identifier, key, 0, LAST)

    def delete(self, identifier: int) -> None:
        node, side = self._where.pop(identifier)
        node.sets[side].remove(identifier)
        self._prune(node)

    def reach(self, identifier: int) -> int:
        node, side = self._where[identifier]
        return node.reach(side)

    def probe(self, key: int) -> list[int]:
        found: list[int] = []
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node is None:
                continue
            # Whatever leads here is in reach up to the end of the node's range.
            found += node.sets[RIGHT]
            waiting.append(node.above)
            if key <= node.key:
                found += node.sets[EXACT]
            if key < node.key:
                found += node.sets[LEFT]
                waiting.append(node.below)
        return found

    def escalate(self, identifier: int, key: int) -> bool:
        node, _ = self._where[identifier]
        while node.parent is not None:
            side = LEFT if node is node.parent.below else RIGHT
            node = node.parent
            if key <= node.reach(side):
                self._move(identifier, node, side)
                return True
        return False

    def deescalate(self, identifier: int, key: int) -> bool:
        node, side = self._where[identifier]
        if node.reach(side) == key:
            return False
        if side == EXACT:
            self._settle(identifier, key, self._path(key))
        else:
            self._go_down(identifier, key, len(self._path(node.key)), node.reach(side))
        return True

    def widen(self, identifier: int, key: int) -> bool:
        """From an exact set to that of the gap between its key and the next: the one set that is for this gap only."""
        node, side = self._where[identifier]
        if side != EXACT:
            return False
        gap, side = (node, RIGHT) if node.above is None else (_first(node.above), LEFT)
        if key > gap.reach(side):
            return False
        self._move(identifier, gap, side)
        return True

    def sets(self) -> dict[int, tuple[list[int], list[int], list[int]]]:
        """What the sets of each node hold."""
        found = {}
        for node in _nodes(self._root):
            left, exact, right = (sorted(each) for each in node.sets)
            found[node.key] = left, exact, right
        return found

    def depth(self) -> int:
        """How many nodes the longest path has."""
        return max((len(self._path(node.key)) for node in _nodes(self._root)), default=0)

    def memory(self) -> int:
        nodes = sum(sys.getsizeof(node) + sum(map(sys.getsizeof, node.sets)) for node in _nodes(self._root))
        return nodes + sys.getsizeof(self._where)

    def check_invariants(self) -> None:
        nodes = _nodes(self._root)
        if [node.key for node in nodes] != sorted({node.key for node in nodes}) or len(nodes) != self._count:
            raise InvariantError("the nodes of the binary tree are not in order, or counted wrongly")
        placed = {}
        for node in nodes:
            for child, high in ((node.below, node.key - 1), (node.above, node.high)):
                if child is not None and (child.parent is not node or child.high != high):
                    raise InvariantError(f"node {child.key} does not know where it is, which is below node {node.key}")
            if not any(node.sets) and (node.below is None or node.above is None):
                raise InvariantError(f"node {node.key} is of no use")
            placed.update({each: (node, side) for side in (LEFT, EXACT, RIGHT) for each in node.sets[side]})
        if placed != self._where or sum(len(each) for node in nodes for each in node.sets) != len(placed):
            raise InvariantError("an identifier is not in the set that it should be in, or in several")
        if self._root is not None and (self._root.parent is not None or self._root.high != LAST):
            raise InvariantError("the root is not the root")

    def _path(self, key: int) -> list[_Node]:
        """The nodes from the root to that of a key, or to the one that its node would be below."""
        path = []
        node = self._root
        while node is not None:
            path.append(node)
            node = None if key == node.key else node.below if key < node.key else node.above
        return path

    def _go_down(self, identifier: int, key: int, depth: int, reach: int) -> None:
        """To the first set on the way to a key, from a depth on, that has a lower reach."""
        path = self._path(key)
        for node in path[depth:]:
            side = node.side(key)
            if node.reach(side) < reach:
                self._move(identifier, node, side)
                return
        self._settle(identifier, key, path)

    def _settle(self, identifier: int, key: int, path: list[_Node]) -> None:
        """Into the exact set of a key, at the end of the path to it."""
        if path and path[-1].key == key:
            self._move(identifier, path[-1], EXACT)
            return
        leaf = _Node(key, LAST, None)
        _link(path[-1] if path else None, leaf, above=bool(path) and key > path[-1].key)
        if not path:
            self._root = leaf
        self._count += 1
        self._move(identifier, leaf, EXACT)
        self._balance(leaf)

    def _move(self, identifier: int, node: _Node, side: int) -> None:
        before = self._where.get(identifier)
        self._where[identifier] = node, side
        node.sets[side].add(identifier)
        if before is not None and before != (node, side):
            before[0].sets[before[1]].remove(identifier)
            self._prune(before[0])

    def _prune(self, node: _Node | None) -> None:
        """Remove a node without identifiers, unless it has two children, and its ancestors that are then like that.

        What is left without identifiers has two children, so there are never more such nodes than others.
        """
        while node is not None and not any(node.sets) and (node.below is None or node.above is None):
            parent, child = node.parent, node.below or node.above
            if parent is None:
                self._root = child
            if child is not None:
                child.parent = parent
                # What was below the node may now reach as far as the node did.
                spine = child if child is node.below else None
                while spine is not None:
                    spine.high = node.high
                    spine = spine.above
            if parent is not None and parent.below is node:
                parent.below = child
            elif parent is not None:
                parent.above = child
            self._count -= 1
            node = parent

    def _balance(self, leaf: _Node) -> None:
        """Build a part of the tree anew if a new leaf is too deep."""
        path = self._path(leaf.key)
        if len(path) - 1 <= MOST_TIMES_DEEPER * self._count.bit_length():
            return
        size = 1
        for child, node in zip(path[:0:-1], path[-2::-1], strict=True):
            both = 1 + size + len(_nodes(node.below if child is node.above else node.above))
            if size > HEAVY * both:
                self._rebuild(node)
                return
            size = both

    def _rebuild(self, top: _Node) -> None:
        """Build the tree below a node anew, balanced. Identifiers keep their reach, in a left set if need be."""
        nodes, parent, high = _nodes(top), top.parent, top.high
        by_key = {node.key: node for node in nodes}
        farthest: list[int] = []
        for node in nodes:
            escalated = list(node.sets[RIGHT])
            node.sets[RIGHT].clear()
            if node.high == high:
                farthest += escalated
                continue
            for identifier in escalated:
                self._where[identifier] = by_key[node.high + 1], LEFT
                by_key[node.high + 1].sets[LEFT].add(identifier)
        kept = [node for node in nodes if any(node.sets)]
        self._count -= len(nodes) - len(kept)
        is_above = parent is not None and parent.above is top
        top = kept[len(kept) // 2]
        waiting: list[tuple[int, int, _Node | None, bool]] = [(0, len(kept), parent, is_above)]
        while waiting:
            begin, end, upper, above = waiting.pop()
            middle = (begin + end) // 2
            node = kept[middle]
            node.below = node.above = None
            node.high = high
            _link(upper, node, above=above)
            waiting += [(begin, middle, node, False)] if begin < middle else []
            waiting += [(middle + 1, end, node, True)] if middle + 1 < end else []
        if parent is None:
            self._root = top
        top.sets[RIGHT].update(farthest)
        self._where.update((identifier, (top, RIGHT)) for identifier in farthest)


def _link(parent: _Node | None, child: _Node, *, above: bool) -> None:
    child.parent = parent
    if parent is None:
        return
    if above:
        parent.above = child
        child.high = parent.high
    else:
        parent.below = child
        child.high = parent.key - 1


def _first(node: _Node) -> _Node:
    while node.below is not None:
        node = node.below
    return node


def _nodes(top: _Node | None) -> list[_Node]:
    """All nodes from a node down, in the order of their keys."""
    found = []
    open_: list[_Node] = []
    node = top
    while open_ or node is not None:
        while node is not None:
            open_.append(node)
            node = node.below
        node = open_.pop()
        found.append(node)
        node = node.above
    return found
