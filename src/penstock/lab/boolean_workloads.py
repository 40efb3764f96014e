"""The random boolean workloads of OpIndex (section 7.1, table 3), each from a seed, in columns.

Subscriptions are conjunctions over a few of many attributes; events have values for a few of them. The defaults are
the paper's. Subscriptions and events come from streams of their own, so that one does not change when there is more of
the other.

The paper does not say how an attribute that was already taken is replaced, nor which ones are frequent under Zipf. Here
it is drawn again, and the first attributes and the lowest values are the frequent ones, for subscriptions and events
alike, so that what is often asked for is often there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.lab import drawing
from penstock.lab.drawing import distinct, offsets_of
from penstock.model.conditions import And, Comparison, ComparisonOperator, Condition, Or
from penstock.model.expressions import Attribute, Literal

OPERATORS: Final[tuple[ComparisonOperator, ...]] = ("=", "<=", ">=")

_SUBSCRIPTIONS, _EVENTS = 0, 1


class Conjunctions(NamedTuple):
    """Subscriptions in columns: the predicates of subscription s stand from ``offsets[s]`` to ``offsets[s + 1]``."""

    offsets: NDArray[np.int64]
    attributes: NDArray[np.int32]
    operators: NDArray[np.int8]
    """Places in :data:`OPERATORS`."""
    values: NDArray[np.int64]


class SparseEvents(NamedTuple):
    """Events in columns: the attributes of event e stand from ``offsets[e]`` to ``offsets[e + 1]``."""

    offsets: NDArray[np.int64]
    attributes: NDArray[np.int32]
    values: NDArray[np.int64]


def conjunctions(
    count: int,
    *,
    dimensions: int = 20_000,
    most_predicates: int = 4,
    equal_share: float = 0.4,
    domain: int = 50,
    zipf: float = 0.0,
    seed: int = 1,
) -> Conjunctions:
    """Conjunctions of 1 to ``most_predicates`` predicates on distinct attributes, with values from 1 to ``domain``.

    A share ``equal_share`` of the predicates asks for equality, the others evenly for at most or at least the value.
    ``zipf`` is the exponent of the distribution of both attributes and values; 0 makes them uniform.

    >>> made = conjunctions(1000, most_predicates=4, seed=1)
    >>> sizes = np.diff(made.offsets)
    >>> int(sizes.min()), int(sizes.max())
    (1, 4)
    """
    _require_room(most_predicates, dimensions)
    random = np.random.default_rng([seed, _SUBSCRIPTIONS])
    sizes = random.integers(1, most_predicates, size=count, endpoint=True)
    attributes = distinct(sizes, dimensions, drawing.zipf(random, dimensions, zipf)).astype(np.int32)
    chances = random.random(len(attributes))
    operators = np.searchsorted([equal_share, (1 + equal_share) / 2], chances, side="right").astype(np.int8)
    values = drawing.zipf(random, domain, zipf)(len(attributes)) + 1
    return Conjunctions(offsets_of(sizes), attributes, operators, values)


def sparse_events(
    count: int, *, dimensions: int = 20_000, size: int = 20, domain: int = 50, zipf: float = 0.0, seed: int = 1
) -> SparseEvents:
    """Events with values from 1 to ``domain`` for exactly ``size`` distinct attributes each."""
    _require_room(size, dimensions)
    random = np.random.default_rng([seed, _EVENTS])
    sizes = np.full(count, size)
    attributes = distinct(sizes, dimensions, drawing.zipf(random, dimensions, zipf)).astype(np.int32)
    return SparseEvents(offsets_of(sizes), attributes, drawing.zipf(random, domain, zipf)(len(attributes)) + 1)


def conditions_of(made: Conjunctions) -> list[Condition]:
    """The conjunctions as conditions of the model, on attributes named ``a0``, ``a1`` and so on."""
    return joined(And, made.offsets, comparisons_of(made))


def comparisons_of(made: Conjunctions) -> list[Condition]:
    """The predicates of all conjunctions as conditions of their own, one after the other."""
    # Attributes and literals are shared: with them there would be three times as many objects.
    attributes = [Attribute(name) for name in _names(made.attributes)]
    literals = [Literal(value) for value in range(int(made.values.max(initial=0)) + 1)]
    return list(
        map(
            Comparison,
            map(OPERATORS.__getitem__, made.operators.tolist()),
            map(attributes.__getitem__, made.attributes.tolist()),
            map(literals.__getitem__, made.values.tolist()),
        )
    )


def joined(kind: type[And] | type[Or], offsets: NDArray[np.int64], parts: Sequence[Condition]) -> list[Condition]:
    """The parts of each run under AND or under OR; one that is alone stays as it is."""
    return [
        parts[begin] if end == begin + 1 else kind(tuple(parts[begin:end])) for begin, end in pairwise(offsets.tolist())
    ]


def events_table(events: SparseEvents) -> pa.Table:
    """The events as one Arrow column ``attributes``, a map of name to value."""
    names = pa.array(_names(events.attributes), pa.string()).take(pa.array(events.attributes))
    maps = pa.MapArray.from_arrays(pa.array(events.offsets, pa.int32()), names, pa.array(events.values))
    return pa.table({"attributes": maps})


def event_dictionaries(events: SparseEvents) -> list[dict[str, int]]:
    """The events as dictionaries."""
    names = _names(events.attributes)
    pairs = list(zip(map(names.__getitem__, events.attributes.tolist()), events.values.tolist(), strict=True))
    return [dict(pairs[begin:end]) for begin, end in pairwise(events.offsets.tolist())]


def _names(attributes: NDArray[np.int32]) -> list[str]:
    return [f"a{number}" for number in range(int(attributes.max(initial=-1)) + 1)]


def _require_room(size: int, dimensions: int) -> None:
    if size > dimensions:
        raise ValueError(f"{size} distinct attributes need as many dimensions, found {dimensions}")
