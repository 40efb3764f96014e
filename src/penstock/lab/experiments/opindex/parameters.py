"""What the parameters of the OpIndex paper's experiments have in common, whatever their subscriptions are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self, get_type_hints

from penstock.lab.experiment import Parameters
from penstock.lab.matching import Events
from penstock.model.conditions import Condition


@dataclass(frozen=True, kw_only=True)
class IndexParameters(Parameters, ABC):
    """How many subscriptions and events there are. The parameter named by ``varied`` is the x axis."""

    varied: str
    count: Annotated[int, "subscriptions, N"] = 1_000_000
    events: Annotated[int | None, "events"] = None
    batch: Annotated[int | None, "events in a batch"] = None

    def at(self, x: float) -> Self:
        """The parameters with the varied one as it is at x."""
        changed: dict[str, Any] = {
            "xs": (),
            self.varied: x if isinstance(getattr(self, self.varied), float) else int(x),
        }
        return replace(self, **changed)

    def described(self) -> list[tuple[str, str]]:
        varied = get_type_hints(type(self), include_extras=True)[self.varied].__metadata__[0]
        return [(meaning, value) for meaning, value in super().described() if meaning != varied]

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
