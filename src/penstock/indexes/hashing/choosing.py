"""The adaptive part of AMKH (section 2): which attributes of a schema are hashed, and in how many residues.

The paper gives three rules for G, the number of general attributes that are hashed, and one for B. It seems to choose
once for all subscriptions; here G is chosen for each schema and B for each attribute, since subscriptions of different
schemas never meet. Where the paper leaves something open:

- A set of equality-only attributes is *small* if it has at most :data:`SMALL_SET` attributes.
- A schema without any clause from an equality-only attribute is treated as one with few from a small set.
- The selectivity of a general attribute is *low* if its non-equality clauses let at least :data:`LARGE_SHARE` of the
  values through, as estimated from their operands.
- A schema with fewer than :data:`FEW_CONJUNCTIONS` is not worth it: G is 0, and they are examined at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from penstock.indexes.hashing.axes import Axes, Axis

MANY_EQUALITIES: Final = 3
SMALL_SET: Final = 5
FEW_CONJUNCTIONS: Final = 8
LARGE_SHARE: Final = 0.1

ALL: Final = 2**31 - 1
"""G for as many general attributes as there are."""
UNLIMITED: Final = 0
"""B where it is larger than any id."""
FEW_RESIDUES: Final = 2


class Rule(Enum):
    """Why G is what it is."""

    GIVEN = "as given"
    FEW = f"fewer than {FEW_CONJUNCTIONS} conjunctions each"
    MANY = f"more than {MANY_EQUALITIES} clauses from equality-only attributes"
    NONE = "no clause from an equality-only attribute"
    SMALL = f"one or two clauses from a small set (at most {SMALL_SET}) of equality-only attributes"
    MOST = f"up to {MANY_EQUALITIES} clauses from equality-only attributes"


class Choice(NamedTuple):
    """What is hashed of a schema: which of its fields, how many of these are general, and why so many."""

    hashed: tuple[bool, ...]
    general: int
    equalities: int
    """How many of the fields are equality-only."""
    rule: Rule


NOTHING_CHOSEN: Final = Choice((), 0, 0, Rule.FEW)
"""For a schema of which the choice is yet to come."""


class Chooser:
    """Chooses G and B, unless they are given."""

    def __init__(self, general: int | None, residues: int | None) -> None:
        self._general = general
        self._residues = residues

    @property
    def first_residues(self) -> int:
        """B of an attribute of which nothing is known."""
        return FEW_RESIDUES if self._residues is None else self._residues

    def residues(self, axis: Axis) -> int:
        """B of an attribute."""
        if self._residues is not None:
            return self._residues
        return FEW_RESIDUES if axis.share >= LARGE_SHARE else UNLIMITED

    def choose(self, fields: Sequence[int], conjunctions: int, axes: Axes) -> Choice:
        """What to hash of a schema with these fields and so many conjunctions."""
        general = [field for field in fields if axes[field].intervals]
        equalities = len(fields) - len(general)
        most, rule = self._count(equalities, conjunctions, axes.equality_only)
        left_out: list[int] = []
        if len(general) > most:
            left_out = sorted(general, key=lambda field: (axes[field].share, field))[most:]
        hashed = tuple([field not in left_out for field in fields])
        return Choice(hashed, len(general) - len(left_out), equalities, rule)

    def _count(self, equalities: int, conjunctions: int, equality_only: int) -> tuple[int, Rule]:
        """G, and why."""
        if self._general is not None:
            return self._general, Rule.GIVEN
        if equalities > MANY_EQUALITIES:
            return 0, Rule.MANY
        if conjunctions < FEW_CONJUNCTIONS:
            return 0, Rule.FEW
        if equalities == 0:
            return 2, Rule.NONE
        if equalities <= 2 and equality_only <= SMALL_SET:
            return 2, Rule.SMALL
        return 1, Rule.MOST
