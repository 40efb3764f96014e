"""What the parameters of the OpIndex paper's experiments have in common, whatever their subscriptions are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, Self, get_type_hints

from penstock.lab.experiment import Axis, Parameters
from penstock.lab.matching import Events
from penstock.model.conditions import Condition


@dataclass(frozen=True, kw_only=True)
class IndexParameters(Parameters, ABC):
    """How many subscriptions and events there are. The parameter named by ``varied`` is the x axis."""

    varied: str
    count: Annotated[int, "subscriptions, N"] = 1_000_000
    leaf_size: Annotated[int, "expressions in a leaf of BE-Tree"] = 5
    events: Annotated[int | None, "events"] = None
    batch: Annotated[int | None, "events in a batch"] = None
    more: Annotated[int | None, "subscriptions inserted one at a time, after all others"] = None
    most_postings: Annotated[int, "most postings of a k-index that is built"] = 1_000_000_000

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

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The lowest and the highest number of an attribute, where predicates ask for ranges of numbers."""
        return None

    @property
    def postings(self) -> float:
        """How many postings a k-index has on average: one for each value that satisfies a predicate."""
        return 0

    @abstractmethod
    def conditions(self) -> list[Condition]:
        """The subscriptions, and after them those that are inserted one at a time."""

    @abstractmethod
    def matched(self) -> Events:
        """The events; at least one, because an index is warmed up with one."""


class Workload(NamedTuple):
    """What is put into an index, and what it is asked."""

    conditions: list[Condition]
    events: Events


@lru_cache(maxsize=1)
def workload(parameters: IndexParameters) -> Workload:
    """The workload of parameters; the last one is kept, because all series of a figure share it."""
    return Workload(parameters.conditions(), parameters.matched())


class Varied(NamedTuple):
    """A parameter as an x axis."""

    parameter: str
    axis: Axis
