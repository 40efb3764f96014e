"""Subscriptions on numbers and on beginnings of words, for OpIndex's experiment on its prefix operator (section 7.7).

The paper takes words from Wikipedia; no list of words is carried here, so they are made: consonants and vowels in turn,
some letters more frequent than others, so that many words begin alike, and frequencies that follow Zipf's law.

The paper has 10,000 numeric attributes and 100 with strings, and only the operators ``=`` and prefix. Here numbers are
asked for by ``=`` and strings by prefix, so that the share of prefix operators is the share of strings among the
predicates. An event has so many attributes of each kind.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.lab.boolean_workloads import joined
from penstock.lab.drawing import distinct, offsets_of, uniform, weighted, zipf
from penstock.model.conditions import And, Comparison, Condition, Like
from penstock.model.expressions import Attribute, Literal
from penstock.model.patterns import LikePattern, Wildcard

_CONSONANTS: Final = "tnsrhldcmpgfbvkw"
_VOWELS: Final = "eaoiu"
_SHORTEST, _LONGEST = 4, 11
_VOCABULARY: Final = 20_000
_VALUES: Final = 50

_SUBSCRIPTIONS, _EVENTS, _WORDS = 0, 1, 2


class Kinds(NamedTuple):
    """How many attributes have numbers, and how many have words. Those with words are numbered after the others."""

    numbers: int
    words: int


PAPER_KINDS: Final = Kinds(10_000, 100)


@lru_cache(maxsize=1)
def words(count: int, seed: int = 1) -> tuple[str, ...]:
    """Distinct made-up words, the most frequent first.

    >>> len(set(words(500)))
    500
    """
    random = np.random.default_rng([seed, _WORDS])
    consonant, vowel = zipf(random, len(_CONSONANTS), 0.7), zipf(random, len(_VOWELS), 0.7)
    found: dict[str, None] = {}
    while len(found) < count:
        lengths = random.integers(_SHORTEST, _LONGEST, size=count, endpoint=True)
        starts = random.integers(0, 2, size=count)
        letters = np.empty((count, _LONGEST + 1), dtype="U1")
        letters[:, 0::2] = np.array(list(_CONSONANTS))[consonant(letters[:, 0::2].size)].reshape(count, -1)
        letters[:, 1::2] = np.array(list(_VOWELS))[vowel(letters[:, 1::2].size)].reshape(count, -1)
        for row, start, length in zip(letters, starts.tolist(), lengths.tolist(), strict=True):
            found["".join(row[start : start + length])] = None
    return tuple(found)[:count]


def prefix_subscriptions(
    count: int,
    *,
    share: float,
    length: int,
    kinds: Kinds = PAPER_KINDS,
    most_predicates: int = 4,
    seed: int = 1,
) -> list[Condition]:
    """Conjunctions of 1 to ``most_predicates`` predicates on distinct attributes.

    A ``share`` of the predicates asks for words that begin with ``length`` letters of a word, or with all of a shorter
    one. The others ask for a number.
    """
    random = np.random.default_rng([seed, _SUBSCRIPTIONS])
    sizes = random.integers(1, most_predicates, size=count, endpoint=True)
    weights = np.repeat([(1 - share) / kinds.numbers, share / kinds.words], kinds)
    attributes = distinct(sizes, sum(kinds), weighted(random, weights))
    values, ranks = _operands(random, len(attributes))
    names = [Attribute(f"a{number}") for number in range(sum(kinds))]
    patterns = [LikePattern((word[:length], Wildcard.ANY)) for word in words(_VOCABULARY, seed)]
    literals = [Literal(value) for value in range(_VALUES + 1)]
    predicates: list[Condition] = [
        Comparison("=", names[attribute], literals[value])
        if attribute < kinds.numbers
        else Like(names[attribute], patterns[rank])
        for attribute, value, rank in zip(attributes.tolist(), values, ranks, strict=True)
    ]
    return joined(And, offsets_of(sizes), predicates)


def word_events(count: int, *, sizes: Kinds, kinds: Kinds = PAPER_KINDS, seed: int = 1) -> list[dict[str, int | str]]:
    """Events with values for so many attributes of each kind."""
    random = np.random.default_rng([seed, _EVENTS])
    of_numbers = distinct(np.full(count, sizes.numbers), kinds.numbers, uniform(random, kinds.numbers))
    of_words = distinct(np.full(count, sizes.words), kinds.words, uniform(random, kinds.words)) + kinds.numbers
    values, ranks = _operands(random, max(len(of_numbers), len(of_words)))
    vocabulary = words(_VOCABULARY, seed)
    numbers = [(f"a{attribute}", value) for attribute, value in zip(of_numbers.tolist(), values, strict=False)]
    strings = [(f"a{attribute}", vocabulary[rank]) for attribute, rank in zip(of_words.tolist(), ranks, strict=False)]
    number_ends, string_ends = (range(0, (count + 1) * size, size) for size in sizes)
    return [
        dict([*numbers[number_begin:number_end], *strings[string_begin:string_end]])
        for (number_begin, number_end), (string_begin, string_end) in zip(
            pairwise(number_ends), pairwise(string_ends), strict=True
        )
    ]


def _operands(random: np.random.Generator, count: int) -> tuple[list[int], list[int]]:
    """For each predicate or attribute a number, and a word by its rank: the one of its kind is used."""
    values: NDArray[np.int64] = random.integers(1, _VALUES, size=count, endpoint=True)
    return values.tolist(), zipf(random, _VOCABULARY, 1.0)(count).tolist()
