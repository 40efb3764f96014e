"""Numbers for hash tables that look nothing like those that they are made of."""

from __future__ import annotations

import numpy as np

from penstock.kernels.compiling import kernel


@kernel
def randomised(number: int) -> np.uint64:
    """A number that looks nothing like one from 0 on. No product exceeds 64 bits, so nothing wraps around."""
    low = np.uint64(number & 0xFFFFFFFF) * np.uint64(0x9E3779B1)
    high = np.uint64(number >> 32) * np.uint64(0x85EBCA77)
    mixed = (low ^ (low >> np.uint64(29)) ^ high ^ (high >> np.uint64(31))) & np.uint64(0xFFFFFFFF)
    mixed = mixed * np.uint64(0xC2B2AE3D)
    return mixed ^ (mixed >> np.uint64(32))
