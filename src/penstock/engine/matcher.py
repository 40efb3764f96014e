"""The matcher: subscriptions under ids, and which of them events satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from penstock.context import ContextFilter
from penstock.encoding.batch import EventBatch, Reject
from penstock.engine.explanation import Explanation, explain
from penstock.engine.snapshot import read_snapshot, write_snapshot
from penstock.errors import (
    DuplicateSubscriptionError,
    PenstockError,
    SourceError,
    UnknownSubscriptionError,
    ValueRefusedError,
    did_you_mean,
)
from penstock.indexes import IndexStatistics, new_index
from penstock.language.parser import parse
from penstock.language.rendering import to_text
from penstock.model.conditions import CONDITIONS, Condition, context_attributes_of
from penstock.model.values import Identifier

Events: TypeAlias = EventBatch | pa.Table | pa.RecordBatch | Sequence[Mapping[str, object]]


class Matcher:
    """Holds subscriptions and finds, for every event, all that it satisfies.

    >>> matcher = Matcher()
    >>> matcher.add("cheap", "price < 100")
    >>> matcher.add("ibm", "symbol = 'IBM'")
    >>> matcher.match({"symbol": "IBM", "price": 99})
    ['cheap', 'ibm']
    """

    def __init__(self, index: str = "auto") -> None:
        self._index_name = index
        self._index = new_index(index)
        self._filter = ContextFilter("auto")
        """The subscriptions whose conditions refer to the context of a subscriber."""
        self._subscribers: dict[int, Identifier] = {}
        self._keys: dict[Identifier, int] = {}
        self._ids: list[Identifier | None] = []
        self._texts: list[str] = []
        self._free: list[int] = []
        self._id_type: type[int] | type[str] | None = None
        self._id_array: pa.Array | None = None

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._keys

    def add(
        self, subscription_id: Identifier, condition: str | Condition, subscriber: Identifier | None = None
    ) -> None:
        """Add a subscription; the next match sees it.

        Ids are all strings or all integers. An id that is there already is refused: remove it first. What
        ``context.name`` refers to in the condition is a value of the subscriber, which :meth:`set_context` sets;
        without one the subscription has a context of its own, under its id.
        """
        self._check_id(subscription_id)
        if isinstance(condition, CONDITIONS):
            # Through its text, so that what is held is something that the language can say.
            condition = to_text(condition)
        parsed = parse(condition)
        key = self._free[-1] if self._free else len(self._ids)
        if context_attributes_of(parsed):
            self._filter.add(key, parsed, subscription_id if subscriber is None else subscriber)
        else:
            self._index.insert(key, parsed)
        if subscriber is not None:
            self._subscribers[key] = subscriber
        if self._free:
            self._free.pop()
            self._ids[key], self._texts[key] = subscription_id, condition
        else:
            self._ids.append(subscription_id)
            self._texts.append(condition)
        self._keys[subscription_id] = key
        self._id_type = type(subscription_id)
        self._id_array = None

    def add_many(
        self,
        subscriptions: pa.Table | Iterable[tuple[Any, ...]],
        *,
        subscription_id: str = "subscription_id",
        condition: str = "condition",
        subscriber: str = "subscriber",
        on_error: Literal["raise", "skip"] = "raise",
    ) -> list[Reject]:
        """Add many subscriptions: pairs of an id and a condition, or an Arrow table with a column for each.

        A third item, or a column of that name if there is one, is the subscriber.

        With ``on_error="skip"`` those that are wrong are left out and returned with their row and reason; otherwise
        the first wrong one is raised, and those before it stay added.
        """
        pairs = subscriptions
        if isinstance(subscriptions, pa.Table):
            pairs = _pairs(subscriptions, subscription_id, condition, subscriber)
        rejects: list[Reject] = []
        for row, each in enumerate(pairs):
            try:
                self.add(*each)
            except PenstockError as error:
                if on_error == "raise":
                    raise
                rejects.append(Reject(row, str(error)))
        return rejects

    def remove(self, subscription_id: Identifier) -> None:
        """Remove a subscription; the next match does not see it."""
        key = self._key(subscription_id)
        if key in self._filter:
            self._filter.remove(key)
        else:
            self._index.delete(key)
        self._subscribers.pop(key, None)
        del self._keys[subscription_id]
        self._ids[key] = None
        self._texts[key] = ""
        self._free.append(key)
        self._id_array = None

    def set_context(self, subscriber: Identifier, name: str, value: object) -> None:
        """Give ``context.name`` a value for all subscriptions of a subscriber; ``None`` makes it absent.

        >>> matcher = Matcher()
        >>> matcher.add("offers", "price < context.budget", subscriber="ann")
        >>> matcher.set_context("ann", "budget", 80)
        >>> matcher.match({"price": 75})
        ['offers']
        >>> matcher.set_context("ann", "budget", 70)
        >>> matcher.match({"price": 75})
        []
        """
        self._filter.update_context(subscriber, name, value)

    def match(self, event: Mapping[str, object]) -> list[Identifier]:
        """The ids of all subscriptions that an event satisfies."""
        keys: list[Any] = self._index.match(event).tolist()
        if len(self._filter):
            keys = sorted([*keys, *self._filter.handle_message(event)])
        found = [self._ids[key] for key in keys]
        return [each for each in found if each is not None]

    def match_batch(self, events: Events, *, event_id: str | None = None, attributes: str | None = None) -> pa.Table:
        """All matches of many events, as a table of ``event_id`` and ``subscription_id``.

        Events are dictionaries, an Arrow table or a batch made before. ``event_id`` names the column of ids (without it
        an event's id is its row number), ``attributes`` a column that holds all attributes as a map or a struct.

        >>> matcher = Matcher()
        >>> matcher.add("cheap", "price < 100")
        >>> matcher.match_batch([{"price": 99}, {"price": 101}, {"price": 5}]).to_pydict()
        {'event_id': [0, 2], 'subscription_id': ['cheap', 'cheap']}
        """
        batch = _as_batch(events, event_id, attributes)
        rows, keys = self._index.match_batch(batch)
        if len(self._filter):
            more_rows, more_keys = self._filter.match_batch(batch)
            rows, keys = np.concatenate([rows, more_rows]), np.concatenate([keys, more_keys])
            order = np.lexsort((keys, rows))
            rows, keys = rows[order], keys[order]
        return pa.table(
            {
                "event_id": batch.ids.take(pa.array(rows)),
                "subscription_id": self._subscription_ids().take(pa.array(keys)),
            }
        )

    def explain(self, subscription_id: Identifier, event: Mapping[str, object]) -> Explanation:
        """Why an event satisfies a subscription, or which predicates failed and by how much.

        >>> matcher = Matcher()
        >>> matcher.add("cheap", "price < 100")
        >>> print(matcher.explain("cheap", {"price": 103.2}))
        ✗ price < 100  [FALSE]: price is 103.2, failed by 3.2
        """
        key = self._key(subscription_id)
        context = self._filter.context(self._filter.context_of(key)) if key in self._filter else {}
        return explain(self.condition(subscription_id), event, context)

    def condition(self, subscription_id: Identifier) -> Condition:
        """The condition of a subscription."""
        return parse(self._texts[self._key(subscription_id)])

    def statistics(self) -> IndexStatistics:
        """What the index holds, and the memory that it takes."""
        held = self._index.statistics()
        if not len(self._filter):
            return held
        memory = {**held.memory, **{f"context: {name}": size for name, size in self._filter.memory().items()}}
        return IndexStatistics(
            held.subscriptions + len(self._filter), held.predicates + self._filter.predicate_count, memory
        )

    def subscriptions(self) -> pa.Table:
        """All subscriptions, as a table of ``subscription_id``, ``condition`` and, if there are any, ``subscriber``."""
        keys = sorted(self._keys.values())
        columns = {
            "subscription_id": self._subscription_ids().take(pa.array(keys, pa.int64())),
            "condition": pa.array([self._texts[key] for key in keys], pa.string()),
        }
        if self._subscribers:
            columns["subscriber"] = pa.array([self._subscribers.get(key) for key in keys])
        return pa.table(columns)

    def save(self, path: str | PathLike[str]) -> None:
        """Save the subscriptions into a directory, replacing what was saved there before, at once or not at all."""
        write_snapshot(Path(path), self.subscriptions(), self._index_name, self._filter.contexts())

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Matcher:
        """A matcher with the subscriptions that were saved into a directory."""
        table, index, contexts = read_snapshot(Path(path))
        matcher = cls(index)
        for subscriber, values in contexts.items():
            for name, value in values.items():
                matcher.set_context(subscriber, name, value)
        matcher.add_many(table)
        return matcher

    def _subscription_ids(self) -> pa.Array:
        """The ids by key, as an array to take from."""
        if self._id_array is None:
            self._id_array = pa.array(self._ids, pa.int64() if self._id_type is int else pa.string())
        return self._id_array

    def _check_id(self, subscription_id: object) -> None:
        if type(subscription_id) not in (int, str):
            raise ValueRefusedError(f"a subscription id is a string or an integer, found {subscription_id!r}")
        if self._keys and type(subscription_id) is not self._id_type:
            kinds = {int: "integers", str: "strings", None: "nothing"}
            raise ValueRefusedError(
                f"the ids of this matcher are {kinds[self._id_type]}, found {subscription_id!r}; use one type for all"
            )
        if subscription_id in self._keys:
            raise DuplicateSubscriptionError(f"there is a subscription {subscription_id!r} already; remove it first")

    def _key(self, subscription_id: Identifier) -> int:
        key = self._keys.get(subscription_id)
        if key is None:
            near = did_you_mean(subscription_id, self._ids_as_text()) if isinstance(subscription_id, str) else ""
            raise UnknownSubscriptionError(f"there is no subscription {subscription_id!r}{near}")
        return key

    def _ids_as_text(self) -> list[str]:
        return [each for each in self._keys if isinstance(each, str)]


def _pairs(table: pa.Table, id_name: str, condition_name: str, subscriber: str) -> Iterable[tuple[Any, ...]]:
    names = table.schema.names
    for wanted in (id_name, condition_name):
        if wanted not in names:
            raise SourceError(f"there is no column {wanted!r}{did_you_mean(wanted, names)}; found {', '.join(names)}")
    columns = [id_name, condition_name, *([subscriber] if subscriber in names else [])]
    return zip(*(table.column(name).to_pylist() for name in columns), strict=True)


def _as_batch(events: Events, event_id: str | None, attributes: str | None) -> EventBatch:
    if isinstance(events, EventBatch):
        return events
    if isinstance(events, (pa.Table, pa.RecordBatch)):
        return EventBatch.from_arrow(events, event_id, attributes)
    if event_id is None and attributes is None:
        return EventBatch.from_events(events)
    raise SourceError("event_id and attributes name columns of a table, but these events are dictionaries")
