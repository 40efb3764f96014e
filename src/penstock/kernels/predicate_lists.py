"""Predicate lists of OpIndex: for each pivot and operator the predicates, sorted, with a directory and signatures.

A list is cut into segments by attribute: an attribute is in segment ``attribute mod segments``, and within its segment
entries are sorted by attribute and operand. Each segment has a 64-bit signature with a bit for every entry, chosen by a
hash of its attribute and, where only an equal operand can match, of the operand.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys

# The operators, as in indexes/boolean/predicates.py.
ABSENT: Final = 0
EXCLUDED: Final = 1
EQUAL: Final = 2
LESS: Final = 3
AT_MOST: Final = 4
GREATER: Final = 5
AT_LEAST: Final = 6
DIFFERENT: Final = 7
KNOWN: Final = 8
LISTED: Final = 9

NO_LIST: Final = -1
REFUSED: Final = np.int16(32_767)
"""A count that no number of satisfied predicates brings down to zero: of a clause that is refused, or deleted."""
MOST_PARTS: Final = 16_000

# What is counted while matching.
PARTITIONS_OPENED: Final = 0
CANDIDATES: Final = 1
SEGMENTS_PROBED: Final = 2
SEGMENTS_SEARCHED: Final = 3
PREDICATES_HELD: Final = 4
WORK_COUNTERS: Final = 5


class Lists(NamedTuple):
    """All lists of all partitions.

    List ``l`` has ``sizes[l]`` entries from ``starts[l]``. Its segment ``s`` ends at
    ``ends[l * segments + s]``, counted from the start of the list. ``of_partition[p, o]`` is the list of partition
    ``p`` for operator ``o``. An entry's ``pointer`` says what it counts for within its partition.
    """

    of_partition: NDArray[np.int32]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]
    ends: NDArray[np.int32]
    signatures: NDArray[np.uint64]
    fields: NDArray[np.int32]
    operands: NDArray[np.int64]
    pointers: NDArray[np.int32]


class Slots(NamedTuple):
    """The clauses of each partition: partition ``p`` has ``counts[p]`` slots from ``starts[p]``.

    A slot holds a clause and the number of parts that must hold: its counter's first value.
    """

    starts: NDArray[np.int64]
    counts: NDArray[np.int32]
    parts: NDArray[np.int16]
    clauses: NDArray[np.int32]


class Masks(NamedTuple):
    """Where an entry counts for one of several disjunctions: which of them still lack a predicate that holds.

    Partition ``p`` has words from ``starts[p]``; a slot has as many as its disjunctions need bits, ``slots`` says whose
    a word is. A pointer is then 64 times the word within the partition plus the bit.
    """

    starts: NDArray[np.int64]
    counts: NDArray[np.int32]
    words: NDArray[np.uint64]
    slots: NDArray[np.int32]


class Pairs(NamedTuple):
    """Partitions to open and the events to open them for, all of one partition together."""

    partitions: NDArray[np.int32]
    events: NDArray[np.int32]


@kernel
def signature_bit(operator: int, field: int, operand: int) -> np.uint64:
    """The bit that an entry sets in the signature of its segment."""
    mixed = np.uint64(field) * np.uint64(0x9E3779B97F4A7C15)
    if operator in (EQUAL, EXCLUDED) or operator >= LISTED:
        mixed = (mixed ^ np.uint64(operand)) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
    return np.uint64(1) << (mixed >> np.uint64(58))


_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**63 - 1


@kernel
def operands_that_hold(operator: int, key: int, exact: bool) -> tuple[int, int]:
    """The lowest and the highest operand that an operator holds for; DIFFERENT leaves out the key itself.

    An event value ``x`` on its key, or between it and the next, satisfies ``x < o`` for operands above the key, and
    ``x <= o`` from the key on, or from the next one.
    """
    above = key if exact else key + 1
    if operator in (EQUAL, EXCLUDED) or operator >= LISTED:
        return (key, key) if exact else (_HIGHEST, _LOWEST)
    if operator == LESS:
        return key + 1, _HIGHEST
    if operator == AT_MOST:
        return above, _HIGHEST
    if operator == GREATER:
        return _LOWEST, above - 1
    if operator == AT_LEAST:
        return _LOWEST, key
    return _LOWEST, _HIGHEST


@kernel
def first_not_before(lists: Lists, begin: int, end: int, field: int, operand: int) -> int:
    """The first entry from ``begin`` on that does not sort before ``(field, operand)``."""
    while begin < end:
        middle = (begin + end) >> 1
        at = lists.fields[middle]
        if at < field or (at == field and lists.operands[middle] < operand):
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def insert_entry(
    lists: Lists, segments: int, number: int, operator: int, field: int, operand: int, pointer: int
) -> None:
    """Insert an entry into a list that has room for it."""
    segment = number * segments + field % segments
    start = lists.starts[number]
    begin = start + (lists.ends[segment - 1] if field % segments > 0 else 0)
    end = start + lists.ends[segment]
    place = first_not_before(lists, begin, end, field, operand)
    last = start + lists.sizes[number]
    for entry in range(last, place, -1):
        lists.fields[entry] = lists.fields[entry - 1]
        lists.operands[entry] = lists.operands[entry - 1]
        lists.pointers[entry] = lists.pointers[entry - 1]
    lists.fields[place] = field
    lists.operands[place] = operand
    lists.pointers[place] = pointer
    lists.sizes[number] += 1
    for following in range(segment, (number + 1) * segments):
        lists.ends[following] += 1
    lists.signatures[segment] |= signature_bit(operator, field, operand)


@kernel
def index_lists(lists: Lists, segments: int, operators: NDArray[np.int8]) -> None:
    """Work out directory and signatures of all lists, whose entries are in order; ``operators`` has each list's."""
    lists.ends[:] = 0
    lists.signatures[:] = 0
    for number in range(len(lists.starts)):
        base = number * segments
        for entry in range(lists.starts[number], lists.starts[number] + lists.sizes[number]):
            field = lists.fields[entry]
            segment = base + field % segments
            lists.ends[segment] += 1
            lists.signatures[segment] |= signature_bit(operators[number], field, lists.operands[entry])
        for segment in range(base + 1, base + segments):
            lists.ends[segment] += lists.ends[segment - 1]


@kernel
def pair_up(events: EventKeys, partition_of_field: NDArray[np.int32], partitions: int, pairs: Pairs) -> int:
    """The partitions to open for each event, together by partition: what one finds in the caches serves the next.

    ``pairs`` has room for all entries. Returns how many pairs there are.
    """
    counts = np.zeros(partitions + 1, dtype=np.int64)
    known = len(partition_of_field)
    for field in events.fields:
        if field < known and partition_of_field[field] >= 0:
            counts[partition_of_field[field] + 1] += 1
    for partition in range(partitions):
        counts[partition + 1] += counts[partition]
    total = counts[partitions]
    for event in range(len(events.offsets) - 1):
        for entry in range(events.offsets[event], events.offsets[event + 1]):
            field = events.fields[entry]
            if field < known and partition_of_field[field] >= 0:
                place = counts[partition_of_field[field]]
                counts[partition_of_field[field]] += 1
                pairs.partitions[place] = partition_of_field[field]
                pairs.events[place] = event
    # A field with several keys stands several times in an event, one behind the other here.
    kept = 0
    for place in range(total):
        last = kept - 1
        same = kept > 0 and pairs.events[place] == pairs.events[last]
        if same and pairs.partitions[place] == pairs.partitions[last]:
            continue
        pairs.partitions[kept] = pairs.partitions[place]
        pairs.events[kept] = pairs.events[place]
        kept += 1
    return kept


@kernel
def match_pairs(
    first: int,
    pairs: Pairs,
    events: EventKeys,
    lists: Lists,
    segments: int,
    signed: bool,
    slots: Slots,
    counters: NDArray[np.int16],
    masked: bool,
    masks: Masks,
    pending: NDArray[np.uint64],
    matched_events: NDArray[np.int32],
    matched_clauses: NDArray[np.int32],
    work: NDArray[np.int64],
) -> tuple[int, int]:
    """Match the pairs from ``first`` on, as long as what one more may find surely fits (OpIndex, algorithm 2).

    ``counters`` and ``pending`` are room for the slots and words of any partition. Returns the first pair that was not
    reached, and the number of matches written.
    """
    written = 0
    pair = first
    while pair < len(pairs.partitions):
        partition = pairs.partitions[pair]
        event = pairs.events[pair]
        slot_start = slots.starts[partition]
        count = slots.counts[partition]
        if written + count > len(matched_events):
            break
        counters[:count] = slots.parts[slot_start : slot_start + count]
        word_start = 0
        if masked:
            word_start = masks.starts[partition]
            words = masks.counts[partition]
            pending[:words] = masks.words[word_start : word_start + words]
        work[PARTITIONS_OPENED] += 1
        work[CANDIDATES] += count
        for operator in range(lists.of_partition.shape[1]):
            number = lists.of_partition[partition, operator]
            if number == NO_LIST:
                continue
            start = lists.starts[number]
            for known in range(events.offsets[event], events.offsets[event + 1]):
                field = events.fields[known]
                key = events.keys[known]
                segment = number * segments + field % segments
                work[SEGMENTS_PROBED] += 1
                if signed and not (lists.signatures[segment] & signature_bit(operator, field, key)):
                    continue
                begin = start + (lists.ends[segment - 1] if field % segments > 0 else 0)
                end = start + lists.ends[segment]
                exact = events.exact[known]
                lowest, limit = operands_that_hold(operator, key, exact)
                entry = first_not_before(lists, begin, end, field, lowest)
                work[SEGMENTS_SEARCHED] += 1
                while entry < end and lists.fields[entry] == field and lists.operands[entry] <= limit:
                    pointer = lists.pointers[entry]
                    skipped = operator == DIFFERENT and exact and lists.operands[entry] == key
                    entry += 1
                    if skipped:
                        continue
                    work[PREDICATES_HELD] += 1
                    slot = pointer
                    if masked:
                        word = pointer >> 6
                        bit = np.uint64(1) << np.uint64(pointer & 63)
                        if not pending[word] & bit:
                            continue
                        pending[word] ^= bit
                        slot = masks.slots[word_start + word]
                    if operator <= EXCLUDED:
                        counters[slot] = REFUSED
                        continue
                    counters[slot] -= 1
                    if counters[slot] == 0:
                        matched_events[written] = event
                        matched_clauses[written] = slots.clauses[slot_start + slot]
                        written += 1
        pair += 1
    return pair, written
