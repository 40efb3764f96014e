"""AGILE's workload (section 6.2, table 2): profiles around context values that wander, and messages.

Every profile is a conjunction of an epsilon environment on each attribute, around a value of a context of its own or,
for some profiles, around constants. Attributes differ in how selective they are, in one order for all profiles. The
paper gives neither the environments nor how many predicates a profile has: here a profile has one on each attribute,
and an environment is as wide as makes :data:`SELECTIVITIES` of uniform values lie in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.context import ContextFilter
from penstock.encoding.batch import EventBatch
from penstock.model.conditions import And, Between, Condition
from penstock.model.expressions import Arithmetic, Attribute, ContextAttribute, Expression, Literal

ATTRIBUTES: Final = 8
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


def steps(workload: ContextWorkload, messages: int, updates_per_message: float, seed: int = 1) -> Steps:
    """A stream: messages with as many updates before each as on average there are.

    Values wander: each update is at most ``distance`` from the value before, and stays within the range.
    """
    random = np.random.default_rng([workload.seed, _EVENTS, seed])
    updates = round(messages * updates_per_message)
    order = np.zeros(messages + updates, dtype=np.bool_)
    order[np.linspace(0, messages + updates - 1, messages).astype(np.int64)] = True
    count = len(order) - int(order.sum())
    profiles = random.integers(0, workload.profiles, count)
    indexed = random.random(count) < workload.indexed_share
    attributes = np.where(indexed, random.integers(0, 2, count), random.integers(2, ATTRIBUTES, count))
    moves = random.uniform(-workload.distance, workload.distance, count)
    values = _walk(start_values(workload), profiles, attributes, moves)
    every = np.full(len(order), -1, dtype=np.int64)
    every[~order] = profiles
    which, what = np.zeros(len(order), dtype=np.int64), np.zeros(len(order))
    which[~order], what[~order] = attributes, values
    return Steps(every, which, what, _three_digits(random.random((int(order.sum()), ATTRIBUTES)) * RANGE))


def columns(tested: ContextFilter, made: Steps) -> tuple[NDArray[np.int32], NDArray[np.float64], EventBatch]:
    """A stream as a filter takes it in columns."""
    slots = np.full(len(made.profiles), -1, dtype=np.int32)
    updates = np.flatnonzero(made.profiles >= 0)
    names = [attribute(number) for number in range(ATTRIBUTES)]
    slots[updates] = tested.slots(
        made.profiles[updates].tolist(), [names[number] for number in made.attributes[updates].tolist()]
    )
    table = pa.table({names[number]: made.messages[:, number] for number in range(ATTRIBUTES)})
    return slots, made.values, EventBatch.from_arrow(table)


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


def _walk(
    values: NDArray[np.float64], profiles: NDArray[np.int64], attributes: NDArray[np.int64], moves: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The value after each move; one that would leave the range is cut there."""
    slots = profiles * ATTRIBUTES + attributes
    order = np.argsort(slots, kind="stable")
    after = np.empty(len(slots))
    current, last = 0.0, -1
    flat = values.ravel()
    ordered = zip(order.tolist(), slots[order].tolist(), moves[order].tolist(), strict=True)
    for place, slot, move in ordered:
        current = (flat[slot] if slot != last else current) + move
        current = min(max(current, 0.0), RANGE)
        after[place] = current
        last = slot
    return _three_digits(after)


def _three_digits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with three relevant digits of ten thousand, as the paper has them."""
    return np.round(values / 10) * 10
