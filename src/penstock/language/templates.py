"""Parse trees to templates: functions that make the condition of any text with the same shape from its literals.

Each rule of the grammar yields a :class:`Part`: what it makes from the literals, and a sample made from the literals
of the text at hand, on which the rules of ``build.py`` are checked once for all texts of the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn, TypeAlias

from lark import Token, Transformer_NonRecursive, Tree, v_args

from penstock.errors import ConditionError
from penstock.language import build
from penstock.language.build import MAX_DEPTH, Node
from penstock.language.literals import checked_integer, parse_number, parse_special_double, parse_timestamp
from penstock.language.shapes import Literals, unquote
from penstock.model.conditions import (
    And,
    ArrayContains,
    Between,
    Comparison,
    Condition,
    In,
    IsNull,
    Like,
    Matches,
    Not,
    Or,
)
from penstock.model.expressions import (
    Arithmetic,
    Attribute,
    Call,
    Cast,
    ContextAttribute,
    Expression,
    Literal,
    Negation,
    static_kind,
)
from penstock.model.patterns import LikePattern, compile_regex
from penstock.model.values import Kind

SHORT_INTEGER: Final = 19
"""Integers with fewer digits fit 64 bits."""

Make: TypeAlias = Callable[[Literals], Any]


@dataclass(frozen=True, slots=True)
class Part:
    """What one rule of the grammar yields."""

    make: Make
    sample: Node
    start: int
    end: int
    depth: int = 1
    literal: int | None = None
    """The number of the literal that this is, when it is nothing but one and stands in no parentheses."""
    fixed: bool = False
    """Whether no literal is within, so that one node serves all texts."""


@v_args(inline=True)
class TemplateBuilder(Transformer_NonRecursive[Token, Part]):
    """Turns the parse tree of one text into the template of its shape."""

    def __init__(self, text: str, places: dict[int, int]) -> None:
        super().__init__()
        self._text = text
        self._places = places
        self._literals: Literals = []

    def template(self, tree: Tree[Token]) -> Callable[[Literals], Condition]:
        part = self._condition(self.transform(tree))
        make: Callable[[Literals], Condition] = part.make
        return make

    # Literals and names

    def number(self, token: Token) -> Part:
        number = self._number(token)
        # An integer is unchecked until it is used: 9223372036854775808 is right behind a minus.
        return self._literal_part(token, lambda literals: Literal(parse_number(literals[number])))

    def string(self, token: Token) -> Part:
        number = self._number(token)
        return self._literal_part(token, lambda literals: Literal(unquote(literals[number])))

    def timestamp(self, word: Token, token: Token) -> Part:
        number = self._number(token)
        part = self._literal_part(token, lambda literals: Literal(parse_timestamp(unquote(literals[number]))))
        return replace(part, start=_start(word), literal=None)

    def special_double(self, word: Token, token: Token) -> Part:
        number = self._number(token)
        part = self._literal_part(token, lambda literals: Literal(parse_special_double(unquote(literals[number]))))
        return replace(part, start=_start(word), literal=None)

    def true(self, token: Token) -> Part:
        return _fixed(Literal(True), token)

    def false(self, token: Token) -> Part:
        return _fixed(Literal(False), token)

    def null(self, token: Token) -> Part:
        return _fixed(Literal(None), token)

    def attribute(self, token: Token) -> Part:
        return _fixed(Attribute(str(token)), token)

    def quoted_attribute(self, token: Token) -> Part:
        return _fixed(Attribute(_unquoted_name(token)), token)

    def context_attribute(self, token: Token) -> Part:
        name = _unquoted_name(token) if token.type == "QUOTED_NAME" else str(token)
        return _fixed(ContextAttribute(name), token)

    def parenthesis(self, part: Part) -> Part:
        return replace(self._checked(part), literal=None)

    # Values

    def plus(self, _sign: Token, part: Part) -> Part:
        part = self._value(part)
        self._guard(part, build.check_number, part.sample, "+")
        return part

    def minus(self, sign: Token, part: Part) -> Part:
        if part.literal is not None and static_kind(build.as_expression(part.sample)) is Kind.NUMBER:
            number = part.literal

            def negative(literals: Literals) -> Literal:
                value = -parse_number(literals[number])
                return Literal(_checked_number(value))

            return self._part(negative, [part], start=_start(sign))
        part = self._value(part)
        self._guard(part, build.check_number, part.sample, "-")
        return self._part(lambda literals: Negation(part.make(literals)), [part], start=_start(sign))

    def arithmetic(self, left: Part, token: Token, right: Part) -> Part:
        left, right = self._value(left), self._value(right)
        operator: Any = str(token)
        for part in (left, right):
            self._guard(part, build.check_number, part.sample, operator)
        return self._part(
            lambda literals: Arithmetic(operator, left.make(literals), right.make(literals)), [left, right]
        )

    def cast(self, word: Token, operand: Part, name: Token) -> Part:
        operand = self._value(operand)
        self._guard(operand, build.check_number, operand.sample, "CAST")
        span = Part(_nothing, Literal(None), _start(name), _end(name))
        kind = self._guard(span, build.cast_type, str(name))
        return self._part(lambda literals: Cast(operand.make(literals), kind), [operand], start=_start(word))

    def call(self, token: Token, *parts: Part) -> Part:
        arguments = [self._value(part) for part in parts]
        samples = [part.sample for part in arguments]
        name: Any = str(token).lower()
        span = Part(_nothing, Literal(None), _start(token), _end(token))
        make: Make
        if name == "array_contains":
            self._guard(span, build.check_array_contains, samples)
            values, item = arguments

            def make(literals: Literals) -> Condition:
                return ArrayContains(values.make(literals), item.make(literals))
        else:
            self._guard(span, build.check_call, name, samples)

            def make(literals: Literals) -> Expression:
                return Call(name, tuple(part.make(literals) for part in arguments))

        return self._part(make, arguments, start=_start(token))

    # Predicates

    def comparison(self, left: Part, token: Token, right: Part) -> Part:
        left, right = self._value(left), self._value(right)
        operator: Any = "!=" if token == "<>" else str(token)
        span = replace(left, end=right.end)
        self._guard(span, build.check_comparable, [left.sample, right.sample], f" by {operator}")
        left_make, right_make = left.make, right.make
        if left.fixed:
            fixed: Any = left.sample
            return self._part(lambda literals: Comparison(operator, fixed, right_make(literals)), [left, right])
        return self._part(
            lambda literals: Comparison(operator, left_make(literals), right_make(literals)), [left, right]
        )

    def between(self, operand: Part, negated: Token | None, low: Part, high: Part) -> Part:
        parts = operand, low, high = [self._value(part) for part in (operand, low, high)]
        span = replace(operand, end=high.end)
        self._guard(span, build.check_comparable, [part.sample for part in parts], " by BETWEEN")
        make = _negating(
            negated, lambda literals: Between(operand.make(literals), low.make(literals), high.make(literals))
        )
        return self._part(make, parts)

    def is_in(self, operand: Part, negated: Token | None, *items: Part) -> Part:
        operand = self._value(operand)
        values = [self._value(item) for item in items]
        samples = [part.sample for part in (operand, *values)]
        self._guard(replace(operand, end=values[-1].end), build.check_comparable, samples, " by IN")
        makes = [item.make for item in values]
        make = _negating(negated, lambda literals: In(operand.make(literals), tuple(make(literals) for make in makes)))
        return self._part(make, [operand, *values])

    def like(self, operand: Part, negated: Token | None, word: Token, pattern: Part, escape: Part | None) -> Part:
        operand = self._value(operand)
        ignore_case = word.upper() == "ILIKE"
        self._guard(operand, build.check_string, operand.sample, word.upper())
        number = self._string_literal(pattern, word.upper())
        escape_number = None if escape is None else self._string_literal(escape, "ESCAPE")

        def make(literals: Literals) -> Like:
            mark = None if escape_number is None else unquote(literals[escape_number])
            try:
                parsed = LikePattern.parse(unquote(literals[number]), mark)
            except ValueError as error:
                raise ConditionError(str(error)) from None
            return Like(operand.make(literals), parsed, ignore_case)

        span = [operand, pattern] if escape is None else [operand, pattern, escape]
        return self._part(_negating(negated, make), span, blame=pattern if escape is None else escape)

    def rlike(self, operand: Part, negated: Token | None, regex: Part) -> Part:
        operand = self._value(operand)
        self._guard(operand, build.check_string, operand.sample, "RLIKE")
        number = self._string_literal(regex, "RLIKE")

        def make(literals: Literals) -> Matches:
            pattern = unquote(literals[number])
            try:
                compile_regex(pattern)
            except ValueError as error:
                raise ConditionError(
                    f"this is not a regular expression in RE2 syntax: {error} (RE2 has no look-around and no "
                    "back-references)"
                ) from None
            return Matches(operand.make(literals), pattern)

        return self._part(_negating(negated, make), [operand, regex], blame=regex)

    def is_null(self, operand: Part, negated: Token | None, null: Token) -> Part:
        operand = self._checked(operand)
        make = _negating(negated, lambda literals: IsNull(build.as_null_test_operand(operand.make(literals))))
        return self._part(make, [operand], end=_end(null))

    # Connectives

    def negate_condition(self, word: Token, part: Part) -> Part:
        part = self._condition(part)
        return self._part(lambda literals: Not(part.make(literals)), [part], start=_start(word))

    def all_of(self, *parts: Part) -> Part:
        return self._connective(And, parts)

    def any_of(self, *parts: Part) -> Part:
        return self._connective(Or, parts)

    def _connective(self, node: type[And] | type[Or], parts: Sequence[Part]) -> Part:
        conditions = [self._condition(part) for part in parts]
        makes = [part.make for part in conditions]
        return self._part(lambda literals: node(tuple([make(literals) for make in makes])), conditions)

    # The machinery

    def _number(self, token: Token) -> int:
        """The number of a literal among the literals of the text, which is noted down on the way."""
        number = self._places[_start(token)]
        self._literals.extend([""] * (number + 1 - len(self._literals)))
        self._literals[number] = str(token)
        return number

    def _literal_part(self, token: Token, make: Make) -> Part:
        span = Part(_nothing, Literal(None), _start(token), _end(token))
        return self._part(make, [span], literal=self._number(token))

    def _part(
        self,
        make: Make,
        parts: Sequence[Part],
        *,
        start: int | None = None,
        end: int | None = None,
        literal: int | None = None,
        blame: Part | None = None,
    ) -> Part:
        """A part made of parts, its sample made from the literals of the text at hand."""
        first = parts[0].start if start is None else start
        last = parts[-1].end if end is None else end
        depth = 1 + max(part.depth for part in parts)
        if depth > MAX_DEPTH:
            self._fail(f"the condition is nested deeper than {MAX_DEPTH} levels; simplify it", first, last)
        try:
            sample = make(self._literals)
        except ConditionError as error:
            culprit = blame or parts[0]
            self._fail(error.message, culprit.start if start is None else first, culprit.end)
        return Part(make, sample, first, last, depth, literal)

    def _checked(self, part: Part) -> Part:
        """A part that is about to be used, so that an integer in it must fit by now."""
        if part.literal is None or static_kind(build.as_expression(part.sample)) is not Kind.NUMBER:
            return part
        number = part.literal

        def make(literals: Literals) -> Literal:
            text = literals[number]
            if len(text) < SHORT_INTEGER and text.isdigit():  # most numbers are short integers, which always fit
                return Literal(int(text))
            return Literal(_checked_number(parse_number(text)))

        self._guard(part, make, self._literals)
        return replace(part, make=make)

    def _value(self, part: Part) -> Part:
        self._guard(part, build.as_expression, part.sample)
        return self._checked(part)

    def _condition(self, part: Part) -> Part:
        part = self._checked(part)
        condition = self._guard(part, build.as_condition, part.sample)
        if condition is part.sample:
            return part
        if part.fixed:
            return replace(part, make=lambda _: condition, sample=condition)
        make = part.make
        return replace(part, make=lambda literals: build.as_condition(make(literals)), sample=condition)

    def _string_literal(self, part: Part, what: str) -> int:
        if part.literal is None or not isinstance(part.sample, Literal) or not isinstance(part.sample.value, str):
            self._fail(f"{what} needs a string in single quotes", part.start, part.end)
        return part.literal

    def _guard(self, part: Part, rule: Callable[..., Any], *arguments: Any) -> Any:
        """Apply a rule; where it is broken, say at which place of the text."""
        try:
            return rule(*arguments)
        except ConditionError as error:
            self._fail(error.message, part.start, part.end)

    def _fail(self, message: str, start: int, end: int) -> NoReturn:
        line = self._text.count("\n", 0, start) + 1
        column = start - (self._text.rfind("\n", 0, start) + 1) + 1
        raise ConditionError(message, text=self._text, line=line, column=column, width=end - start)


def _fixed(node: Node, token: Token) -> Part:
    return Part(lambda _: node, node, _start(token), _end(token), fixed=True)


def _negating(negated: Token | None, make: Make) -> Make:
    return make if negated is None else lambda literals: Not(make(literals))


def _checked_number(value: float) -> float:
    return checked_integer(value) if isinstance(value, int) else value


def _nothing(_: Literals) -> None:
    return None


def _unquoted_name(token: Token) -> str:
    return str(token)[1:-1].replace("``", "`")


def _start(token: Token) -> int:
    return token.start_pos or 0


def _end(token: Token) -> int:
    return token.end_pos or 0
