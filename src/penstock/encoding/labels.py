"""Strings as 64-bit integers in the same order, for structures that strings keep being added to.

Ranks change when an operand comes between others; labels do not: there is room between them, and a new operand takes
the middle. When there is no room left, all operands get new labels, and whoever keeps labels must exchange them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.encoding.order_keys import OrderKeys
from penstock.encoding.ranks import packed_strings, string_buffers
from penstock.kernels.strings import rank_strings

STEP: Final = 2**31
"""How far apart labels are at first."""
LEAST_ROOM: Final = 4
"""How far apart labels always are: between two there is a place for what lies after the one and before the other."""
FEW: Final = 64


class StringLabels:
    """The operands of one field of strings (as UTF-8 bytes) and a label for each."""

    def __init__(self) -> None:
        self._labels: dict[bytes, int] = {}
        self._sorted: list[bytes] = []
        self._sorted_labels: list[int] = []
        self._packed: tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self._labels)

    def find(self, operand: bytes) -> int | None:
        """The label of an operand that is there."""
        return self._labels.get(operand)

    def add(self, operand: bytes) -> int | None:
        """The label of an operand, which is added when it is new; ``None`` when there is no room for it."""
        label = self._labels.get(operand)
        if label is not None:
            return label
        place = bisect_left(self._sorted, operand)
        label = self._label_at(place)
        if label is None:
            return None
        self._labels[operand] = label
        self._sorted.insert(place, operand)
        self._sorted_labels.insert(place, label)
        self._packed = None
        return label

    def add_many(self, operands: Sequence[bytes]) -> dict[int, int]:
        """Add operands and spread all labels anew; the new label of each old one."""
        old = list(zip(self._sorted, self._sorted_labels, strict=True))
        self._sorted = sorted({*self._sorted, *operands})
        self._sorted_labels = [place * STEP for place in range(1, len(self._sorted) + 1)]
        self._labels = dict(zip(self._sorted, self._sorted_labels, strict=True))
        self._packed = None
        return {label: self._labels[operand] for operand, label in old}

    def keep_only(self, labels: NDArray[np.int64]) -> None:
        """Forget all operands but those with these labels, which they keep."""
        kept = set(labels.tolist())
        pairs = [(o, label) for o, label in zip(self._sorted, self._sorted_labels, strict=True) if label in kept]
        self._sorted = [operand for operand, _ in pairs]
        self._sorted_labels = [label for _, label in pairs]
        self._labels = dict(pairs)
        self._packed = None

    def key_of(self, string: str) -> tuple[int, bool]:
        """The label of the operand that a string equals, or of the last one before it."""
        value = string.encode()
        label = self._labels.get(value)
        if label is not None:
            return label, True
        place = bisect_left(self._sorted, value)
        return (self._sorted_labels[place - 1] if place else self._before_all()), False

    def keys_of(self, strings: pa.LargeStringArray) -> OrderKeys:
        """The labels of strings without nulls, as :meth:`key_of` gives them."""
        if self._packed is None and len(strings) < FEW:
            found = [self.key_of(string) for string in strings.to_pylist()]
            keys = np.array([key for key, _ in found], dtype=np.int64)
            return OrderKeys(keys, np.array([exact for _, exact in found], dtype=np.bool_))
        if self._packed is None:
            labels = np.array([self._before_all(), *self._sorted_labels], dtype=np.int64)
            self._packed = (*packed_strings(self._sorted), labels)
        offsets, content, labels = self._packed
        codes = np.empty(len(strings), dtype=np.int32)
        rank_strings(offsets, content, *string_buffers(strings), codes)
        return OrderKeys(labels[codes >> 1], (codes & 1) == 0)

    def bytes_used(self) -> int:
        """The size of what the operands take, without the bookkeeping of Python's dictionaries."""
        return sum(map(len, self._sorted)) + 16 * len(self._sorted)

    def _before_all(self) -> int:
        return self._sorted_labels[0] - LEAST_ROOM if self._sorted_labels else 0

    def _label_at(self, place: int) -> int | None:
        if not self._sorted:
            return STEP
        if place == len(self._sorted):
            return self._sorted_labels[-1] + STEP
        if place == 0:
            return self._sorted_labels[0] - STEP
        below, above = self._sorted_labels[place - 1], self._sorted_labels[place]
        return (below + above) // 2 if above - below >= 2 * LEAST_ROOM else None
