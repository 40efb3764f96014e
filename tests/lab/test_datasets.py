"""Real rows: the samples come with the package, and whole sets are read from a folder."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from penstock.errors import SourceError
from penstock.lab.datasets import GH_EVENTS, PC_PARTS, DataSet

SET = DataSet("some", "some/rows.jsonl.gz")


def whole(folder: Path, *lines: str) -> Path:
    path = folder / SET.whole
    path.parent.mkdir()
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


@pytest.mark.parametrize("data, rows, attributes", [(PC_PARTS, 1_500, 78), (GH_EVENTS, 200, 498)])
def test_samples_are_carried(data: DataSet, rows: int, attributes: int) -> None:
    found = data.rows()
    assert len(found) == rows
    assert len({name for row in found for name in row}) == attributes
    assert any(isinstance(value, tuple) for row in found for value in row.values())
    readme = data.path().with_name("README.md").read_text(encoding="utf-8")
    assert f"`{data.path().name}`" in readme
    assert f"| {rows:,} of " in readme


def test_long_texts_and_authors_are_left_out_of_the_sample() -> None:
    names = {name.rpartition(".")[2] for row in GH_EVENTS.rows() for name in row}
    assert not names & {"message", "body", "diff_hunk"}
    assert not any("author.name" in row for row in GH_EVENTS.rows())


def test_a_folder_has_whole_sets(tmp_path: Path) -> None:
    whole(tmp_path, '{"id": 1, "attributes": {"a": 1, "b": ["x", "y"]}}', '{"attributes": {}}')
    assert SET.rows(tmp_path) == [{"a": 1, "b": ("x", "y")}, {}]


def test_a_set_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no some/rows.jsonl.gz in .*; without --data the samples are used"):
        SET.rows(tmp_path)


@pytest.mark.parametrize(
    "line, message",
    [
        ("{", "line 2: not valid JSON"),
        ("[]", "line 2: a row is a JSON object with its attributes under 'attributes'"),
        ('{"id": 5}', "line 2: a row is"),
        ('{"attributes": 5}', "line 2: an event is a JSON object, found a number"),
    ],
)
def test_a_line_that_is_no_row_is_told_with_its_number(tmp_path: Path, line: str, message: str) -> None:
    whole(tmp_path, '{"attributes": {"a": 1}}', line)
    with pytest.raises(SourceError, match=message):
        SET.rows(tmp_path)


def test_a_file_that_is_not_compressed_is_told(tmp_path: Path) -> None:
    path = whole(tmp_path) / SET.whole
    path.write_text('{"attributes": {"a": 1}}')
    with pytest.raises(SourceError, match="is not a compressed file of JSON lines"):
        SET.rows(tmp_path)
