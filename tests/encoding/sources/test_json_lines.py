"""Events from JSON lines."""

from __future__ import annotations

import gzip
import io
import json
import random
from pathlib import Path

import pytest

from penstock.encoding.sources import read_events
from tests.encoding.sources.reading import read, write_json, write_text


def test_each_line_is_an_event_and_its_number_its_id(tmp_path: Path) -> None:
    path = write_json(tmp_path / "events.jsonl", {"price": 99, "symbol": "IBM"}, {"price": 1.5, "sold": True})
    assert read(path) == ([(0, {"price": 99, "symbol": "IBM"}), (1, {"price": 1.5, "sold": True})], [])


@pytest.mark.parametrize("name", ["e.jsonl", "e.ndjson", "e.json", "e.jsonl.gz", "e.JSONL.GZ", "e.json.gz"])
def test_suffixes(tmp_path: Path, name: str) -> None:
    path = write_json(tmp_path / name.lower(), {"a": 1})
    path = path.rename(tmp_path / name)
    assert read(path) == ([(0, {"a": 1})], [])


def test_integers_are_exact_objects_become_dotted_names_and_null_is_absent(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "events.jsonl",
        {"n": 2**63 - 1, "m": 2**53 + 1, "a": {"b": {"c": "x"}, "d": None}, "tags": ["x", 1, None], "none": None},
    )
    assert read(path) == ([(0, {"n": 2**63 - 1, "m": 2**53 + 1, "a.b.c": "x", "tags": ("x", 1, None)})], [])


def test_a_key_called_event_id_holds_the_ids(tmp_path: Path) -> None:
    path = write_json(tmp_path / "events.jsonl", {"event_id": "e1", "a": 1}, {"a": 2}, {"event_id": "e1", "a": 3})
    events, rejects = read(path)
    assert events == [("e1", {"a": 1}), ("e1", {"a": 3})]
    assert rejects == ["events.jsonl:2: there is no key 'event_id'; found a"]


def test_a_later_event_id_is_an_attribute_when_the_first_event_has_none(tmp_path: Path) -> None:
    path = write_json(tmp_path / "events.jsonl", {"a": 1}, {"event_id": "e2"})
    assert read(path) == ([(0, {"a": 1}), (1, {"event_id": "e2"})], [])


def test_the_named_keys_hold_ids_and_attributes(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "events.jsonl.gz",
        {"id": "e1", "attributes": {"id": 7, "a": 1}, "lat": 60.1},
        {"id": 2, "attributes": {}},
        {"id": "e3"},
        {"id": "e4", "attributes": [1]},
        {"ID": "e5", "attributes": {}},
    )
    events, rejects = read(path, event_id="id", attributes="attributes")
    assert events == [(2, {}), ("e1", {"id": 7, "a": 1})]  # a batch has ids of one type
    assert rejects == [
        "events.jsonl.gz:3: there is no key 'attributes'; found id",
        "events.jsonl.gz:4: the key 'attributes' should hold a JSON object, found [1]",
        "events.jsonl.gz:5: there is no key 'id'; did you mean ID? Found ID, attributes",
    ]


BAD_LINES = [
    ('{"a": 1', "not valid JSON: Expecting ',' delimiter: line 1 column 8 (char 7)"),
    ("a", "not valid JSON: Expecting value: line 1 column 1 (char 0)"),
    ("[1, 2]", "a line should hold a JSON object, found [1, 2]"),
    ("null", "a line should hold a JSON object, found null"),
    (f'"{"é" * 80}"', f'a line should hold a JSON object, found "{"é" * 56}...'),
    (
        '{"id": 1, "a": 9223372036854775808}',
        "attribute 'a': the integer 9223372036854775808 does not fit 64 bits; give it as a double or a string",
    ),
    ('{"id": 1, "a": [[1]]}', "attribute 'a': a list within a list cannot be compared; flatten it"),
    (
        '{"id": 1, "a": "\\ud800"}',
        "attribute 'a': the string is not valid Unicode (it holds half of a surrogate pair)",
    ),
    ('{"id": "\\ud800"}', "the string is not valid Unicode (it holds half of a surrogate pair)"),
    ('{"id": null}', "the id 'id' is null; every row needs one"),
    ('{"id": 1.5}', "the id 'id' should be a string or an integer, found 1.5"),
    ('{"id": true}', "the id 'id' should be a string or an integer, found true"),
    ('{"id": {"x": 1}}', "the id 'id' should be a string or an integer, found {\"x\": 1}"),
    (
        '{"id": 9223372036854775808}',
        "the integer 9223372036854775808 does not fit 64 bits; give it as a double or a string",
    ),
    ('{"id": 1, "x":' + '{"x":' * 50_000 + "1" + "}" * 50_001, "not readable JSON: it is nested too deeply"),
]


@pytest.mark.parametrize("line, reason", BAD_LINES)
def test_a_bad_line_is_set_aside_and_the_rest_is_read(tmp_path: Path, line: str, reason: str) -> None:
    path = write_text(tmp_path / "events.jsonl", '{"id": 1, "a": 1}', "", line, '{"id": 3, "a": 3}')
    events, rejects = read(path, event_id="id")
    assert events == [(1, {"a": 1}), (3, {"a": 3})]
    assert rejects == [f"events.jsonl:3: {reason}"]


def test_a_line_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": "caf\xe9"}\n{"a": "caf\xc3\xa9"}\n')
    assert read(path) == ([(0, {"a": 1}), (2, {"a": "café"})], ["events.jsonl:2: not UTF-8: byte 0xe9 at position 11"])


def test_a_byte_order_mark_and_carriage_returns_are_no_part_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": 2}')
    assert read(path) == ([(0, {"a": 1}), (1, {"a": 2})], [])


def test_the_numbers_of_events_go_on_from_file_to_file_and_count_what_was_set_aside(tmp_path: Path) -> None:
    first = write_text(tmp_path / "1.jsonl", '{"a": 1}', "oops", '{"a": 3}')
    second = write_json(tmp_path / "2.jsonl", {"a": 4})
    events, rejects = read([first, second])
    assert events == [(0, {"a": 1}), (2, {"a": 3}), (3, {"a": 4})]
    assert len(rejects) == 1


@pytest.mark.parametrize("text", ["[\n{}\n]\n", "{\n}\n", "[{\n}]\n"])
def test_a_document_over_many_lines_is_refused_once(tmp_path: Path, text: str) -> None:
    (tmp_path / "events.json").write_text(text)
    assert read(tmp_path / "events.json") == (
        [],
        ["events.json: it is one JSON document over many lines, but should be JSON lines: one object on each line"],
    )


def test_an_empty_file_has_no_events(tmp_path: Path) -> None:
    assert read(write_text(tmp_path / "events.jsonl")) == ([], [])


def test_what_comes_before_the_cut_of_a_truncated_gzip_is_read(tmp_path: Path) -> None:
    digits = random.Random(1)
    lines = [json.dumps({"a": digits.getrandbits(60)}) for _ in range(1000)]
    whole = gzip.compress("\n".join(lines).encode())
    (tmp_path / "events.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    events, rejects = read([tmp_path / "events.jsonl.gz", write_json(tmp_path / "next.jsonl", {"a": 1})])
    before = len(events) - 1
    assert 300 < before < 700
    assert [event for _, event in events] == [*map(json.loads, lines[:before]), {"a": 1}]
    assert rejects == [
        (
            f"events.jsonl.gz:{before + 1}: reading stopped here: Compressed file ended before the end-of-stream "
            "marker was reached; the lines before it are kept"
        )
    ]


def test_a_file_that_is_no_gzip(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl.gz").write_text('{"a": 1}\n')
    assert read(tmp_path / "events.jsonl.gz") == (
        [],
        ["events.jsonl.gz: it cannot be read: Not a gzipped file (b'{\"')"],
    )


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\noops\n')))
    events, rejects = read("-")
    assert events == [(0, {"a": 1})]
    assert rejects == ["standard input:2: not valid JSON: Expecting value: line 1 column 1 (char 0)"]


def test_batches_are_bounded(tmp_path: Path) -> None:
    path = write_json(tmp_path / "events.jsonl", *({"a": number} for number in range(10)))
    assert [len(batch) for batch in read_events(path, batch_size=4)] == [4, 4, 2]
