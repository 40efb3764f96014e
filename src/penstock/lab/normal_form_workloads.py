"""Subscriptions in conjunctive and in disjunctive normal form, for OpIndex's experiment on both (section 7.6).

The paper says only that a subscription has up to 5 clauses. Here it has 1 to that many, all numbers alike, and a clause
is made as a whole subscription is in the other experiments: 1 to 4 predicates on distinct attributes. Both forms are
made of the same clauses: what is an AND of ORs in one is an OR of ANDs in the other.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from penstock.lab.boolean_workloads import comparisons_of, conjunctions, joined
from penstock.lab.drawing import offsets_of
from penstock.model.conditions import And, Condition, Or

FORMS: Final = ("cnf", "dnf")

_CLAUSES: Final = 2
"""The stream of how many clauses there are; those of predicates have others."""


def normal_forms(
    count: int,
    form: str,
    *,
    most_clauses: int = 5,
    most_predicates: int = 4,
    dimensions: int = 20_000,
    equal_share: float = 0.4,
    domain: int = 50,
    seed: int = 1,
) -> list[Condition]:
    """Conditions of 1 to ``most_clauses`` clauses of 1 to ``most_predicates`` predicates each.

    >>> normal_forms(1, "cnf", most_clauses=1, most_predicates=1) == normal_forms(
    ...     1, "dnf", most_clauses=1, most_predicates=1
    ... )
    True
    """
    inner, outer = (Or, And) if form == "cnf" else (And, Or)
    random = np.random.default_rng([seed, _CLAUSES])
    sizes = random.integers(1, most_clauses, size=count, endpoint=True)
    predicates = conjunctions(
        int(sizes.sum()),
        dimensions=dimensions,
        most_predicates=most_predicates,
        equal_share=equal_share,
        domain=domain,
        seed=seed,
    )
    clauses = joined(inner, predicates.offsets, comparisons_of(predicates))
    return joined(outer, offsets_of(sizes), clauses)
