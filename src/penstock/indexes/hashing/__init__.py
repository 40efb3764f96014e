"""Indexes that hash conjunctions: AMKH, and the MKH that it adapts."""

from __future__ import annotations

from typing import Final

from penstock.indexes.hashing.amkh import Amkh, Mkh
from penstock.indexes.protocol import Index

HASHING_INDEXES: Final[tuple[type[Index], ...]] = (Amkh, Mkh)
