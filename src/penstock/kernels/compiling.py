"""The one place where Numba's flags are set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a loop: without the GIL, cached on disk, and without fast-math, since infinities and NaN matter here."""
    compiled: Any = numba.njit(nogil=True, cache=True, fastmath=False)(function)
    return cast("Function", compiled)
