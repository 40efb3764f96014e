"""ID lists of activated VCRs only, found by hashing: for ranges too large to have a header for every VCR."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.errors import InvariantError, ValueRefusedError
from penstock.indexes.interval.store import Stabs
from penstock.indexes.rectangle.arena import bytes_of, check_runs, new_arena, widened
from penstock.indexes.rectangle.book import KeyBook, Pieces
from penstock.kernels.vcr import NO_POSITIONS, SPARE, TAKEN, Cut
from penstock.kernels.vcr_hashing import (
    ACTIVATED,
    BEGIN,
    CAPACITY,
    FREE,
    NEXT,
    NODE,
    SIZE,
    USED,
    HashedLists,
    chain_of,
    enter_new_rectangle,
    enter_rectangle,
    enter_rectangles,
    rehash,
    stab_hashed_cell,
    stab_hashed_cells,
    withdraw_rectangle,
)

CHAINS_PER_KEY: Final = 10
"""The paper's hash table has about ten places for each predicate (section 3.4)."""
_LEAST: Final = 101
_MOST_IDS: Final = 2**62


class HashedStorage:
    """Lists of activated VCRs (:mod:`penstock.kernels.vcr_hashing`)."""

    def __init__(self, cut: Cut, columns: int, rows: int, hash_size: int | None) -> None:
        if (cut.x_log + 1) * (cut.y_log + 1) * columns * rows > _MOST_IDS:
            raise ValueRefusedError(f"a range of {columns:,} by {rows:,} cells has more VCRs than 64-bit IDs")
        self._fixed = hash_size is not None
        self.lists = HashedLists(
            np.full(next_prime(hash_size or _LEAST), -1, dtype=np.int32),
            np.empty(64, dtype=np.int64),
            np.empty((64, NODE), dtype=np.int32),
            np.array([0, -1, 0], dtype=np.int64),
            new_arena(64),
            np.empty(64 + SPARE if cut.overlapped else 0, dtype=np.int32),
            columns,
            cut,
        )
        self.distances = distances_of(cut, columns)

    def fill(self, book: KeyBook) -> None:
        """Enter all keys of a book into these lists, which are empty."""
        keys, _ = book.live()
        self._size_for(len(keys))
        self.add(book, keys)

    def insert(self, book: KeyBook, key: int, x: int, y: int, width: int, height: int) -> bool:
        """Enter one key into the book and the lists; False where it is there already."""
        if self.activated() > len(self.lists.heads):
            self._size_for(self.activated())
        book.open_page(key)
        pieces, done = enter_new_rectangle(book.arrays, self.lists, key, x, y, width, height)
        if pieces == NO_POSITIONS:
            book.widen_positions(width, height)
            pieces, done = enter_new_rectangle(book.arrays, self.lists, key, x, y, width, height)
        while done < pieces:
            self._widen()
            done = enter_rectangle(book.arrays, self.lists, key, done)
        return bool(pieces != TAKEN)

    def add(self, book: KeyBook, keys: NDArray[np.int64]) -> None:
        """Enter keys that the book has just got."""
        if self.activated() > len(self.lists.heads):
            self._size_for(self.activated())
        key, piece = enter_rectangles(book.arrays, self.lists, keys, 0, 0)
        while key < len(keys):
            self._widen()
            key, piece = enter_rectangles(book.arrays, self.lists, keys, key, piece)

    def remove(self, book: KeyBook, key: int) -> bool:
        """Take a key out of the lists and the book; False where it is not there."""
        return bool(withdraw_rectangle(book.arrays, self.lists, key))

    def stab(self, x: int, y: int) -> NDArray[np.int32]:
        keys: NDArray[np.int32] = stab_hashed_cell(self.lists, self.distances, x, y)
        return keys

    def stab_many(self, xs: NDArray[np.int64], ys: NDArray[np.int64]) -> Stabs:
        offsets = np.empty(len(xs) + 1, dtype=np.int64)
        keys = stab_hashed_cells(self.lists, self.distances, xs, ys, offsets)
        return Stabs(offsets, keys)

    def activated(self) -> int:
        """How many VCRs have an entry."""
        return int(self.lists.counts[ACTIVATED])

    def slots(self) -> int:
        """How many chains the table has."""
        return len(self.lists.heads)

    def memory(self) -> dict[str, int]:
        nodes = self.lists.ids.nbytes + self.lists.nodes.nbytes + self.lists.counts.nbytes
        return {
            "headers": 0,
            "hash table": self.lists.heads.nbytes + nodes,
            "id lists": bytes_of(self.lists.entries) + self.lists.answers.nbytes,
            "distance table": self.distances.nbytes,
        }

    def check(self, book: KeyBook) -> None:
        """Raise unless the chains hold each activated VCR once, and each position leads to its key."""
        chained = self._chained()
        free = self._free()
        if sorted([*chained, *free]) != list(range(int(self.lists.counts[USED]))):
            raise InvariantError("a node is in no chain, or in two")
        if len(chained) != self.activated():
            raise InvariantError(f"{len(chained)} VCRs are chained, and {self.activated()} counted as activated")
        nodes = self.lists.nodes[np.array(chained, dtype=np.int64)].astype(np.int64)
        if np.any(nodes[:, SIZE] < 1) or np.any(nodes[:, SIZE] > 1 << nodes[:, CAPACITY]):
            raise InvariantError("a list is empty, or longer than its run")
        check_runs(self.lists.entries, nodes[:, BEGIN], nodes[:, CAPACITY], "the lists")
        self._check_pieces(np.array(chained, dtype=np.int64), book.all_pieces())

    def _check_pieces(self, chained: NDArray[np.int64], pieces: Pieces) -> None:
        cut = self.lists.cut
        entries = int(self.lists.nodes[chained, SIZE].sum())
        if len(pieces.keys) != entries:
            raise InvariantError(f"{entries} entries for {len(pieces.keys)} pieces")
        if not entries:
            return
        corners = (cut.x_log + 1) * (cut.y_log + 1) * (pieces.xs + pieces.ys * self.lists.columns)
        vcrs = corners + pieces.y_logs * (cut.x_log + 1) + pieces.x_logs
        chained = chained[np.argsort(self.lists.ids[chained])]
        ids = self.lists.ids[chained]
        order = np.minimum(np.searchsorted(ids, vcrs), len(ids) - 1)
        nodes = self.lists.nodes[chained[order]].astype(np.int64)
        inside = (pieces.positions >= 0) & (pieces.positions < nodes[:, SIZE])
        if np.any(ids[order] != vcrs) or not np.all(inside):
            raise InvariantError("a position is not in the list of its VCR")
        places = nodes[:, BEGIN] + pieces.positions
        if np.any(self.lists.entries.values[places] != pieces.keys):
            raise InvariantError("a key is not where its position says")
        if cut.overlapped and np.any(self.lists.answers[places] != pieces.answers):
            raise InvariantError("an entry answers for other cells than its piece")

    def _chained(self) -> list[int]:
        """The nodes of all chains, each of which must belong to the chain that it is in."""
        found: list[int] = []
        for chain in np.flatnonzero(self.lists.heads >= 0).tolist():
            node = int(self.lists.heads[chain])
            while node >= 0 and len(found) <= len(self.lists.ids):
                if chain_of(self.lists, self.lists.ids[node]) != chain:
                    raise InvariantError(f"VCR {self.lists.ids[node]} is in a chain of others")
                found.append(node)
                node = int(self.lists.nodes[node, NEXT])
        return found

    def _free(self) -> list[int]:
        found: list[int] = []
        node = int(self.lists.counts[FREE])
        while node >= 0 and len(found) <= len(self.lists.ids):
            found.append(node)
            node = int(self.lists.nodes[node, NEXT])
        return found

    def _size_for(self, keys: int) -> None:
        """Give the table about ten chains a key, unless its size was given: chains of any length are right."""
        if self._fixed or CHAINS_PER_KEY * keys <= len(self.lists.heads):
            return
        heads = np.full(next_prime(CHAINS_PER_KEY * keys), -1, dtype=np.int32)
        rehash(self.lists, heads)
        self.lists = self.lists._replace(heads=heads)

    def _widen(self) -> None:
        """Twice the nodes if they are used up, otherwise twice the arena."""
        if self.lists.counts[FREE] < 0 and self.lists.counts[USED] == len(self.lists.ids):
            ids = np.empty(2 * len(self.lists.ids), dtype=np.int64)
            ids[: len(self.lists.ids)] = self.lists.ids
            nodes = np.empty((len(ids), NODE), dtype=np.int32)
            nodes[: len(self.lists.nodes)] = self.lists.nodes
            self.lists = self.lists._replace(ids=ids, nodes=nodes)
            return
        entries = widened(self.lists.entries, len(self.lists.entries.values) // 4)
        answers = self.lists.answers
        if self.lists.cut.overlapped:
            answers = np.empty(len(entries.values), dtype=np.int32)
            answers[: len(self.lists.answers)] = self.lists.answers
        self.lists = self.lists._replace(entries=entries, answers=answers)


def distances_of(cut: Cut, columns: int) -> NDArray[np.int64]:
    """The distance table (section 2.3.2), from VCR (a, b, 1, 1) of the event's own cell to all that cover the cell."""
    sizes = (cut.x_log + 1) * (cut.y_log + 1)
    found = [
        -sizes * (left + below * columns) + y_log * (cut.x_log + 1) + x_log
        for y_log in range(cut.y_log + 1)
        for x_log in range(cut.x_log + 1)
        for below in range(1 << y_log)
        for left in range(1 << x_log)
    ]
    return np.sort(np.array(found, dtype=np.int64))


def next_prime(least: int) -> int:
    """The smallest prime that is at least a number."""
    candidate = max(least, 2)
    while any(candidate % divisor == 0 for divisor in range(2, int(candidate**0.5) + 1)):
        candidate += 1
    return candidate
