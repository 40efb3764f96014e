"""The context store: the values of all attributes of all contexts, the truth that indexes only approximate."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.context.leaves import is_plain_number
from penstock.encoding.growing import GrowingArray
from penstock.model.values import Value

ContextId: TypeAlias = Hashable
Slot: TypeAlias = int


class ContextStore:
    """Slots, one for each attribute of each context, and their values."""

    def __init__(self) -> None:
        self._slots: dict[ContextId, dict[str, Slot]] = {}
        self._values: list[Value] = []
        self._doubles = GrowingArray(np.float64)
        self._in_doubles = GrowingArray(np.bool_)
        """Which slots have their value among the doubles, because they were set many at once."""
        self._are_numbers = GrowingArray(np.bool_)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, context: object) -> bool:
        return context in self._slots

    def __iter__(self) -> Iterator[ContextId]:
        return iter(self._slots)

    @property
    def are_numbers(self) -> NDArray[np.bool_]:
        """Which slots hold plain numbers, such that doubles say all about them."""
        return self._are_numbers.values

    def slot(self, context: ContextId, attribute: str) -> Slot:
        """The slot of an attribute, which is made when it is new; its value is absent then."""
        slots = self._slots.get(context)
        if slots is None:
            slots = self._slots[context] = {}
        slot = slots.get(attribute)
        if slot is None:
            slot = slots[attribute] = len(self._values)
            self._values.append(None)
            self._doubles.extend([0.0])
            self._in_doubles.extend([False])
            self._are_numbers.extend([False])
        return slot

    def find(self, context: ContextId, attribute: str) -> Slot | None:
        """The slot of an attribute, if there is one."""
        slots = self._slots.get(context)
        return None if slots is None else slots.get(attribute)

    def set(self, slot: Slot, value: Value) -> None:
        self._values[slot] = value
        self._in_doubles.values[slot] = False
        self._are_numbers.values[slot] = is_plain_number(value)

    def set_many(self, slots: NDArray[np.int32], values: NDArray[np.float64]) -> None:
        """Give slots doubles; of several values for one slot the last counts."""
        self._doubles.values[slots] = values
        self._in_doubles.values[slots] = True
        self._are_numbers.values[slots] = True

    def value(self, slot: Slot) -> Value:
        return float(self._doubles.values[slot]) if self._in_doubles.values[slot] else self._values[slot]

    def attributes(self, context: ContextId) -> Mapping[str, Value]:
        """All values of a context."""
        return {name: self.value(slot) for name, slot in self._slots.get(context, {}).items()}
