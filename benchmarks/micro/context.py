"""Question: how many messages a second does each strategy of the context filter handle, as updates become more?

AGILE's workload (section 6.2) with updates for each profile, UP, from 1 to 1,000 over 10,000 messages: with P profiles
that is P * UP / 10,000 updates before each message. Runs are shortened, at the same ratio; each strategy has a warm-up
at the ratio first. Strategies take turns, round by round, and must all find the same.

Run with ``python -m benchmarks.micro.context [--profiles 100000] [--rounds 3]``; results are appended to
``benchmarks/results/context.csv``.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from benchmarks.measuring import RESULTS, keep, median_and_ends

from penstock.context import ContextFilter
from penstock.lab.context_workload import ContextStream, ContextWorkload, columns, fill, updates_per_message

PAPERS = ("noindex", "eager", "gbu", "agile")
OURS = ("grid", "sliced", "auto")
COLUMNS = ["profiles", "updates_per_profile", "strategy", "rounds", "median", "least", "most", "ratio_to_best_paper"]
MOST_UPDATES = 1_000_000
MOST_MESSAGES = 2_000


def messages_for(profiles: int, updates: float) -> int:
    """As many messages as make a run of about a second."""
    return int(max(40, min(MOST_MESSAGES, MOST_UPDATES / updates_per_message(profiles, updates))))


def measure(profiles: int, ups: list[int], rounds: int, names: list[str]) -> dict[tuple[int, str], list[float]]:
    workload = ContextWorkload(profiles)
    filters = {}
    for name in names:
        began = time.perf_counter()
        filters[name] = ContextFilter(name, indexed_attributes=["a0", "a1"])
        fill(filters[name], workload)
        print(f"{name}: {profiles:,} profiles in {time.perf_counter() - began:.1f} s", flush=True)
    rates: dict[tuple[int, str], list[float]] = {}
    stream_of_all = ContextStream(workload)
    for up in ups:
        count = messages_for(profiles, up)
        ratio = updates_per_message(profiles, up)
        for number in range(rounds + 1):
            made = stream_of_all.steps(count, ratio)
            found = {}
            for name in names[number % len(names) :] + names[: number % len(names)]:
                stream = columns(filters[name], made)
                began = time.perf_counter()
                rows, ids = filters[name].process_columns(*stream)
                took = time.perf_counter() - began
                found[name] = (len(rows), int(np.sum(rows)), sum(ids))  # type: ignore[arg-type]
                if number > 0:  # the first one warms up
                    rates.setdefault((up, name), []).append(count / took)
            if len(set(found.values())) > 1:
                raise SystemExit(f"the strategies do not find the same: {found}")
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", type=int, default=100_000)
    parser.add_argument("--ups", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--strategies", nargs="+", default=[*PAPERS, *OURS])
    chosen = parser.parse_args()
    rates = measure(chosen.profiles, chosen.ups, chosen.rounds, chosen.strategies)
    rows = []
    for up in chosen.ups:
        medians = {name: statistics.median(rates[up, name]) for name in chosen.strategies}
        best = max((medians[name] for name in chosen.strategies if name in PAPERS), default=float("nan"))
        best_of_all = max(medians.values())
        print(f"\nUP {up}: {updates_per_message(chosen.profiles, up):,.0f} updates a message")
        for name in chosen.strategies:
            median, least, most = median_and_ends(rates[up, name])
            share = medians[name] / best_of_all
            print(
                f"  {name:8} {median:10,.0f} messages a second ({least:,.0f} to {most:,.0f}), {share:.2f} of the best"
            )
            ratio = round(medians[name] / best, 3)
            rows.append([chosen.profiles, up, name, chosen.rounds, median, least, most, ratio])
    keep(RESULTS / "context.csv", COLUMNS, rows)


if __name__ == "__main__":
    main()
