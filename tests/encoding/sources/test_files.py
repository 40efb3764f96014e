"""Which files a path stands for, and what all formats share."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from penstock.encoding.batch import Reject
from penstock.encoding.sources import describe, find_sources, read_events
from penstock.errors import SourceError
from tests.encoding.sources.reading import read, write_json, write_text


def test_a_directory_stands_for_its_files_in_order(tmp_path: Path) -> None:
    write_json(tmp_path / "b.jsonl", {"a": 2})
    write_text(tmp_path / "a.csv", "a", "1")
    pq.write_table(pa.table({"a": [3]}), tmp_path / "c.parquet")
    for ignored in ("_SUCCESS", ".c.parquet", "notes.md", "conditions.txt"):
        (tmp_path / ignored).write_text("oops")
    (tmp_path / "d.jsonl").mkdir()
    assert read(tmp_path) == ([(0, {"a": 1}), (1, {"a": 2}), (2, {"a": 3})], [])


def test_a_directory_without_such_files(tmp_path: Path) -> None:
    (tmp_path / "notes.md").touch()
    with pytest.raises(SourceError, match=r"holds no file ending in \.jsonl\[\.gz\], .*\.parquet, .* not searched"):
        find_sources([tmp_path])


def test_a_path_that_leads_nowhere_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"there is no file '.*missing.jsonl'"):
        read_events([write_json(tmp_path / "e.jsonl", {}), tmp_path / "missing.jsonl"])


@pytest.mark.parametrize("name", ["events", "events.xlsx", "events.gz", "events.parquet.gz", "events.txt"])
def test_a_name_that_tells_no_format(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(SourceError, match=r"the format of '.*' is not known; its name should end in \.jsonl"):
        read_events(tmp_path / name)


def test_by_default_the_first_bad_input_is_an_error(tmp_path: Path) -> None:
    path = write_text(tmp_path / "e.jsonl", '{"a": 1}', "oops")
    with pytest.raises(SourceError, match=r"e\.jsonl:2: not valid JSON"):
        list(read_events(path))
    bad = tmp_path / "e.parquet"
    bad.write_text("oops")
    with pytest.raises(SourceError, match=r"^[^:]*e\.parquet: it is not a Parquet file"):
        list(read_events(bad))


def test_progress_comes_to_the_size_of_all_files(tmp_path: Path) -> None:
    write_json(tmp_path / "a.jsonl", *({"a": row} for row in range(100)))
    write_text(tmp_path / "b.csv", "a", *map(str, range(100)))
    write_json(tmp_path / "c.jsonl.gz", *({"a": row} for row in range(100)))
    pq.write_table(pa.table({"a": list(range(100))}), tmp_path / "d.parquet")
    done: list[int] = []
    for _ in read_events(tmp_path, on_progress=done.append, batch_size=10):
        pass
    assert done == sorted(done)
    assert len(done) > 20
    assert done[-1] == sum(source.size for source in find_sources([tmp_path]))


def test_a_reject_is_described_by_its_place() -> None:
    assert describe(Reject(3, "oops", "a.csv.gz")) == "a.csv.gz:3: oops"
    assert describe(Reject(3, "oops", "a.arrow")) == "a.arrow, row 3: oops"
    assert describe(Reject(None, "oops", "a.arrow")) == "a.arrow: oops"
    assert describe(Reject(3, "oops", "standard input")) == "standard input:3: oops"
    assert describe(Reject(3, "oops")) == "row 3: oops"
    assert describe(Reject(None, "oops")) == "the input: oops"
