"""``be_tree``: BE-Tree (Sadoghi and Jacobsen, SIGMOD 2011), a rival that OpIndex is compared with (section 7).

The space is cut in two phases that take turns. A c-node has a leaf of a few expressions and a p-directory. When the
leaf is too full, *space partitioning* chooses the attribute that most of its expressions ask for, and takes these to a
p-node of the directory. A p-node keeps its expressions in buckets, which are intervals of the attribute's values;
*space clustering* cuts a bucket that is too full into halves, and each expression goes to the half that encloses what
it asks for. Each bucket has a c-node in turn, which is partitioned by attributes that are not used above. An event
visits, from the root, the p-nodes whose attribute it has and the buckets that its value lies in, and checks all
expressions in their leaves.

Built from what is publicly described of the structure; where that leaves things open, or this differs:

- The score of a p-node, as that of an attribute to partition by, is the number of its expressions; an expression with
  several p-nodes to choose from goes to the one with the highest score. Ties go to what is met first. The cost function
  that weighs false candidates too, and readjusting as the workload changes, are left out.
- Domains are not declared, so the topmost bucket is open at both ends. A bucket is cut in the middle between its ends,
  where an open end stands for the outermost operand there at that time; if all expressions are on one side of this, it
  is cut in the middle of their operands. Numbers are cut as numbers, all else by its key. A value on the cut is in the
  lower half. Halves are made when an expression comes for them.
- A leaf that can be neither partitioned nor cut has its capacity doubled.
- A leaf checks its expressions one by one; there are no bitmaps in it.
- Deleting takes away what is empty; nodes that are merely not full stay.
- A p-directory is searched for an event's attributes through a hash table, or passed through if that is shorter.

Limits: conditions with a predicate that holds when something is missing (``a IS NULL``, ``a NOT LIKE '%x%'``) are not
filed but scanned. Fields of list operators (``LIKE``, ``RLIKE``) have several keys for one event and are never
partitioned by: an expression of nothing else stays in the leaf of the root. New labels for strings build the tree anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.encoding.fields import NumberField
from penstock.errors import DuplicateSubscriptionError, InvariantError
from penstock.indexes.boolean.be_tree_shape import CNode, first_fault, root_of
from penstock.indexes.boolean.bulk import translate_many
from penstock.indexes.boolean.clause_index import ClauseIndex, FoundClauses
from penstock.indexes.boolean.operators import LIST_OPERATORS, ListOperator
from penstock.indexes.boolean.predicates import REFUSALS, Clauses
from penstock.indexes.protocol import Key
from penstock.kernels.arena import Arena, grown_arena, has_room, new_arena
from penstock.kernels.be_tree import (
    AS_DOUBLE,
    AS_INTEGER,
    ASKED,
    CAPACITY,
    CLAUSE_COLUMNS,
    CONTINUES,
    COUNT,
    EXPRESSION,
    HEADER,
    HIGH_HALF,
    LOW_HALF,
    MERGES,
    NEVER,
    NO_SLOT,
    NODE_COLUMNS,
    NODES_HELD,
    NODES_USED,
    NONE,
    NUMBERS,
    OPERATOR,
    P_NODE_COLUMNS,
    P_NODES_HELD,
    P_NODES_USED,
    ROOT,
    SLOTS_NEEDED,
    SPLITS,
    STRIDE,
    Tree,
    fill_table,
    slots_to_store,
    store_expressions,
)
from penstock.kernels.be_tree_changes import delete_clause, insert_clauses
from penstock.kernels.be_tree_matching import WORK_COUNTERS, Found, Scratch, match_events
from penstock.kernels.event_keys import EventKeys
from penstock.model.conditions import Condition

LEAF_SIZE: Final = 5
"""What the OpIndex paper found best for many attributes (section 7.2)."""
LEAST_ROOM: Final = 16
LEAST_OUTPUT_ROOM: Final = 1024
MOST_OUTPUT_ROOM: Final = 65_536
LEAST_GONE_TO_FORGET: Final = 64


class Work(NamedTuple):
    """What matching and changing took, counted since the index was made."""

    c_nodes_visited: int
    expressions_checked: int
    p_nodes_entered: int
    splits: int
    """Leaves that were partitioned by an attribute, and buckets that were cut."""
    merges: int
    """Buckets that were taken away."""


class BETree(ClauseIndex):
    """Clauses in the leaves of a tree that is cut by attributes and values in turn.

    ``leaf_size`` is how many expressions a leaf holds before it is split.
    """

    name: ClassVar[str] = "be_tree"

    def __init__(self, *, leaf_size: int = LEAF_SIZE, operators: Sequence[ListOperator[Any]] = LIST_OPERATORS) -> None:
        super().__init__(operators=operators)
        if leaf_size < 1:
            raise ValueError(f"a leaf holds at least one expression, found a leaf size of {leaf_size}")
        self._leaf_size = leaf_size
        self._tree = _empty_tree(leaf_size)
        self._work = np.zeros(WORK_COUNTERS, dtype=np.int64)
        self._fields_known = 0
        self._gone = 0

    # Changing

    def insert_many(self, keys: Iterable[Key], conditions: Iterable[Condition]) -> None:
        """Add many conditions at once: first those that are plain conjunctions of comparisons, then the others."""
        numbers = np.fromiter(keys, np.int64)
        many = list(conditions)
        if len(numbers) != len(many):
            raise ValueError(f"as many keys as conditions are needed, found {len(numbers)} and {len(many)}")
        self._table.check_all_new(numbers)
        for key in numbers.tolist() if len(self._scanned) else ():
            if key in self._scanned:
                raise DuplicateSubscriptionError(f"the index holds a condition with the key {key} already")
        translated = translate_many(many, self._vocabulary)
        clauses = self._table.add_many(numbers[translated.plain])
        filings = translated.filings
        same_part = np.zeros(len(filings.owners), dtype=np.bool_)
        same_part[1:] = (filings.owners[1:] == filings.owners[:-1]) & (filings.parts[1:] == filings.parts[:-1])
        offsets = np.searchsorted(filings.owners, np.arange(len(clauses) + 1))
        self._add(clauses, offsets, _predicates(filings.operators, filings.fields, filings.operands, same_part))
        # After those: what these add may give strings new labels, which only reach what is in the tree.
        for place in translated.others:
            self.insert(int(numbers[place]), many[place])

    def _serves(self, clauses: Clauses) -> bool:
        return super()._serves(clauses) and not any(
            predicate.operator < REFUSALS for clause in clauses.conjunctions for part in clause for predicate in part
        )

    def _file(self, numbers: list[int], clauses: Clauses) -> None:
        if numbers:
            sizes = [sum(map(len, clause)) for clause in clauses.conjunctions]
            offsets = np.array([0, *accumulate(sizes)], dtype=np.int64)
            rows = [
                (*predicate, place > 0)
                for clause in clauses.conjunctions
                for part in clause
                for place, predicate in enumerate(part)
            ]
            columns = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
            self._add(np.array(numbers, dtype=np.int32), offsets, _predicates(*columns))

    def _take_out(self, clauses: list[int]) -> None:
        for clause in clauses:
            delete_clause(self._tree, self._leaf_size, clause)
            self._table.give_back(clause)
        self._gone += len(clauses)
        if self._gone > LEAST_GONE_TO_FORGET and self._gone > self._table.clause_count:
            self._gone = 0
            places = self._predicate_places()
            self._vocabulary.keep_only_strings(self._tree.expressions[places + ASKED], self._operands(places))

    def _add(self, clauses: NDArray[np.int32], offsets: NDArray[np.int64], predicates: NDArray[np.int32]) -> None:
        self._make_room_for_fields()
        self._make_room_for_expressions(offsets)
        store_expressions(self._tree, clauses, offsets, predicates)
        self._insert(clauses)

    def _insert(self, clauses: NDArray[np.int32]) -> None:
        done = 0
        while True:
            done = insert_clauses(self._tree, self._leaf_size, clauses, done)
            slots = int(self._tree.numbers[SLOTS_NEEDED])
            if not slots:
                return
            self._make_room_for_nodes(slots)

    def _relabel(self, field: int, labels: Mapping[int, int]) -> None:
        old = np.array(sorted(labels), dtype=np.int64)
        new = np.array([labels[label] for label in sorted(labels)], dtype=np.int64)
        slots, places = self._tree.expressions, self._predicate_places()
        places = places[slots[places + ASKED] == field]
        if len(places):
            halves = _halves(new[np.searchsorted(old, self._operands(places))])
            slots[places + LOW_HALF], slots[places + HIGH_HALF] = halves[:, 0], halves[:, 1]
            self._build_anew()

    def _build_anew(self) -> None:
        """Take all expressions out of the tree and insert them again."""
        empty, old = _empty_tree(self._leaf_size), self._tree
        empty.numbers[[SPLITS, MERGES]] = old.numbers[[SPLITS, MERGES]]
        nodes = ("numbers", "nodes", "cuts", "p_nodes", "table_keys", "table_p_nodes", "leaves", "free_leaves")
        self._tree = old._replace(**{name: getattr(empty, name) for name in nodes})
        self._insert(np.flatnonzero(old.clauses[:, EXPRESSION]).astype(np.int32))

    # Room

    def _make_room_for_nodes(self, slots: int) -> None:
        """Room for two nodes, a p-node, and leaves with so many slots."""
        tree = self._tree
        if tree.numbers[NODES_HELD] + 2 > len(tree.nodes):
            tree = tree._replace(nodes=_longer(tree.nodes), cuts=_longer(tree.cuts))
        if tree.numbers[P_NODES_HELD] + 1 > len(tree.p_nodes):
            tree = tree._replace(p_nodes=_longer(tree.p_nodes))
        if 2 * (tree.numbers[P_NODES_HELD] + 1) > len(tree.table_keys):
            tree = tree._replace(**_empty_table(2 * len(tree.table_keys)))
            fill_table(tree)
        leaves = Arena(tree.leaves, tree.free_leaves)
        if not has_room(leaves, slots):
            tree = tree._replace(leaves=grown_arena(leaves, slots).slots)
        self._tree = tree

    def _make_room_for_expressions(self, offsets: NDArray[np.int64]) -> None:
        """Room for expressions, under all numbers that clauses have."""
        tree = self._tree
        if self._table.room > len(tree.clauses):
            tree = tree._replace(clauses=_longer(tree.clauses, self._table.room))
        expressions, needed = Arena(tree.expressions, tree.free_expressions), slots_to_store(offsets)
        if not has_room(expressions, needed):
            tree = tree._replace(expressions=grown_arena(expressions, needed).slots)
        self._tree = tree

    def _make_room_for_fields(self) -> None:
        """Say of all fields that are new how to cut by them."""
        count = len(self._vocabulary)
        if count > len(self._tree.kinds):
            self._tree = self._tree._replace(
                kinds=_longer(self._tree.kinds, count), tallies=_longer(self._tree.tallies, count)
            )
        for field in range(self._fields_known, count):
            self._tree.kinds[field] = self._kind_of(field)
        self._fields_known = count

    def _kind_of(self, field: int) -> int:
        if field == self._vocabulary.always or self._vocabulary.has_lists(field):
            return NEVER
        return AS_DOUBLE if isinstance(self._vocabulary.fields[field], NumberField) else AS_INTEGER

    # Matching

    def _find(self, events: EventKeys) -> FoundClauses:
        count = len(events.offsets) - 1
        scratch = Scratch(
            np.zeros(len(self._vocabulary), dtype=np.int64),
            np.empty(len(events.fields), dtype=np.int64),
            np.empty(int(self._tree.numbers[P_NODES_HELD]), dtype=np.int32),
        )
        size = max(LEAST_OUTPUT_ROOM, min(MOST_OUTPUT_ROOM, 16 * count))
        found = Found(np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32))
        rows: list[NDArray[np.int32]] = []
        clauses: list[NDArray[np.int32]] = []
        event = 0
        while event < count:
            event, written, needed = match_events(self._tree, events, event, scratch, self._work, found)
            rows.append(found.events[:written].copy())
            clauses.append(found.clauses[:written].copy())
            if needed > len(found.events):
                found = Found(np.empty(2 * needed, dtype=np.int32), np.empty(2 * needed, dtype=np.int32))
        nothing = np.empty(0, dtype=np.int32)
        return FoundClauses(np.concatenate([nothing, *rows]), np.concatenate([nothing, *clauses]))

    # Looking

    @property
    def work(self) -> Work:
        """What all matching and changing so far took."""
        return Work(*self._work.tolist(), *self._tree.numbers[[SPLITS, MERGES]].tolist())

    def root(self) -> CNode:
        """The tree as it is, to be looked at."""
        return root_of(self._tree, self._vocabulary.fields, self._table.keys_of)

    def _memory(self) -> Mapping[str, int]:
        tree = self._tree
        groups = {
            "nodes": (tree.numbers, tree.nodes, tree.cuts, tree.p_nodes),
            "directories": (tree.table_keys, tree.table_p_nodes),
            "leaves": (tree.leaves, tree.free_leaves),
            "expressions": (tree.clauses, tree.expressions, tree.free_expressions),
            "fields": (tree.kinds, tree.tallies),
        }
        return {name: sum(array.nbytes for array in arrays) for name, arrays in groups.items()}

    def _predicate_count(self) -> int:
        return len(self._predicate_places())

    def check_invariants(self) -> None:
        super().check_invariants()
        fault = first_fault(self._tree, self._leaf_size, self._table.clause_count)
        if fault:
            raise InvariantError(fault)

    def _predicate_places(self) -> NDArray[np.int64]:
        """Where the predicates of all expressions are."""
        expressions = self._tree.clauses[:, EXPRESSION].astype(np.int64)
        expressions = expressions[expressions != NONE]
        counts = self._tree.expressions[expressions + COUNT].astype(np.int64)
        before = np.cumsum(counts) - counts
        return np.repeat(expressions + HEADER - STRIDE * before, counts) + STRIDE * np.arange(int(counts.sum()))

    def _operands(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        halves = self._tree.expressions[places[:, None] + np.array([LOW_HALF, HIGH_HALF])]
        operands: NDArray[np.int64] = halves.astype("<i4").view("<i8")[:, 0]
        return operands


def _empty_tree(leaf_size: int) -> Tree:
    numbers = np.zeros(NUMBERS, dtype=np.int64)
    numbers[[NODES_USED, NODES_HELD, P_NODES_USED, P_NODES_HELD]] = 1
    nodes = np.zeros((LEAST_ROOM, NODE_COLUMNS), dtype=np.int32)
    nodes[ROOT, CAPACITY] = leaf_size
    leaves, expressions = new_arena(LEAST_ROOM), new_arena(LEAST_ROOM)
    return Tree(
        numbers,
        nodes,
        np.full(LEAST_ROOM, np.nan),
        np.zeros((LEAST_ROOM, P_NODE_COLUMNS), dtype=np.int32),
        **_empty_table(2 * LEAST_ROOM),
        leaves=leaves.slots,
        free_leaves=leaves.free,
        expressions=expressions.slots,
        free_expressions=expressions.free,
        clauses=np.zeros((LEAST_ROOM, CLAUSE_COLUMNS), dtype=np.int32),
        kinds=np.zeros(0, dtype=np.int8),
        tallies=np.zeros((0, 2), dtype=np.int32),
    )


def _empty_table(size: int) -> dict[str, NDArray[Any]]:
    return {
        "table_keys": np.full(size, NO_SLOT, dtype=np.int64),
        "table_p_nodes": np.zeros(size, dtype=np.int32),
    }


def _longer(array: NDArray[Any], least: int = 0) -> NDArray[Any]:
    """The same with more rows: half as many again, and at least so many."""
    longer = np.zeros((max(least, len(array) * 3 // 2), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _predicates(
    operators: NDArray[Any], fields: NDArray[Any], operands: NDArray[np.int64], same_part: NDArray[Any]
) -> NDArray[np.int32]:
    """Predicates as the kernels take them; ``same_part`` says which are alternatives to those before them."""
    predicates = np.empty((len(fields), STRIDE), dtype=np.int32)
    predicates[:, ASKED] = fields
    predicates[:, OPERATOR] = operators + CONTINUES * same_part.astype(np.int32)
    predicates[:, [LOW_HALF, HIGH_HALF]] = _halves(operands)
    return predicates


def _halves(operands: NDArray[np.int64]) -> NDArray[np.int32]:
    return operands.astype("<i8").view("<i4").reshape(-1, 2)
