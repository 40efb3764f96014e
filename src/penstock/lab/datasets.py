"""Real rows for experiments: the samples that are carried (see ``data/README.md``), or whole sets from a folder."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock.encoding.batch import attributes_from_object
from penstock.errors import SourceError, ValueRefusedError
from penstock.model.values import Value

_SAMPLES: Final = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True, slots=True)
class DataSet:
    """Rows of one kind: the name of the sample, and where the whole set is in a folder of such sets."""

    name: str
    whole: str

    def path(self, folder: Path | None = None) -> Path:
        """The file of the whole set in a folder; without a folder that of the sample."""
        if folder is None:
            return _SAMPLES / f"{self.name}.jsonl.gz"
        path = folder / self.whole
        if not path.exists():
            raise SourceError(f"there is no {self.whole} in {folder}; without --data the samples are used")
        return path

    def rows(self, folder: Path | None = None) -> list[dict[str, Value]]:
        """The attributes of each row; a line that does not hold a row is refused with its number."""
        path = self.path(folder)
        rows = []
        try:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for number, line in enumerate(lines, start=1):
                    try:
                        rows.append(_attributes(line))
                    except ValueRefusedError as error:
                        raise SourceError(f"{path}, line {number}: {error}") from error
        except (gzip.BadGzipFile, EOFError, UnicodeDecodeError, zlib.error) as error:
            raise SourceError(f"{path} is not a compressed file of JSON lines: {error}") from error
        return rows


def _attributes(line: str) -> dict[str, Value]:
    try:
        content = json.loads(line)
    except ValueError as error:
        raise ValueRefusedError(f"not valid JSON: {error}") from None
    if not isinstance(content, dict) or "attributes" not in content:
        raise ValueRefusedError("a row is a JSON object with its attributes under 'attributes'")
    return attributes_from_object(content["attributes"])


PC_PARTS: Final = DataSet("pc_parts", "pc_parts/products.jsonl.gz")
GH_EVENTS: Final = DataSet("gh_events", "gh_events/events.jsonl.gz")
