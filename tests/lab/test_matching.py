"""Measuring indexes of conditions: all that is promised is measured, and counts are those of the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from penstock import evaluate, parse
from penstock.encoding.batch import EventBatch
from penstock.errors import InvariantError
from penstock.indexes import Index, IndexStatistics, Matches
from penstock.lab.boolean_workloads import conditions_of, conjunctions, event_dictionaries, sparse_events
from penstock.lab.experiment import Measurement
from penstock.lab.matching import (
    BATCH,
    CONSTRUCTION,
    FOUND,
    SINGLE,
    Constructions,
    Events,
    Matching,
    Recipe,
    built_with,
    construct,
    work,
)
from penstock.lab.searching import STORAGE
from penstock.model.conditions import Condition

CONDITIONS = conditions_of(conjunctions(200, dimensions=30, domain=9, seed=2))
EVENTS = sparse_events(25, dimensions=30, size=6, domain=9, seed=2)


def values(measurements: list[Measurement]) -> dict[str, float]:
    return {each.measure.name: each.value for each in measurements}


@pytest.mark.parametrize("name", ["opindex", "scan"])
def test_an_index_is_built_and_matched_in_both_ways(name: str) -> None:
    events = Events.of(EVENTS, batch=10)
    assert [len(batch) for batch in events.batches] == [10, 10, 5]
    built = construct(Recipe(name, CONDITIONS))
    construction = values(built.measurements)
    assert construction[CONSTRUCTION.name] > 0
    assert construction[STORAGE.name] == built.index.statistics().bytes
    matched = values(Matching(built.index, events)())
    assert min(matched[SINGLE.name], matched[BATCH.name]) > 0
    expected = sum(evaluate(each, event) is True for each in CONDITIONS for event in event_dictionaries(EVENTS))
    assert matched[FOUND.name] == expected / 25


def test_events_may_have_values_of_any_type() -> None:
    rows: list[dict[str, object]] = [{"a0": 5, "color": "red"}, {"a0": 2.5}, {"sizes": ("S", "M")}]
    events = Events.of_rows(rows, batch=2)
    assert [len(batch) for batch in events.batches] == [2, 1]
    built = construct(Recipe("opindex", [parse("a0 > 2"), parse("color = 'red' AND a0 = 5")]))
    assert values(Matching(built.index, events)())[FOUND.name] == 1


def test_every_call_builds_anew() -> None:
    build = Constructions(Recipe("opindex", CONDITIONS))
    first, second = values(build()), values(build())
    assert first.keys() == second.keys()
    assert first[STORAGE.name] == second[STORAGE.name]


def test_options_are_those_of_the_index() -> None:
    with pytest.raises(TypeError):
        Recipe("scan", CONDITIONS, {"leaf_size": 5}).build()


def test_work_is_that_of_single_events_and_counted_anew_in_every_call() -> None:
    matching = Matching(Recipe("opindex", CONDITIONS).build(), Events.of(EVENTS, batch=10))
    first, second = values(matching()), values(matching())
    index = Recipe("opindex", CONDITIONS).build()
    for event in event_dictionaries(EVENTS):
        index.match(event)
    held = index.work.predicates_held / 25  # type: ignore[attr-defined]
    assert first[work("predicates_held").name] == second[work("predicates_held").name] == held


class Counted(NamedTuple):
    splits: int
    looks: int


class Odd:
    """An index without ``insert_many`` that splits twice, and finds in batches what it does not find otherwise."""

    name: ClassVar[str] = "odd"

    def __init__(self) -> None:
        self.work = Counted(0, 0)

    def insert(self, key: int, condition: Condition) -> None:
        del condition
        self.work = Counted(min(key, 2), 0)

    def delete(self, key: int) -> None: ...

    def match(self, event: Mapping[str, object]) -> NDArray[np.int64]:
        del event
        return np.zeros(0, dtype=np.int64)

    def match_batch(self, batch: EventBatch) -> Matches:
        return Matches(np.array([len(batch) - 1]), np.array([0]))

    def statistics(self) -> IndexStatistics:
        return IndexStatistics(0, 0)

    def check_invariants(self) -> None: ...


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(name: str) -> Index:
        assert name == Odd.name
        return Odd()

    monkeypatch.setattr("penstock.lab.matching.new_index", made)


@pytest.mark.usefixtures("odd")
def test_what_is_counted_while_building_is_measured() -> None:
    construction = values(construct(Recipe("odd", CONDITIONS)).measurements)
    assert construction[built_with("splits").name] == 2
    assert built_with("looks").name not in construction


@pytest.mark.usefixtures("odd")
def test_both_ways_must_find_the_same() -> None:
    matching = Matching(Recipe("odd", CONDITIONS).build(), Events.of(EVENTS, batch=10))
    with pytest.raises(InvariantError, match="event 9 matches 0 conditions by itself and 1 in a batch"):
        matching()


def test_warming_up_leaves_nothing_behind() -> None:
    recipe = Recipe("opindex", CONDITIONS)
    recipe.warm_up(Events.of(EVENTS, batch=10))
    assert values(construct(recipe).measurements)[STORAGE.name] > 0
