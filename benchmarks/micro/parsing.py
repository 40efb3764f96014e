"""Question: how many conditions a second are parsed on one core, when a large table comes from a few hundred templates?

The mark is 50,000 a second. Run with ``python -m benchmarks.micro.parsing [rows]``; the result is appended to
``benchmarks/results/parsing.csv`` with the machine it was measured on.
"""

from __future__ import annotations

import random
import statistics
import sys
import time

from benchmarks.measuring import RESULTS, keep, median_and_ends

from penstock.errors import ConditionError
from penstock.language.parser import parse_many

TEMPLATES = 300
ROUNDS = 5

PREDICATES = [
    "{name} = '{word}'",
    "{name} < {integer}",
    "{name} >= {double}",
    "{name} BETWEEN {integer} AND {double}",
    "{name} IN ('{word}', '{word}', '{word}')",
    "{name} LIKE '{word}%'",
    "{name} != {integer}",
    "{name} IS NOT NULL",
    "NOT ({name} > {double})",
    "{name} < 0.8 * other_{name}",
]


def templates(random_source: random.Random) -> list[str]:
    """Conjunctions and disjunctions of one to five predicates over forty attributes."""
    made = []
    for _ in range(TEMPLATES):
        parts = [
            random_source.choice(PREDICATES).replace("{name}", f"attribute_{random_source.randrange(40)}")
            for _ in range(random_source.randint(1, 5))
        ]
        made.append(random_source.choice([" AND ", " OR "]).join(parts))
    return made


def table(rows: int) -> list[str]:
    random_source = random.Random(1)
    shapes = templates(random_source)
    return [
        random_source.choice(shapes).format(
            word=f"w{random_source.randrange(100_000)}",
            integer=random_source.randrange(1_000_000),
            double=round(random_source.random() * 1000, 2),
        )
        for _ in range(rows)
    ]


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    texts = table(rows)
    rates = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        wrong = sum(isinstance(result, ConditionError) for result in parse_many(texts))
        rates.append(rows / (time.process_time() - begin))
        assert wrong == 0
        print(f"{rates[-1]:,.0f} conditions a second")
    print(f"median {statistics.median(rates):,.0f}, from {min(rates):,.0f} to {max(rates):,.0f} over {ROUNDS} rounds")
    figures = [round(figure) for figure in median_and_ends(rates)]
    names = ["rows", "templates", "median", "least", "most"]
    keep(RESULTS / "parsing.csv", names, [[rows, TEMPLATES, *figures]])


if __name__ == "__main__":
    main()
