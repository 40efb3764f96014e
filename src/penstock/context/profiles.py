"""Profiles: conditions that refer to contexts, as programs whose tests follow the values of the context.

A test of a program asks whether the key of a field lies in an interval. Those that read a context are *bound* to the
slots of the attributes that they read, and an update of a slot moves the intervals of its tests and nothing else. What
is no such test (arithmetic that mixes event and context) makes a profile *general*: it is evaluated as a whole, by the
reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.context.leaves import (
    FIRST,
    LAST,
    UNKNOWN,
    ContextLeaf,
    KeyInterval,
    Reading,
    context_leaf,
    differences_apart,
    indexable,
    is_plain_number,
)
from penstock.context.store import ContextId, ContextStore, Slot
from penstock.encoding.fields import NumberField
from penstock.encoding.growing import GrowingArray
from penstock.encoding.order_keys import key_of_number
from penstock.encoding.predicates import Interval, Leaf
from penstock.encoding.programs import Group, Program, group, lay_out, program_of, two_valued
from penstock.encoding.runs import Runs
from penstock.errors import InvariantError
from penstock.indexes.boolean.predicates import Alternatives, Operator, Predicate, parts_of
from penstock.indexes.boolean.vocabulary import LabelsChangedError, Vocabulary
from penstock.kernels.programs import Tests
from penstock.kernels.readings import PLACEHOLDER, Bindings, Leaves, read_number
from penstock.model.conditions import Condition, Constant, context_attributes_of
from penstock.model.evaluation import truth_of
from penstock.model.values import Value

MOST_TEMPLATES: Final = 4096


class Profile(NamedTuple):
    """What is known of a profile beside its program."""

    condition: Condition
    context: ContextId
    bound: tuple[tuple[Slot, int, int], ...]
    """For each test that reads a slot: the slot, the offset of the test in the program, and the leaf."""


class Template(NamedTuple):
    """What a condition is made of, whatever the context."""

    tree: Group | Leaf | None
    """Its tests, with leaves in the order of the tests; ``None`` for one that is evaluated as a whole."""
    program: Program | None
    readings: tuple[tuple[str, int, int], ...]
    """For each test that reads a context: the attribute, the offset of the test in the program, and the leaf."""


class Profiles:
    """All profiles under numbers, and the contexts that they are bound to."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary(self._relabel, operators=())
        self.store = ContextStore()
        self._held: dict[int, Profile] = {}
        self._programs = Runs(np.int32, np.int64, np.int64, np.int32, np.int32)
        self._bindings = Runs(np.int32, np.int32, np.int32)
        self._leaves: list[ContextLeaf] = []
        self._leaf_numbers: dict[ContextLeaf, int] = {}
        self._leaf_fields: list[int | None] = []
        """The field that a leaf bounds where it at most adds to a number; ``None`` where it does something else."""
        self._readings = GrowingArray(np.int8)
        self._offsets = GrowingArray(np.float64)
        self._indexed: tuple[tuple[str, ...], NDArray[np.bool_]] | None = None
        self._share: tuple[tuple[int, tuple[str, ...]], float] | None = None
        self._slow = GrowingArray(np.int32)
        """For each slot, how many of its tests cannot be moved by adding to a number."""
        self._general: set[int] = set()
        self._templates: dict[Condition, Template] = {}
        """Of conditions seen lately: very often one condition serves many contexts."""

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, profile: object) -> bool:
        return profile in self._held

    def __getitem__(self, profile: int) -> Profile:
        return self._held[profile]

    @property
    def general(self) -> set[int]:
        """The profiles that are evaluated as a whole."""
        return self._general

    @property
    def numbers(self) -> list[int]:
        """The numbers of all profiles."""
        return list(self._held)

    # Changing

    def add(self, number: int, condition: Condition, context: ContextId) -> Template:
        """Add a profile; what its condition is made of, which is shared by all profiles with the same."""
        template = self._template(condition)
        while number >= len(self._programs):
            self._programs.new()
        if template.program is None:
            self._general.add(number)
            for name in context_attributes_of(condition):
                self._slot(context, name)
            self._held[number] = Profile(condition, context, ())
            return template
        self._write(number, template.program)
        bound = tuple((self._slot(context, name), offset, leaf) for name, offset, leaf in template.readings)
        self._held[number] = Profile(condition, context, bound)
        for slot, offset, leaf in bound:
            self._bindings.append(slot, number, offset, leaf)
            plain = self._leaf_fields[leaf] is not None
            self._slow.values[slot] += not plain
            if plain and self.store.are_numbers[slot]:
                self._read_number(number, offset, leaf, float(self.store.value(slot)))  # type: ignore[arg-type]
            else:
                self._read(number, offset, leaf, self.store.attributes(context))
        return template

    def remove(self, number: int) -> Profile:
        """Take a profile out."""
        profile = self._held.pop(number)
        self._general.discard(number)
        for slot, offset, leaf in profile.bound:
            self._unbind(slot, number, offset, leaf)
            self._slow.values[slot] -= self._leaf_fields[leaf] is None
        self._programs.clear(number)
        return profile

    def update(self, slot: Slot, value: Value) -> None:
        """Give an attribute of a context another value; all tests that read it have the bounds of the new one."""
        number = self.store.are_numbers[slot]
        self.store.set(slot, value)
        if number and self.store.are_numbers[slot] and not self._slow.values[slot]:
            read_number(slot, float(value), self.bindings, self.leaves(), self.starts, self.tests)  # type: ignore[arg-type]
            return
        profiles, offsets, leaves = (column.copy() for column in self._bound_to(slot))
        for profile, offset, leaf in zip(profiles.tolist(), offsets.tolist(), leaves.tolist(), strict=True):
            self._read(profile, offset, leaf, self.store.attributes(self._held[profile].context))

    def is_quick(self, slot: Slot, value: object) -> bool:
        """Whether an update is a number for what was a number, and all tests that read it only add to it."""
        return bool(self.store.are_numbers[slot]) and is_plain_number(value) and not self._slow.values[slot]

    def slot(self, context: ContextId, attribute: str) -> Slot:
        """The slot of an attribute of a context."""
        return self._slot(context, attribute)

    def readers(self, slot: Slot) -> list[int]:
        """The profiles that read a slot, each once."""
        return list(dict.fromkeys(self._bound_to(slot)[0].tolist()))

    # Looking

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the program of each profile begins."""
        return self._programs.starts

    @property
    def program_sizes(self) -> NDArray[np.int32]:
        """How many tests the program of each profile has."""
        return self._programs.sizes

    @property
    def tests(self) -> Tests:
        return Tests(*self._programs.columns)

    @property
    def bindings(self) -> Bindings:
        return Bindings(self._bindings.starts, self._bindings.sizes, *self._bindings.columns)

    def leaves(self, attributes: Sequence[str] = ()) -> Leaves:
        """How all leaves read a context; those that bound one of some attributes are marked as indexed."""
        if self._indexed is None or self._indexed[0] != tuple(attributes) or len(self._indexed[1]) != len(self._leaves):
            sides = [leaf.event_side.name if indexable(leaf) else None for leaf in self._leaves]  # type: ignore[union-attr]
            self._indexed = tuple(attributes), np.array([side in attributes for side in sides], dtype=np.bool_)
        return Leaves(self._readings.values, self._offsets.values, self._indexed[1])

    def indexed_share(self, attributes: Sequence[str]) -> float:
        """The share of all tests that read a context and bound one of some attributes."""
        state = len(self._held), tuple(attributes)
        if self._share is None or self._share[0] != state:
            used = self._bindings.used()[1]
            indexed = self.leaves(attributes).indexed[self._bindings.columns[2][used]]
            self._share = state, float(indexed.mean()) if len(indexed) else 0.0
        return self._share[1]

    @property
    def slow_slots(self) -> NDArray[np.int32]:
        """For each slot, how many of its tests need more than adding to a number."""
        return self._slow.values

    @property
    def test_count(self) -> int:
        """The number of tests in all programs."""
        return int(self._programs.sizes.sum())

    def interval(self, profile: int, offset: int) -> KeyInterval:
        """What a test asks for now."""
        place = int(self.starts[profile]) + offset
        fields, lows, highs, *_ = self._programs.columns
        return KeyInterval(int(fields[place]), int(lows[place]), int(highs[place]))

    def holds(self, profile: int, event: Mapping[str, Value]) -> bool:
        """Whether the reference says that an event satisfies a profile under its context."""
        held = self._held[profile]
        return truth_of(held.condition, event, self.store.attributes(held.context)) is True

    def memory(self) -> dict[str, int]:
        return {
            "programs": self._programs.nbytes,
            "bindings": self._bindings.nbytes + self._slow.nbytes,
            "operands": self.vocabulary.bytes_used(),
        }

    def check_invariants(self) -> None:
        """Every test that reads a context has the interval that its leaf has now."""
        for number, profile in self._held.items():
            context = self.store.attributes(profile.context)
            for _, offset, leaf in profile.bound:
                expected = self._leaves[leaf].interval(context, self.vocabulary)
                found = self.interval(number, offset)
                empty = expected.low > expected.high and found.low > found.high
                if found != expected and not empty:
                    raise InvariantError(f"a test of profile {number} asks for {found}, its context for {expected}")

    # Inside

    def _slot(self, context: ContextId, attribute: str) -> Slot:
        slot = self.store.slot(context, attribute)
        while slot >= len(self._bindings):
            self._bindings.new()
            self._slow.extend([0])
        return slot

    def _bound_to(self, slot: Slot) -> tuple[NDArray[np.int32], ...]:
        begin, count = int(self._bindings.starts[slot]), int(self._bindings.sizes[slot])
        return tuple(column[begin : begin + count] for column in self._bindings.columns)

    def _unbind(self, slot: Slot, number: int, offset: int, leaf: int) -> None:
        columns = self._bound_to(slot)
        match = np.flatnonzero((columns[0] == number) & (columns[1] == offset) & (columns[2] == leaf))
        for column in columns:
            column[match[0]] = column[-1]
        self._bindings.sizes[slot] -= 1

    def _lay_out(self, plain: Condition) -> Group | Leaf | None:
        """The tree of tests of a condition, or nothing when some leaf is no test."""
        if isinstance(plain, Constant):
            return _constant_leaf(plain, self.vocabulary)
        while True:
            try:
                return lay_out(plain, self._translate)
            except LabelsChangedError:
                continue
            except _NotATestError:
                return None

    def _translate(self, leaf: Condition) -> Group | Leaf:
        if context_attributes_of(leaf):
            reading = context_leaf(leaf)
            if reading is None:
                raise _NotATestError
            return Leaf(self.vocabulary.always, (Interval(PLACEHOLDER, self._leaf_number(reading)),))
        parts = [self._alternatives(part) for part in parts_of(leaf, self.vocabulary)]
        return parts[0] if len(parts) == 1 else group(True, parts)

    def _alternatives(self, part: Alternatives) -> Group | Leaf:
        """Alternatives are on one field, but for integers that no double equals: each of those is one by itself."""
        fields = dict.fromkeys(predicate.field for predicate in part) or {self.vocabulary.always: None}
        leaves = [
            Leaf(field, tuple(_intervals([predicate for predicate in part if predicate.field == field])))
            for field in fields
        ]
        return leaves[0] if len(leaves) == 1 else group(False, leaves)

    def _leaf_number(self, leaf: ContextLeaf) -> int:
        number = self._leaf_numbers.get(leaf)
        if number is None:
            number = self._leaf_numbers[leaf] = len(self._leaves)
            self._leaves.append(leaf)
            self._readings.extend([leaf.reading])
            self._offsets.extend([leaf.offset or 0.0])
            plain = leaf.offset is not None and leaf.reading <= Reading.EQUAL
            self._leaf_fields.append(self.vocabulary.number(NumberField(leaf.event_side)) if plain else None)
        return number

    def leaf(self, number: int) -> ContextLeaf:
        return self._leaves[number]

    def _template(self, condition: Condition) -> Template:
        template = self._templates.get(condition)
        if template is None:
            tree = self._lay_out(differences_apart(two_valued(condition)))
            program = None if tree is None else program_of(tree)
            template = Template(tree, program, () if program is None else tuple(self._readings_of(program)))
            if len(self._templates) >= MOST_TEMPLATES:
                self._templates.clear()
            self._templates[condition] = template
        return template

    def _readings_of(self, program: Program) -> Iterator[tuple[str, int, int]]:
        for offset, (low, leaf) in enumerate(zip(program.lows, program.highs, strict=True)):
            if low == PLACEHOLDER:
                yield from ((name, offset, leaf) for name in sorted(self._leaves[leaf].names))

    def _write(self, number: int, program: Program) -> None:
        columns = (program.fields, program.lows, program.highs, program.on_true, program.on_false)
        self._programs.make_room(number, len(program))
        start = int(self._programs.starts[number])
        for column, values in zip(self._programs.columns, columns, strict=True):
            column[start : start + len(program)] = values
        self._programs.sizes[number] = len(program)

    def _read(self, number: int, offset: int, leaf: int, context: Mapping[str, Value]) -> None:
        """Give a test the interval that its leaf has under the context of its profile."""
        while True:
            try:
                found = self._leaves[leaf].interval(context, self.vocabulary)
                break
            except LabelsChangedError:
                continue
        place = int(self.starts[number]) + offset
        fields, lows, highs, *_ = self._programs.columns
        fields[place], lows[place], highs[place] = found

    def _read_number(self, number: int, offset: int, leaf: int, value: float) -> None:
        """The same for a plain number and a leaf that at most adds to it: what most profiles are made of."""
        place = int(self.starts[number]) + offset
        key, _ = key_of_number(value + float(self._offsets.values[leaf]))
        low, high = FIRST, LAST
        match self._leaves[leaf].reading:
            case Reading.LESS:
                high = key - 1
            case Reading.AT_MOST:
                high = key
            case Reading.GREATER:
                low = key + 1
            case Reading.AT_LEAST:
                low = key
            case _:
                low = high = key
        fields, lows, highs, *_ = self._programs.columns
        fields[place], lows[place], highs[place] = self._leaf_fields[leaf], low, high

    def _relabel(self, field: int, labels: Mapping[int, int]) -> None:
        """Bounds are a label, or the key just before or after it."""
        self._templates.clear()
        fields, lows, highs, *_ = self._programs.columns
        places = self._programs.used()[1]
        for place in places[fields[places] == field].tolist():
            for column in (lows, highs):
                for aside in (0, 1, -1):
                    label = int(column[place]) - aside
                    if label in labels:
                        column[place] = labels[label] + aside
                        break


class _NotATestError(Exception):
    """A leaf that mixes event and context in a way that is no interval."""


def _constant_leaf(constant: Constant, vocabulary: Vocabulary) -> Leaf:
    low, high = (UNKNOWN, LAST) if constant.truth else (LAST, UNKNOWN)
    return Leaf(vocabulary.always, (Interval(low, high),))


def _intervals(part: Sequence[Predicate]) -> list[Interval]:
    """The intervals of keys of alternatives on one field."""
    intervals: list[Interval] = []
    for operator, _, operand in part:
        match operator:
            case Operator.ABSENT:
                intervals.append(Interval(UNKNOWN, UNKNOWN))
            case Operator.KNOWN:
                intervals.append(Interval(FIRST, LAST))
            case Operator.EQUAL:
                intervals.append(Interval(operand, operand))
            case Operator.LESS:
                intervals.append(Interval(FIRST, operand - 1))
            case Operator.AT_MOST:
                intervals.append(Interval(FIRST, operand))
            case Operator.GREATER:
                intervals.append(Interval(operand + 1, LAST))
            case Operator.AT_LEAST:
                intervals.append(Interval(operand, LAST))
            case Operator.DIFFERENT:
                intervals.extend([Interval(FIRST, operand - 1), Interval(operand + 1, LAST)])
            case _:
                raise AssertionError(f"operator {operator} has lists of its own, which profiles do not use")
    return intervals
