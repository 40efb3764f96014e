"""How a BE-Tree changes: an expression finds its leaf, a leaf that is too full is split, an empty one is merged.

Space partitioning takes all expressions of a leaf that ask for one field to a new p-node. Space clustering cuts a
bucket: its expressions go to the half that encloses them, if one does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.arena import Arena, class_size, give_back_run, size_class, take_run
from penstock.kernels.be_tree import (
    ASKED,
    BUCKET,
    CAPACITY,
    CLAUSE,
    EXPRESSION,
    FIELD,
    HEADER,
    HOME,
    LEFT,
    NEVER,
    NONE,
    POSITION,
    RIGHT,
    ROOM,
    ROOT,
    RUN,
    SCORE,
    SIZE,
    SPLITS,
    STRIDE,
    UP,
    WAITING,
    WAITS,
    Tree,
    asks_for,
    count_above,
    end_of,
    enough_room,
    forget_expression,
    is_used,
    merge_up,
    new_node,
    new_p_node,
    p_node_above,
    p_node_of,
    span,
)
from penstock.kernels.compiling import kernel

# Leaves


@kernel
def _slots_to_append(tree: Tree, node: int) -> int:
    """How many slots one more expression in a leaf may take."""
    size = int(tree.nodes[node, SIZE])
    return class_size(size_class(size + size // 2 + 1)) if size == tree.nodes[node, ROOM] else 0


@kernel
def _make_leaf_room(tree: Tree, node: int, wanted: int) -> None:
    """Give a leaf a run with room for so many expressions; there must be slots."""
    nodes, leaves = tree.nodes, tree.leaves
    arena = Arena(leaves, tree.free_leaves)
    number = size_class(wanted)
    run, old = take_run(arena, number), int(nodes[node, RUN])
    for place in range(int(nodes[node, SIZE])):
        leaves[run + place] = leaves[old + place]
    if nodes[node, ROOM] > 0:
        give_back_run(arena, old, size_class(int(nodes[node, ROOM])))
    nodes[node, RUN] = run
    nodes[node, ROOM] = class_size(number)


@kernel
def _put(tree: Tree, node: int, position: int, expression: int) -> None:
    """Write an expression into a place of a leaf."""
    clause = tree.expressions[expression + CLAUSE]
    tree.leaves[int(tree.nodes[node, RUN]) + position] = expression
    tree.clauses[clause, HOME] = node
    tree.clauses[clause, POSITION] = position


@kernel
def _append(tree: Tree, node: int, expression: int) -> None:
    """Put an expression at the end of a leaf."""
    nodes = tree.nodes
    size = int(nodes[node, SIZE])
    if size == nodes[node, ROOM]:
        _make_leaf_room(tree, node, size + size // 2 + 1)
    nodes[node, SIZE] = size + 1
    _put(tree, node, size, expression)


@kernel
def _shorten(tree: Tree, node: int, size: int) -> None:
    """A leaf has only its first few expressions left."""
    nodes = tree.nodes
    nodes[node, SIZE] = size
    if size == 0:
        give_back_run(Arena(tree.leaves, tree.free_leaves), int(nodes[node, RUN]), size_class(int(nodes[node, ROOM])))
        nodes[node, ROOM] = 0


# Inserting


@kernel
def insert_clauses(tree: Tree, leaf_size: int, clauses: NDArray[np.int32], first: int) -> int:
    """Put clauses whose expressions are stored into leaves, from ``first`` on, as long as there is room.

    Returns the first clause that was not reached. All is done if none is left and no slots are noted as needed.
    """
    if not _split_all(tree, leaf_size):
        return first
    for number in range(first, len(clauses)):
        expression = int(tree.clauses[clauses[number], EXPRESSION])
        node, half = _home_of(tree, expression)
        if not enough_room(tree, 1 if half != NONE else _slots_to_append(tree, node)):
            return number
        if half != NONE:
            tree.nodes[node, half] = new_node(tree, node, leaf_size)
            node = int(tree.nodes[node, half])
        _append(tree, node, expression)
        count_above(tree, node, 1)
        if tree.nodes[node, SIZE] > tree.nodes[node, CAPACITY]:
            _let_wait(tree, leaf_size, node)
            if not _split_all(tree, leaf_size):
                return number + 1
    return len(clauses)


@kernel
def _home_of(tree: Tree, expression: int) -> tuple[int, int]:
    """The node whose leaf an expression belongs in, or the node and which half of it, where that has yet to be made."""
    node = ROOT
    while True:
        best, best_score = NONE, 0
        for place in range(expression + HEADER, end_of(tree, expression), STRIDE):
            p_node = p_node_of(tree, node, int(tree.expressions[place + ASKED]))
            if p_node != NONE and tree.p_nodes[p_node, SCORE] > best_score:
                best, best_score = p_node, int(tree.p_nodes[p_node, SCORE])
        if best == NONE:
            return node, NONE
        node = int(tree.p_nodes[best, BUCKET])
        low, high = span(tree, expression, int(tree.p_nodes[best, FIELD]))
        half = _half_for(tree, node, low, high)
        while half != NONE:
            if tree.nodes[node, half] == NONE:
                return node, half
            node = int(tree.nodes[node, half])
            half = _half_for(tree, node, low, high)


@kernel
def _half_for(tree: Tree, node: int, low: float, high: float) -> int:
    """Which half of a bucket encloses an interval; none does if it reaches over the cut, or if there is no cut."""
    if high <= tree.cuts[node]:
        return LEFT
    if low > tree.cuts[node]:
        return RIGHT
    return NONE


# Splitting


@kernel
def _let_wait(tree: Tree, leaf_size: int, node: int) -> None:
    """Note that a leaf is to be split, down to the size that leaves should have."""
    tree.nodes[node, CAPACITY] = leaf_size
    tree.nodes[node, WAITS] = tree.numbers[WAITING]
    tree.numbers[WAITING] = node + 1


@kernel
def _split_all(tree: Tree, leaf_size: int) -> bool:
    """Split the leaves that wait for it and those that come of it; ``False`` if there is not enough room to go on."""
    nodes = tree.nodes
    while tree.numbers[WAITING] > 0:
        node = int(tree.numbers[WAITING]) - 1
        size = int(nodes[node, SIZE])
        if size <= nodes[node, CAPACITY]:
            tree.numbers[WAITING] = nodes[node, WAITS]
            continue
        if not enough_room(tree, size + size // 4 + 2):  # two runs, sizes rounded up
            return False
        if node != ROOT and np.isnan(tree.cuts[node]):
            field = int(tree.p_nodes[p_node_above(tree, node), FIELD])
            cut = _cut_for(tree, node, field)
            if not np.isnan(cut):
                _cluster(tree, leaf_size, node, field, cut)
                continue
        field, count = _best_field(tree, node)
        if count > 0:
            _partition(tree, leaf_size, node, field, count)
        else:
            # Nothing parts it. Doubling makes further tries few, however many expressions are alike.
            while nodes[node, CAPACITY] < size:
                nodes[node, CAPACITY] *= 2
    return True


@kernel
def _best_field(tree: Tree, node: int) -> tuple[int, int]:
    """The field not used above that most expressions of a leaf ask for, the first met of several, and how many do."""
    slots, tallies = tree.expressions, tree.tallies
    run = int(tree.nodes[node, RUN])
    leaf = tree.leaves[run : run + int(tree.nodes[node, SIZE])]
    for expression in leaf:
        mark = slots[expression + CLAUSE] + 1
        for place in range(expression + HEADER, end_of(tree, int(expression)), STRIDE):
            field = slots[place + ASKED]
            if tree.kinds[field] != NEVER and tallies[field, 1] != mark:
                tallies[field, 0] += 1
                tallies[field, 1] = mark
    best, best_count = 0, 0
    for expression in leaf:
        for place in range(expression + HEADER, end_of(tree, int(expression)), STRIDE):
            field = int(slots[place + ASKED])
            if tallies[field, 0] > best_count and not is_used(tree, node, field):
                best, best_count = field, int(tallies[field, 0])
            tallies[field, :] = 0
    return best, best_count


@kernel
def _partition(tree: Tree, leaf_size: int, node: int, field: int, count: int) -> None:
    """Take the expressions of a leaf that ask for a field, so many, to a new p-node."""
    p_node = new_p_node(tree, node, field, leaf_size)
    bucket = int(tree.p_nodes[p_node, BUCKET])
    _make_leaf_room(tree, bucket, count)
    run, kept = int(tree.nodes[node, RUN]), 0
    for place in range(int(tree.nodes[node, SIZE])):
        expression = int(tree.leaves[run + place])
        if asks_for(tree, expression, field):
            _append(tree, bucket, expression)
        else:
            _put(tree, node, kept, expression)
            kept += 1
    _shorten(tree, node, kept)
    tree.p_nodes[p_node, SCORE] = count
    tree.numbers[SPLITS] += 1
    if count > leaf_size:
        _let_wait(tree, leaf_size, bucket)


@kernel
def _cluster(tree: Tree, leaf_size: int, node: int, field: int, cut: float) -> None:
    """Cut a bucket, and take its expressions to the halves that enclose them."""
    tree.cuts[node] = cut
    run, kept = int(tree.nodes[node, RUN]), 0
    left, right = _count_halves(tree, node, field, cut)
    for half, count in ((LEFT, left), (RIGHT, right)):
        if count > 0:
            tree.nodes[node, half] = new_node(tree, node, leaf_size)
            _make_leaf_room(tree, int(tree.nodes[node, half]), count)
    for place in range(int(tree.nodes[node, SIZE])):
        expression = int(tree.leaves[run + place])
        low, high = span(tree, expression, field)
        half = _half_for(tree, node, low, high)
        if half != NONE:
            _append(tree, int(tree.nodes[node, half]), expression)
        else:
            _put(tree, node, kept, expression)
            kept += 1
    _shorten(tree, node, kept)
    tree.numbers[SPLITS] += 1
    for half, count in ((LEFT, left), (RIGHT, right)):
        if count > leaf_size:
            _let_wait(tree, leaf_size, int(tree.nodes[node, half]))


@kernel
def _cut_for(tree: Tree, node: int, field: int) -> float:
    """Where to cut a bucket: in the middle, if that parts its expressions; NaN if nothing does.

    An end that is open is where the outermost operand is. If all expressions are on one side of the middle, the range
    of their operands is cut instead.
    """
    least, greatest = np.inf, -np.inf
    run = int(tree.nodes[node, RUN])
    for expression in tree.leaves[run : run + int(tree.nodes[node, SIZE])]:
        for end in span(tree, int(expression), field):
            if np.isfinite(end):
                least, greatest = min(least, end), max(greatest, end)
    if not least < greatest:
        return np.nan
    low, high = bucket_ends(tree, node)
    cut = _middle(least if np.isinf(low) else low, greatest if np.isinf(high) else high)
    if not _parts(tree, node, field, cut):
        cut = _middle(least, greatest)
        if not _parts(tree, node, field, cut):
            return np.nan
    return cut


@kernel
def bucket_ends(tree: Tree, node: int) -> tuple[float, float]:
    """The values of a bucket are above the first of these, up to the second; infinite where it is open."""
    low, high = -np.inf, np.inf
    while tree.nodes[node, UP] > 0:
        above = int(tree.nodes[node, UP])
        if tree.nodes[above, LEFT] == node:
            high = min(high, tree.cuts[above])
        else:
            low = max(low, tree.cuts[above])
        node = above
    return low, high


@kernel
def _middle(low: float, high: float) -> float:
    """A number halfway between two: not below the low one, and below the high one."""
    middle = 0.5 * low + 0.5 * high  # the sum might be infinite
    return middle if low <= middle < high else low


@kernel
def _count_halves(tree: Tree, node: int, field: int, cut: float) -> tuple[int, int]:
    """How many expressions of a leaf lie up to a cut, and how many above it."""
    left, right = 0, 0
    run = int(tree.nodes[node, RUN])
    for expression in tree.leaves[run : run + int(tree.nodes[node, SIZE])]:
        low, high = span(tree, int(expression), field)
        if high <= cut:
            left += 1
        elif low > cut:
            right += 1
    return left, right


@kernel
def _parts(tree: Tree, node: int, field: int, cut: float) -> bool:
    """Whether some expressions of a leaf lie on one side of a cut, but not all on the same."""
    left, right = _count_halves(tree, node, field, cut)
    return left + right > 0 and max(left, right) < tree.nodes[node, SIZE]


# Deleting


@kernel
def delete_clause(tree: Tree, leaf_size: int, clause: int) -> None:
    """Take a clause out of its leaf, and take away what is empty then."""
    nodes = tree.nodes
    node, position = int(tree.clauses[clause, HOME]), int(tree.clauses[clause, POSITION])
    run, last = int(nodes[node, RUN]), int(nodes[node, SIZE]) - 1
    _put(tree, node, position, int(tree.leaves[run + last]))
    _shorten(tree, node, last)
    if last <= leaf_size:
        nodes[node, CAPACITY] = leaf_size
    elif 4 * last <= nodes[node, CAPACITY]:
        nodes[node, CAPACITY] //= 2
    count_above(tree, node, -1)
    forget_expression(tree, clause)
    merge_up(tree, node)
