"""The context-aware filter: messages and context updates in one sequence, and no message missed or misdirected.

It has the four parts of the paper (AGILE, section 3.2): the context store (:mod:`~penstock.context.store`, with the
profiles that are linked to it), the indexes, the merge of what they return, and the postfilter.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.context.compiled import CompiledIndexes, can_be_compiled
from penstock.context.counters import Counters
from penstock.context.entries import Bounds, bounds_of
from penstock.context.generic import GenericIndexes
from penstock.context.grid import GridIndexes
from penstock.context.partial import Partial
from penstock.context.policies import Policy, new_policy
from penstock.context.profiles import Profiles, Template
from penstock.context.selection import most_selective
from penstock.context.store import ContextId, Slot
from penstock.context.strategies import Agile, Eager, Gbu
from penstock.context.structures import new_structure
from penstock.encoding.batch import EventBatch
from penstock.encoding.derived import rows_of
from penstock.encoding.order_keys import key_of_number
from penstock.errors import DuplicateSubscriptionError, PenstockError, UnknownSubscriptionError, did_you_mean
from penstock.kernels.context_stream import Stream
from penstock.kernels.event_keys import EventKeys
from penstock.language.parser import parse
from penstock.model.conditions import Condition
from penstock.model.values import Identifier, Value, clean_attributes, clean_value

NO_EVENTS = EventKeys(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.bool_))

OURS = ("auto", "grid", "sliced")
"""Strategies that the paper does not have."""

STRATEGIES = {"eager": Eager, "gbu": Gbu, "agile": Agile, "partial": Partial}


class UnknownStrategyError(PenstockError, ValueError):
    """A name that is no strategy of a context filter."""


class UnsupportedStreamError(PenstockError, ValueError):
    """Steps in columns that are more than numbers."""


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
        known = (*OURS, "noindex", *STRATEGIES)
        if strategy not in known:
            hint = did_you_mean(strategy, known) or f"; known are {', '.join(known)}"
            raise UnknownStrategyError(f"there is no strategy {strategy!r}{hint}")
        self.strategy = strategy
        self.structure = structure
        self.counters = Counters()
        self._policy = new_policy(policy)
        self._scope = scope
        self._profiles = Profiles()
        self._bounds: dict[int, dict[str, Bounds]] = {}
        self._choose = indexed_attributes == "auto"
        self._chosen_at = 0
        self._numbers: dict[Identifier, int] = {}
        self._ids: list[Identifier | None] = []
        self._free: list[int] = []
        self._last_template: tuple[Template | None, dict[str, Bounds]] = (None, {})
        attributes = [] if self._choose else list(indexed_attributes)
        self._indexes: CompiledIndexes | GridIndexes | GenericIndexes
        if strategy in OURS:
            self._indexes = GridIndexes(
                self._profiles, self.counters, gridded=strategy != "sliced", switching=strategy == "auto"
            )
        elif can_be_compiled(structure, strategy, self._policy, len(attributes)):
            self._indexes = CompiledIndexes(self._profiles, strategy, self._policy, self.counters)
        else:
            self._indexes = GenericIndexes(self._profiles, self._new_strategy, self.counters)
        new_structure(structure)  # says at once when there is none
        self._indexes.index_by(attributes, {})

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, profile_id: object) -> bool:
        return profile_id in self._numbers

    @property
    def indexed_attributes(self) -> tuple[str, ...]:
        """The attributes that have an index now."""
        return self._indexes.attributes

    # Profiles

    def add(self, profile_id: Identifier, condition: str | Condition, context: ContextId = None) -> None:
        """Add a profile that is bound to a context; the next message sees it."""
        if profile_id in self._numbers:
            raise DuplicateSubscriptionError(f"there is a profile {profile_id!r} already; remove it first")
        parsed = parse(condition) if isinstance(condition, str) else condition
        number = self._free.pop() if self._free else len(self._ids)
        template = self._profiles.add(number, parsed, context)
        if number == len(self._ids):
            self._ids.append(profile_id)
        else:
            self._ids[number] = profile_id
        self._numbers[profile_id] = number
        self._bounds[number] = self._bounds_of(template)
        self._indexes.add(number, self._bounds[number])
        if self._choose and len(self) >= 2 * self._chosen_at:
            self._choose_attributes()

    def remove(self, profile_id: Identifier) -> None:
        """Remove a profile; the next message does not see it."""
        number = self._number(profile_id)
        self._indexes.remove(number)
        self._policy.forget(number)
        self._profiles.remove(number)
        del self._numbers[profile_id], self._bounds[number]
        self._ids[number] = None
        self._free.append(number)

    # The two operations

    def update_context(self, context: ContextId, attribute: str, value: object) -> None:
        """Give an attribute of a context another value; ``None`` makes it absent. The next message sees it."""
        self._update(self._profiles.slot(context, attribute), clean_value(value))

    def handle_message(self, event: Mapping[str, object]) -> list[Identifier]:
        """The ids of all profiles that a message satisfies under the contexts as they are now."""
        clean = clean_attributes(event)
        events, plain = self._encode(event)
        if not plain:
            found = [number for number in self._profiles.numbers if self._profiles.holds(number, clean)]
            self.counters.postfiltered += len(self)
            self.counters.messages += 1
            self.counters.matches += len(found)
        else:
            found = self._answer(events)
            general = [number for number in self._profiles.general if self._profiles.holds(number, clean)]
            self.counters.postfiltered += len(self._profiles.general)
            self.counters.matches += len(general)
            found += general
        return [self._ids[number] for number in sorted(found)]  # type: ignore[misc]

    def process(self, steps: Iterable[Step]) -> list[list[Identifier]]:
        """Messages and updates in their order; for each message the ids of the profiles that it satisfies.

        As long as updates are numbers for what was a number, all of it is one run of compiled code.
        """
        answers: list[list[Identifier]] = []
        run: list[Step] = []
        for step in steps:
            if self._is_compiled and not self._profiles.general and self._is_quick(step):
                run.append(step)
                continue
            answers.extend(self._process_run(run))
            run = []
            if isinstance(step, Update):
                self.update_context(*step)
            else:
                answers.append(self.handle_message(step.event))
        answers.extend(self._process_run(run))
        return answers

    def slots(self, contexts: Sequence[ContextId], attributes: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of attributes of contexts, for :meth:`process_columns`."""
        pairs = zip(contexts, attributes, strict=True)
        return np.array([self._profiles.slot(context, attribute) for context, attribute in pairs], dtype=np.int32)

    def process_columns(
        self, slots: NDArray[np.int32], values: NDArray[np.float64], messages: EventBatch
    ) -> tuple[NDArray[np.int64], list[Identifier]]:
        """The same as :meth:`process` in columns: slot ``slots[i]`` gets ``values[i]``, or the next message where -1.

        Returns the rows of messages and the ids of the profiles that they satisfy, pair by pair.
        """
        count = int(np.count_nonzero(slots < 0))
        if count != len(messages):
            raise ValueError(f"the steps have a place for {count} messages, found {len(messages)}")
        updated = slots[slots >= 0]
        events, plain = self._positions(self._profiles.vocabulary.encode(messages))
        numbers = bool(self._profiles.store.are_numbers[updated].all())
        quick = numbers and not self._profiles.slow_slots[updated].any() and not self._profiles.general
        if not (plain and quick and self._is_compiled):
            raise UnsupportedStreamError(
                "columns are for contexts that hold numbers already, and for conditions that at most add to them; "
                "process takes any steps"
            )
        rows, found = self._run(slots, values, events)
        self._profiles.store.set_many(updated, values[slots >= 0])
        return rows, [self._ids[number] for number in found.tolist()]

    # Looking

    def context(self, context: ContextId) -> dict[str, Value]:
        """The values of a context that are there."""
        values = self._profiles.store.attributes(context)
        return {name: value for name, value in values.items() if value is not None}

    def contexts(self) -> dict[Any, dict[str, Value]]:
        """The values of all contexts that have some."""
        found = {context: self.context(context) for context in self._profiles.store}
        return {context: values for context, values in found.items() if values}

    @property
    def predicate_count(self) -> int:
        """The number of tests in the programs of all profiles."""
        return self._profiles.test_count

    def match_batch(self, batch: EventBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs of a row and a profile id (all ids must be integers) that match, with no update in between."""
        events, plain = self._positions(self._profiles.vocabulary.encode(batch))
        if plain and self._is_compiled and not self._profiles.general:
            rows, found = self._run(np.full(len(batch), -1, np.int32), np.zeros(len(batch)), events)
            ids: list[Any] = [self._ids[number] for number in found.tolist()]
            return rows, np.array(ids, dtype=np.int64)
        answers: list[list[Any]] = [self.handle_message(event) for event in rows_of(batch)]
        rows = np.repeat(np.arange(len(batch)), [len(answer) for answer in answers])
        return rows, np.array([each for answer in answers for each in answer], dtype=np.int64)

    def context_of(self, profile_id: Identifier) -> ContextId:
        """The context that a profile is bound to."""
        return self._profiles[self._number(profile_id)].context

    def memory(self) -> dict[str, int]:
        """Bytes by what they are for."""
        return {**self._profiles.memory(), **self._indexes.memory()}

    def check_invariants(self) -> None:
        """Raise :class:`~penstock.errors.InvariantError` unless every index holds what it must."""
        self._profiles.check_invariants()
        self._indexes.check_invariants()

    # Inside

    @property
    def _is_compiled(self) -> bool:
        return isinstance(self._indexes, (CompiledIndexes, GridIndexes))

    def _bounds_of(self, template: Template) -> dict[str, Bounds]:
        if template.tree is None:
            return {}
        if template is not self._last_template[0]:
            self._last_template = template, bounds_of(template.tree, self._profiles)
        return self._last_template[1]

    def _update(self, slot: Slot, value: Value) -> None:
        if self._is_compiled and self._profiles.is_quick(slot, value):
            self._profiles.store.set(slot, value)
            self._run(np.array([slot], np.int32), np.array([value], np.float64), NO_EVENTS)
            return
        self.counters.updates += 1
        self._profiles.update(slot, value)
        if self._indexes.attributes:
            for profile in self._profiles.readers(slot):
                self._indexes.refresh(profile)

    def _answer(self, events: EventKeys) -> list[int]:
        if isinstance(self._indexes, (CompiledIndexes, GridIndexes)):
            found: list[int] = self._run(np.array([-1], np.int32), np.zeros(1), events)[1].tolist()
            return found
        self.counters.messages += 1
        answer = self._indexes.answer(events)
        self.counters.matches += len(answer)
        return answer

    def _run(
        self, slots: NDArray[np.int32], values: NDArray[np.float64], events: EventKeys
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        assert isinstance(self._indexes, (CompiledIndexes, GridIndexes))
        return self._indexes.run(Stream(slots, values), events)

    def _is_quick(self, step: Step) -> bool:
        """Whether a step can be part of a run. Whether a message can is seen when all of a run are encoded."""
        if isinstance(step, Message):
            return True
        slot = self._profiles.store.find(step.context, step.attribute)
        return slot is not None and self._profiles.is_quick(slot, step.value)

    def _process_run(self, steps: Sequence[Step]) -> list[list[Identifier]]:
        if not steps:
            return []
        messages = [step.event for step in steps if isinstance(step, Message)]
        events, plain = self._positions(self._profiles.vocabulary.encode(EventBatch.from_events(messages)))
        if not plain:
            return self._one_by_one(steps)
        slots = np.full(len(steps), -1, dtype=np.int32)
        values = np.zeros(len(steps), dtype=np.float64)
        for place, step in enumerate(steps):
            if isinstance(step, Update):
                slots[place] = slot = self._profiles.slot(step.context, step.attribute)
                value: Any = step.value
                values[place] = value
                self._profiles.store.set(slot, value)
        rows, found = self._run(slots, values, events)
        order = np.lexsort((found, rows))
        bounds = np.searchsorted(rows[order], np.arange(len(messages) + 1))
        ids: list[Any] = [self._ids[number] for number in found[order].tolist()]
        return [ids[bounds[row] : bounds[row + 1]] for row in range(len(messages))]

    def _one_by_one(self, steps: Sequence[Step]) -> list[list[Identifier]]:
        answers = []
        for step in steps:
            if isinstance(step, Update):
                self.update_context(*step)
            else:
                answers.append(self.handle_message(step.event))
        return answers

    def _encode(self, event: Mapping[str, object]) -> tuple[EventKeys, bool]:
        return self._positions(self._profiles.vocabulary.encode_event(event))

    def _positions(self, events: EventKeys) -> tuple[EventKeys, bool]:
        """Keys of events with a place of their own for what lies between two operands, and whether that says all.

        Between two labels there is always such a place; an integer that no double equals has none.
        """
        between = np.flatnonzero(~events.exact)
        if len(between) == 0:
            return events, True
        vocabulary = self._profiles.vocabulary
        strings = np.array([vocabulary.is_string(field) for field in range(len(vocabulary))])
        keys = events.keys.copy()
        keys[between] += 2
        return events._replace(keys=keys), bool(strings[events.fields[between]].all())

    def _choose_attributes(self) -> None:
        self._chosen_at = max(len(self), 8)
        if self.strategy == "noindex":
            return
        chosen = most_selective(self._bounds, self._profiles)
        if set(chosen) != set(self._indexes.attributes):
            self._indexes.index_by(chosen, self._bounds)

    def _new_strategy(self) -> Eager:
        structure = new_structure(self.structure)
        if self.strategy == "partial":
            return Partial(structure, self._policy, self.counters, self._key_scope())
        return STRATEGIES[self.strategy](structure, self._policy, self.counters)

    def _key_scope(self) -> tuple[int, int] | None:
        return None if self._scope is None else (key_of_number(self._scope[0])[0], key_of_number(self._scope[1])[0])

    def _number(self, profile_id: Identifier) -> int:
        number = self._numbers.get(profile_id)
        if number is None:
            names = [each for each in self._numbers if isinstance(each, str)]
            near = did_you_mean(profile_id, names) if isinstance(profile_id, str) else ""
            raise UnknownSubscriptionError(f"there is no profile {profile_id!r}{near}")
        return number
