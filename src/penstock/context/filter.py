"""The context-aware filter: messages and context updates in one sequence, and no message missed or misdirected.

It has the four parts of the paper (AGILE, section 3.2): the context store (:mod:`~penstock.context.store`, with the
profiles that are linked to it), the indexes, the merge of what they return, and the postfilter.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.context.attribute_index import AttributeIndex
from penstock.context.counters import Counters
from penstock.context.entries import Bounds, bounds_of
from penstock.context.leaves import UNKNOWN
from penstock.context.partial import Partial
from penstock.context.policies import Policy, new_policy
from penstock.context.profiles import Profiles
from penstock.context.selection import most_selective
from penstock.context.store import ContextId
from penstock.context.strategies import Agile, Eager, Gbu
from penstock.context.structures import new_structure
from penstock.encoding.order_keys import key_of_number
from penstock.errors import DuplicateSubscriptionError, PenstockError, UnknownSubscriptionError, did_you_mean
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.readings import clear_keys, filter_profiles, put_keys
from penstock.language.parser import parse
from penstock.model.conditions import Condition
from penstock.model.values import Identifier, Value, clean_attributes, clean_value

STRATEGIES = {"eager": Eager, "gbu": Gbu, "agile": Agile, "partial": Partial}


class UnknownStrategyError(PenstockError, ValueError):
    """A name that is no strategy of a context filter."""


class Message(NamedTuple):
    """An event to be routed."""

    event: Mapping[str, object]


class Update(NamedTuple):
    """A new value of an attribute of a context."""

    context: Hashable
    attribute: str
    value: object


Step: TypeAlias = Message | Update


class ContextFilter:
    """Profiles that refer to contexts, and which of them a message satisfies at this point of the sequence.

    >>> filter = ContextFilter(strategy="agile", structure="is_list", policy="auto")
    >>> filter.add("p1", "quantity <= context.stock", context="warehouse-7")
    >>> filter.update_context("warehouse-7", "stock", 12)
    >>> filter.handle_message({"quantity": 5})
    ['p1']
    >>> filter.update_context("warehouse-7", "stock", 3)
    >>> filter.handle_message({"quantity": 5})
    []
    """

    def __init__(
        self,
        strategy: str = "agile",
        structure: str = "is_list",
        policy: str | Policy = "auto",
        indexed_attributes: str | Sequence[str] = "auto",
        scope: tuple[float, float] | None = None,
    ) -> None:
        if strategy != "noindex" and strategy not in STRATEGIES:
            known = ("noindex", *STRATEGIES)
            hint = did_you_mean(strategy, known) or f"; known are {', '.join(known)}"
            raise UnknownStrategyError(f"there is no strategy {strategy!r}{hint}")
        self.strategy = strategy
        self.structure = structure
        self.counters = Counters()
        self._policy = new_policy(policy)
        self._scope = scope
        self._profiles = Profiles()
        self._bounds: dict[int, dict[str, Bounds]] = {}
        self._indexes: dict[str, AttributeIndex] = {}
        self._choose = indexed_attributes == "auto"
        self._chosen_at = 0
        self._numbers: dict[Identifier, int] = {}
        self._ids: list[Identifier | None] = []
        self._free: list[int] = []
        self._keys = np.empty(0, dtype=np.int64)
        self._stamps = np.zeros(0, dtype=np.int64)
        new_structure(structure)  # says at once when there is none
        if not self._choose:
            self._index_by(list(indexed_attributes))

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, profile_id: object) -> bool:
        return profile_id in self._numbers

    @property
    def indexed_attributes(self) -> tuple[str, ...]:
        """The attributes that have an index now."""
        return tuple(self._indexes)

    # Profiles

    def add(self, profile_id: Identifier, condition: str | Condition, context: ContextId = None) -> None:
        """Add a profile that is bound to a context; the next message sees it."""
        if profile_id in self._numbers:
            raise DuplicateSubscriptionError(f"there is a profile {profile_id!r} already; remove it first")
        parsed = parse(condition) if isinstance(condition, str) else condition
        number = self._free.pop() if self._free else len(self._ids)
        tree = self._profiles.add(number, parsed, context)
        if number == len(self._ids):
            self._ids.append(profile_id)
        else:
            self._ids[number] = profile_id
        self._numbers[profile_id] = number
        self._bounds[number] = {} if tree is None else bounds_of(tree, self._profiles)
        for index in self._indexes.values():
            if index.attribute in self._bounds[number]:
                index.add(number, self._bounds[number][index.attribute])
        if self._choose and len(self) >= 2 * self._chosen_at:
            self._choose_attributes()

    def remove(self, profile_id: Identifier) -> None:
        """Remove a profile; the next message does not see it."""
        number = self._number(profile_id)
        for index in self._indexes.values():
            if number in index:
                index.remove(number)
        self._policy.forget(number)
        self._profiles.remove(number)
        del self._numbers[profile_id], self._bounds[number]
        self._ids[number] = None
        self._free.append(number)

    # The two operations

    def update_context(self, context: ContextId, attribute: str, value: object) -> None:
        """Give an attribute of a context another value; ``None`` makes it absent. The next message sees it."""
        self.counters.updates += 1
        slot = self._profiles.slot(context, attribute)
        self._profiles.update(slot, clean_value(value))
        if not self._indexes:
            return
        for profile in self._profiles.readers(slot):
            for index in self._indexes.values():
                if profile in index:
                    index.refresh(profile)

    def handle_message(self, event: Mapping[str, object]) -> list[Identifier]:
        """The ids of all profiles that a message satisfies under the contexts as they are now."""
        self.counters.messages += 1
        clean = clean_attributes(event)
        events, plain = self._encode(event)
        if not plain:
            found = [number for number in self._profiles.numbers if self._profiles.holds(number, clean)]
            self.counters.postfiltered += len(self)
        else:
            candidates = self._merge(events)
            found = self._postfilter(candidates, events)
            found += [number for number in self._profiles.general if self._profiles.holds(number, clean)]
            self.counters.postfiltered += len(candidates) + len(self._profiles.general)
        self.counters.matches += len(found)
        return [self._ids[number] for number in sorted(found)]  # type: ignore[misc]

    def process(self, steps: Iterable[Step]) -> list[list[Identifier]]:
        """Messages and updates in their order; for each message the ids of the profiles that it satisfies."""
        answers = []
        for step in steps:
            if isinstance(step, Update):
                self.update_context(*step)
            else:
                answers.append(self.handle_message(step.event))
        return answers

    # Looking

    def context(self, context: ContextId) -> dict[str, Value]:
        """The values of a context that are there."""
        values = self._profiles.store.attributes(context)
        return {name: value for name, value in values.items() if value is not None}

    def context_of(self, profile_id: Identifier) -> ContextId:
        """The context that a profile is bound to."""
        return self._profiles[self._number(profile_id)].context

    def memory(self) -> dict[str, int]:
        """Bytes by what they are for."""
        indexes = {f"index of {name}": index.memory() for name, index in self._indexes.items()}
        return {**self._profiles.memory(), **indexes}

    def check_invariants(self) -> None:
        """Raise :class:`~penstock.errors.InvariantError` unless every index holds what it must."""
        self._profiles.check_invariants()
        for index in self._indexes.values():
            index.check_invariants()

    # Inside

    def _encode(self, event: Mapping[str, object]) -> tuple[EventKeys, bool]:
        """The keys of an event, and whether they say all: an integer that no double equals has none of its own."""
        vocabulary = self._profiles.vocabulary
        events = vocabulary.encode_event(event)
        between = np.flatnonzero(~events.exact)
        if len(between) == 0:
            return events, True
        strings = np.array([vocabulary.is_string(field) for field in events.fields[between].tolist()])
        keys = events.keys.copy()
        keys[between] += 2  # between two labels there is always a place
        return events._replace(keys=keys), bool(strings.all())

    def _merge(self, events: EventKeys) -> NDArray[np.int32]:
        """The profiles that no index rules out."""
        unindexed = [number for number in self._profiles.numbers if number not in self._profiles.general]
        if not self._indexes:
            return np.array(unindexed, dtype=np.int32)
        keys = dict(zip(events.fields.tolist(), events.keys.tolist(), strict=True))
        found = [index.probe(keys.get(index.field, UNKNOWN)) for index in self._indexes.values()]
        needed = np.zeros(len(self._ids), dtype=np.int64)
        for index in self._indexes.values():
            needed[list(index.profiles)] += 1
        counts = np.bincount(np.concatenate(found), minlength=len(self._ids))
        there = np.zeros(len(self._ids), dtype=np.bool_)
        there[unindexed] = True
        return np.flatnonzero((counts == needed) & there).astype(np.int32)

    def _postfilter(self, candidates: NDArray[np.int32], events: EventKeys) -> list[int]:
        """The candidates that the message satisfies; of the others, indexes are told which they returned in vain."""
        if len(self._keys) < len(self._profiles.vocabulary):
            self._keys = np.full(2 * len(self._profiles.vocabulary), UNKNOWN, dtype=np.int64)
        accepted = np.zeros(len(candidates), dtype=np.bool_)
        put_keys(events, 0, self._keys)
        filter_profiles(candidates, self._profiles.starts, self._profiles.tests, self._keys, accepted)
        keys = {index.field: int(self._keys[index.field]) for index in self._indexes.values()}
        clear_keys(events, 0, self._keys)
        for profile in candidates[~accepted].tolist() if self._indexes else ():
            for index in self._indexes.values():
                if profile in index and not index.test(profile, keys[index.field]):
                    self.counters.false_positives += 1
                    index.found_in_vain(profile)
                    break
        return candidates[accepted].tolist()  # type: ignore[no-any-return]

    def _choose_attributes(self) -> None:
        self._chosen_at = max(len(self), 8)
        chosen = most_selective(self._bounds, self._profiles)
        if set(chosen) != set(self._indexes):
            self._index_by(chosen)

    def _index_by(self, attributes: Sequence[str]) -> None:
        """Have indexes of these attributes, and of no others."""
        self._indexes = {}
        if self.strategy == "noindex":
            return
        for attribute in attributes:
            structure = new_structure(self.structure)
            if self.strategy == "partial":
                kept: Eager = Partial(structure, self._policy, self.counters, self._key_scope())
            else:
                kept = STRATEGIES[self.strategy](structure, self._policy, self.counters)
            index = self._indexes[attribute] = AttributeIndex(attribute, self._profiles, kept)
            for number, bounds in self._bounds.items():
                if attribute in bounds:
                    index.add(number, bounds[attribute])

    def _key_scope(self) -> tuple[int, int] | None:
        return None if self._scope is None else (key_of_number(self._scope[0])[0], key_of_number(self._scope[1])[0])

    def _number(self, profile_id: Identifier) -> int:
        number = self._numbers.get(profile_id)
        if number is None:
            names = [each for each in self._numbers if isinstance(each, str)]
            near = did_you_mean(profile_id, names) if isinstance(profile_id, str) else ""
            raise UnknownSubscriptionError(f"there is no profile {profile_id!r}{near}")
        return number
