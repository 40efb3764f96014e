"""Keyword subscriptions and documents, as in OpIndex's experiments on a search log (sections 7.1 and 7.4).

Every keyword is an attribute. A query asks for some: that they occur (``vldb = 1 AND hangzhou = 1``), or how often they
do (``vldb BETWEEN 5 AND 20 AND hangzhou BETWEEN 2 AND 8``). A document says how often each of its keywords occurs.

The paper takes queries from a log of AOL's search and documents from Twitter and Wikipedia, none of which is carried
here. What it says of them is kept: the size of the vocabulary, and how many keywords documents have on average. The
rest is chosen: the frequencies of keywords follow Zipf's law, the same for queries and documents; queries have 1 to 5
keywords, 2.4 on average; the number of keywords of a document and their term frequencies follow geometric
distributions, with many small values and few large ones.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.lab.boolean_workloads import SparseEvents, joined
from penstock.lab.drawing import distinct, offsets_of, weighted, zipf
from penstock.model.conditions import And, Between, Comparison, Condition
from penstock.model.expressions import Attribute, Literal

QUERY_LENGTHS: Final = (0.25, 0.35, 0.22, 0.12, 0.06)
"""The shares of queries with 1, 2, 3, 4 and 5 keywords: 2.39 on average."""

_LOW_MEAN: Final = 2.0
"""The lower end of an interval of term frequencies, on average, before it is cut to the largest frequency."""

_SUBSCRIPTIONS, _EVENTS = 0, 1


class Queries(NamedTuple):
    """Queries in columns: the keywords of query q stand from ``offsets[q]`` to ``offsets[q + 1]``."""

    offsets: NDArray[np.int64]
    keywords: NDArray[np.int32]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    """Between which term frequencies a keyword is asked for, where the query asks for that."""


def queries(count: int, *, vocabulary: int = 50_000, most_frequent: int = 20, seed: int = 1) -> Queries:
    """Queries over a vocabulary; term frequencies go from 1 to ``most_frequent``.

    >>> made = queries(10_000, vocabulary=1000)
    >>> round(float(np.diff(made.offsets).mean()), 1)
    2.4
    """
    random = np.random.default_rng([seed, _SUBSCRIPTIONS])
    sizes = weighted(random, np.array(QUERY_LENGTHS))(count) + 1
    keywords = distinct(sizes, vocabulary, zipf(random, vocabulary, 1.0)).astype(np.int32)
    lows = np.minimum(random.geometric(1 / _LOW_MEAN, size=len(keywords)), most_frequent)
    highs = random.integers(lows, most_frequent, endpoint=True)
    return Queries(offsets_of(sizes), keywords, lows, highs)


def documents(
    count: int, *, keywords: float, repeats: float, vocabulary: int = 50_000, most_frequent: int = 20, seed: int = 1
) -> SparseEvents:
    """Documents with so many distinct keywords on average, each of which occurs ``repeats`` times on average.

    None has more than half of the vocabulary, and no term frequency is above ``most_frequent``.
    """
    random = np.random.default_rng([seed, _EVENTS])
    sizes = np.minimum(random.geometric(1 / keywords, size=count), vocabulary // 2)
    words = distinct(sizes, vocabulary, zipf(random, vocabulary, 1.0)).astype(np.int32)
    return SparseEvents(
        offsets_of(sizes), words, np.minimum(random.geometric(1 / repeats, size=len(words)), most_frequent)
    )


def occurrence(made: SparseEvents) -> SparseEvents:
    """Documents that only say that a keyword occurs: each of theirs has the value 1."""
    return made._replace(values=np.ones_like(made.values))


def query_conditions(made: Queries, *, intervals: bool) -> list[Condition]:
    """The queries as conditions, on attributes named ``a0``, ``a1`` and so on.

    They ask for intervals of term frequencies, or else that keywords occur.
    """
    attributes = [Attribute(f"a{number}") for number in range(int(made.keywords.max(initial=-1)) + 1)]
    words = made.keywords.tolist()
    predicates: list[Condition]
    if intervals:
        literals = [Literal(value) for value in range(int(made.highs.max(initial=0)) + 1)]
        predicates = [
            Between(attributes[word], literals[low], literals[high])
            for word, low, high in zip(words, made.lows.tolist(), made.highs.tolist(), strict=True)
        ]
    else:
        # All that ask for a keyword ask the same, so they share it.
        occurs: list[Condition] = [Comparison("=", attribute, Literal(1)) for attribute in attributes]
        predicates = [occurs[word] for word in words]
    return joined(And, made.offsets, predicates)
