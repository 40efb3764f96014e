"""What trees are made of: frozen dataclasses that are quick to make.

Bulk parsing makes millions of them. A frozen dataclass sets its fields through ``object.__setattr__``; setting them
through the descriptors of their slots does the same in two thirds of the time.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, dataclass_transform

Node = TypeVar("Node")


@dataclass_transform(frozen_default=True)
def node(cls: type[Node]) -> type[Node]:
    """A class of immutable nodes from its annotated fields, like ``dataclass(frozen=True, slots=True)``."""
    made: Any = dataclass(frozen=True, slots=True)(cls)
    names: dict[str, Any] = {}
    parameters, lines = ["self"], []
    for each in fields(made):
        names[f"set_{each.name}"] = made.__dict__[each.name].__set__
        if each.default is not MISSING:
            names[f"default_{each.name}"] = each.default
        parameters.append(each.name if each.default is MISSING else f"{each.name}=default_{each.name}")
        lines.append(f"    set_{each.name}(self, {each.name})")
    if hasattr(made, "__post_init__"):
        lines.append("    self.__post_init__()")
    source = f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines)
    exec(source, names)  # as dataclass itself does; the text is made of field names alone
    made.__init__ = names["__init__"]
    result: type[Node] = made
    return result
