"""A table of subscriptions: which of them can be used, and why not the others; and their journey to the workers.

Which row of a DataFrame comes first is not defined, so of two different conditions under one id neither can be
preferred: both are rejected. The same condition given twice under one id is the same subscription, and kept once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from penstock.errors import ConditionError, SourceError
from penstock.language.parser import parse_many
from penstock.model.conditions import Condition, attributes_of, context_attributes_of

_SHOWN = 5
_NO_CONTEXT = "the condition refers to context.{name}, but events that Spark matches come without a context"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A subscription that cannot be used, and why; line and column when the condition itself is wrong."""

    subscription_id: int | str | None
    condition: str | None
    error: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f" (line {self.line}, column {self.column})"
        return f"{self.subscription_id!r}: {self.error}{place}"


@dataclass(frozen=True, slots=True)
class Sorted:
    """Subscriptions told apart: a table of those that can be used, and the others."""

    accepted: pa.Table
    rejected: list[Rejected]
    attributes: frozenset[str]  # all that the accepted conditions speak of


def sort_out(subscriptions: pa.Table) -> Sorted:
    """Tell usable subscriptions from others. The table has two columns: ids and conditions."""
    ids, conditions = subscriptions.columns
    copies = Counter(zip(ids.to_pylist(), conditions.to_pylist(), strict=True))
    variants = Counter(identifier for identifier, _ in copies)
    rejected: list[Rejected] = []
    candidates: list[tuple[int | str, str]] = []
    for (identifier, condition), count in copies.items():
        error = _error_at_sight(identifier, condition, variants[identifier], count)
        if error is None:
            candidates.append((identifier, condition))
        else:
            rejected.append(Rejected(identifier, condition, error))
    # In order of ids, so that the same subscriptions are the same bytes whichever way Spark delivered them.
    candidates.sort()
    accepted: list[tuple[int | str, str]] = []
    attributes: set[str] = set()
    parsed = parse_many(condition for _, condition in candidates)
    for (identifier, condition), result in zip(candidates, parsed, strict=True):
        if isinstance(result, ConditionError):
            rejected.append(Rejected(identifier, condition, result.message, result.line, result.column))
        elif context := _context_in(condition, result):
            rejected.append(Rejected(identifier, condition, _NO_CONTEXT.format(name=min(context))))
        else:
            accepted.append((identifier, condition))
            attributes |= attributes_of(result)
    return Sorted(_table(accepted, ids.type), rejected, frozenset(attributes))


def _error_at_sight(identifier: int | str | None, condition: str | None, variants: int, count: int) -> str | None:
    """What is wrong with a subscription before its condition is read."""
    if identifier is None:
        return "the subscription id is NULL" + (f" (in {count} rows)" if count > 1 else "")
    if variants > 1:
        return f"the id stands for {variants} different conditions, and none of them comes first; give each its own id"
    return "the condition is NULL" if condition is None else None


def _context_in(text: str, condition: Condition) -> frozenset[str]:
    # To look for the word first is ten times quicker than to walk through every condition.
    return context_attributes_of(condition) if "context" in text.lower() else frozenset()


def _table(accepted: list[tuple[int | str, str]], id_type: pa.DataType) -> pa.Table:
    ids = pa.array([identifier for identifier, _ in accepted], id_type)
    conditions = pa.array([condition for _, condition in accepted], pa.large_string())
    return pa.table({"subscription_id": ids, "condition": conditions})


def require_none(rejected: list[Rejected], total: int) -> None:
    """Refuse to go on when subscriptions were rejected, naming the first few."""
    if not rejected:
        return
    shown = "".join(f"\n  {reject}" for reject in rejected[:_SHOWN])
    more = f"\n  and {len(rejected) - _SHOWN} more" if len(rejected) > _SHOWN else ""
    raise SourceError(
        f"{len(rejected)} of {total} subscriptions cannot be used:{shown}{more}\n"
        "penstock.spark.check(subscriptions) lists them all; on_error='skip' leaves them out"
    )


def pack(table: pa.Table) -> bytes:
    """A table as few bytes, to travel to the workers with the function that uses it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack(packed: bytes) -> pa.Table:
    """The table that was packed."""
    return pa.ipc.open_stream(packed).read_all()
