"""Saving subscriptions to a directory and reading them back.

The directory holds one data file, named by its content, and ``manifest.json``, which names it. The manifest is
replaced last and at once, so that a reader finds either the old state or the new one, whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from penstock.errors import SnapshotError

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"


def write_snapshot(path: Path, subscriptions: pa.Table, index: str) -> None:
    """Write subscriptions (subscription_id, condition, subscriber) as a snapshot."""
    path.mkdir(parents=True, exist_ok=True)
    sink = pa.BufferOutputStream()
    pq.write_table(subscriptions, sink, compression="zstd")
    content = sink.getvalue().to_pybytes()
    digest = hashlib.sha256(content).hexdigest()
    name = f"subscriptions-{digest[:16]}.parquet"
    _write_durably(path / name, content)
    manifest = {
        "format": FORMAT,
        "index": index,
        "subscriptions": subscriptions.num_rows,
        "file": name,
        "sha256": digest,
    }
    _write_durably(path / MANIFEST, json.dumps(manifest, indent=2).encode())
    for other in path.glob("subscriptions-*.parquet"):
        if other.name != name:
            other.unlink()


def read_snapshot(path: Path) -> tuple[pa.Table, str]:
    """The subscriptions of a snapshot, and the index that they were in."""
    manifest = _read_manifest(path)
    file = path / str(manifest["file"])
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SnapshotError(f"{file}: the manifest names this file, but it cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != manifest["sha256"]:
        raise SnapshotError(
            f"{file}: the content is not what was saved (its checksum differs); restore it or save again"
        )
    table = pq.read_table(pa.BufferReader(content))
    if table.num_rows != manifest["subscriptions"]:
        raise SnapshotError(f"{file}: {table.num_rows} subscriptions, the manifest says {manifest['subscriptions']}")
    return table, str(manifest["index"])


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
    if manifest["format"] != FORMAT:
        raise SnapshotError(f"{file}: format {manifest['format']} is not one that this version reads ({FORMAT})")
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
