"""Indexes of boolean expressions: OpIndex and the rivals it is compared with."""

from __future__ import annotations

from typing import Final

from penstock.indexes.boolean.be_tree import BETree
from penstock.indexes.boolean.counting import Counting
from penstock.indexes.boolean.k_index import KIndex
from penstock.indexes.boolean.op_index import OpIndex, OpIndexBs
from penstock.indexes.protocol import Index

BOOLEAN_INDEXES: Final[tuple[type[Index], ...]] = (OpIndex, OpIndexBs, Counting, KIndex, BETree)
