"""The index of one attribute: which profiles a value of it leaves, as far as the index knows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.context.entries import Bounds, Left, left_of
from penstock.context.leaves import FIRST, UNKNOWN
from penstock.context.profiles import Profiles
from penstock.context.strategies import Strategy
from penstock.encoding.fields import NumberField
from penstock.errors import InvariantError
from penstock.model.expressions import Attribute


class AttributeIndex:
    """The entries of one attribute, kept by a strategy."""

    def __init__(self, attribute: str, profiles: Profiles, strategy: Strategy) -> None:
        self.attribute = attribute
        self.field = profiles.vocabulary.number(NumberField(Attribute(attribute)))
        self._profiles = profiles
        self._strategy = strategy
        self._bounds: dict[int, Bounds] = {}
        self._left: dict[int, Left] = {}
        self.loose: set[int] = set()
        """Profiles with an entry that says nothing at the moment."""

    def __len__(self) -> int:
        return len(self._bounds)

    def __contains__(self, profile: object) -> bool:
        return profile in self._bounds

    @property
    def profiles(self) -> set[int]:
        return set(self._bounds)

    def add(self, profile: int, bounds: Bounds) -> None:
        self._bounds[profile] = bounds
        self._left[profile] = _NOTHING
        self.refresh(profile)

    def remove(self, profile: int) -> None:
        left = self._left.pop(profile)
        del self._bounds[profile]
        self.loose.discard(profile)
        if not left.empty and not left.loose:
            self._strategy.delete(profile)

    def refresh(self, profile: int) -> None:
        """See what the predicates of a profile leave now, and let the strategy know."""
        before, now = self._left[profile], self._look(profile)
        if before == now:
            return
        self._left[profile] = now
        held, holds = not (before.empty or before.loose), not (now.empty or now.loose)
        if held and holds:
            self._strategy.update(profile, now.low, now.high)
        elif held:
            self._strategy.delete(profile)
        elif holds:
            self._strategy.insert(profile, now.low, now.high)
        if now.loose:
            self.loose.add(profile)
        else:
            self.loose.discard(profile)

    def probe(self, key: int) -> NDArray[np.int32]:
        """The profiles that may hold for a key; for an unknown one, only those of which the index knows nothing."""
        loose = np.fromiter(self.loose, np.int32, len(self.loose))
        return loose if key == UNKNOWN else np.concatenate([self._strategy.probe(key), loose])

    def test(self, profile: int, key: int) -> bool:
        """Whether what the predicates of a profile leave holds a key."""
        left = self._left[profile]
        return left.loose or left.low <= key <= left.high

    def found_in_vain(self, profile: int) -> None:
        left = self._left[profile]
        self._strategy.found_in_vain(profile, left.low, left.high)

    def memory(self) -> int:
        return self._strategy.memory()

    def check_invariants(self) -> None:
        """k(i) is in K(i), for every entry."""
        self._strategy.check_invariants()
        for profile in self._bounds:
            left = self._left[profile]
            if left != self._look(profile):
                raise InvariantError(f"the entry of profile {profile} on {self.attribute} is not what its tests leave")
            if left.empty or left.loose:
                continue
            low, high = self._strategy.keys_of(profile)
            if left.low < low or left.high > high:
                raise InvariantError(f"profile {profile} may be missed: {left} is not within {low} to {high}")

    def _look(self, profile: int) -> Left:
        left = left_of(self.field, self._bounds[profile], lambda offset: self._profiles.interval(profile, offset))
        return _NOTHING if left.empty else left


_NOTHING = Left(FIRST, UNKNOWN)
