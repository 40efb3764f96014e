"""Text to conditions.

The grammar is in ``grammar.lark``. A text whose shape is new goes through the grammar and yields a *template*: a
function from literals to a tree. A text whose shape is known is only split, and the template makes its tree; when a
literal is refused there, the text goes through the grammar again, to say where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from lark import Lark, UnexpectedInput
from lark.exceptions import VisitError

from penstock.errors import ConditionError
from penstock.language.diagnosis import diagnose
from penstock.language.shapes import Literals, Shape, literal_places, take_apart
from penstock.language.templates import TemplateBuilder
from penstock.model.conditions import Condition

Template: TypeAlias = Callable[[Literals], Condition]

MAX_TEMPLATES = 10_000

_templates: dict[Shape, Template] = {}


def parse(text: str) -> Condition:
    """Read a condition as SQL writes it behind WHERE.

    >>> parse("price < 0.8 * list_price AND color IN ('red', 'blue')")  # doctest: +ELLIPSIS
    And(children=(Comparison(operator='<', left=Attribute(name='price'), ...

    Raises :class:`~penstock.ConditionError` with ``line`` and ``column`` when the text is not a condition.
    """
    shape, literals = take_apart(text)
    template = _templates.get(shape) or _learn(text, shape)
    try:
        return template(literals)
    except ConditionError:
        return _template_of(text)(literals)  # raises again, with the place


def parse_many(texts: Iterable[str]) -> Iterator[Condition | ConditionError]:
    """Read many conditions; in the place of one that is wrong stands its error.

    >>> [type(result).__name__ for result in parse_many(["a < 5", "a <"])]
    ['Comparison', 'ConditionError']
    """
    for text in texts:
        try:
            yield parse(text)
        except ConditionError as error:
            yield error


def _learn(text: str, shape: Shape) -> Template:
    template = _template_of(text)
    if len(_templates) >= MAX_TEMPLATES:
        _templates.pop(next(iter(_templates)), None)
    _templates[shape] = template
    return template


def _template_of(text: str) -> Template:
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise diagnose(text, error) from None
    try:
        return TemplateBuilder(text, literal_places(text)).template(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, ConditionError):
            raise error.orig_exc from None
        raise


@cache
def _grammar() -> Lark:
    grammar = files("penstock.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", maybe_placeholders=True)
