"""What the exit codes of the command line mean, in this one place."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    FINE = 0
    SET_ASIDE = 1
    FAILED = 2
    INTERRUPTED = 130


MEANINGS = {
    ExitCode.FINE: "all is well (also when whoever reads the output has had enough, as in `| head`)",
    ExitCode.SET_ASIDE: "done, but some input was set aside (match), or problems were found (check)",
    ExitCode.FAILED: "wrong usage, or nothing could be done",
    ExitCode.INTERRUPTED: "stopped by Ctrl-C",
}
