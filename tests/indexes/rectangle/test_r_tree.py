"""What is particular to the R-tree."""

from __future__ import annotations

import builtins
import subprocess
import sys
from typing import Any

import pytest

from penstock.errors import MissingExtraError, ValueRefusedError
from penstock.indexes.rectangle import RECTANGLE_STORES, Rectangle


def test_a_missing_library_fails_at_the_point_of_use_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_rtree(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("rtree"):
            raise ImportError("no rtree here")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_rtree)
    with pytest.raises(MissingExtraError, match=r"pip install 'penstock\[lab\]'"):
        RECTANGLE_STORES["r_tree"]()


def test_importing_the_stores_does_not_import_the_library() -> None:
    program = "import sys, penstock.indexes.rectangle; sys.exit('rtree' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_cells_that_are_no_doubles_are_refused() -> None:
    store = RECTANGLE_STORES["r_tree"]()
    with pytest.raises(ValueRefusedError, match=r"2\*\*53"):
        store.insert(1, Rectangle(0, 0, 2**53 + 1, 0))
    store.insert(1, Rectangle(0, 0, 2**53, 0))
    assert store.stab(2**53, 0).tolist() == [1]
    assert store.stab(2**53 + 1, 0).tolist() == []


def test_memory_is_an_estimate_that_grows() -> None:
    store = RECTANGLE_STORES["r_tree"]()
    store.insert(1, Rectangle(0, 0, 1, 1))
    assert store.memory()["tree"] > 0
