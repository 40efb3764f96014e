"""Wide products and subscriptions made from them, as in OpIndex's experiments on eBay (sections 7.1 and 7.5).

A product has a few of very many attributes. Subscriptions ask for attributes with a probability in proportion to the
logarithm of how many products have them, and for values that products have: for one, or for any of a few.

The paper's 296,846 products are not public. It says that there are 10,204 attributes, that 31% of the products have the
most frequent one and 17% the second (brand and country of manufacture). :func:`products` makes up others from a power
law through these two points, which gives a product 6 attributes on average. Values are strings, 100 for each attribute,
with frequencies after Zipf. Subscriptions are made in the same way from any rows, so that real ones can take the place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log, log2
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.lab.boolean_workloads import joined
from penstock.lab.drawing import distinct, offsets_of, weighted, zipf
from penstock.model.conditions import And, Comparison, Condition, In
from penstock.model.expressions import Attribute, Literal
from penstock.model.values import Value

Row: TypeAlias = Mapping[str, Value]
"""The attributes of a product, or of something else that has only some of many."""

FIRST_SHARE, SECOND_SHARE = 0.31, 0.17
"""The shares of products that have the most frequent attribute, and the second."""

_EXPONENT: Final = log2(FIRST_SHARE / SECOND_SHARE)
_LEAST_ITEMS, _MOST_ITEMS = 2, 5
_SUBSCRIPTIONS, _EVENTS = 0, 1


def products(count: int, *, attributes: int = 10_204, values: int = 100, seed: int = 1) -> list[dict[str, str]]:
    """Products with some of the attributes ``a0``, ``a1`` and so on, the most frequent first.

    >>> made = products(1000, attributes=50)
    >>> sum("a0" in each for each in made), sum("a1" in each for each in made)
    (310, 170)
    """
    random = np.random.default_rng([seed, _EVENTS])
    frequencies = np.rint(count * FIRST_SHARE * np.arange(1, attributes + 1) ** -_EXPONENT).astype(np.int64)
    owners = [random.choice(count, size=each, replace=False, shuffle=False) for each in frequencies]
    names = [f"a{number}" for number in range(attributes)]
    strings = [f"v{number}" for number in range(values)]
    made: list[dict[str, str]] = [{} for _ in range(count)]
    draw = zipf(random, values, 1.0)
    for name, mine in zip(names, owners, strict=True):
        for owner, value in zip(mine.tolist(), draw(len(mine)).tolist(), strict=True):
            made[owner][name] = strings[value]
    return made


def some_rows(rows: Sequence[Row], count: int, seed: int = 1) -> list[Row]:
    """So many different rows, or all if there are not as many; one without attributes is never among them."""
    known = [row for row in rows if row]
    chosen = np.random.default_rng([seed, _EVENTS]).permutation(len(known))[:count]
    return [known[place] for place in chosen.tolist()]


def row_subscriptions(
    rows: Sequence[Row], count: int, *, set_share: float = 0.0, most_predicates: int = 4, seed: int = 1
) -> list[Condition]:
    """Conjunctions of 1 to ``most_predicates`` predicates on distinct attributes of the rows.

    A predicate asks for a value of the rows; a share ``set_share`` of them asks for any of 2 to 5 values that are drawn
    (fewer where some are the same). Only numbers and strings are asked for, not truth values, and not lists.
    """
    values = _values_of(rows)
    if most_predicates > len(values):
        raise ValueError(
            f"{most_predicates} distinct attributes are needed, found {len(values)} that more than one row has"
        )
    random = np.random.default_rng([seed, _SUBSCRIPTIONS])
    sizes = random.integers(1, most_predicates, size=count, endpoint=True)
    weights = np.array([log(len(each)) for each in values.values()])
    attributes = distinct(sizes, len(values), weighted(random, weights))
    return joined(And, offsets_of(sizes), _predicates(random, values, attributes, set_share))


def _values_of(rows: Sequence[Row]) -> dict[str, list[Literal]]:
    """The numbers and strings of each attribute, as often as they occur; what one row has alone is left out.

    The logarithm of its frequency is 0.
    """
    shared: dict[Literal, Literal] = {}
    values: dict[str, list[Literal]] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, int | float | str) and not isinstance(value, bool):
                literal = Literal(value)
                values.setdefault(name, []).append(shared.setdefault(literal, literal))
    return {name: values[name] for name in sorted(values) if len(values[name]) > 1}


def _predicates(
    random: np.random.Generator, values: Mapping[str, Sequence[Literal]], attributes: NDArray[np.int64], share: float
) -> list[Condition]:
    names = [Attribute(name) for name in values]
    are_sets = random.random(len(attributes)) < share
    sizes = np.where(are_sets, random.integers(_LEAST_ITEMS, _MOST_ITEMS, size=len(attributes), endpoint=True), 1)
    drawn = _drawn(random, values, np.repeat(attributes, sizes))
    runs = pairwise(offsets_of(sizes).tolist())
    return [
        In(names[attribute], _of_one_kind(drawn[begin:end]))
        if is_set
        else Comparison("=", names[attribute], drawn[begin])
        for attribute, is_set, (begin, end) in zip(attributes.tolist(), are_sets.tolist(), runs, strict=True)
    ]


def _drawn(
    random: np.random.Generator, values: Mapping[str, Sequence[Literal]], attributes: NDArray[np.int64]
) -> list[Literal]:
    """For each attribute one of its values."""
    of_attribute = list(values.values())
    counts = np.array([len(each) for each in of_attribute])
    places = (random.random(len(attributes)) * counts[attributes]).astype(np.int64)
    return [
        of_attribute[attribute][place] for attribute, place in zip(attributes.tolist(), places.tolist(), strict=True)
    ]


def _of_one_kind(drawn: Sequence[Literal]) -> tuple[Literal, ...]:
    """The different values that can be compared with the first: numbers or strings."""
    strings = isinstance(drawn[0].value, str)
    return tuple(dict.fromkeys(each for each in drawn if isinstance(each.value, str) == strings))
