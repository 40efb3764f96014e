"""AGILE's workload (section 6.2, table 2): profiles around context values that wander, and messages.

Every profile is a conjunction of an epsilon environment on each attribute, around a value of a context of its own or,
for some profiles, around constants. Attributes differ in how selective they are, in one order for all profiles. The
paper gives neither the environments nor how many predicates a profile has: here a profile has one on each attribute,
and an environment is as wide as makes :data:`SELECTIVITIES` of uniform values lie in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.context import ContextFilter
from penstock.encoding.batch import EventBatch
from penstock.kernels.wandering import wander
from penstock.model.conditions import And, Between, Condition
from penstock.model.expressions import Arithmetic, Attribute, ContextAttribute, Expression, Literal

ATTRIBUTES: Final = 8
INDEXED: Final = 2
"""The first so many attributes, which are the most selective ones, have an index."""
SELECTIVITIES: Final = (0.04, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
RANGE: Final = 10_000.0

_PROFILES, _EVENTS = 0, 1


@dataclass(frozen=True, slots=True)
class ContextWorkload:
    """What the paper varies."""

    profiles: Annotated[int, "profiles, P"]
    context_share: Annotated[float, "share of profiles that refer to contexts, CB"] = 0.9
    distance: Annotated[float, "largest distance of an update, delta U"] = 150.0
    indexed_share: Annotated[float, "share of updates on indexed attributes, UpdAtt"] = 0.25
    seed: int = 1


class Steps(NamedTuple):
    """Updates and messages in their order: an update of a profile's attribute, or a message where profile is -1."""

    profiles: NDArray[np.int64]
    attributes: NDArray[np.int64]
    values: NDArray[np.float64]
    changes: NDArray[np.bool_]
    """Whether an update gives another value than there was."""
    messages: NDArray[np.float64]
    """For each message the values of all attributes."""


def attribute(number: int) -> str:
    return f"a{number}"


def start_values(workload: ContextWorkload) -> NDArray[np.float64]:
    """The context values, or constants, of all profiles at the beginning."""
    random = np.random.default_rng([workload.seed, _PROFILES])
    return _three_digits(random.random((workload.profiles, ATTRIBUTES)) * RANGE)


def refers_to_context(workload: ContextWorkload) -> NDArray[np.bool_]:
    """Which profiles refer to their contexts."""
    random = np.random.default_rng([workload.seed, _PROFILES, 1])
    return random.random(workload.profiles) < workload.context_share


def fill(filter: ContextFilter, workload: ContextWorkload) -> None:  # noqa: A002 - it is one
    """Give a filter the profiles and the contexts as they are at the beginning."""
    around_context = _condition([ContextAttribute(attribute(number)) for number in range(ATTRIBUTES)])
    values, dynamic = start_values(workload), refers_to_context(workload)
    for profile in range(workload.profiles):
        for number in range(ATTRIBUTES):
            filter.update_context(profile, attribute(number), float(values[profile, number]))
        if dynamic[profile]:
            filter.add(profile, around_context, profile)
        else:
            filter.add(profile, _condition([Literal(float(value)) for value in values[profile]]), profile)


class ContextStream:
    """Messages and updates without end: values go on wandering from where the last steps left them.

    Each update is at most ``distance`` from the value before, and stays within the range. What is said by an update is
    the value in three digits; what wanders is the value itself, which also the smallest steps move.
    """

    def __init__(self, workload: ContextWorkload, seed: int = 1) -> None:
        self.workload = workload
        self._random = np.random.default_rng([workload.seed, _EVENTS, seed])
        self._values = start_values(workload).ravel()
        self._owed = 0.0

    def steps(self, messages: int, updates_per_message: float) -> Steps:
        """The next messages, with as many updates before each as on average there are."""
        due = self._owed + updates_per_message * np.arange(1, messages + 1)
        before = np.floor(due + 1e-9).astype(np.int64)
        count = int(before[-1])
        self._owed = float(due[-1]) - count
        updates = np.ones(messages + count, dtype=np.bool_)
        updates[before + np.arange(messages)] = False
        profiles, attributes, values, changes = self._updates(count)
        asked = _three_digits(self._random.random((messages, ATTRIBUTES)) * RANGE)
        return Steps(
            _spread(profiles, updates, -1),
            _spread(attributes, updates, 0),
            _spread(values, updates, 0.0),
            _spread(changes, updates, False),
            asked,
        )

    def all_values(self) -> Steps:
        """Updates that give every attribute of every context the value that it has by now, and no message."""
        places = np.arange(len(self._values))
        return Steps(
            places // ATTRIBUTES,
            places % ATTRIBUTES,
            _three_digits(self._values),
            np.ones(len(places), dtype=np.bool_),
            np.empty((0, ATTRIBUTES)),
        )

    def _updates(
        self, count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
        random, workload = self._random, self.workload
        profiles = random.integers(0, workload.profiles, count)
        indexed = random.random(count) < workload.indexed_share
        attributes = np.where(indexed, random.integers(0, INDEXED, count), random.integers(INDEXED, ATTRIBUTES, count))
        moves = random.uniform(-workload.distance, workload.distance, count)
        before, after = np.empty(count), np.empty(count)
        wander(self._values, profiles * ATTRIBUTES + attributes, moves, RANGE, before, after)
        values = _three_digits(after)
        return profiles, attributes, values, values != _three_digits(before)


def steps(workload: ContextWorkload, messages: int, updates_per_message: float, seed: int = 1) -> Steps:
    """The first steps of a stream."""
    return ContextStream(workload, seed).steps(messages, updates_per_message)


def reaching(workload: ContextWorkload, made: Steps) -> int:
    """How many updates change what a profile asks of an indexed attribute."""
    indexed = (made.profiles >= 0) & (made.attributes < INDEXED) & made.changes
    return int(np.count_nonzero(refers_to_context(workload)[made.profiles[indexed]]))


def slots(tested: ContextFilter, workload: ContextWorkload) -> NDArray[np.int32]:
    """Where a filter keeps the attributes of contexts: a row for each profile."""
    names = [attribute(number) for number in range(ATTRIBUTES)]
    contexts = np.repeat(np.arange(workload.profiles), ATTRIBUTES).tolist()
    return tested.slots(contexts, names * workload.profiles).reshape(-1, ATTRIBUTES)


def columns(
    tested: ContextFilter, made: Steps, kept_in: NDArray[np.int32] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.float64], EventBatch]:
    """A stream as a filter takes it in columns; ``kept_in`` are its :func:`slots`, for whoever has them."""
    places = np.full(len(made.profiles), -1, dtype=np.int32)
    updates = np.flatnonzero(made.profiles >= 0)
    names = [attribute(number) for number in range(ATTRIBUTES)]
    profiles, attributes = made.profiles[updates], made.attributes[updates]
    if kept_in is not None:
        places[updates] = kept_in[profiles, attributes]
    else:
        places[updates] = tested.slots(profiles.tolist(), [names[number] for number in attributes.tolist()])
    table = pa.table({names[number]: made.messages[:, number] for number in range(ATTRIBUTES)})
    return places, made.values, EventBatch.from_arrow(table)


def updates_per_message(profiles: int, updates_per_profile: float, messages: int = 10_000) -> float:
    """The paper's UP, updates per profile over a run of 10,000 messages, as updates for each message."""
    return profiles * updates_per_profile / messages


def parts(made: Steps, size: int) -> Iterator[Steps]:
    """A stream in parts of so many steps."""
    before = 0
    for begin in range(0, len(made.profiles), size):
        chosen = slice(begin, begin + size)
        count = int(np.count_nonzero(made.profiles[chosen] < 0))
        yield Steps(
            made.profiles[chosen],
            made.attributes[chosen],
            made.values[chosen],
            made.changes[chosen],
            made.messages[before : before + count],
        )
        before += count


def _condition(centres: Sequence[Expression]) -> Condition:
    predicates = []
    for number, centre in enumerate(centres):
        reach = Literal(SELECTIVITIES[number] * RANGE / 2)
        ends = Arithmetic("-", centre, reach), Arithmetic("+", centre, reach)
        predicates.append(Between(Attribute(attribute(number)), *ends))
    return And(tuple(predicates))


def _spread(column: NDArray[Any], places: NDArray[np.bool_], otherwise: Any) -> NDArray[Any]:
    """A column over all steps, with its values at some places."""
    spread = np.full(len(places), otherwise, dtype=column.dtype)
    spread[places] = column
    return spread


def _three_digits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with three relevant digits of ten thousand, as the paper has them."""
    return np.round(values / 10) * 10
