"""``dlist``: direct listing, a list of keys for every value (the VCI paper, section 5.1).

The fastest to ask and the largest to keep: each key stands in as many lists as its interval has values. It is the
structure of ``VciStore`` with construct intervals of length 0, each list in a block of its own, so that an insertion
moves nothing. Unlike in the paper each key knows where its entries are, so a deletion searches no list.
"""

from __future__ import annotations

from typing import ClassVar

from penstock.errors import ValueRefusedError
from penstock.indexes.interval.vci import VciStore


class DirectListStore(VciStore):
    """Closed intervals of cells under keys, in lists of values."""

    name: ClassVar[str] = "dlist"
    fixed_block_shift: ClassVar[int | None] = 0

    def __init__(self, low: int = 0, high: int = 1023, *, max_length: int | None = None) -> None:
        if max_length not in (None, 0):
            raise ValueRefusedError(f"direct listing has no construct intervals, so none of length {max_length}")
        super().__init__(low, high, constructs="points")
