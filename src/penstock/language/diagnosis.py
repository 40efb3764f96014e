"""What is wrong with a text that the grammar refuses, in words: what was found, where, what would be right."""

from __future__ import annotations

import re
from typing import NamedTuple

from lark import Token, UnexpectedInput, UnexpectedToken

from penstock.errors import ConditionError, did_you_mean

OPERATOR_WORDS = ("AND", "OR", "NOT", "IN", "IS", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "ESCAPE")

# Words of other languages, and what they are called here.
_FOREIGN_WORDS = {
    "regexp": "RLIKE",
    "matches": "RLIKE",
    "similar": "RLIKE",
    "glob": "LIKE with % and _",
    "contains": "LIKE '%...%', or array_contains(list, value)",
    "startswith": "LIKE '...%'",
    "endswith": "LIKE '%...'",
    "equals": "=",
    "isnull": "IS NULL",
    "notnull": "IS NOT NULL",
    "div": "/",
    "xor": "!=",
}

_FOREIGN_SIGNS = {
    '"': "double quotes are not used here: write a string in single quotes ('...'), an attribute name in backticks",
    "&": "'&' is not an operator; write AND",
    "|": "'|' is not an operator; write OR",
    "!": "'!' is not an operator; write NOT, or != for unequal",
    "~": "'~' is not an operator; write RLIKE",
    ";": "a condition is one expression without ';'; leave it out",
    "%": "there is no '%' operator; the arithmetic operators are + - * /",
    "^": "there is no '^' operator; the arithmetic operators are + - * /",
    "[": "lists are written in parentheses: IN (1, 2)",
    "$": "there are no parameters; write the value itself",
    "?": "there are no parameters; write the value itself",
    ":": "there are no ':' casts or parameters; write the value itself",
}

_VALUE_STARTS = {"NAME", "NUMBER", "STRING"}


class Place(NamedTuple):
    """Where it went wrong: from which character, how many, what stands there, what stood before."""

    start: int
    width: int
    found: str
    kind: str
    expected: frozenset[str]
    before: str


def diagnose(text: str, error: UnexpectedInput) -> ConditionError:
    """The error to raise for a text that the grammar refused."""
    place = _place(text, error)
    for rule in (_empty, _unclosed_quote, _foreign_sign, _parentheses, _operators, _lists, _words, _ending):
        verdict = rule(text, place)
        if verdict is not None:
            return verdict
    return _error(text, place, f"{place.found!r} cannot stand here; {_wanted(place)}")


def _place(text: str, error: UnexpectedInput) -> Place:
    expected: frozenset[str] = frozenset(getattr(error, "accepts", None) or getattr(error, "expected", None) or ())
    if isinstance(error, UnexpectedToken) and isinstance(error.token, Token) and error.token.type != "$END":
        start = error.token.start_pos or 0
        found, kind = str(error.token), error.token.type
    elif isinstance(error, UnexpectedToken):
        start, found, kind = len(text.rstrip()), "", "$END"
    else:
        start = error.pos_in_stream or 0
        found, kind = text[start : start + 1], "?"
    return Place(start, max(1, len(found)), found, kind, expected, text[:start].rstrip())


def _error(text: str, place: Place, message: str, start: int | None = None, width: int | None = None) -> ConditionError:
    at = place.start if start is None else start
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return ConditionError(message, text=text, line=line, column=column, width=place.width if width is None else width)


def _empty(text: str, place: Place) -> ConditionError | None:
    if text.strip():
        return None
    return _error(text, place, "the condition is empty; write one such as price < 100", 0)


def _unclosed_quote(text: str, place: Place) -> ConditionError | None:
    if place.found == "'":
        return _error(text, place, "the string that begins here is never closed; a quote within a string is written ''")
    if place.found == "`":
        closed = text.startswith("``", place.start)
        problem = "this attribute name is empty" if closed else "the attribute name that begins here is never closed"
        return _error(text, place, problem + "; a backtick within a name is written ``")
    return None


def _foreign_sign(text: str, place: Place) -> ConditionError | None:
    if place.found == "=" and text[place.start - 1 : place.start] == "=":
        return _error(text, place, "'==' is not an operator; write =", place.start - 1, 2)
    if place.kind == "COMPARISON" and re.search(r"[<>!]\s+$", text[: place.start]) and place.found in "=>":
        return _error(text, place, "an operator of two characters is written without a space: <=, >=, <>, !=")
    if place.kind == "DOT":
        name = re.search(r"(\w+)$", place.before)
        rest = re.match(r"\s*\.\s*(\w+)", text[place.start :])
        if name and rest:
            shown = f"`{name[1]}.{rest[1]}`"
            return _error(text, place, f"an attribute name with a dot is written in backticks: {shown}", name.start(1))
    hint = _FOREIGN_SIGNS.get(place.found[:1])
    return None if hint is None else _error(text, place, hint)


def _parentheses(text: str, place: Place) -> ConditionError | None:
    opened = _open_parentheses(text[: place.start])
    if place.kind == "RPAR" and not opened:
        return _error(text, place, "this ) closes nothing; leave it out or open a ( before")
    if place.kind == "$END" and opened and "RPAR" in place.expected:
        return _error(text, place, "the ( here is never closed; add a )", opened[-1], 1)
    if place.kind == "RPAR" and place.before.endswith("("):
        return _error(text, place, "there is nothing between ( and ); write a value or a list of values")
    return None


def _open_parentheses(text: str) -> list[int]:
    opened: list[int] = []
    for token in re.finditer(r"'(?:[^']|'')*'|`(?:[^`]|``)*`|[()]", text):
        if token[0] == "(":
            opened.append(token.start())
        elif token[0] == ")" and opened:
            opened.pop()
    return opened


def _operators(text: str, place: Place) -> ConditionError | None:
    complete = "_AND" in place.expected and "NAME" not in place.expected and "COMPARISON" not in place.expected
    if place.kind == "COMPARISON" and complete:
        return _error(text, place, "comparisons cannot be chained; write a < b AND b < c")
    if place.kind == "_IS" and complete:
        return _error(text, place, "put the comparison in parentheses before IS NULL: (a < b) IS NULL")
    if place.kind == "COMPARISON" and "NAME" in place.expected:
        return _error(text, place, f"a value is needed before {place.found}")
    if (
        re.search(r"\bbetween\b[^()]*$", place.before, re.IGNORECASE)
        and "_AND" in place.expected
        and "_OR" not in place.expected
    ):
        return _error(text, place, "BETWEEN needs two values: BETWEEN low AND high")
    if "NULL" in place.expected and "NAME" not in place.expected:
        return _error(
            text, place, f"IS takes NULL or NOT NULL{_found(place)}; to ask for TRUE write the attribute alone"
        )
    return None


def _lists(text: str, place: Place) -> ConditionError | None:
    if (
        re.search(r"\bin\s*$", place.before, re.IGNORECASE)
        and "LPAR" in place.expected
        and "NAME" not in place.expected
    ):
        return _error(text, place, f"IN needs a list in parentheses: IN (1, 2){_found(place)}")
    if place.kind == "COMMA":
        return _error(text, place, "a comma stands only between the values of IN (...) or of a function")
    return None


def _words(text: str, place: Place) -> ConditionError | None:
    if place.kind == "$END" or "NAME" in place.expected:
        return None
    first = re.match(r"\s*(where|select|having|on)\b", text, re.IGNORECASE)
    if first and place.before.strip().lower() == first[1].lower():
        return _error(
            text, place, f"write the condition alone, without {first[1].upper()}", first.start(1), len(first[1])
        )
    if re.search(r"\bnot$", place.before, re.IGNORECASE):
        right = "write IS NOT NULL" if place.kind == "NULL" else "NOT behind a value needs IN, BETWEEN, LIKE or RLIKE"
        return _error(text, place, f"{place.found} cannot stand here; {right}")
    if place.kind == "NAME" and text[place.start - 1] == "'":
        return _error(text, place, "the string has ended before this; a quote within a string is written ''")
    if "--" in place.before:
        return _error(text, place, "there are no comments in a condition", text.index("--"), 2)
    if place.kind in ("NAME", "FUNCTION"):
        foreign = _FOREIGN_WORDS.get(place.found.lower())
        if foreign:
            return _error(text, place, f"{place.found!r} is not an operator; write {foreign}")
        hint = did_you_mean(place.found, OPERATOR_WORDS)
        if hint:
            return _error(text, place, f"{place.found!r} is not an operator{hint}")
    if place.kind in _VALUE_STARTS | {"FUNCTION", "QUOTED_NAME", "LPAR"}:
        return _error(text, place, f"an operator such as =, <, IN or AND is needed before {place.found}")
    return None


def _ending(text: str, place: Place) -> ConditionError | None:
    if place.kind == "$END":
        return _error(text, place, f"the condition ends too early; {_wanted(place)}")
    return None


def _found(place: Place) -> str:
    return f", found {place.found}" if place.found else ""


def _wanted(place: Place) -> str:
    if "NAME" in place.expected:
        return "an attribute or a value is needed here"
    if "LPAR" in place.expected:
        return "a ( is needed here"
    return "an operator such as =, <, IN or AND is needed here"
