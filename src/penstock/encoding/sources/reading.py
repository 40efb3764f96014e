"""What the readers of all formats share while a list of files is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from penstock.encoding.sources.files import Source
from penstock.encoding.sources.inference import ValueType
from penstock.encoding.sources.rejects import RejectHandler, SourceRefusedError
from penstock.errors import did_you_mean

DEFAULT_EVENT_ID: Final = "event_id"


@dataclass(slots=True)
class Reading:
    """What to look for, whom to tell, and how far the reading has come.

    ``rows`` counts every event of the input, also those set aside, so that the number of an event does not depend on
    whether the ones before it could be read.
    """

    event_id: str | None
    attributes: str | None
    column_types: Mapping[str, ValueType]
    batch_size: int
    on_reject: RejectHandler
    on_progress: Callable[[int], None]
    rows: int = 0
    bytes_before: int = field(default=0)

    def id_column(self, names: Sequence[str]) -> str | None:
        """The column of ids of a source that has these columns; ``None`` means that row numbers are the ids."""
        for wanted in (self.event_id, self.attributes):
            if wanted is not None and wanted not in names:
                raise SourceRefusedError(missing("column", wanted, names))
        if self.event_id is None and DEFAULT_EVENT_ID in names:
            return DEFAULT_EVENT_ID
        return self.event_id

    def report(self, source: Source, fraction: float) -> None:
        """Tell that a fraction of a source has been read."""
        self.on_progress(self.bytes_before + int(source.size * fraction))


def missing(what: str, wanted: str, names: Sequence[str]) -> str:
    """The message for a column or key that is not there.

    >>> missing("column", "prise", ["price", "symbol"])
    "there is no column 'prise'; did you mean price? Found price, symbol"
    """
    guess = did_you_mean(wanted, names)
    found = ", ".join(names) if names else "none"
    return f"there is no {what} {wanted!r}{guess or ';'} {'Found' if guess else 'found'} {found}"
