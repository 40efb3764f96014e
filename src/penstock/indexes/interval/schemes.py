"""The schemes of the VCI paper by name: each is ``VciStore`` with two choices made."""

from __future__ import annotations

from typing import ClassVar, Final

from penstock.indexes.interval.vci import VciStore


class NamedScheme(VciStore):
    """A store whose constructs and activation are those of a scheme."""

    scheme: ClassVar[tuple[str, str]]

    def __init__(self, low: int = 0, high: int = 1023, *, max_length: int | None = None) -> None:
        constructs, activation = self.scheme
        super().__init__(low, high, constructs=constructs, activation=activation, max_length=max_length)


def _named(name: str, constructs: str, activation: str) -> type[NamedScheme]:
    return type(f"NamedScheme[{name}]", (NamedScheme,), {"name": name, "scheme": (constructs, activation)})


SCHEMES: Final[dict[str, type[NamedScheme]]] = {
    short + suffix: _named(short + suffix, constructs, activation)
    for suffix, activation in {"": "bitmap", "_bc": "clipped", "_bv": "virtual", "_bv_dt": "table"}.items()
    for short, constructs in {"sci": "simple", "lci": "logarithmic"}.items()
}
