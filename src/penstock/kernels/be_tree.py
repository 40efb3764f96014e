"""The arrays of a BE-Tree: c-nodes, p-nodes and expressions, and where an expression goes and comes from.

A c-node has a leaf, which is a run of expressions in an arena, and a p-directory, which is a list of p-nodes. A p-node
has a field and the topmost of its buckets. A bucket is a c-node too: one with an interval of values, and perhaps a cut
that two further buckets begin at, each made when something fits it. Node 0 is the root, no bucket; as nothing leads to
it, 0 means "none" as well. So does p-node 0. All p-directories share one hash table, from a c-node and a field to a
p-node. An expression is the predicates of a clause, one behind the other in an arena of their own, and is known by
where it begins, so that to check one is to look into memory once.

Arrays cannot grow inside a kernel. What needs room says how much and stops between two steps; a leaf that still waits
to be split is in a list of those, so that the next call goes on with it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, class_size, give_back_run, has_room, size_class, take_run
from penstock.kernels.compiling import kernel
from penstock.kernels.mixing import randomised
from penstock.kernels.predicate_lists import AT_LEAST, AT_MOST, EQUAL, GREATER, LESS

ROOT: Final = 0
NONE: Final = 0

NODES_USED, NODES_HELD, FREE_NODE = 0, 1, 2
P_NODES_USED, P_NODES_HELD, FREE_P_NODE = 3, 4, 5
WAITING, SLOTS_NEEDED, SPLITS, MERGES = 6, 7, 8, 9
NUMBERS: Final = 10
"""What ``numbers`` hold: nodes ever used, held now, and the first that is free; the same of p-nodes; one more than the
first node that waits to be split; how many slots of leaves were lacking; how often was split and merged."""
RUN, SIZE, ROOM, CAPACITY, UP, LEFT, RIGHT, DIRECTORY, WIDTH, WAITS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
NODE_COLUMNS: Final = 10
"""What ``nodes`` hold: the run of the leaf with its size, room, and the size from which on it is split; what is above
(the bucket that was cut, or the complement of the p-node); both halves; the first p-node of the directory and how many
there are; one more than the node that waits to be split after this one."""
FIELD, OWNER, BUCKET, NEXT, PREVIOUS, SCORE = 0, 1, 2, 3, 4, 5
P_NODE_COLUMNS: Final = 6
"""What ``p_nodes`` hold: the field, the c-node whose directory this is in, the topmost bucket (none of a free p-node),
its neighbours in the directory, and how many expressions are below."""
EXPRESSION, HOME, POSITION = 0, 1, 2
CLAUSE_COLUMNS: Final = 3
"""What ``clauses`` hold: the expression (none of a number that is free), the node of its leaf, and the place there."""
CLAUSE, COUNT = 0, 1
HEADER: Final = 2
"""What an expression begins with: its clause, and how many predicates there are."""
ASKED, OPERATOR, LOW_HALF, HIGH_HALF = 0, 1, 2, 3
STRIDE: Final = 4
"""What a predicate is made of: the field, the operator, and the operand in two halves."""
CONTINUES: Final = 256
"""Added to the operator of a predicate that is an alternative to the one before it."""

NEVER, AS_DOUBLE, AS_INTEGER = 0, 1, 2
"""What ``kinds`` say of a field: not to be partitioned by; or how its keys are numbers, to be cut in the middle."""
NO_SLOT: Final = -1
LOWEST: Final = -(2**63)
HIGHEST: Final = 2**63 - 1
_ALL_BUT_SIGN: Final = 0x7FFF_FFFF_FFFF_FFFF


class Tree(NamedTuple):
    """All of a BE-Tree; columns are named by the constants above.

    ``table_keys`` and ``table_p_nodes`` are the hash table of the directories, a power of two long. In ``tallies``
    expressions are counted by field: how many, and one more than the clause counted last. Between calls all are 0.
    """

    numbers: NDArray[np.int64]
    nodes: NDArray[np.int32]
    cuts: NDArray[np.float64]
    p_nodes: NDArray[np.int32]
    table_keys: NDArray[np.int64]
    table_p_nodes: NDArray[np.int32]
    leaves: NDArray[np.int32]
    free_leaves: NDArray[np.int64]
    expressions: NDArray[np.int32]
    free_expressions: NDArray[np.int64]
    clauses: NDArray[np.int32]
    kinds: NDArray[np.int8]
    tallies: NDArray[np.int32]


# Expressions


@kernel
def slots_to_store(offsets: NDArray[np.int64]) -> int:
    """How many slots the expressions with predicates from ``offsets[i]`` to ``offsets[i + 1]`` take."""
    slots = 0
    for number in range(len(offsets) - 1):
        slots += class_size(size_class(HEADER + STRIDE * int(offsets[number + 1] - offsets[number])))
    return slots


@kernel
def store_expressions(
    tree: Tree, clauses: NDArray[np.int32], offsets: NDArray[np.int64], predicates: NDArray[np.int32]
) -> None:
    """Write down the predicates of clauses, those of the clause at place ``i`` from ``offsets[i]`` on.

    There must be room for them.
    """
    slots = tree.expressions
    for number in range(len(clauses)):
        begin, end = int(offsets[number]), int(offsets[number + 1])
        clause, size = int(clauses[number]), HEADER + STRIDE * (end - begin)
        expression = take_run(Arena(slots, tree.free_expressions), size_class(size))
        slots[expression + CLAUSE] = clause
        slots[expression + COUNT] = end - begin
        for place in range(begin, end):
            for part in range(STRIDE):
                slots[expression + HEADER + STRIDE * (place - begin) + part] = predicates[place, part]
        tree.clauses[clause, EXPRESSION] = expression


@kernel
def forget_expression(tree: Tree, clause: int) -> None:
    """The room of a clause's predicates is free again."""
    expression = int(tree.clauses[clause, EXPRESSION])
    size = HEADER + STRIDE * int(tree.expressions[expression + COUNT])
    give_back_run(Arena(tree.expressions, tree.free_expressions), expression, size_class(size))
    tree.clauses[clause, EXPRESSION] = NONE


@kernel
def end_of(tree: Tree, expression: int) -> int:
    """Where the predicates of an expression end."""
    return expression + HEADER + STRIDE * int(tree.expressions[expression + COUNT])


@kernel
def operand_at(tree: Tree, place: int) -> int:
    """The operand of the predicate at a place."""
    high, low = int(tree.expressions[place + HIGH_HALF]), int(tree.expressions[place + LOW_HALF])
    return (high << 32) | (low & 0xFFFF_FFFF)


@kernel
def value_of(kind: int, key: int) -> float:
    """A key as a number: in the same order, though some neighbours become one."""
    if key == LOWEST:
        return -np.inf
    if key == HIGHEST:
        return np.inf
    if kind == AS_INTEGER:
        return float(key)
    value = np.int64(key ^ _ALL_BUT_SIGN if key < 0 else key).view(np.float64)
    if np.isnan(value):  # what sorts beyond an infinity
        return np.inf if key > 0 else -np.inf
    return float(value)


@kernel
def _bounds(tree: Tree, place: int) -> tuple[int, int]:
    """The least and the greatest key that may satisfy a predicate."""
    operator, operand = tree.expressions[place + OPERATOR] % CONTINUES, operand_at(tree, place)
    if operator == EQUAL:
        return operand, operand
    if operator == LESS:
        return LOWEST, max(operand, LOWEST + 1) - 1
    if operator == AT_MOST:
        return LOWEST, operand
    if operator == GREATER:
        return min(operand, HIGHEST - 1) + 1, HIGHEST
    if operator == AT_LEAST:
        return operand, HIGHEST
    return LOWEST, HIGHEST


@kernel
def span(tree: Tree, expression: int, field: int) -> tuple[float, float]:
    """The values from the least to the greatest that may satisfy what an expression asks of a field."""
    slots = tree.expressions
    low, high = LOWEST, HIGHEST
    place, end = expression + HEADER, end_of(tree, expression)
    while place < end:
        if slots[place + ASKED] != field:
            place += STRIDE
            continue
        least, greatest = _bounds(tree, place)
        place += STRIDE
        while place < end and slots[place + OPERATOR] >= CONTINUES:
            other_least, other_greatest = _bounds(tree, place)
            least, greatest = min(least, other_least), max(greatest, other_greatest)
            place += STRIDE
        low, high = max(low, least), min(high, greatest)
    high = max(low, high)  # nothing satisfies an expression where they cross, and it may be anywhere
    kind = int(tree.kinds[field])
    return value_of(kind, low), value_of(kind, high)


@kernel
def asks_for(tree: Tree, expression: int, field: int) -> bool:
    for place in range(expression + HEADER, end_of(tree, expression), STRIDE):
        if tree.expressions[place + ASKED] == field:
            return True
    return False


# Directories


@kernel
def _key_of(node: int, field: int) -> int:
    """What the hash table knows the p-node of a field in the directory of a c-node by."""
    return (node << 32) | field


@kernel
def _slot_of(tree: Tree, key: int) -> int:
    """Where to begin to look for a p-node."""
    return np.int64(randomised(key) & np.uint64(len(tree.table_keys) - 1))  # type: ignore[return-value]


@kernel
def p_node_of(tree: Tree, node: int, field: int) -> int:
    """The p-node of a field in the directory of a c-node, or none."""
    wanted = _key_of(node, field)
    slot = _slot_of(tree, wanted)
    while tree.table_keys[slot] != NO_SLOT:
        if tree.table_keys[slot] == wanted:
            return int(tree.table_p_nodes[slot])
        slot = (slot + 1) & (len(tree.table_keys) - 1)
    return NONE


@kernel
def _enter(tree: Tree, p_node: int) -> None:
    """Put a p-node into the hash table."""
    key = _key_of(int(tree.p_nodes[p_node, OWNER]), int(tree.p_nodes[p_node, FIELD]))
    slot = _slot_of(tree, key)
    while tree.table_keys[slot] != NO_SLOT:
        slot = (slot + 1) & (len(tree.table_keys) - 1)
    tree.table_keys[slot] = key
    tree.table_p_nodes[slot] = p_node


@kernel
def _leave(tree: Tree, p_node: int) -> None:
    """Take a p-node out of the hash table; those that had to step over it move up."""
    mask = len(tree.table_keys) - 1
    own = _key_of(int(tree.p_nodes[p_node, OWNER]), int(tree.p_nodes[p_node, FIELD]))
    gap = _slot_of(tree, own)
    while tree.table_keys[gap] != own:
        gap = (gap + 1) & mask
    slot = (gap + 1) & mask
    while tree.table_keys[slot] != NO_SLOT:
        key = int(tree.table_keys[slot])
        wanted = _slot_of(tree, key)
        if ((slot - wanted) & mask) >= ((slot - gap) & mask):
            tree.table_keys[gap] = key
            tree.table_p_nodes[gap] = tree.table_p_nodes[slot]
            gap = slot
        slot = (slot + 1) & mask
    tree.table_keys[gap] = NO_SLOT


@kernel
def fill_table(tree: Tree) -> None:
    """Put all p-nodes into a hash table that is empty."""
    for p_node in range(1, int(tree.numbers[P_NODES_USED])):
        if tree.p_nodes[p_node, BUCKET] != NONE:
            _enter(tree, p_node)


# Nodes


@kernel
def enough_room(tree: Tree, slots: int) -> bool:
    """Whether there is room for two nodes, a p-node, and leaves with so many slots; if not, the need is noted."""
    numbers = tree.numbers
    enough = (
        int(numbers[NODES_HELD]) + 2 <= len(tree.nodes)
        and int(numbers[P_NODES_HELD]) + 1 <= len(tree.p_nodes)
        and 2 * (int(numbers[P_NODES_HELD]) + 1) <= len(tree.table_keys)
        and has_room(Arena(tree.leaves, tree.free_leaves), slots)
    )
    numbers[SLOTS_NEEDED] = 0 if enough else max(1, slots)
    return enough


@kernel
def new_node(tree: Tree, up: int, leaf_size: int) -> int:
    """A c-node with nothing in it."""
    numbers, nodes = tree.numbers, tree.nodes
    node = int(numbers[FREE_NODE])
    if node != NONE:
        numbers[FREE_NODE] = nodes[node, UP]
    else:
        node = int(numbers[NODES_USED])
        numbers[NODES_USED] += 1
    numbers[NODES_HELD] += 1
    nodes[node, :] = 0
    nodes[node, UP] = up
    nodes[node, CAPACITY] = leaf_size
    tree.cuts[node] = np.nan
    return node


@kernel
def new_p_node(tree: Tree, node: int, field: int, leaf_size: int) -> int:
    """A p-node at the head of the directory of a c-node, with an empty bucket."""
    numbers, p_nodes = tree.numbers, tree.p_nodes
    p_node = int(numbers[FREE_P_NODE])
    if p_node != NONE:
        numbers[FREE_P_NODE] = p_nodes[p_node, NEXT]
    else:
        p_node = int(numbers[P_NODES_USED])
        numbers[P_NODES_USED] += 1
    numbers[P_NODES_HELD] += 1
    following = int(tree.nodes[node, DIRECTORY])
    p_nodes[p_node, FIELD] = field
    p_nodes[p_node, OWNER] = node
    p_nodes[p_node, BUCKET] = new_node(tree, ~p_node, leaf_size)
    p_nodes[p_node, NEXT] = following
    p_nodes[p_node, PREVIOUS] = NONE
    p_nodes[p_node, SCORE] = 0
    if following != NONE:
        p_nodes[following, PREVIOUS] = p_node
    tree.nodes[node, DIRECTORY] = p_node
    tree.nodes[node, WIDTH] += 1
    _enter(tree, p_node)
    return p_node


@kernel
def _remove_p_node(tree: Tree, p_node: int) -> None:
    p_nodes = tree.p_nodes
    _leave(tree, p_node)
    node, following = int(p_nodes[p_node, OWNER]), int(p_nodes[p_node, NEXT])
    before = int(p_nodes[p_node, PREVIOUS])
    if before != NONE:
        p_nodes[before, NEXT] = following
    else:
        tree.nodes[node, DIRECTORY] = following
    if following != NONE:
        p_nodes[following, PREVIOUS] = before
    tree.nodes[node, WIDTH] -= 1
    p_nodes[p_node, BUCKET] = NONE
    p_nodes[p_node, NEXT] = tree.numbers[FREE_P_NODE]
    tree.numbers[FREE_P_NODE] = p_node
    tree.numbers[P_NODES_HELD] -= 1


@kernel
def merge_up(tree: Tree, node: int) -> None:
    """Take away a bucket with nothing in it, and all above that have nothing else."""
    nodes = tree.nodes
    while node != ROOT and nodes[node, SIZE] == 0 and nodes[node, WIDTH] == 0:
        if nodes[node, LEFT] != NONE or nodes[node, RIGHT] != NONE:
            return
        above = int(nodes[node, UP])
        nodes[node, UP] = tree.numbers[FREE_NODE]
        tree.numbers[FREE_NODE] = node
        tree.numbers[NODES_HELD] -= 1
        tree.numbers[MERGES] += 1
        if above < 0:
            node = int(tree.p_nodes[~above, OWNER])
            _remove_p_node(tree, ~above)
        else:
            nodes[above, LEFT if nodes[above, LEFT] == node else RIGHT] = NONE
            if nodes[above, LEFT] == NONE and nodes[above, RIGHT] == NONE:
                tree.cuts[above] = np.nan
            node = above


@kernel
def p_node_above(tree: Tree, node: int) -> int:
    """The p-node whose bucket a node is, or none of the root."""
    while tree.nodes[node, UP] > 0:
        node = int(tree.nodes[node, UP])
    return NONE if node == ROOT else ~int(tree.nodes[node, UP])


@kernel
def is_used(tree: Tree, node: int, field: int) -> bool:
    """Whether a field has a p-node on the way from the root to a node."""
    p_node = p_node_above(tree, node)
    while p_node != NONE:
        if tree.p_nodes[p_node, FIELD] == field:
            return True
        p_node = p_node_above(tree, int(tree.p_nodes[p_node, OWNER]))
    return False


@kernel
def count_above(tree: Tree, node: int, more: int) -> None:
    """So many expressions more below all p-nodes on the way from the root to a node."""
    p_node = p_node_above(tree, node)
    while p_node != NONE:
        tree.p_nodes[p_node, SCORE] += more
        p_node = p_node_above(tree, int(tree.p_nodes[p_node, OWNER]))
