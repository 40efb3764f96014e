"""Question: how do our indexes compare with the event matchers that others use, on the workload of a paper?

The workload is OpIndex's default (section 7.1, table 3): subscriptions of 1 to 4 predicates over 20,000 attributes,
events of 20, values from 1 to 50, 40% equalities and the rest evenly "at most" and "at least". The others: Amazon's
``event-ruler`` (Java) with each of its three finders, of which ``event-ruler`` is its default, and ``quamina`` (Go).
quamina cannot ask for ranges, so all are measured on equalities alone as well. A library that cannot be had on this
machine is named and left out; none is a dependency of Penstock.

All are built first, and then take turns, each round beginning with another one, only one at work at a time. Times are
microseconds for an event; those of the processor count all threads, but for event-ruler only the one that matches. All
must find the same: the run fails unless the numbers of matches, and the sums of their keys, are equal. The others take
one event at a time and parse their rules as they build; ours take both ways, and conditions that are parsed.

Run with ``python -m benchmarks.peers.run [--subscriptions 100000] [--indexes opindex scan] [--peers event-ruler]``.
Medians and spreads are appended to ``benchmarks/results/peers.csv`` with the machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

from benchmarks.measuring import RESULTS, keep, median_and_ends
from benchmarks.peers.building import PEERS, UnavailableError, build
from benchmarks.peers.contenders import Answer, Batches, Contender, ContenderError, OneByOne, PeerProcess
from benchmarks.peers.json_lines import json_events, json_rules, write_lines

from penstock.lab.boolean_workloads import conjunctions, sparse_events

Figures: TypeAlias = dict[str, dict[str, list[float]]]
"""By contender and measure, a figure a round."""

WORKLOAD = ["subscriptions", "events", "equal_share"]
COLUMNS = [*WORKLOAD, "contender", "version", "measure", "rounds", "median", "least", "most"]


def available(names: list[str]) -> dict[str, Path]:
    """The peers that can be built, with the folders that they run in; of the others, why not."""
    folders = {}
    for name in names:
        try:
            folders[name] = build(PEERS[name])
        except UnavailableError as error:
            print(f"{name} is left out: {error}")
    return folders


def contenders(chosen: argparse.Namespace, share: float, peers: dict[str, Path], folder: Path) -> list[Contender]:
    """All that take part on one workload, built one after the other."""
    made = conjunctions(chosen.subscriptions, equal_share=share, seed=chosen.seed)
    events = sparse_events(chosen.events, seed=chosen.seed)
    texts = json_events(events)
    taking_part: list[Contender] = []
    for name in chosen.indexes:
        batches = Batches(name, made, events, texts)
        taking_part += [batches, OneByOne(batches, events, texts)]
    paths = {
        "rules": write_lines(folder / "rules.jsonl", json_rules(made)),
        "events": write_lines(folder / "events.jsonl", texts),
    }
    for name, place in peers.items():
        peer = PEERS[name]
        if share < 1 and not peer.knows_ranges:
            print(f"{name} is left out here: it cannot ask for ranges, only for equality")
            continue
        command = [part.format(heap=chosen.java_heap, **paths) for part in peer.command]
        try:
            taking_part.append(PeerProcess(name, command, place))
        except ContenderError as error:
            print(f"{name} is left out: it could not be built with these subscriptions; {error}")
    return taking_part


def check_agreement(answers: dict[str, Answer]) -> Answer:
    """What all have found; the end of the run when they differ."""
    if len(set(answers.values())) > 1:
        lines = [f"  {found.matches:,} matches, sum of keys {found.keys:,}: {who}" for who, found in answers.items()]
        sys.exit("\n".join(["the contenders do not find the same:", *lines]))
    return next(iter(answers.values()))


def take_turns(taking_part: list[Contender], warm_ups: int, rounds: int) -> tuple[Figures, Answer]:
    figures: Figures = {each.name: {what: [figure] for what, figure in each.built.items()} for each in taking_part}
    found = Answer(0, 0)
    for number in range(-warm_ups, rounds):
        first = number % len(taking_part)
        answers: dict[str, Answer] = {}
        for contender in taking_part[first:] + taking_part[:first]:
            timings, its_answers = contender.round()
            answers |= {f"{contender.name}, {measure}": answer for measure, answer in its_answers.items()}
            for measure, timing in timings.items() if number >= 0 else ():
                measures = figures[contender.name]
                measures.setdefault(f"{measure}, cpu us", []).append(timing.cpu)
                measures.setdefault(f"{measure}, wall us", []).append(timing.wall)
        found = check_agreement(answers)
    return figures, found


def show(figures: Figures, found: Answer, chosen: argparse.Namespace) -> None:
    ours = chosen.indexes[0]
    print(f"all find the same: {found.matches / chosen.events:,.2f} matches an event")
    print(f"  {'measure':24}{'contender':24}{'median':>12}   {'least to most':24}times {ours}")
    by_measure: dict[str, list[str]] = defaultdict(list)
    for name, measures in figures.items():
        for measure in measures:
            by_measure[measure].append(name)
    for measure, names in by_measure.items():
        for name in names:
            values = figures[name][measure]
            median = statistics.median(values)
            spread = f"{min(values):,.2f} to {max(values):,.2f}" if len(values) > 1 else ""
            # Few subscriptions may not make resident memory grow at all.
            base = statistics.median(figures[ours][measure]) if measure in figures[ours] else 0
            ratio = f"{median / base:,.2f}" if base > 0 else ""
            print(f"  {measure:24}{name:24}{median:12,.2f}   {spread:24}{ratio:>{len(ours) + 6}}")


def record(figures: Figures, taking_part: list[Contender], share: float, chosen: argparse.Namespace) -> None:
    workload = [chosen.subscriptions, chosen.events, share]
    rows = [
        [*workload, each.name, each.version, measure, len(values), *median_and_ends(values)]
        for each in taking_part
        for measure, values in figures[each.name].items()
    ]
    keep(chosen.output, COLUMNS, rows)


def compare(chosen: argparse.Namespace, share: float, peers: dict[str, Path]) -> None:
    print(f"\n{chosen.subscriptions:,} subscriptions, {chosen.events:,} events, {share:.0%} equalities")
    with tempfile.TemporaryDirectory() as folder:
        taking_part = contenders(chosen, share, peers, Path(folder))
        try:
            figures, found = take_turns(taking_part, chosen.warm_ups, chosen.rounds)
        finally:
            for each in taking_part:
                each.close()
    show(figures, found, chosen)
    record(figures, taking_part, share, chosen)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subscriptions", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=2_000)
    parser.add_argument("--equal-shares", type=float, nargs="+", default=[0.4, 1.0], help="a workload for each")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--warm-ups", type=int, default=5, help="rounds that do not count; Java compiles as it runs")
    parser.add_argument("--indexes", nargs="+", default=["opindex"], help="ratios are to the first")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--java-heap", default="6g", help="the most memory for each Java process")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=RESULTS / "peers.csv")
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    peers = available(chosen.peers)
    for share in chosen.equal_shares:
        compare(chosen, share, peers)


if __name__ == "__main__":
    main()
