"""The synthetic workloads of the OpIndex paper (table 3): its parameters, and what each figure varies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple

from penstock.lab.boolean_workloads import conditions_of, conjunctions, sparse_events
from penstock.lab.experiment import Axis, Scale
from penstock.lab.experiments.opindex.parameters import ComparedParameters, IndexParameters
from penstock.lab.matching import Events
from penstock.model.conditions import Condition


@dataclass(frozen=True, kw_only=True)
class BooleanParameters(ComparedParameters):
    """Table 3 with the paper's defaults."""

    dimensions: Annotated[int, "attributes, d"] = 20_000
    most_predicates: Annotated[int, "most predicates of a subscription, Γmax"] = 4
    event_size: Annotated[int, "attributes of an event, m"] = 20
    equal_share: Annotated[float, "share of predicates that ask for equality, θ1"] = 0.4
    domain: Annotated[int, "values of an attribute, σ"] = 50  # noqa: RUF001
    zipf: Annotated[float, "exponent of the Zipf distribution"] = 0.0
    more: Annotated[int | None, "subscriptions inserted one at a time, after all others"] = None
    most_postings: Annotated[int, "most postings of a k-index that is built"] = 1_000_000_000

    @property
    def bounds(self) -> tuple[int, int]:
        return 1, self.domain

    def options(self, index: str) -> dict[str, Any] | None:
        return None if index == "k_index" and self.postings > self.most_postings else super().options(index)

    @property
    def postings(self) -> float:
        """How many postings a k-index has on average: one for each value that satisfies a predicate."""
        of_a_predicate = self.equal_share + (1 - self.equal_share) * (self.domain + 1) / 2
        return self.count * (1 + self.most_predicates) / 2 * of_a_predicate

    def conditions(self) -> list[Condition]:
        made = conjunctions(
            self.count + (self.more or 0),
            dimensions=self.dimensions,
            most_predicates=self.most_predicates,
            equal_share=self.equal_share,
            domain=self.domain,
            zipf=self.zipf,
            seed=self.seed,
        )
        return conditions_of(made)

    def matched(self) -> Events:
        made = sparse_events(
            self.events or 1,
            dimensions=self.dimensions,
            size=self.event_size,
            domain=self.domain,
            zipf=self.zipf,
            seed=self.seed,
        )
        return Events.of(made, self.batch or 1)


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


COUNT: Final = Varied("count", Axis("subscriptions, N", logarithmic=True))
DIMENSIONS: Final = Varied("dimensions", Axis("attributes, d"))
MOST_PREDICATES: Final = Varied("most_predicates", Axis("most predicates of a subscription, Γmax"))
EVENT_SIZE: Final = Varied("event_size", Axis("attributes of an event, m"))
EQUAL_SHARE: Final = Varied("equal_share", Axis("share of predicates that ask for equality, θ1"))
DOMAIN: Final = Varied("domain", Axis("values of an attribute, σ", logarithmic=True))  # noqa: RUF001
ZIPF: Final = Varied("zipf", Axis("exponent of the Zipf distribution"))
LEAF_SIZE: Final = Varied("leaf_size", Axis("expressions in a leaf of BE-Tree"))

UP_TO_NOTE: Final = (
    "The paper goes up to 40 million subscriptions, on a machine with 128 GB. As objects of Python they take more"
    " memory than the indexes themselves, so this ends at 4 million."
)
NOT_BUILT_NOTE: Final = (
    "A k-index with more postings than the parameters allow is not built. The paper's ran out of memory at the same"
    " numbers of values."
)

_SMALL: Final[dict[str, Any]] = {"count": 10_000, "dimensions": 200, "most_postings": 10_000_000}
"""As the paper's, there are 50 subscriptions for each attribute."""


def scales(
    varied: Varied,
    *,
    small: tuple[float, ...],
    paper: tuple[float, ...],
    repetitions: tuple[int, int] = (1, 1),
    events: tuple[int, int] | None = None,
    more: tuple[int, int] | None = None,
) -> dict[Scale, BooleanParameters]:
    """Both scales of a figure; pairs are of the small and the paper's scale."""
    made = {}
    for place, (scale, xs, base) in enumerate(((Scale.SMALL, small, _SMALL), (Scale.PAPER, paper, {}))):
        made[scale] = BooleanParameters(
            xs=xs,
            varied=varied.parameter,
            repetitions=repetitions[place],
            events=None if events is None else events[place],
            batch=None if events is None else min(1_000, events[place]),
            more=None if more is None else more[place],
            **base,
        )
    return made
