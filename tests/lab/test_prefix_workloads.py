"""Words, subscriptions on their beginnings, and events with words: in the shares that were asked for."""

from __future__ import annotations

from collections import Counter

import pytest

from penstock import evaluate
from penstock.lab.prefix_workloads import Kinds, prefix_subscriptions, word_events, words
from penstock.model.conditions import And, Comparison, Condition, Like
from penstock.model.expressions import Attribute
from penstock.model.patterns import Wildcard

KINDS = Kinds(numbers=60, words=20)


def predicates(conditions: list[Condition]) -> list[Condition]:
    return [part for each in conditions for part in (each.children if isinstance(each, And) else (each,))]


def test_words_are_words_and_many_begin_alike() -> None:
    made = words(5_000)
    assert len(set(made)) == 5_000
    assert all(word.isalpha() and 4 <= len(word) <= 11 for word in made)
    assert max(Counter(word[:2] for word in made).values()) > 100


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_share_of_prefixes_is_what_was_asked_for(share: float) -> None:
    made = prefix_subscriptions(4_000, share=share, length=3, kinds=KINDS)
    parts = predicates(made)
    prefixes = [part for part in parts if isinstance(part, Like)]
    assert len(prefixes) / len(parts) == pytest.approx(share, abs=0.02)
    assert max(len(each.children) if isinstance(each, And) else 1 for each in made) == 4
    for part in prefixes:
        text, wildcard = part.pattern.parts
        assert isinstance(text, str)
        assert (len(text), wildcard) == (3, Wildcard.ANY)


def test_numbers_and_words_are_asked_of_attributes_of_their_own() -> None:
    for part in predicates(prefix_subscriptions(500, share=0.5, length=3, kinds=KINDS)):
        operand = part.left if isinstance(part, Comparison) else part.operand  # type: ignore[union-attr]
        assert isinstance(operand, Attribute)
        assert (int(operand.name[1:]) >= KINDS.numbers) == isinstance(part, Like)


def test_a_prefix_that_is_longer_than_the_word_is_the_word() -> None:
    parts = predicates(prefix_subscriptions(300, share=1.0, length=8, kinds=KINDS))
    lengths = {len(str(part.pattern.parts[0])) for part in parts if isinstance(part, Like)}
    assert lengths == {4, 5, 6, 7, 8}


def test_events_have_so_many_attributes_of_each_kind() -> None:
    events = word_events(50, sizes=Kinds(6, 3), kinds=KINDS)
    assert len(events) == 50
    for event in events:
        assert Counter(isinstance(value, str) for value in event.values()) == {False: 6, True: 3}
        assert all(isinstance(value, str) == (int(name[1:]) >= KINDS.numbers) for name, value in event.items())


def test_something_matches() -> None:
    conditions = prefix_subscriptions(300, share=1.0, length=1, kinds=KINDS)
    events = word_events(20, sizes=Kinds(1, 10), kinds=KINDS)
    assert sum(evaluate(each, event) is True for each in conditions for event in events) > 20


def test_the_same_seed_gives_the_same_workload_and_another_seed_another() -> None:
    first, same, other = (prefix_subscriptions(30, share=0.5, length=2, seed=seed) for seed in (1, 1, 2))
    assert first == same != other
    one, again, another = (word_events(5, sizes=Kinds(3, 2), seed=seed) for seed in (1, 1, 2))
    assert one == again != another
