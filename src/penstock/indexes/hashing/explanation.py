"""What AMKH says of itself: what matching took, where a conjunction is, and what was chosen for which reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from penstock.indexes.hashing.axes import Axes
from penstock.indexes.hashing.choosing import LARGE_SHARE, UNLIMITED, Rule
from penstock.indexes.hashing.schemas import SchemaTable

MOST_SHOWN: Final = 10


class Work(NamedTuple):
    """What matching took, counted since the index was made."""

    events: int
    candidates: int
    """Candidate coordinates that were looked up."""
    examined: int
    """Conjunctions in the buckets of candidate coordinates."""
    unmatched: int
    """Those of them that do not match."""
    collisions: int
    """Those that have another coordinate and only share the bucket; there are fewer with more buckets."""

    @property
    def unmatched_per_event(self) -> float:
        """The paper's measure."""
        return self.unmatched / max(1, self.events)

    @property
    def evaluated_in_vain_per_event(self) -> float:
        """The same without collisions."""
        return (self.unmatched - self.collisions) / max(1, self.events)


class Point(NamedTuple):
    """A conjunction as a point: its ids by field, the hashed fields among them, and its bucket."""

    coordinates: dict[str, int]
    hashed: tuple[str, ...]
    bucket: int


@dataclass(frozen=True, slots=True)
class SchemaChoice:
    """Schemas of which the same was chosen for the same reason."""

    general: int
    """G, as far as the schemas have so many general attributes."""
    rule: Rule
    equality_clauses: int
    schemas: int
    conjunctions: int

    def __str__(self) -> str:
        return (
            f"G = {self.general} for {_counted(self.conjunctions, 'conjunction')} in {_counted(self.schemas, 'schema')}"
            f" with {_counted(self.equality_clauses, 'equality-only attribute')}: {self.rule.value}"
        )


@dataclass(frozen=True, slots=True)
class AttributeChoice:
    """A general attribute that some schemas hash."""

    attribute: str
    residues: int | None
    """B; ``None`` if it is larger than any id."""
    share: float
    """The estimated share of values that its non-equality clauses let through."""
    clauses: int
    """How many different non-equality clauses there are on it."""
    schemas: int
    given: bool

    def __str__(self) -> str:
        why = f"{self.share:.0%} of the values pass its {_counted(self.clauses, 'non-equality clause')}"
        low = "low" if self.share >= LARGE_SHARE else "high"
        reason = "as given" if self.given else f"the selectivity is {low}"
        size = "B is larger than any id" if self.residues is None else f"B = {self.residues}"
        return f"{size} for {self.attribute}, hashed in {_counted(self.schemas, 'schema')}: {reason}; {why}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was chosen for which schemas and attributes, the most frequent first."""

    buckets: int
    """M."""
    conjunctions: int
    equality_only: int
    """How many attributes have equality clauses and no others."""
    schemas: tuple[SchemaChoice, ...]
    attributes: tuple[AttributeChoice, ...]

    def __str__(self) -> str:
        held = f"{_counted(self.conjunctions, 'conjunction')} in {_counted(self.buckets, 'bucket')}"
        lines = [f"{held}; {_counted(self.equality_only, 'equality-only attribute')}, hashed wherever mentioned"]
        for choices in (self.schemas, self.attributes):
            lines.extend(map(str, choices[:MOST_SHOWN]))
            if len(choices) > MOST_SHOWN:
                lines.append(f"and {len(choices) - MOST_SHOWN:,} more")
        return "\n".join(lines)


def explain(
    schemas: SchemaTable, axes: Axes, buckets: int, describe: Callable[[int], str], *, residues_given: bool
) -> Explanation:
    """The explanation of what these schemas and axes are like now."""
    groups: dict[tuple[int, Rule, int], tuple[int, int]] = {}
    hashed: dict[int, int] = {}
    for fields, choice, population in zip(schemas.fields, schemas.choices, schemas.populations.tolist(), strict=True):
        if population:
            group = choice.general, choice.rule, choice.equalities
            count, conjunctions = groups.get(group, (0, 0))
            groups[group] = count + 1, conjunctions + population
            for field, is_hashed in zip(fields, choice.hashed, strict=True):
                if is_hashed and axes[field].is_general:
                    hashed[field] = hashed.get(field, 0) + 1
    choices = [SchemaChoice(*group, *counts) for group, counts in groups.items()]
    attributes = []
    for field, count in hashed.items():
        axis, residues = axes[field], int(axes.residues[field])
        shown = None if residues == UNLIMITED else residues
        attributes.append(
            AttributeChoice(describe(field), shown, axis.share, axis.intervals, count, given=residues_given)
        )
    return Explanation(
        buckets,
        sum(choice.conjunctions for choice in choices),
        axes.equality_only,
        tuple(sorted(choices, key=lambda choice: -choice.conjunctions)),
        tuple(sorted(attributes, key=lambda attribute: -attribute.schemas)),
    )


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
