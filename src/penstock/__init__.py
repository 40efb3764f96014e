"""Penstock finds, for every event, all the standing subscriptions that it satisfies: at once, and exactly.

>>> import penstock
>>> matcher = penstock.Matcher()
>>> matcher.add("bargain", "price < 0.8 * list_price AND color IN ('red', 'blue')")
>>> matcher.match({"price": 75, "list_price": 100, "color": "red"})
['bargain']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock.errors import ConditionError, PenstockError

if TYPE_CHECKING:
    from penstock.engine.matcher import Matcher
    from penstock.language.parser import parse
    from penstock.model.conditions import Condition
    from penstock.model.evaluation import evaluate

__version__ = "0.1.0"

# Loaded at first use, so that importing penstock is quick: compiled kernels and Arrow take their time.
_HOMES = {
    "Condition": "penstock.model.conditions",
    "Matcher": "penstock.engine.matcher",
    "evaluate": "penstock.model.evaluation",
    "parse": "penstock.language.parser",
}
_ROOMS = ("indexes", "spark")

__all__ = ["Condition", "ConditionError", "Matcher", "PenstockError", "__version__", "evaluate", "parse"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"penstock.{name}")
    raise AttributeError(f"module 'penstock' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
