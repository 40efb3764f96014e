"""Saving subscriptions to a directory and reading them back.

The directory holds a data file of subscriptions, and one of the contexts of subscribers if there are any, each named by
its content, and ``manifest.json``, which names them. The manifest is replaced last and at once, so that a reader finds
either the old state or the new one, whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from penstock.errors import SnapshotError
from penstock.language.parser import parse
from penstock.language.rendering import expression_to_text
from penstock.model.expressions import Literal
from penstock.model.values import Identifier, Value

Contexts: TypeAlias = Mapping[Identifier, Mapping[str, Value]]

FORMAT: Final = 2
READABLE: Final = (1, 2)
"""Format 1 had no contexts and is otherwise the same."""
MANIFEST: Final = "manifest.json"


def write_snapshot(path: Path, subscriptions: pa.Table, index: str, contexts: Contexts) -> None:
    """Write subscriptions (subscription_id, condition, subscriber) and the contexts of subscribers as a snapshot."""
    path.mkdir(parents=True, exist_ok=True)
    name, digest = _write_table(path, "subscriptions", subscriptions)
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "index": index,
        "subscriptions": subscriptions.num_rows,
        "file": name,
        "sha256": digest,
    }
    kept = {name}
    if contexts:
        table = _context_table(contexts)
        context_name, context_digest = _write_table(path, "contexts", table)
        manifest["contexts"] = {"values": table.num_rows, "file": context_name, "sha256": context_digest}
        kept.add(context_name)
    _write_durably(path / MANIFEST, json.dumps(manifest, indent=2).encode())
    for other in (*path.glob("subscriptions-*.parquet"), *path.glob("contexts-*.parquet")):
        if other.name not in kept:
            other.unlink()


def read_snapshot(path: Path) -> tuple[pa.Table, str, Contexts]:
    """The subscriptions of a snapshot, the index that they were in, and the contexts of subscribers."""
    manifest = _read_manifest(path)
    table = _read_table(path, manifest, "subscriptions")
    contexts: dict[Identifier, dict[str, Value]] = {}
    if "contexts" in manifest:
        columns = _read_table(path, manifest["contexts"], "values").to_pydict()
        for name, attribute, value in zip(columns["context"], columns["attribute"], columns["value"], strict=True):
            contexts.setdefault(json.loads(name), {})[attribute] = _value_of(value)
    return table, str(manifest["index"]), contexts


def _write_table(path: Path, what: str, table: pa.Table) -> tuple[str, str]:
    """Write a table into a file that is named by its content; the name and the checksum."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    content = sink.getvalue().to_pybytes()
    digest = hashlib.sha256(content).hexdigest()
    name = f"{what}-{digest[:16]}.parquet"
    _write_durably(path / name, content)
    return name, digest


def _read_table(path: Path, described: Mapping[str, Any], what: str) -> pa.Table:
    """A table that a manifest describes, checked against its checksum and its number of rows."""
    file = path / str(described["file"])
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SnapshotError(f"{file}: the manifest names this file, but it cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != described["sha256"]:
        raise SnapshotError(
            f"{file}: the content is not what was saved (its checksum differs); restore it or save again"
        )
    table = pq.read_table(pa.BufferReader(content))
    if table.num_rows != described[what]:
        raise SnapshotError(f"{file}: {table.num_rows} {what}, the manifest says {described[what]}")
    return table


def _context_table(contexts: Contexts) -> pa.Table:
    """Contexts as rows of text: ids as JSON, values as the language writes them."""
    rows = [
        (json.dumps(context), name, _text_of(value))
        for context, values in contexts.items()
        for name, value in values.items()
    ]
    names = ("context", "attribute", "value")
    return pa.table({name: pa.array([row[place] for row in rows], pa.string()) for place, name in enumerate(names)})


def _text_of(value: Value) -> str:
    if isinstance(value, tuple):
        return json.dumps([_text_of(item) for item in value])
    return expression_to_text(Literal(value))


def _value_of(text: str) -> Value:
    if text.startswith("["):
        return tuple(_value_of(item) for item in json.loads(text))  # type: ignore[misc]
    condition = parse(f"value IS NULL OR value = {text}")
    return condition.children[1].right.value  # type: ignore[union-attr]


def _read_manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SnapshotError(f"{path}: there is no {MANIFEST} here, so this is no saved matcher") from None
    except (ValueError, OSError) as error:
        raise SnapshotError(f"{file}: not readable as JSON: {error}") from None
    wanted = {"format", "index", "subscriptions", "file", "sha256"}
    if not isinstance(manifest, dict) or not wanted <= manifest.keys():
        raise SnapshotError(f"{file}: a manifest has the keys {', '.join(sorted(wanted))}")
    if manifest["format"] not in READABLE:
        known = " and ".join(map(str, READABLE))
        raise SnapshotError(f"{file}: format {manifest['format']} is not one that this version reads ({known})")
    return manifest


def _write_durably(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, also after a crash."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
