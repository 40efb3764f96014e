"""The other libraries: what each needs, how it is built here, and how it is run.

Sources are copied to ``build/peers`` and built there; the libraries come by Maven and by Go, as for any other user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SOURCES = Path(__file__).parent
_BUILT = Path(__file__).parents[2] / "build" / "peers"


class UnavailableError(Exception):
    """A peer cannot be had on this machine."""


@dataclass(frozen=True)
class Peer:
    """A library beside ours. ``{rules}`` and ``{events}`` in its command become paths, ``{heap}`` a size."""

    folder: str
    tools: tuple[str, ...]
    build: tuple[str, ...]
    command: tuple[str, ...]
    knows_ranges: bool = True
    """Whether it can ask for a number at most or at least so large."""


def _event_ruler(finder: str) -> Peer:
    classes = os.pathsep.join(["target/classes", "target/dependency/*"])
    return Peer(
        "event_ruler",
        ("java", "mvn"),
        ("mvn", "--batch-mode", "--quiet", "compile", "dependency:copy-dependencies"),
        ("java", "-Xmx{heap}", "-cp", classes, "Main", "{rules}", "{events}", finder),
    )


PEERS = {
    "event-ruler": _event_ruler("structured"),
    "event-ruler-ac": _event_ruler("ac"),
    "event-ruler-plain": _event_ruler("plain"),
    # Written from quamina's documentation and so far tried only with a stand-in for it, because the module could not be
    # fetched where this was written. Nor is there a go.sum, for the same reason; Go writes one where it builds.
    "quamina": Peer(
        "quamina",
        ("go",),
        ("go", "build", "-mod=mod", "-o", "quamina", "."),
        ("./quamina", "{rules}", "{events}"),
        knows_ranges=False,
    ),
}


def build(peer: Peer) -> Path:
    """Build a peer; the folder in which it runs."""
    for tool in peer.tools:
        if shutil.which(tool) is None:
            raise UnavailableError(f"{tool} is not installed")
    folder = _BUILT / peer.folder
    shutil.copytree(_SOURCES / peer.folder, folder, dirs_exist_ok=True)
    done = subprocess.run(peer.build, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr + done.stdout).strip() or f"code {done.returncode}"
        raise UnavailableError(f"it could not be fetched or built\n    {said.replace(chr(10), chr(10) + '    ')}")
    return folder
