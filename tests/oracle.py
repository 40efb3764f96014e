"""The oracle: which pairs of an event and a condition match, by the reference evaluator and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from penstock.model.conditions import Condition
from penstock.model.evaluation import evaluate


def matching_pairs(
    events: Sequence[Mapping[str, object]], conditions: Mapping[int, Condition]
) -> list[tuple[int, int]]:
    """The pairs (row, key) that match, ordered by row and then by key."""
    return [
        (row, key)
        for row, event in enumerate(events)
        for key, condition in sorted(conditions.items())
        if evaluate(condition, event) is True
    ]
