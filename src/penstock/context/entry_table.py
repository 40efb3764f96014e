"""What profiles leave of the indexed attributes, as arrays that kernels keep up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.context.entries import Bounds, left_of
from penstock.context.profiles import Profiles
from penstock.encoding.fields import NumberField
from penstock.encoding.growing import GrowingArray
from penstock.kernels.context_stream import EMPTY, HELD, INDEXES, LOOSE, NONE, Entries, Programs
from penstock.model.expressions import Attribute


class Entry(NamedTuple):
    """What a profile leaves of an attribute: whether it is held, loose or empty, and the interval if it is held."""

    state: int
    low: int
    high: int


class EntryTable:
    """The entries of up to two attributes, for all profiles."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles
        self.attributes: tuple[str, ...] = ()
        self.bounds: list[dict[int, Bounds]] = [{}, {}]
        self.alive = np.zeros(0, dtype=np.bool_)
        self._entries = _new_entries(0)
        self._offsets = GrowingArray(np.int32)
        self._alternatives = GrowingArray(np.int32)

    def __len__(self) -> int:
        """Profile numbers are below this."""
        return len(self.alive)

    @property
    def count(self) -> int:
        """How many profiles there are."""
        return int(np.count_nonzero(self.alive))

    @property
    def arrays(self) -> Entries:
        return self._entries._replace(offsets=self._offsets.values, alternatives=self._alternatives.values)

    @property
    def states(self) -> NDArray[np.int8]:
        return self._entries.states

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._entries) + self._offsets.nbytes + self._alternatives.nbytes

    def index_by(self, attributes: Sequence[str], bounds: Mapping[int, Mapping[str, Bounds]]) -> None:
        """Have entries of these attributes, and of no others."""
        if len(attributes) > INDEXES:
            raise ValueError(f"entries are of at most {INDEXES} attributes, found {len(attributes)}")
        self.attributes = tuple(attributes)
        self.bounds = [{}, {}]
        self._entries = _new_entries(len(self.alive))
        self._offsets, self._alternatives = GrowingArray(np.int32), GrowingArray(np.int32)
        vocabulary = self._profiles.vocabulary
        self._entries.fields[:] = vocabulary.always
        for index, attribute in enumerate(self.attributes):
            self._entries.fields[index] = vocabulary.number(NumberField(Attribute(attribute)))
        for profile, mine in bounds.items():
            self._note(profile, mine)

    def add(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        """Have the entries of a profile; they are empty until they are looked at."""
        if profile >= len(self.alive):
            self._grow(max(16, 2 * len(self.alive), profile + 1))
        self.alive[profile] = True
        self._note(profile, bounds)

    def remove(self, profile: int) -> None:
        for index in range(INDEXES):
            self.bounds[index].pop(profile, None)
            self._entries.states[index, profile] = NONE
        self.alive[profile] = False

    def now(self, index: int, profile: int) -> Entry | None:
        """What the tests of a profile leave of an attribute at this moment."""
        bounds = self.bounds[index].get(profile)
        if bounds is None:
            return None
        field = int(self._entries.fields[index])
        left = left_of(field, bounds, lambda offset: self._profiles.interval(profile, offset))
        return Entry(LOOSE if left.loose else EMPTY if left.empty else HELD, left.low, left.high)

    def noted(self, index: int, profile: int) -> Entry:
        """What is noted of a profile."""
        entries = self._entries
        return Entry(
            int(entries.states[index, profile]), int(entries.lows[index, profile]), int(entries.highs[index, profile])
        )

    def note(self, index: int, profile: int, entry: Entry) -> None:
        entries = self._entries
        entries.states[index, profile], entries.lows[index, profile], entries.highs[index, profile] = entry

    def programs(self, needed: NDArray[np.int8], unindexed: NDArray[np.int32]) -> Programs:
        """The programs of all profiles, with what kernels ask of them beside."""
        held = self._profiles
        return Programs(held.starts, held.tests, held.bindings, held.leaves(self.attributes), needed, unindexed)

    def with_programs(self, profiles: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Those of some profiles that have programs, as numbers."""
        plain = profiles.copy()
        plain[list(self._profiles.general)] = False
        return np.flatnonzero(plain).astype(np.int32)

    def _note(self, profile: int, bounds: Mapping[str, Bounds]) -> None:
        for index, attribute in enumerate(self.attributes):
            mine = bounds.get(attribute)
            if mine is None:
                continue
            self.bounds[index][profile] = mine
            pairs = [(offset, number) for number, offsets in enumerate(mine) for offset in offsets]
            self._entries.starts[index, profile] = len(self._offsets)
            self._entries.sizes[index, profile] = len(pairs)
            self._offsets.extend([offset for offset, _ in pairs])
            self._alternatives.extend([number for _, number in pairs])
            self._entries.states[index, profile] = EMPTY
            self._entries.paid[index, profile] = 0

    def _grow(self, profiles: int) -> None:
        self.alive = np.concatenate([self.alive, np.zeros(profiles - len(self.alive), np.bool_)])
        wider = _new_entries(profiles)
        for name in ("starts", "sizes", "states", "lows", "highs", "levels", "paid"):
            before = getattr(self._entries, name)
            getattr(wider, name)[:, : before.shape[1]] = before
        wider.fields[:] = self._entries.fields
        self._entries = wider


def _new_entries(profiles: int) -> Entries:
    shape = (INDEXES, profiles)
    return Entries(
        np.zeros(INDEXES, np.int32),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int32),
        np.empty(0, np.int32),
        np.empty(0, np.int32),
        np.zeros(shape, np.int8),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros((*shape, 2), np.int8),
        np.zeros(shape, np.int32),
    )
