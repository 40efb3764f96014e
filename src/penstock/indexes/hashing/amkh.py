"""``amkh`` and ``mkh``: adaptive multiple key hashing (Wu and Yu, Monitoring Web-Based Subscription Services).

What a conjunction asks of one field, all its predicates on it together, is a *constraint* here (the paper's predicate
clause). Each has an id on its field; the ids are the coordinates of the conjunction. A weighted sum of some of them,
modulo the number of buckets, says where it is (equation 2). An event that knows all fields of a schema offers ids on
each hashed one; every way to choose one a field is a candidate coordinate, and all conjunctions in its bucket are
examined. ``mkh`` hashes all fields by their whole ids (equation 1).

Where this goes beyond the paper, or does otherwise:

- An attribute is a field: the same attribute compared with numbers and with strings is two. A constraint is a set of
  intervals, so several comparisons, BETWEEN, IN, ``!=`` and IS NOT NULL are one each. Conditions that need another
  operator (patterns, IS NULL, what no list may have) are scanned.
- Conjunctions are searched schema by schema, a schema being the set of fields that is mentioned. Its number is one
  more coordinate. A schema is found by the field that the fewest conjunctions mention.
- G is chosen for each schema and B for each field; see ``choosing.py`` for the rules. They are chosen again when the
  index has doubled, and when too many conjunctions are in schemas for which something else would be chosen now: an
  attribute that gets its first non-equality clause stays hashed until then.
- The interval index of a field is there only while a schema hashes the field. Constraints on other fields are evaluated
  when a conjunction is examined, which costs less than to find all that match.
- Sums are kept modulo 2**63, and one that differs tells a conjunction that only shares the bucket without evaluating
  it. It counts as examined, as in the paper, and as a collision besides.
- The paper does not say what M is. It decides figure 1: each candidate coordinate meets as many strangers as a bucket
  has on average, so AMKH(1,2), which looks up three coordinates for one of AMKH(0,-), examines fewer unmatched ones at
  all ranges of values only with enough buckets, and at small ranges with any number.
- Where an event has more candidate coordinates in a schema than the index has conjunctions, the conjunctions of the
  schema are gone through instead: MKH would never end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.fields import StringField
from penstock.errors import ValueRefusedError
from penstock.indexes.boolean.bulk import Translated
from penstock.indexes.boolean.bulk_index import BulkClauseIndex
from penstock.indexes.boolean.clause_index import FoundClauses
from penstock.indexes.boolean.predicates import Clauses, Conjunction
from penstock.indexes.hashing.axes import Axes
from penstock.indexes.hashing.choosing import ALL, NOTHING_CHOSEN, UNLIMITED, Chooser
from penstock.indexes.hashing.explanation import Explanation, Point, Work, explain
from penstock.indexes.hashing.filed import FiledConjunctions
from penstock.indexes.hashing.many import NEVER, constraints_of_many
from penstock.indexes.hashing.positions import LOWEST_KEY, constraints_of, is_served
from penstock.indexes.hashing.schemas import NewSchema, SchemaTable
from penstock.indexes.protocol import Key
from penstock.kernels.amkh import WORK_COUNTERS, Found, Space, file_all, file_one, match_events, unlink
from penstock.kernels.amkh_constraints import NONE
from penstock.kernels.event_keys import EventKeys

LEAST_TO_CHOOSE: Final = 64
"""Fewer changes than this are no reason to choose again."""
MOST_STABS: Final = 4_000_000
"""So many intervals are stabbed at once; events wait if there may be more."""
FEW_EVENTS: Final = 8
LEAST_OUTPUT_ROOM: Final = 65_536

Adaptive = Literal["adaptive"]


class Amkh(BulkClauseIndex):
    """Conjunctions as points, hashed by the coordinates that tell most.

    ``general`` is G, the number of general attributes that are hashed; ``residues`` is B, ``None`` for one larger than
    any id. Both are chosen from the conditions unless given. ``buckets`` is M; unless given it grows.
    """

    name: ClassVar[str] = "amkh"

    def __init__(
        self,
        *,
        general: int | Adaptive = "adaptive",
        residues: int | Adaptive | None = "adaptive",
        buckets: int | None = None,
        seed: int = 1,
    ) -> None:
        super().__init__()
        _check_options(general, residues, buckets)
        self._residues_given = residues != "adaptive"
        self._chooser = Chooser(
            None if general == "adaptive" else general,
            None if residues == "adaptive" else UNLIMITED if residues is None else residues,
        )
        self._axes = Axes(seed, self._chooser.first_residues)
        self._schemas = SchemaTable()
        self._filed = FiledConjunctions(buckets)
        self._chosen_for = LEAST_TO_CHOOSE // 2
        self._strays = 0
        """Conjunctions that came into schemas for which something else would be chosen now."""
        self._emptied = 0
        self._space: Space | None = None
        self._work = np.zeros(WORK_COUNTERS, dtype=np.int64)
        self._events = 0

    # Changing

    def rebuild(self) -> None:
        """Choose G and B anew, and file all conjunctions accordingly."""
        self._space = None
        self._axes.estimate_shares()
        for field, axis in self._axes.items():
            self._axes.residues[field] = self._chooser.residues(axis)
        old, self._schemas = self._schemas, SchemaTable()
        live = np.flatnonzero(old.populations)
        numbers = np.full(len(old), NONE, dtype=np.int32)
        numbers[live] = np.arange(len(live))
        self._schemas.add([self._schema(old.fields[each], int(old.populations[each])) for each in live.tolist()])
        self._filed.renumber_schemas(numbers)
        self._look_up_hashed()
        self._forget_strings()
        self._chosen_for, self._strays, self._emptied, self._axes.removed = self._filed.count, 0, 0, 0
        self._file_all()

    def _file(self, numbers: list[int], clauses: Clauses) -> None:
        self._make_room()
        for number, conjunction in zip(numbers, clauses.conjunctions, strict=True):
            self._file_conjunction(number, conjunction)
        self._settle()

    def _file_conjunction(self, number: int, conjunction: Conjunction) -> None:
        sets = constraints_of(conjunction)
        if not all(sets.values()):
            return  # no event satisfies it: it is in no bucket
        self._space = None
        fields = tuple(sorted(sets))
        constraints = self._axes.intern(fields, [sets[field] for field in fields])
        self._axes.use(constraints)
        schema = self._schemas.find(fields)
        if schema is None:
            schema = self._schemas.add([self._schema(fields, 0)])
        self._schemas.populations[schema] += 1
        choice = self._schemas.choices[schema]
        for field, hashed, constraint in zip(fields, choice.hashed, constraints, strict=True):
            if hashed and not self._axes.constraints.equal[constraint]:
                self._axes.look_up_also(field)
        self._filed.add(
            np.array([number], np.int32), np.array([schema], np.int32), np.array([len(fields)]), constraints
        )
        population = int(self._schemas.populations[schema])
        self._strays += self._chooser.choose(fields, population, self._axes).hashed != choice.hashed
        file_one(number, self._arrays())

    def _take_out(self, clauses: list[int]) -> None:
        for number in clauses:
            schema = int(self._filed.schemas[number])
            if schema != NONE:
                unlink(number, self._filed.arrays())
                self._axes.release(self._filed.remove(number, len(self._schemas.fields[schema])).tolist())
                self._schemas.populations[schema] -= 1
                self._emptied += self._schemas.populations[schema] == 0
                self._space = None
            self._table.give_back(number)
        self._settle()

    def _serves(self, clauses: Clauses) -> bool:
        return not clauses.disjunctions and all(
            is_served(predicate) and predicate.field == part[0].field
            for conjunction in clauses.conjunctions
            for part in conjunction
            for predicate in part
        )

    def _serves_plain(self, translated: Translated) -> NDArray[np.bool_]:
        served = np.ones(len(translated.plain), dtype=np.bool_)
        served[translated.filings.owners[translated.filings.operands < LOWEST_KEY]] = False
        return served

    def _build_with(self, clauses: NDArray[np.int32], translated: Translated) -> None:
        self._make_room()
        owners, fields, constraints = constraints_of_many(translated.filings, self._axes)
        possible = np.ones(len(clauses), dtype=np.bool_)
        possible[owners[constraints == NEVER]] = False
        kept = possible[owners]
        self._axes.use(constraints[kept])
        for number in np.unique(constraints[~kept & (constraints != NEVER)]).tolist():
            if not self._axes.uses[number]:
                self._axes.forget(number)
        sizes = np.bincount(owners[kept], minlength=len(clauses))[possible]
        schemas = self._schemas_of(fields[kept], sizes)
        self._filed.add(clauses[possible], schemas, sizes, constraints[kept])
        self._schemas.populations[:] += np.bincount(schemas, minlength=len(self._schemas))
        self.rebuild()

    def _schemas_of(self, fields: NDArray[np.int32], sizes: NDArray[np.int64]) -> NDArray[np.int32]:
        """The schemas of conjunctions that mention these fields, one behind the other."""
        known: dict[bytes, int] = {}
        new: list[NewSchema] = []
        schemas = np.empty(len(sizes), dtype=np.int32)
        ends = np.cumsum(sizes).tolist()
        for place, (end, size) in enumerate(zip(ends, sizes.tolist(), strict=True)):
            mine = fields[end - size : end].tobytes()
            schema = known.get(mine)
            if schema is None:
                mentioned = tuple(fields[end - size : end].tolist())
                schema = self._schemas.find(mentioned)
                if schema is None:
                    schema = len(self._schemas) + len(new)
                    new.append(NewSchema(mentioned, NOTHING_CHOSEN, mentioned[0], 0))
                known[mine] = schema
            schemas[place] = schema
        self._schemas.add(new)
        return schemas

    def _make_room(self) -> None:
        """Have room for all clauses and all fields, also for those that only scanned conditions mention."""
        grown = self._axes.make_room(len(self._vocabulary))
        if self._filed.make_room(self._table.room) or grown:
            self._space = None

    def _relabel(self, field: int, labels: Mapping[int, int]) -> None:
        self._axes.relabel(field, labels)
        self._space = None

    # Choosing

    def _schema(self, fields: tuple[int, ...], conjunctions: int) -> NewSchema:
        """A schema, with what is best for it now."""
        asked, always = self._axes.asked, self._vocabulary.always
        rarest = fields[0]
        if len(fields) > 1:
            rarest = min((field for field in fields if field != always), key=asked.__getitem__)
        return NewSchema(fields, self._chooser.choose(fields, conjunctions, self._axes), rarest, conjunctions)

    def _look_up_hashed(self) -> None:
        hashed = {
            field
            for fields, choice in zip(self._schemas.fields, self._schemas.choices, strict=True)
            for field, is_hashed in zip(fields, choice.hashed, strict=True)
            if is_hashed
        }
        self._axes.look_up(field for field in hashed if self._axes[field].is_general)

    def _settle(self) -> None:
        """Choose again, or make room, if much has changed."""
        count = self._filed.count
        gone = self._axes.removed + self._emptied
        if (
            count > max(LEAST_TO_CHOOSE, 2 * self._chosen_for)
            or self._strays > max(LEAST_TO_CHOOSE, count // 8)
            or gone > max(LEAST_TO_CHOOSE, len(self._axes.constraints) + len(self._schemas))
            or 4 * count + LEAST_TO_CHOOSE < self._chosen_for
        ):
            self.rebuild()
        elif self._filed.is_crowded:
            self._file_all()

    def _file_all(self) -> None:
        self._space = None
        self._filed.new_buckets()
        file_all(self._arrays())

    def _forget_strings(self) -> None:
        """Forget the strings that no constraint has any more."""
        strings = [number for number, field in enumerate(self._vocabulary.fields) if isinstance(field, StringField)]
        if strings:
            self._vocabulary.keep_only_strings(*self._axes.operands(strings))

    # Matching

    def _find(self, events: EventKeys) -> FoundClauses:
        self._make_room()
        total = len(events.offsets) - 1
        step = max(1, total * MOST_STABS // max(MOST_STABS, self._axes.most_stabs(events)))
        rows: list[NDArray[np.int32]] = []
        numbers: list[NDArray[np.int32]] = []
        for begin in range(0, total, step):
            for found in self._find_in(_part(events, begin, min(total, begin + step))):
                rows.append(found.events + np.int32(begin))
                numbers.append(found.conjunctions)
        self._events += total
        if len(rows) == 1:
            return FoundClauses(rows[0], numbers[0])
        nothing = np.empty(0, dtype=np.int32)
        return FoundClauses(np.concatenate([nothing, *rows]), np.concatenate([nothing, *numbers]))

    def _find_in(self, events: EventKeys) -> list[Found]:
        total = len(events.offsets) - 1
        offers = self._axes.offers(events)
        room = LEAST_OUTPUT_ROOM if total > FEW_EVENTS else LEAST_OUTPUT_ROOM // 64
        pieces = []
        event = 0
        while event < total:
            found = Found(np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32))
            reached, written = match_events(
                event, events, offers, self._arrays(), self._schemas.longest, found, self._work
            )
            pieces.append(Found(found.events[:written], found.conjunctions[:written]))
            room = 2 * room if reached == event else room
            event = reached
        return pieces

    def _arrays(self) -> Space:
        if self._space is None:
            self._space = Space(
                self._axes.arrays(), self._axes.constraints.arrays(), self._schemas.arrays(), self._filed.arrays()
            )
        return self._space

    # Looking

    @property
    def work(self) -> Work:
        """What all matching so far took."""
        return Work(self._events, *self._work.tolist())

    def explain(self) -> Explanation:
        """What G and B are, of which schemas and attributes, and why.

        >>> from penstock.language.parser import parse
        >>> index = Amkh()
        >>> index.insert_many(range(20), [parse(f"symbol = 'S{n % 4}' AND price < {n}") for n in range(20)])
        >>> print(index.explain())
        20 conjunctions in 64 buckets; 1 equality-only attribute, hashed wherever mentioned
        G = 1 for 20 conjunctions in 1 schema with 1 equality-only attribute: one or two clauses from a small set ...
        B = 2 for price, hashed in 1 schema: the selectivity is low; 49% of the values pass its 20 non-equality clauses
        """
        describe = self._vocabulary.describe
        return explain(self._schemas, self._axes, self._filed.buckets, describe, residues_given=self._residues_given)

    def points(self, key: Key) -> list[Point]:
        """The conjunctions of a condition as points; one that is never TRUE is none."""
        live = np.flatnonzero(self._filed.schemas != NONE).astype(np.int32)
        return [self._point(number) for number in live[self._table.keys_of(live) == key].tolist()]

    def _point(self, number: int) -> Point:
        schema = int(self._filed.schemas[number])
        names = [self._vocabulary.describe(field) for field in self._schemas.fields[schema]]
        constraints = self._filed.terms(number, len(names))
        identities = self._axes.constraints.identities[constraints].tolist()
        hashed = zip(names, self._schemas.choices[schema].hashed, strict=True)
        return Point(
            dict(zip(names, identities, strict=True)),
            tuple(name for name, is_hashed in hashed if is_hashed),
            self._filed.bucket(number),
        )

    def _memory(self) -> Mapping[str, int]:
        return {**self._axes.memory(), "schemas": self._schemas.nbytes, **self._filed.memory()}

    def _predicate_count(self) -> int:
        return int(self._axes.uses.sum())

    def check_invariants(self) -> None:
        super().check_invariants()
        live = np.flatnonzero(self._filed.schemas != NONE)
        schemas = self._filed.schemas[live]
        terms = [
            self._filed.terms(number, len(self._schemas.fields[schema]))
            for number, schema in zip(live.tolist(), schemas.tolist(), strict=True)
        ]
        self._axes.check_invariants(np.concatenate([np.empty(0, dtype=np.int32), *terms]))
        self._schemas.check_invariants(schemas)
        self._filed.check_invariants(self._arrays())


class Mkh(Amkh):
    """Multiple key hashing, which AMKH improves upon: all attributes are hashed, by their whole ids (equation 1)."""

    name: ClassVar[str] = "mkh"

    def __init__(self, *, buckets: int | None = None, seed: int = 1) -> None:
        super().__init__(general=ALL, residues=None, buckets=buckets, seed=seed)


def _part(events: EventKeys, begin: int, end: int) -> EventKeys:
    """Some of the events."""
    first, last = int(events.offsets[begin]), int(events.offsets[end])
    if (first, last) == (0, len(events.fields)):
        return events
    offsets = events.offsets[begin : end + 1] - first
    return EventKeys(offsets, events.fields[first:last], events.keys[first:last], events.exact[first:last])


def _check_options(general: Any, residues: Any, buckets: int | None) -> None:
    if general != "adaptive" and general < 0:
        raise ValueRefusedError(f"general is {general}; it is a number of attributes, or 'adaptive'")
    if residues not in ("adaptive", None) and not 2 <= residues <= ALL:
        raise ValueRefusedError(f"residues is {residues}; it must be at least 2, or None, or 'adaptive'")
    if buckets is not None and buckets < 1:
        raise ValueRefusedError(f"buckets is {buckets}; there must be one at least")
