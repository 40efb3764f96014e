"""The random workload of AMKH (Monitoring Web-Based Subscription Services, section 3), from a seed.

There are ten equality-only attributes, ``a0`` to ``a9``, and ten general ones, ``a10`` to ``a19``. A subscription has
three clauses: on ``a0``, on one of the other equality-only attributes, and on ``a10``. Events have all twenty. The
paper does not say how frequent each of ``<`` and ``>`` is; here both are as frequent.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from penstock.lab.boolean_workloads import SparseEvents
from penstock.model.conditions import And, Comparison, ComparisonOperator, Condition
from penstock.model.expressions import Attribute, Literal

EQUALITY_ONLY: Final = 10
GENERAL: Final = 10
LOWEST: Final = 6
HIGHEST: Final = 95

_OPERATORS: Final[tuple[ComparisonOperator, ...]] = ("=", "=", "<", ">")
_SUBSCRIPTIONS, _EVENTS = 0, 1


def alert_subscriptions(count: int, *, highest: int = HIGHEST, seed: int = 1) -> list[Condition]:
    """Subscriptions with values from 6 to ``highest``, the paper's x.

    >>> from penstock.language.rendering import to_text
    >>> to_text(alert_subscriptions(1, highest=15)[0])
    'a0 = 13 AND a5 = 15 AND a10 < 6'
    """
    random = np.random.default_rng([seed, _SUBSCRIPTIONS])
    others = random.integers(1, EQUALITY_ONLY, size=count)
    operators = random.integers(0, len(_OPERATORS), size=count)
    values = random.integers(LOWEST, highest, size=(count, 3), endpoint=True)
    attributes = [Attribute(f"a{number}") for number in range(EQUALITY_ONLY + 1)]
    literals = [Literal(value) for value in range(highest + 1)]
    return [
        And(
            (
                Comparison("=", attributes[0], literals[first]),
                Comparison("=", attributes[other], literals[second]),
                Comparison(_OPERATORS[operator], attributes[EQUALITY_ONLY], literals[third]),
            )
        )
        for other, operator, (first, second, third) in zip(
            others.tolist(), operators.tolist(), values.tolist(), strict=True
        )
    ]


def alert_events(count: int, *, seed: int = 1) -> SparseEvents:
    """Events with a value from 6 to 95 for each attribute."""
    random = np.random.default_rng([seed, _EVENTS])
    attributes = EQUALITY_ONLY + GENERAL
    return SparseEvents(
        np.arange(count + 1, dtype=np.int64) * attributes,
        np.tile(np.arange(attributes, dtype=np.int32), count),
        random.integers(LOWEST, HIGHEST, size=count * attributes, endpoint=True),
    )
