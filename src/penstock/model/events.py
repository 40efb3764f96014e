"""Events and subscriptions: the two things that are matched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from penstock.model.conditions import Condition
from penstock.model.values import Attributes

Identifier: TypeAlias = int | str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: an id and attribute values. What is absent is NULL."""

    id: Identifier
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class Subscription:
    """A standing condition: its id, what it asks, and who asked."""

    id: Identifier
    condition: Condition
    subscriber: str | None = None
