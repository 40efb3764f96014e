"""A BE-Tree to be looked at: its nodes as nested tuples, and the first thing that is not as it must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.fields import Field
from penstock.indexes.protocol import Key
from penstock.kernels.be_tree import (
    ASKED,
    BUCKET,
    CAPACITY,
    CLAUSE,
    DIRECTORY,
    FIELD,
    HEADER,
    LEFT,
    NEVER,
    NEXT,
    NO_SLOT,
    NODES_HELD,
    NONE,
    OWNER,
    P_NODES_HELD,
    PREVIOUS,
    RIGHT,
    ROOT,
    RUN,
    SCORE,
    SIZE,
    STRIDE,
    UP,
    WAITING,
    WIDTH,
    Tree,
    asks_for,
    end_of,
    p_node_of,
    span,
)


class CNode(NamedTuple):
    """A c-node: the keys in its leaf, in ascending order, and its p-directory."""

    leaf: list[Key]
    directory: dict[Field, Bucket]
    """For each field that it is partitioned by the topmost bucket."""


class Bucket(NamedTuple):
    """The values above ``low`` up to ``high``, the c-node of these, and the halves, as far as there are expressions."""

    low: float
    high: float
    node: CNode
    halves: tuple[Bucket, ...]


KeysOf = Callable[[NDArray[np.int32]], NDArray[np.int64]]


def root_of(tree: Tree, fields: Sequence[Field], keys_of: KeysOf) -> CNode:
    """The tree as nested tuples."""

    def c_node(node: int) -> CNode:
        directory = {
            fields[int(tree.p_nodes[p_node, FIELD])]: bucket(int(tree.p_nodes[p_node, BUCKET]), -inf, inf)
            for p_node in _directory(tree, node)
        }
        return CNode(sorted(keys_of(tree.expressions[_leaf(tree, node) + CLAUSE]).tolist()), directory)

    def bucket(node: int, low: float, high: float) -> Bucket:
        halves = tuple(bucket(*half) for half in _halves(tree, node, low, high))
        return Bucket(low, high, c_node(node), halves)

    return c_node(ROOT)


def _leaf(tree: Tree, node: int) -> NDArray[np.int32]:
    run = int(tree.nodes[node, RUN])
    return tree.leaves[run : run + int(tree.nodes[node, SIZE])]


def _directory(tree: Tree, node: int) -> list[int]:
    p_nodes = []
    p_node = int(tree.nodes[node, DIRECTORY])
    while p_node != NONE:
        p_nodes.append(p_node)
        p_node = int(tree.p_nodes[p_node, NEXT])
    return p_nodes


def _halves(tree: Tree, node: int, low: float, high: float) -> list[tuple[int, float, float]]:
    """The halves of a bucket that there are, with their ends."""
    cut = float(tree.cuts[node])
    halves = ((int(tree.nodes[node, LEFT]), low, cut), (int(tree.nodes[node, RIGHT]), cut, high))
    return [half for half in halves if half[0] != NONE]


class _Step(NamedTuple):
    """A bucket on the way from the root to a node."""

    p_node: int
    low: float
    high: float


def first_fault(tree: Tree, leaf_size: int, clause_count: int) -> str:
    """What is not as it must be in a tree that should hold so many clauses, or nothing."""
    below: dict[int, int] = {}
    nodes = p_nodes = clauses = 0
    waiting: list[tuple[int, tuple[_Step, ...]]] = [(ROOT, ())]
    while waiting:
        node, path = waiting.pop()
        directory, leaf = _directory(tree, node), _leaf(tree, node).tolist()
        fault = (
            _wrong_node(tree, leaf_size, node)
            or _wrong_directory(tree, node, directory, path)
            or _wrong_leaf(tree, node, leaf, path)
        )
        if fault:
            return f"node {node}: {fault}"
        nodes, p_nodes, clauses = nodes + 1, p_nodes + len(directory), clauses + len(leaf)
        for step in path:
            below[step.p_node] = below.get(step.p_node, 0) + len(leaf)
        tops = ((int(tree.p_nodes[p_node, BUCKET]), _Step(p_node, -inf, inf)) for p_node in directory)
        waiting.extend((top, (*path, step)) for top, step in tops)
        if path:
            p_node, low, high = path[-1]
            waiting.extend((half, (*path[:-1], _Step(p_node, *ends))) for half, *ends in _halves(tree, node, low, high))
    for p_node, count in below.items():
        if count != tree.p_nodes[p_node, SCORE]:
            return f"p-node {p_node} has {count} expressions below it and counts {tree.p_nodes[p_node, SCORE]}"
    if len(below) != p_nodes:
        return "a p-node has nothing below it"
    return _wrong_counts(tree, nodes, p_nodes, clauses, clause_count)


def _wrong_counts(tree: Tree, nodes: int, p_nodes: int, clauses: int, clause_count: int) -> str:
    if clauses != clause_count:
        return f"{clauses} clauses are in leaves, {clause_count} belong to keys"
    if nodes != tree.numbers[NODES_HELD] or p_nodes + 1 != tree.numbers[P_NODES_HELD]:
        return f"{nodes} nodes and {p_nodes} p-nodes can be reached, others are counted"
    if np.count_nonzero(tree.table_keys != NO_SLOT) != p_nodes:
        return "the hash table has other entries than there are p-nodes"
    if tree.numbers[WAITING] or tree.tallies.any():
        return "a leaf still waits to be split, or fields are still counted"
    return ""


def _wrong_node(tree: Tree, leaf_size: int, node: int) -> str:
    row = tree.nodes[node]
    size, capacity = int(row[SIZE]), int(row[CAPACITY])
    halves = [int(half) for half in (row[LEFT], row[RIGHT]) if half != NONE]
    if node != ROOT and not (size or row[WIDTH] or halves):
        return "it is empty"
    if isnan(tree.cuts[node]) == bool(halves):
        return "it has a cut without halves, or halves without a cut"
    if any(tree.nodes[half, UP] != node for half in halves):
        return "a half does not know what it is a half of"
    if size > capacity:
        return f"its leaf has {size} expressions and a capacity of {capacity}"
    if capacity != leaf_size and not (leaf_size < size and capacity < 4 * size):
        return f"the capacity of its leaf has grown to {capacity} for {size} expressions"
    return ""


def _wrong_directory(tree: Tree, node: int, directory: list[int], path: tuple[_Step, ...]) -> str:
    if len(directory) != tree.nodes[node, WIDTH]:
        return f"its directory has {len(directory)} p-nodes and counts {tree.nodes[node, WIDTH]}"
    used = {int(tree.p_nodes[step.p_node, FIELD]) for step in path}
    for before, p_node in zip([NONE, *directory], directory, strict=False):
        row = tree.p_nodes[p_node]
        field = int(row[FIELD])
        if field in used or tree.kinds[field] == NEVER:
            return f"it is partitioned by field {field}, which was used above or cannot be"
        used.add(field)
        if row[OWNER] != node or row[PREVIOUS] != before or tree.nodes[int(row[BUCKET]), UP] != ~p_node:
            return f"p-node {p_node} is not linked as it should be"
        if p_node_of(tree, node, field) != p_node:
            return f"the hash table does not lead to p-node {p_node}"
    return ""


def _wrong_leaf(tree: Tree, node: int, leaf: list[int], path: tuple[_Step, ...]) -> str:
    cut = float(tree.cuts[node])
    for place, expression in enumerate(leaf):
        clause = int(tree.expressions[expression + CLAUSE])
        if tree.clauses[clause].tolist() != [expression, node, place]:
            return f"clause {clause} does not know where it is"
        for step in path:
            field = int(tree.p_nodes[step.p_node, FIELD])
            low, high = span(tree, expression, field)
            if not asks_for(tree, expression, field) or not (step.low == -inf or step.low < low) or high > step.high:
                return f"a bucket above it, from {step.low} to {step.high}, does not enclose clause {clause}"
            if step is path[-1] and (high <= cut or low > cut):
                return f"clause {clause} fits into a half"
        asked = tree.expressions[expression + HEADER + ASKED : end_of(tree, expression) : STRIDE]
        if any(p_node_of(tree, node, field) != NONE for field in asked.tolist()):
            return f"clause {clause} asks for a field of the directory"
    return ""
