"""Schemas: the sets of fields that conjunctions mention, and which of these are hashed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.growing import GrowingArray
from penstock.errors import InvariantError
from penstock.indexes.hashing.choosing import Choice
from penstock.kernels import amkh as kernels
from penstock.kernels.amkh_constraints import NONE


class NewSchema(NamedTuple):
    """A set of fields, ascending, what is hashed of it, the rarest field, and how many conjunctions there are."""

    fields: tuple[int, ...]
    choice: Choice
    rarest: int
    population: int


class SchemaTable:
    """Schemas under numbers, each in the list of the rarest of its fields: an event that lacks it never sees them."""

    def __init__(self) -> None:
        self.fields: list[tuple[int, ...]] = []
        """The fields of each schema, ascending."""
        self.choices: list[Choice] = []
        self.longest = 0
        self._numbers: dict[tuple[int, ...], int] = {}
        self._starts = GrowingArray(np.int64)
        self._sizes = GrowingArray(np.int32)
        self._populations = GrowingArray(np.int64)
        self._follows = GrowingArray(np.int32)
        self._all_fields = GrowingArray(np.int32)
        self._hashed = GrowingArray(np.bool_)
        self._of_field = GrowingArray(np.int32)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def populations(self) -> NDArray[np.int64]:
        """How many conjunctions each schema has."""
        return self._populations.values

    @property
    def sizes(self) -> NDArray[np.int32]:
        return self._sizes.values

    def find(self, fields: tuple[int, ...]) -> int | None:
        return self._numbers.get(fields)

    def add(self, schemas: Sequence[NewSchema]) -> int:
        """Add schemas; the number of the first, which the others follow."""
        first = len(self.fields)
        self.fields.extend(schema.fields for schema in schemas)
        self.choices.extend(schema.choice for schema in schemas)
        self._numbers.update(zip(self.fields[first:], range(first, len(self.fields)), strict=True))
        sizes = np.array([len(schema.fields) for schema in schemas], dtype=np.int32)
        self.longest = max(self.longest, int(sizes.max(initial=0)))
        self._starts.extend(len(self._all_fields) + np.cumsum(sizes) - sizes)
        self._sizes.extend(sizes)
        self._populations.extend([schema.population for schema in schemas])
        self._all_fields.extend([field for schema in schemas for field in schema.fields])
        self._hashed.extend([hashed for schema in schemas for hashed in schema.choice.hashed])
        most = max((schema.rarest for schema in schemas), default=0)
        self._of_field.extend(np.full(max(0, most + 1 - len(self._of_field)), NONE, dtype=np.int32))
        self._follows.extend(np.full(len(schemas), NONE, dtype=np.int32))
        follows, of_field = self._follows.values, self._of_field.values
        for number, schema in enumerate(schemas, first):
            follows[number] = of_field[schema.rarest]
            of_field[schema.rarest] = number
        return first

    def arrays(self) -> kernels.Schemas:
        return kernels.Schemas(
            self._starts.values,
            self._sizes.values,
            self._all_fields.values,
            self._hashed.values,
            self._populations.values,
            self._of_field.values,
            self._follows.values,
        )

    @property
    def nbytes(self) -> int:
        columns: tuple[GrowingArray[Any], ...] = (
            self._starts,
            self._sizes,
            self._populations,
            self._follows,
            self._all_fields,
            self._hashed,
            self._of_field,
        )
        return sum(column.nbytes for column in columns)

    def check_invariants(self, filed: NDArray[np.int32]) -> None:
        """Each schema is in the list of one of its fields, and has as many conjunctions as ``filed`` names it."""
        listed = []
        for field, first in enumerate(self._of_field.values.tolist()):
            schema = first
            while schema != NONE:
                if field not in self.fields[schema]:
                    raise InvariantError(f"schema {schema} is in the list of field {field}, which it does not mention")
                listed.append(schema)
                schema = int(self._follows.values[schema])
        if sorted(listed) != list(range(len(self))):
            raise InvariantError("a schema is in no list, or in two")
        if not np.array_equal(np.bincount(filed, minlength=len(self)), self.populations):
            raise InvariantError("a schema has other conjunctions than it counts")
        arrays = self.arrays()
        for schema, (fields, choice) in enumerate(zip(self.fields, self.choices, strict=True)):
            mine = slice(int(arrays.starts[schema]), int(arrays.starts[schema]) + int(arrays.sizes[schema]))
            if (*arrays.fields[mine].tolist(),) != fields or (*arrays.hashed[mine].tolist(),) != choice.hashed:
                raise InvariantError(f"the columns of schema {schema} are not what it is")
            if list(fields) != sorted(set(fields)) or self._numbers[fields] != schema:
                raise InvariantError(f"schema {schema} is not known by its fields")
