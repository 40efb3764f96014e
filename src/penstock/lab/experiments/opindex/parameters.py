"""What the parameters of the OpIndex paper's experiments have in common, whatever their subscriptions are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any

from penstock.lab.experiment import VariedParameters
from penstock.lab.matching import Events
from penstock.model.conditions import Condition


@dataclass(frozen=True, kw_only=True)
class IndexParameters(VariedParameters, ABC):
    """How many subscriptions and events there are."""

    count: Annotated[int, "subscriptions, N"] = 1_000_000
    events: Annotated[int | None, "events"] = None
    batch: Annotated[int | None, "events in a batch"] = None

    def options(self, index: str) -> dict[str, Any] | None:
        """What an index is made with, by its name; nothing where it is not built."""
        del index
        return {}

    @abstractmethod
    def conditions(self) -> list[Condition]:
        """The subscriptions, and after ``count`` of them those that are inserted one at a time."""

    @abstractmethod
    def matched(self) -> Events:
        """The events; at least one, because an index is warmed up with one."""


@dataclass(frozen=True, kw_only=True)
class ComparedParameters(IndexParameters):
    """For experiments that compare OpIndex with its rivals."""

    leaf_size: Annotated[int, "expressions in a leaf of BE-Tree"] = 5

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The lowest and the highest number of an attribute, where subscriptions ask for ranges of numbers."""
        return None

    def options(self, index: str) -> dict[str, Any] | None:
        options: dict[str, dict[str, Any]] = {
            "k_index": {"domain": self.bounds},
            "be_tree": {"leaf_size": self.leaf_size},
        }
        return options.get(index, {})
