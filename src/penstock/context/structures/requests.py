"""What may be asked of an index structure, checked in one place."""

from __future__ import annotations

from collections.abc import Container

from penstock.errors import DuplicateSubscriptionError, UnknownSubscriptionError
from penstock.indexes.interval.requests import ANY_CELL, check_interval


def check_new(identifier: int, low: int, high: int, held: Container[int]) -> None:
    """Refuse an interval that is none, and an identifier that is there already."""
    check_interval(identifier, low, high, ANY_CELL)
    if identifier in held:
        raise DuplicateSubscriptionError(f"the structure holds the identifier {identifier} already")


def check_known(identifier: int, held: Container[int]) -> None:
    """Refuse an identifier that is not there."""
    if identifier not in held:
        raise UnknownSubscriptionError(f"the structure holds no identifier {identifier}")
