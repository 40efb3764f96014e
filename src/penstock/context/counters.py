"""What a filter has done so far, as the paper's tables count it."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Counters:
    """Counts since a filter was made."""

    messages: int = 0
    updates: int = 0
    """Context updates, whether or not a profile reads what they change."""
    index_updates: int = 0
    """Changes of an entry of an index that an update made: not those that were no-operations."""
    escalations: int = 0
    deescalations: int = 0
    postfiltered: int = 0
    """Profiles that were evaluated for a message."""
    false_positives: int = 0
    """Times that an index returned a profile for a message whose own predicate on the attribute refuses it."""
    matches: int = 0

    def as_array(self) -> NDArray[np.int64]:
        """The counts in order, for kernels."""
        return np.array(astuple(self), dtype=np.int64)

    def take(self, counts: NDArray[np.int64]) -> None:
        """Have the counts of an array."""
        for field, count in zip(fields(self), counts.tolist(), strict=True):
            setattr(self, field.name, count)
