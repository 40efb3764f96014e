"""The constraints of many conjunctions of plain comparisons at once, from columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.indexes.boolean.partitions import FilingColumns, chosen
from penstock.indexes.boolean.predicates import Predicate
from penstock.indexes.hashing.axes import Axes
from penstock.indexes.hashing.positions import Intervals, alternatives_of, common, intervals_of

NEVER = -1


class Terms(NamedTuple):
    """Constraints of conjunctions, ordered by conjunction and then by field; NEVER where no value will do."""

    owners: NDArray[np.int64]
    fields: NDArray[np.int32]
    constraints: NDArray[np.int32]


def constraints_of_many(filings: FilingColumns, axes: Axes) -> Terms:
    """What each conjunction asks of each field that it mentions. Constraints are added to the axes, not used yet."""
    order = np.lexsort((filings.fields, filings.owners))
    filings = chosen(filings, order)
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (np.diff(filings.owners) != 0) | (np.diff(filings.fields) != 0)
    begins = np.flatnonzero(is_new)
    sizes = np.diff(begins, append=len(order))
    constraints = np.empty(len(begins), dtype=np.int32)
    alone = sizes == 1
    constraints[alone] = _single(filings, begins[alone], axes)
    constraints[~alone] = _several(filings, begins[~alone], sizes[~alone], axes)
    return Terms(filings.owners[begins], filings.fields[begins], constraints)


def _single(filings: FilingColumns, places: NDArray[np.int64], axes: Axes) -> NDArray[np.int32]:
    """The constraints of predicates that are alone on their field; the same predicate is looked at once."""
    fields, operators, operands = filings.fields[places], filings.operators[places], filings.operands[places]
    order = np.lexsort((operands, operators, fields))
    is_new = np.zeros(len(order), dtype=np.bool_)
    is_new[:1] = True
    for column in (fields, operators, operands):
        is_new[1:] |= column[order[1:]] != column[order[:-1]]
    firsts = order[is_new]
    pairs = zip(operators[firsts].tolist(), operands[firsts].tolist(), strict=True)
    numbers = _interned(fields[firsts].tolist(), [intervals_of(*pair) for pair in pairs], axes)
    constraints = np.empty(len(order), dtype=np.int32)
    constraints[order] = numbers[np.cumsum(is_new) - 1]
    return constraints


def _several(
    filings: FilingColumns, begins: NDArray[np.int64], sizes: NDArray[np.int64], axes: Axes
) -> NDArray[np.int32]:
    """The constraints of predicates on one field that are several: what all parts have in common."""
    fields: list[int] = []
    sets: list[Intervals] = []
    for begin, size in zip(begins.tolist(), sizes.tolist(), strict=True):
        mine = slice(begin, begin + size)
        field = int(filings.fields[begin])
        columns = (filings.parts, filings.operators, filings.operands)
        parts: dict[int, list[Predicate]] = {}
        for part, operator, operand in zip(*(column[mine].tolist() for column in columns), strict=True):
            parts.setdefault(part, []).append(Predicate(operator, field, operand))
        fields.append(field)
        sets.append(common([alternatives_of(part) for part in parts.values()]))
    return _interned(fields, sets, axes)


def _interned(fields: list[int], sets: list[Intervals], axes: Axes) -> NDArray[np.int32]:
    possible = [bool(each) for each in sets]
    numbers = np.full(len(sets), NEVER, dtype=np.int32)
    numbers[possible] = axes.intern(
        [field for field, real in zip(fields, possible, strict=True) if real], [each for each in sets if each]
    )
    return numbers
