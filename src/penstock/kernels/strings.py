"""Ranks of strings among sorted operands, over UTF-8 bytes as Arrow lays them out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.kernels.compiling import kernel


@kernel
def compare_bytes(
    left: NDArray[np.uint8], left_start: int, left_end: int, right: NDArray[np.uint8], right_start: int, right_end: int
) -> int:
    """-1, 0 or 1 as one run of bytes sorts before, with or after another."""
    left_length = left_end - left_start
    right_length = right_end - right_start
    for place in range(min(left_length, right_length)):
        one = left[left_start + place]
        other = right[right_start + place]
        if one != other:
            return -1 if one < other else 1
    if left_length == right_length:
        return 0
    return -1 if left_length < right_length else 1


@kernel
def rank_strings(
    operand_offsets: NDArray[np.int64],
    operand_bytes: NDArray[np.uint8],
    value_offsets: NDArray[np.int64],
    value_bytes: NDArray[np.uint8],
    codes: NDArray[np.int32],
) -> None:
    """The code of each value among sorted distinct operands: 2i + 2 on operand i, 2i + 1 in the gap before it."""
    operands = len(operand_offsets) - 1
    for value in range(len(value_offsets) - 1):
        start, end = value_offsets[value], value_offsets[value + 1]
        low, high = 0, operands
        code = 0
        while low < high:
            middle = (low + high) // 2
            order = compare_bytes(
                operand_bytes, operand_offsets[middle], operand_offsets[middle + 1], value_bytes, start, end
            )
            if order == 0:
                code = 2 * middle + 2
                break
            if order < 0:
                low = middle + 1
            else:
                high = middle
        codes[value] = code if code > 0 else 2 * low + 1
