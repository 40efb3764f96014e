"""The workload as the peers read it: rules and events as JSON, one in each line. A rule's key is its line's number."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from penstock.lab.boolean_workloads import OPERATORS, Conjunctions, SparseEvents, event_dictionaries

_TESTS = {"=": "[{}]", "<=": '[{{"numeric":["<=",{}]}}]', ">=": '[{{"numeric":[">=",{}]}}]'}


def json_rules(made: Conjunctions) -> list[str]:
    """The conjunctions in the language that event-ruler and quamina share; quamina knows only the equalities."""
    highest = int(made.values.max(initial=0))
    tests = [[_TESTS[operator].format(value) for value in range(highest + 1)] for operator in OPERATORS]
    columns = (made.attributes.tolist(), made.operators.tolist(), made.values.tolist())
    fields = [f'"a{attribute}":{tests[operator][value]}' for attribute, operator, value in zip(*columns, strict=True)]
    return ["{" + ",".join(fields[begin:end]) + "}" for begin, end in pairwise(made.offsets.tolist())]


def json_events(events: SparseEvents) -> list[str]:
    return [json.dumps(event, separators=(",", ":")) for event in event_dictionaries(events)]


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
