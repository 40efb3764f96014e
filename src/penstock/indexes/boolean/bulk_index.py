"""Indexes of clauses that are built anew when many conditions come at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from penstock.errors import DuplicateSubscriptionError
from penstock.indexes.boolean.bulk import Translated, only, translate_many
from penstock.indexes.boolean.clause_index import ClauseIndex
from penstock.indexes.protocol import Key
from penstock.model.conditions import Condition


class BulkClauseIndex(ClauseIndex):
    """Plain conjunctions go into the structure as columns, all together; other conditions one by one."""

    def insert_many(self, keys: Iterable[Key], conditions: Iterable[Condition]) -> None:
        """Add many conditions at once; many more than there are already make all be built anew, which is faster."""
        numbers = np.fromiter(keys, np.int64)
        many = list(conditions)
        if len(numbers) != len(many):
            raise ValueError(f"as many keys as conditions are needed, found {len(numbers)} and {len(many)}")
        self._table.check_all_new(numbers)
        if len(self._scanned):
            for key in numbers.tolist():
                if key in self._scanned:
                    raise DuplicateSubscriptionError(f"the index holds a condition with the key {key} already")
        if len(numbers) * 4 < len(self._table):
            super().insert_many(numbers.tolist(), many)
            return
        translated = translate_many(many, self._vocabulary)
        translated = only(translated, self._serves_plain(translated))
        self._build_with(self._table.add_many(numbers[translated.plain]), translated)
        # The others come last: their strings may change labels, and only what is filed follows such a change.
        for place in translated.others:
            self.insert(int(numbers[place]), many[place])

    def _serves_plain(self, translated: Translated) -> NDArray[np.bool_]:
        """Which of the plain conjunctions can be filed."""
        return np.ones(len(translated.plain), dtype=np.bool_)

    @abstractmethod
    def _build_with(self, clauses: NDArray[np.int32], translated: Translated) -> None:
        """Build the structure anew from what it holds and from plain conjunctions, which have these clause numbers."""
