"""Which attributes are worth an index: those whose predicates leave least (AGILE, section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from penstock.context.entries import Bounds, left_of
from penstock.context.leaves import FIRST, LAST
from penstock.context.profiles import Profiles
from penstock.encoding.fields import NumberField
from penstock.model.expressions import Attribute

INDEXED: Final = 2
LOOKED_AT: Final = 1000
"""Profiles beyond so many are not looked at: these tell."""


def most_selective(bounds: Mapping[int, Mapping[str, Bounds]], profiles: Profiles, count: int = INDEXED) -> list[str]:
    """The attributes that rule out most profiles for an event with values like those that profiles ask for.

    An attribute counts by the share of profiles that its predicates would leave for such a value, those that have none
    on it included.
    """
    looked_at = list(bounds)[:: max(1, len(bounds) // LOOKED_AT)]
    names = dict.fromkeys(name for number in looked_at for name in bounds[number])
    shares = {name: _share_left(name, looked_at, bounds, profiles) for name in names}
    worth = [name for name in names if shares[name] < 1]
    return sorted(worth, key=lambda name: (shares[name], name))[:count]


def _share_left(name: str, numbers: list[int], bounds: Mapping[int, Mapping[str, Bounds]], profiles: Profiles) -> float:
    field = profiles.vocabulary.number(NumberField(Attribute(name)))
    ends = []
    free = 0
    for number in numbers:
        if name not in bounds[number]:
            free += 1
            continue
        left = left_of(field, bounds[number][name], lambda offset, at=number: profiles.interval(at, offset))  # type: ignore[misc]
        if left.loose:
            free += 1
        elif not left.empty:
            ends.append((left.low, left.high))
    if not ends:
        return free / len(numbers)
    keys = np.array(ends, dtype=np.int64)
    probes = np.unique(keys[(keys != FIRST) & (keys != LAST)])
    if len(probes) == 0:
        return 1.0
    held = (keys[:, 0][:, None] <= probes) & (probes <= keys[:, 1][:, None])
    return float((free + held.sum(axis=0).mean()) / len(numbers))
