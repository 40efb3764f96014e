"""The running example of the OpIndex paper: table 1 and the event of example 5."""

from __future__ import annotations

from penstock.language.parser import parse

TABLE_1 = {
    1: parse("A = 2 AND B IN (3, 6, 9)"),
    2: parse("A <= 8 AND C >= 2"),
    3: parse("C = 6 AND B <= 4 AND E BETWEEN 3 AND 12"),
    4: parse("A = 2"),
    5: parse("D >= 12 AND E <= 9"),
    6: parse("B IN (3, 6) AND C <= 4 AND D >= 10 AND E <= 7"),
}

EXAMPLE_5 = {"B": 6, "C": 3, "E": 9}
