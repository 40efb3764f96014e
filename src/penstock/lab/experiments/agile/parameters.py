"""Table 2 of the AGILE paper: what its experiments vary, and for how long each is run here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from penstock.lab.context_workload import ContextWorkload, updates_per_message
from penstock.lab.experiment import Parameters, VariedParameters

PAPER_MESSAGES: Final = 10_000
"""The messages of a run, which UP refers to."""


@dataclass(frozen=True, kw_only=True)
class FilterParameters(Parameters):
    """The profiles, and how their contexts change."""

    profiles: Annotated[int, "profiles, P"] = 500_000
    context_share: Annotated[float, "share of profiles that refer to contexts, CB"] = 0.9
    distance: Annotated[float, "largest distance of an update, ΔU"] = 150.0
    indexed_share: Annotated[float, "share of updates on indexed attributes, UpdAtt"] = 0.25

    @property
    def workload(self) -> ContextWorkload:
        return ContextWorkload(self.profiles, self.context_share, self.distance, self.indexed_share, self.seed)

    def per_message(self, updates: float) -> float:
        """Updates for each message, where there are so many per profile over the messages of the paper's run."""
        return updates_per_message(self.profiles, updates, PAPER_MESSAGES)


@dataclass(frozen=True, kw_only=True)
class SteadyParameters(FilterParameters, VariedParameters):
    """A stream in which messages and updates keep their proportion.

    The paper's runs of 10,000 messages are cut: there are as many messages as bring a number of updates to each
    profile, but never more than a number of messages.
    """

    updates: Annotated[float, "updates per profile in 10,000 messages, UP"] = 1_000.0
    messages: Annotated[int, "measured messages, at most"]
    measured_updates: Annotated[float, "measured updates per profile, at most"]
    warm_up: Annotated[int, "messages before the measured ones, at most"]
    warm_up_updates: Annotated[float, "updates per profile before the measured ones, at most"]

    @property
    def measured_messages(self) -> int:
        return self._cut(self.messages, self.measured_updates)

    @property
    def warm_up_messages(self) -> int:
        return self._cut(self.warm_up, self.warm_up_updates)

    def _cut(self, messages: int, updates: float) -> int:
        return max(1, min(messages, round(updates * PAPER_MESSAGES / self.updates)))


@dataclass(frozen=True, kw_only=True)
class BurstParameters(FilterParameters):
    """A stream with a burst of updates; an x is the number of messages at the end of a part."""

    part: Annotated[int, "messages in a part"] = 100
    quiet: Annotated[float, "updates per profile in 10,000 messages, UP, outside of the burst"] = 1.0
    burst: Annotated[float, "updates per profile in 10,000 messages, UP, in the burst"] = 1_000.0
    begins: Annotated[int, "messages before the burst"] = 1_000
    ends: Annotated[int, "messages until the end of the burst"] = 2_000
    warm_up: Annotated[int, "messages before the first"] = 500

    def updates_before(self, message: float) -> float:
        """UP in the part that ends with a message."""
        return self.burst if self.begins < message <= self.ends else self.quiet
