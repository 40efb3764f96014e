"""Entries: what the predicates of a profile leave of one attribute, as an interval that an index can hold.

A conjunction leaves what all of its parts do; a disjunction what any of them does, from the lowest key to the highest.
An entry may be *empty* (the profile cannot match now), or *loose*: where a context value is no number, the predicate
does not bound the attribute as a number, and the profile is a candidate whatever the index says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from penstock.context.leaves import FIRST, LAST, KeyInterval, indexable
from penstock.context.profiles import Profiles
from penstock.encoding.fields import NumberField
from penstock.encoding.predicates import Leaf
from penstock.encoding.programs import Group
from penstock.kernels.readings import PLACEHOLDER
from penstock.model.expressions import Attribute

Bounds = tuple[tuple[int, ...], ...]
"""Alternatives; each is the offsets of tests that must all hold."""


class Left(NamedTuple):
    """What is left of an attribute; ``low > high`` when nothing is."""

    low: int
    high: int
    loose: bool = False

    @property
    def empty(self) -> bool:
        return self.low > self.high and not self.loose


def bounds_of(tree: Group | Leaf, profiles: Profiles) -> dict[str, Bounds]:
    """For each attribute that the tests of a profile bound as a number: by which tests."""
    return _bounds(tree, 0, profiles)


def _bounds(part: Group | Leaf, offset: int, profiles: Profiles) -> dict[str, Bounds]:
    if isinstance(part, Leaf):
        name = _attribute(part, profiles)
        if name is None:
            return {}
        return {name: tuple((offset + place,) for place in range(max(1, len(part.intervals))))}
    children = []
    for child in part.parts:
        children.append(_bounds(child, offset, profiles))
        offset += child.size if isinstance(child, Group) else max(1, len(child.intervals))
    return _of_all(children) if part.conjunction else _of_any(children)


def _of_all(children: list[dict[str, Bounds]]) -> dict[str, Bounds]:
    """Single intervals are taken together; beside them a choice of several adds nothing that is simple to say."""
    found: dict[str, Bounds] = {}
    for child in children:
        for name, bounds in child.items():
            known = found.get(name)
            if known is None:
                found[name] = bounds
            elif len(known) == 1 and len(bounds) == 1:
                found[name] = ((*known[0], *bounds[0]),)
            elif len(bounds) == 1:
                found[name] = bounds
    return found


def _of_any(children: list[dict[str, Bounds]]) -> dict[str, Bounds]:
    shared = set.intersection(*(set(child) for child in children))
    return {name: tuple(each for child in children for each in child[name]) for name in children[0] if name in shared}


def _attribute(leaf: Leaf, profiles: Profiles) -> str | None:
    """The attribute that a leaf bounds as a number."""
    if leaf.intervals and leaf.intervals[0].low == PLACEHOLDER:
        reading = profiles.leaf(leaf.intervals[0].high)
        return reading.event_side.name if indexable(reading) else None  # type: ignore[union-attr]
    match profiles.vocabulary.fields[leaf.field]:
        case NumberField(Attribute(name)) if all(interval.low >= FIRST for interval in leaf.intervals):
            return name
    return None


def left_of(field: int, bounds: Bounds, interval: Callable[[int], KeyInterval]) -> Left:
    """What tests leave of a field now; ``interval`` gives the interval of a test."""
    low, high = LAST, FIRST
    for alternative in bounds:
        begin, end = FIRST, LAST
        for offset in alternative:
            at, lowest, highest = interval(offset)
            if lowest > highest:
                begin, end = LAST, FIRST
                break
            if at != field:
                return Left(FIRST, LAST, loose=True)
            begin, end = max(begin, lowest), min(end, highest)
        if begin <= end:
            low, high = min(low, begin), max(high, end)
    return Left(low, high)
