"""Matching events against a BE-Tree: down from the root, wherever an event has the field and lies in the bucket."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.be_tree import (
    ASKED,
    BUCKET,
    CLAUSE,
    CONTINUES,
    COUNT,
    DIRECTORY,
    FIELD,
    HEADER,
    HIGH_HALF,
    LEFT,
    LOW_HALF,
    NEXT,
    NONE,
    OPERATOR,
    RIGHT,
    ROOT,
    RUN,
    SIZE,
    STRIDE,
    WIDTH,
    Tree,
    p_node_of,
    value_of,
)
from penstock.kernels.compiling import kernel
from penstock.kernels.event_keys import EventKeys
from penstock.kernels.predicate_lists import DIFFERENT, LISTED, operands_that_hold

# What is counted while matching.
NODES_VISITED: Final = 0
EXPRESSIONS_CHECKED: Final = 1
P_NODES_ENTERED: Final = 2
WORK_COUNTERS: Final = 3


class Scratch(NamedTuple):
    """Room to work in. ``seen`` has one more than the last entry of each field, all 0 before the first event."""

    seen: NDArray[np.int64]
    earlier: NDArray[np.int64]
    """For each entry the one before it with the same field in the same event, or -1."""
    stack: NDArray[np.int32]
    """Room for all p-nodes: an event enters each once."""


class Found(NamedTuple):
    """Pairs of an event and a clause."""

    events: NDArray[np.int32]
    clauses: NDArray[np.int32]


@kernel
def match_events(
    tree: Tree, events: EventKeys, first: int, scratch: Scratch, work: NDArray[np.int64], found: Found
) -> tuple[int, int, int]:
    """Match events from ``first`` on, as long as what they match fits.

    Returns the first event that was not reached, how many pairs are written, and how many that event alone would need.
    """
    written = 0
    spent = np.zeros(WORK_COUNTERS, dtype=np.int64)
    for event in range(first, len(events.offsets) - 1):
        _look_at(events, event, scratch)
        before = written
        written = _match_event(tree, events, event, scratch, spent, found, before)
        if written > len(found.events):
            return event, before, written - before
        work += spent  # not before: an event that does not fit comes again
        spent[:] = 0
    return len(events.offsets) - 1, written, 0


@kernel
def _look_at(events: EventKeys, event: int, scratch: Scratch) -> None:
    """Note where the fields of an event are."""
    begin = events.offsets[event]
    for entry in range(begin, events.offsets[event + 1]):
        known = scratch.seen[events.fields[entry]]
        scratch.earlier[entry] = known - 1 if begin < known <= entry else -1  # beyond it are those of a first try
        scratch.seen[events.fields[entry]] = entry + 1


@kernel
def _match_event(
    tree: Tree,
    events: EventKeys,
    event: int,
    scratch: Scratch,
    work: NDArray[np.int64],
    found: Found,
    written: int,
) -> int:
    """Write what one event matches, as far as it fits; how many pairs there would be then."""
    nodes = tree.nodes
    height, node, value = 0, ROOT, 0.0
    while True:
        size = int(nodes[node, SIZE])
        work[NODES_VISITED] += 1
        work[EXPRESSIONS_CHECKED] += size
        if size > 0:
            leaf = tree.leaves[int(nodes[node, RUN]) : int(nodes[node, RUN]) + size]
            written = _check_leaf(leaf, tree.expressions, events, event, scratch, found, written)
        if nodes[node, WIDTH] > 0:
            height = _enter_directory(tree, events, event, scratch, node, height)
        node = int(nodes[node, LEFT if value <= tree.cuts[node] else RIGHT])
        if node == NONE:
            if height == 0:
                return written
            height -= 1
            p_node = scratch.stack[height]
            field = tree.p_nodes[p_node, FIELD]
            value = value_of(int(tree.kinds[field]), int(events.keys[scratch.seen[field] - 1]))
            node = int(tree.p_nodes[p_node, BUCKET])
            work[P_NODES_ENTERED] += 1


@kernel
def _enter_directory(tree: Tree, events: EventKeys, event: int, scratch: Scratch, node: int, height: int) -> int:
    """Stack the p-nodes of a c-node whose field an event has; how many there are on the stack then.

    Either the directory is passed through or the event, whichever is shorter.
    """
    begin, end = int(events.offsets[event]), int(events.offsets[event + 1])
    if tree.nodes[node, WIDTH] <= end - begin:
        p_node = int(tree.nodes[node, DIRECTORY])
        while p_node != NONE:
            if scratch.seen[tree.p_nodes[p_node, FIELD]] > begin:
                scratch.stack[height] = p_node
                height += 1
            p_node = int(tree.p_nodes[p_node, NEXT])
        return height
    for entry in range(begin, end):
        if scratch.seen[events.fields[entry]] == entry + 1:  # once, should a field stand there twice
            p_node = p_node_of(tree, node, int(events.fields[entry]))
            if p_node != NONE:
                scratch.stack[height] = p_node
                height += 1
    return height


@kernel
def _check_leaf(
    leaf: NDArray[np.int32],
    slots: NDArray[np.int32],
    events: EventKeys,
    event: int,
    scratch: Scratch,
    found: Found,
    written: int,
) -> int:
    """Write which expressions of a leaf an event satisfies: those of whose parts each has a predicate that holds.

    All in one loop, and what it calls is handed numbers only: arrays would cost more than the work that is done.
    """
    begin = int(events.offsets[event])
    for expression in leaf:
        first = int(expression) + HEADER
        held, entry = True, 0
        for place in range(first, first + STRIDE * int(slots[expression + COUNT]), STRIDE):
            operator = int(slots[place + OPERATOR])
            if operator < CONTINUES:  # a part begins
                if not held:
                    break
                held = False
                entry = int(scratch.seen[slots[place + ASKED]]) - 1
                if entry < begin:
                    break
            if not held:
                operand = (int(slots[place + HIGH_HALF]) << 32) | (int(slots[place + LOW_HALF]) & 0xFFFF_FFFF)
                held = _holds(operator % CONTINUES, operand, int(events.keys[entry]), bool(events.exact[entry]))
                other = entry
                while not held and operator % CONTINUES >= LISTED and scratch.earlier[other] >= 0:
                    other = int(scratch.earlier[other])
                    held = events.keys[other] == operand
        if held:
            if written < len(found.events):
                found.events[written] = event
                found.clauses[written] = slots[expression + CLAUSE]
            written += 1
    return written


@kernel
def _holds(operator: int, operand: int, key: int, exact: bool) -> bool:
    """Whether a predicate holds for a key, or for a value between it and the next."""
    lowest, highest = operands_that_hold(operator, key, exact)
    return lowest <= operand <= highest and not (operator == DIFFERENT and exact and operand == key)
