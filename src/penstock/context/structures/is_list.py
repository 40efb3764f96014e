"""AGILE on the interval skip list (section 5.4.1): an end of an interval that moves is promoted to a higher level.

An accurate interval ends on nodes of its own. When an end moves beyond K(i), it is promoted: the interval then ends at
the next node that reaches one level more than before, as a range of that level does. Its marks go to the edges of
higher levels by themselves. From the highest level an end is promoted out of scope: K(i) is not bounded there any more.
Deescalation goes back a level at a time, and from the lowest to a node of its own.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from penstock.context.leaves import FIRST, LAST
from penstock.errors import InvariantError
from penstock.indexes.interval.is_list import IntervalSkipList


class AgileSkipList:
    """Intervals on an interval skip list, each end of each at a level: 0 for accurate."""

    name: ClassVar[str] = "is_list"

    def __init__(self, seed: int = 1) -> None:
        self._list = IntervalSkipList(seed=seed)
        self._levels: dict[int, tuple[int, int]] = {}
        """The levels of both ends of the identifiers that are not accurate."""

    def __len__(self) -> int:
        return len(self._list)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._list

    def insert(self, identifier: int, low: int, high: int) -> None:
        self._list.insert(identifier, low, high)

    def insert_many(self, identifiers: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> None:
        """Add many identifiers at once."""
        self._list.insert_many(identifiers, lows, highs)

    def delete(self, identifier: int) -> None:
        self._list.delete(identifier)
        self._levels.pop(identifier, None)

    def probe(self, key: int) -> NDArray[np.int32]:
        return self._list.stab(key)

    def covers(self, identifier: int, low: int, high: int) -> bool:
        begin, end = self._list.interval(identifier)
        return begin <= low and high <= end

    def escalate(self, identifier: int, low: int, high: int) -> None:
        begin, end = self._list.interval(identifier)
        left, right = self._levels.get(identifier, (0, 0))
        if low < begin:
            left += 1
            begin = self._node_before(low, left)
        if high > end:
            right += 1
            end = self._node_after(high, right)
        self._move(identifier, begin, end, (left, right))

    def deescalate(self, identifier: int, low: int, high: int) -> bool:
        begin, end = self._list.interval(identifier)
        left, right = self._levels.get(identifier, (0, 0))
        if (begin, end) == (low, high):
            return False
        # An end that no longer fits although it was never promoted is one that moved inwards.
        left, right = max(left - 1, 0), max(right - 1, 0)
        begin = max(begin, self._node_before(low, left)) if left else low
        end = min(end, self._node_after(high, right)) if right else high
        self._move(identifier, begin, end, (left, right))
        return True

    def widen(self, identifier: int, low: int, high: int) -> bool:
        begin, end = self._list.interval(identifier)
        left, right = self._levels.get(identifier, (0, 0))
        if (low < begin and left) or (high > end and right):
            return False  # an end that was widened before is where its leaf ends
        around = self._node_before(max(begin - 1, FIRST), 0), self._node_after(min(end + 1, LAST), 0)
        if low < around[0] or high > around[1]:
            return False
        levels = (1 if low < begin else left, 1 if high > end else right)
        self._move(identifier, around[0] if low < begin else begin, around[1] if high > end else end, levels)
        return True

    def keys_of(self, identifier: int) -> tuple[int, int]:
        return self._list.interval(identifier)

    def markers(self) -> dict[tuple[int, int, int], list[int]]:
        """The identifiers on each edge that has some: by level and the values that the edge leads from and to."""
        found = {}
        for level in range(self._list.levels()):
            nodes = self._list.nodes(level)
            values = self._list.node_values(level)
            for place in range(len(nodes) - 1):
                marked = self._list.markers_on(nodes[place], level)
                if marked:
                    found[level, values[place], values[place + 1]] = sorted(marked)
        return found

    def memory(self) -> int:
        return sum(self._list.memory().values())

    def check_invariants(self) -> None:
        self._list.check_invariants()
        if not all(identifier in self._list for identifier in self._levels):
            raise InvariantError("an identifier has a level and is not in the list")

    def _move(self, identifier: int, begin: int, end: int, levels: tuple[int, int]) -> None:
        if self._list.interval(identifier) != (begin, end):
            self._list.delete(identifier)
            self._list.insert(identifier, begin, end)
        if any(levels):
            self._levels[identifier] = levels
        else:
            self._levels.pop(identifier, None)

    def _node_before(self, key: int, level: int) -> int:
        """The value of the last node at or before a key that reaches a level; the first key if there is none."""
        return self._list.node_beside(key, level, before=True, otherwise=FIRST)

    def _node_after(self, key: int, level: int) -> int:
        return self._list.node_beside(key, level, before=False, otherwise=LAST)
