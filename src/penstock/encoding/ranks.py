"""Rank space: the values of a field as small integers, exactly (one space for each field).

The distinct operands that conditions compare a field with are sorted. A value that lies on operand ``i`` has the code
``2i + 2``, one in the gap before it ``2i + 1``, one beyond the last operand ``2n + 1``; code 0 is for what is unknown:
absent, or of another kind. In codes every ordered predicate is a closed interval.

Operands arrive while the system runs, so an operand keeps a number for life, and a bound of an interval refers to it
by that number; the codes of bounds are worked out again when operands have come since.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from penstock.kernels.strings import rank_strings
from penstock.model.values import LARGEST_INTEGER, SMALLEST_INTEGER

Codes: TypeAlias = NDArray[np.int32]
Bound: TypeAlias = int
"""``4 * operand + place`` with BEFORE, ON or AFTER as the place, or one of the fixed bounds below."""

UNKNOWN_CODE: Final = 0
FIRST_CODE: Final = 1

BEFORE: Final = 0
ON: Final = 1
AFTER: Final = 2

FIRST_BOUND: Final[Bound] = -1
LAST_BOUND: Final[Bound] = -2
UNKNOWN_BOUND: Final[Bound] = -3

Key = TypeVar("Key")


class RankSpace(ABC, Generic[Key]):
    """The sorted operands of one field."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}
        self._ranks: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def last_code(self) -> int:
        """The largest code that a value can have."""
        return 2 * len(self._numbers) + 1

    def bound(self, operand: Key, place: int) -> Bound:
        """The bound just before, on or just after an operand, which is added when it is new."""
        number = self._numbers.get(operand)
        if number is None:
            number = self._numbers[operand] = len(self._numbers)
            self._ranks = None
        return 4 * number + place

    def operand(self, bound: Bound) -> Key:
        """The operand that a bound refers to."""
        return list(self._numbers)[bound >> 2]

    def knows(self, operand: Key) -> bool:
        """Whether an operand is there already."""
        return operand in self._numbers

    def resolve(self, bounds: NDArray[np.int64]) -> Codes:
        """The codes that bounds have now."""
        self.refresh()
        assert self._ranks is not None
        fixed = np.array([UNKNOWN_CODE, self.last_code, FIRST_CODE], dtype=np.int64)
        codes = np.empty(len(bounds), dtype=np.int64)
        special = bounds < 0
        codes[special] = fixed[bounds[special] - UNKNOWN_BOUND]
        ranked = bounds[~special]
        codes[~special] = 2 * self._ranks[ranked >> 2] + (ranked & 3) + 1
        return codes.astype(np.int32)

    def refresh(self) -> None:
        """Sort the operands, when some have come since the last time."""
        if self._ranks is not None:
            return
        operands = list(self._numbers)
        order = self._sort(operands)
        ranks = np.empty(len(operands), dtype=np.int64)
        ranks[order] = np.arange(len(operands))
        self._prepare([operands[place] for place in order])
        self._ranks = ranks

    def keep_only(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Forget all operands but those with these numbers; the new number of each old one (-1 where forgotten)."""
        operands = list(self._numbers)
        renumbered = np.full(len(operands), -1, dtype=np.int64)
        renumbered[numbers] = np.arange(len(numbers))
        self._numbers = {operands[number]: new for new, number in enumerate(numbers.tolist())}
        self._ranks = None
        return renumbered

    def bytes_used(self) -> int:
        """The size of the arrays of sorted operands, without the dictionary of Python objects beside them."""
        return 0 if self._ranks is None else self._ranks.nbytes

    @abstractmethod
    def _sort(self, operands: list[Key]) -> NDArray[np.int64]: ...

    @abstractmethod
    def _prepare(self, operands: list[Key]) -> None: ...


class NumberSpace(RankSpace[float]):
    """Integers and doubles in one order, compared exactly.

    For integer values each operand is replaced by its floor among the integers, for doubles by its floor among the
    doubles: a value is greater than the operand just when it is greater than that floor.
    """

    @staticmethod
    def key(value: float) -> float:
        """The operand that stands for all that equal it: 5 for 5.0, 0 for -0.0, one NaN for all."""
        if isinstance(value, int):
            return value
        if math.isnan(value):
            return math.nan  # one object, found in the dictionary by identity
        return int(value) if math.isfinite(value) and value == int(value) else value

    def _sort(self, operands: list[float]) -> NDArray[np.int64]:
        places = sorted(range(len(operands)), key=lambda place: _number_order(operands[place]))
        return np.array(places, dtype=np.int64)

    def _prepare(self, operands: list[float]) -> None:
        self._below_integers = sum(1 for operand in operands if operand < SMALLEST_INTEGER)
        floors = [_integer_floor(operand) for operand in operands[self._below_integers :]]
        self._integer_floors = np.array([floor for floor, _ in floors], dtype=np.int64)
        self._integer_exact = np.array([exact for _, exact in floors] + [False], dtype=np.bool_)
        doubles = [double_floor(operand) for operand in operands]
        self._double_floors = np.array([floor for floor, _ in doubles], dtype=np.float64)
        self._double_exact = np.array([exact for _, exact in doubles] + [False], dtype=np.bool_)

    def encode_integers(self, values: NDArray[np.int64]) -> Codes:
        self.refresh()
        places = np.searchsorted(self._integer_floors, values, side="left")
        equal = self._integer_exact[places] & (_padded(self._integer_floors)[places] == values)
        return _codes(places + self._below_integers, equal)

    def encode_doubles(self, values: NDArray[np.float64]) -> Codes:
        self.refresh()
        places = np.searchsorted(self._double_floors, values, side="left")
        floors = _padded(self._double_floors)[places]
        same = (floors == values) | (np.isnan(floors) & np.isnan(values))
        return _codes(places, self._double_exact[places] & same)

    def bytes_used(self) -> int:
        if self._ranks is None:
            return 0
        arrays = (self._integer_floors, self._integer_exact, self._double_floors, self._double_exact)
        return super().bytes_used() + sum(array.nbytes for array in arrays)


class StringSpace(RankSpace[bytes]):
    """Strings in the order of their UTF-8 bytes, which is that of their code points.

    Operands are bytes, since the end of a prefix interval need not be valid UTF-8.
    """

    def _sort(self, operands: list[bytes]) -> NDArray[np.int64]:
        return np.array(sorted(range(len(operands)), key=operands.__getitem__), dtype=np.int64)

    def _prepare(self, operands: list[bytes]) -> None:
        self._offsets, self._bytes = packed_strings(operands)

    def encode(self, strings: pa.LargeStringArray) -> Codes:
        """The codes of strings without nulls."""
        self.refresh()
        codes = np.empty(len(strings), dtype=np.int32)
        rank_strings(self._offsets, self._bytes, *string_buffers(strings), codes)
        return codes

    def bytes_used(self) -> int:
        return 0 if self._ranks is None else super().bytes_used() + self._offsets.nbytes + self._bytes.nbytes


class FixedSpace(RankSpace[int]):
    """A field with few values that are known beforehand: their codes are 1, 2, ... ``size``."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    @property
    def last_code(self) -> int:
        return self._size

    def bound(self, operand: int, place: int) -> Bound:
        return 4 * operand + place

    def resolve(self, bounds: NDArray[np.int64]) -> Codes:
        fixed = np.array([UNKNOWN_CODE, self.last_code, FIRST_CODE], dtype=np.int64)
        codes = np.where(bounds < 0, fixed[np.minimum(bounds, -1) - UNKNOWN_BOUND], (bounds >> 2) + (bounds & 3) - ON)
        return codes.astype(np.int32)

    def keep_only(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - nothing is forgotten
        return np.arange(self._size + 1)

    def _sort(self, operands: list[int]) -> NDArray[np.int64]:
        return np.arange(len(operands))

    def _prepare(self, operands: list[int]) -> None:
        """Nothing to prepare: the codes are the values."""


_NO_BYTES = np.empty(0, dtype=np.uint8)


def _codes(places: NDArray[np.int64], equal: NDArray[np.bool_]) -> Codes:
    return (2 * places + 1 + equal).astype(np.int32)


def _padded(values: NDArray[Any]) -> NDArray[Any]:
    """One more entry, for the place beyond the last."""
    return np.append(values, values.dtype.type(0))


def _number_order(value: float) -> tuple[bool, float]:
    return (True, 0) if value != value else (False, value)


def _integer_floor(value: float) -> tuple[int, bool]:
    """The largest 64-bit integer that is not greater than a number that is not below them all; whether it is it."""
    if value != value or value > LARGEST_INTEGER:
        return LARGEST_INTEGER, False
    floor = math.floor(value)
    return floor, floor == value


def double_floor(value: int | float) -> tuple[float, bool]:
    """The largest double that is not greater than a number, and whether it is the number."""
    if isinstance(value, float):
        return value, True
    nearest = float(value)
    if nearest > value:
        nearest = math.nextafter(nearest, -math.inf)
    return nearest, nearest == value


def packed_strings(strings: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Strings as Arrow lays them out: where each begins, and all their bytes."""
    offsets = np.zeros(len(strings) + 1, dtype=np.int64)
    np.cumsum([len(string) for string in strings], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(strings), dtype=np.uint8)


def string_buffers(strings: pa.LargeStringArray) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The offsets and bytes of an array without nulls."""
    _, offsets, content = strings.buffers()
    begins = np.frombuffer(offsets, dtype=np.int64)[strings.offset : strings.offset + len(strings) + 1]
    return begins, np.frombuffer(content, dtype=np.uint8) if content is not None else _NO_BYTES


def prefix_end(prefix: bytes) -> bytes:
    """The least string of bytes that is greater than all that begin with a prefix (not empty) of UTF-8 text."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


def sorted_keys(keys: Sequence[float]) -> list[float]:
    """Number operands in order, without repetition."""
    return sorted(dict.fromkeys(keys), key=_number_order)
