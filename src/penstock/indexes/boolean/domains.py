"""Declared domains: which integers an attribute may have, promised by whoever makes an index that needs to know.

A promise is checked when an index relied on it: an event that breaks it could satisfy conditions that were not filed
under what it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.fields import NumberField
from penstock.encoding.growing import GrowingArray
from penstock.encoding.order_keys import doubles_of_keys, keys_of_integers
from penstock.errors import ValueRefusedError
from penstock.indexes.boolean.vocabulary import Vocabulary
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.k_index import Domains
from penstock.model.expressions import Attribute

MOST_VALUES: Final = 2**20
"""A range over more values than this would be as many entries."""
LARGEST: Final = 2**53
"""From here on there are integers that no double equals."""

Bounds: TypeAlias = tuple[int, int]


class _Declared(NamedTuple):
    """A domain: its bounds, and where its keys are among those of all."""

    lowest: int
    highest: int
    begin: int
    end: int


_NONE: Final = _Declared(0, -1, 0, 0)


class DeclaredDomains:
    """The domains of the fields of a vocabulary: one for every attribute as a number, others for single attributes."""

    def __init__(self, vocabulary: Vocabulary, domain: Bounds | None, domains: Mapping[str, Bounds] | None) -> None:
        self._vocabulary = vocabulary
        self._keys = np.empty(0, dtype=np.int64)
        self._default = _NONE if domain is None else self._declare("the domain", domain)
        self._by_attribute = {
            name: self._declare(f"the domain of {name!r}", bounds) for name, bounds in (domains or {}).items()
        }
        self._begins = GrowingArray(np.int64)
        self._ends = GrowingArray(np.int64)
        self._bounds = GrowingArray(np.int64)
        """For each field the lowest and the highest value."""

    @property
    def nbytes(self) -> int:
        return self._keys.nbytes + self._begins.nbytes + self._ends.nbytes + self._bounds.nbytes

    def has(self, field: int) -> bool:
        """Whether a domain is declared for a field."""
        self._follow()
        return bool(self._ends.values[field] > self._begins.values[field])

    def declared(self) -> NDArray[np.bool_]:
        """For each field whether a domain is declared for it."""
        self._follow()
        return self._ends.values > self._begins.values

    def arrays(self) -> Domains:
        """The keys of all domains, by field."""
        self._follow()
        return Domains(self._keys, self._begins.values, self._ends.values)

    def check(self, events: EventKeys, relied: NDArray[np.int64]) -> None:
        """Refuse events with a number that is none of the declared ones, in a field whose domain is relied on.

        ``relied`` says how often it is, for each field; those beyond its end are not.
        """
        known = np.flatnonzero(events.fields < len(relied))
        places = known[relied[events.fields[known]] > 0]
        if not len(places):
            return
        values = doubles_of_keys(events.keys[places])
        lowest, highest = self._bounds.values.reshape(-1, 2)[events.fields[places]].T
        within = (values >= lowest) & (values <= highest) & (np.floor(values) == values) & events.exact[places]
        if not within.all():
            first = int(np.argmin(within))
            field = int(events.fields[places[first]])
            (name,) = self._vocabulary.attributes(field)
            about = "" if events.exact[places[first]] else "a little more than "
            raise ValueRefusedError(
                f"attribute {name!r}: found {about}{values[first]:.17g}, and the index was promised integers from "
                f"{lowest[first]} to {highest[first]}; declare a domain that holds all values"
            )

    def _declare(self, what: str, bounds: Bounds) -> _Declared:
        lowest, highest = bounds
        if type(lowest) is not int or type(highest) is not int or lowest > highest:
            raise ValueRefusedError(f"{what} is a lowest and a highest integer, found {bounds!r}")
        count = highest - lowest + 1
        if count > MOST_VALUES:
            raise ValueRefusedError(
                f"{what} has {count:,} values; a range is an entry for each, so at most {MOST_VALUES:,} are taken"
            )
        if lowest < -LARGEST or highest > LARGEST:
            raise ValueRefusedError(f"{what} goes beyond 2**53, where doubles do not tell integers apart")
        begin = len(self._keys)
        keys = keys_of_integers(np.arange(lowest, highest + 1, dtype=np.int64)).keys
        self._keys = np.concatenate([self._keys, keys])
        return _Declared(lowest, highest, begin, begin + count)

    def _follow(self) -> None:
        """Take note of the fields that the vocabulary has by now."""
        fields = self._vocabulary.fields[len(self._begins) :]
        found = [
            self._by_attribute.get(field.expression.name, self._default)
            if isinstance(field, NumberField) and isinstance(field.expression, Attribute)
            else _NONE
            for field in fields
        ]
        self._begins.extend([each.begin for each in found])
        self._ends.extend([each.end for each in found])
        self._bounds.extend([bound for each in found for bound in (each.lowest, each.highest)])
