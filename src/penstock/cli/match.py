"""``penstock match``: events from files, matches to a file."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.console import Console

from penstock.cli.exit_codes import ExitCode
from penstock.cli.output import MatchWriter, open_output, output_format
from penstock.cli.reject_log import RejectLog, open_reject_log
from penstock.cli.terminal import Meter, count, messages, metered
from penstock.encoding.batch import Reject
from penstock.encoding.programs import refuse_context
from penstock.encoding.sources import SubscriptionRow, find_sources, place_of, read_events, read_subscriptions
from penstock.encoding.sources.events import BATCH_SIZE
from penstock.encoding.sources.files import STANDARD_INPUT
from penstock.encoding.sources.formats import SUBSCRIPTION_FORMATS
from penstock.encoding.sources.inference import ValueType
from penstock.engine.matcher import Matcher
from penstock.errors import DuplicateSubscriptionError, PenstockError
from penstock.language.parser import parse
from penstock.model.values import Identifier

_REMARK_EVERY: Final = 4096


@dataclass(slots=True)
class Subscriptions:
    """The subscriptions that are matched, and where each of them stands."""

    matcher: Matcher
    rows: dict[Identifier, SubscriptionRow] = field(default_factory=dict)

    def add(self, row: SubscriptionRow) -> str | None:
        """Add a subscription, or say why it cannot be added."""
        try:
            refuse_context(parse(row.condition))  # there is no way to give one on the command line
            self.matcher.add(row.id, row.condition)
        except DuplicateSubscriptionError:
            first = self.rows[row.id]
            return f"there is a subscription {row.id!r} already, in {place_of(first.source, first.row)}"
        except PenstockError as error:
            return f"subscription {row.id!r}: {error}"
        self.rows[row.id] = row
        return None


@dataclass(slots=True)
class Tally:
    """What was matched, and since when."""

    events: int = 0
    matches: int = 0
    began: float = field(default_factory=time.perf_counter)


def run(arguments: Namespace) -> int:
    """Match, and return the exit code."""
    console = messages()
    form = output_format(arguments.output, arguments.format)
    types = column_types(arguments.type)
    check_paths(arguments)
    # A table on the terminal shows by itself how far it has come.
    shown = console.is_terminal and not arguments.quiet and form != "table"
    tally = Tally()
    with open_reject_log(console, arguments.rejects, strict=arguments.strict) as rejects:
        subscriptions = _load(arguments, rejects, console, shown=shown)
        conditions = {row.id: row.condition for row in subscriptions.rows.values()} if form == "table" else {}
        size = sum(source.size for source in find_sources(arguments.events))
        with (
            metered(console, "Matching", size, shown=shown) as meter,
            open_output(arguments.output, form, conditions) as writer,
        ):
            _match(arguments, types, subscriptions.matcher, rejects, writer, meter, tally)
    if not arguments.quiet:
        _summarize(console, tally, len(subscriptions.rows), rejects, arguments)
    return ExitCode.SET_ASIDE if rejects.count else ExitCode.FINE


def _load(arguments: Namespace, rejects: RejectLog, console: Console, *, shown: bool) -> Subscriptions:
    subscriptions = Subscriptions(Matcher(index=arguments.index))
    rows = read_subscriptions(
        arguments.subscriptions,
        subscription_id=arguments.subscription_id,
        condition=arguments.condition,
        on_reject=rejects.subscription,
    )
    with metered(console, "Reading subscriptions", None, shown=shown) as meter:
        for number, row in enumerate(rows, start=1):
            problem = subscriptions.add(row)
            if problem is not None:
                rejects.subscription(Reject(row.row, problem, row.source), row.id)
            if number % _REMARK_EVERY == 0:
                meter.say(count(number, "subscription"))
    if rejects.count and not subscriptions.rows:
        raise PenstockError(f"no subscription of {arguments.subscriptions} could be used")
    return subscriptions


def _match(
    arguments: Namespace,
    types: Mapping[str, ValueType],
    matcher: Matcher,
    rejects: RejectLog,
    writer: MatchWriter,
    meter: Meter,
    tally: Tally,
) -> None:
    bad_subscriptions = rejects.count
    batches = read_events(
        arguments.events,
        event_id=arguments.event_id,
        attributes=arguments.attributes,
        column_types=types,
        on_reject=rejects.event,
        on_progress=meter.at,
        batch_size=arguments.batch_size or BATCH_SIZE,
    )
    for batch in batches:
        matches = matcher.match_batch(batch)
        writer.write(matches)
        tally.events += len(batch)
        tally.matches += matches.num_rows
        meter.say(f"{count(tally.events, 'event')}, {count(tally.matches, 'match', 'matches')}")
    if tally.events == 0 and rejects.count > bad_subscriptions:
        raise PenstockError("no event could be read")


def _summarize(console: Console, tally: Tally, subscriptions: int, rejects: RejectLog, arguments: Namespace) -> None:
    seconds = time.perf_counter() - tally.began
    console.print(
        f"{count(tally.events, 'event')}, {count(subscriptions, 'subscription')}: "
        f"{count(tally.matches, 'match', 'matches')} in {seconds:.2f} s"
    )
    if rejects.count:
        where = f"; all of it is in {arguments.rejects}" if arguments.rejects else ""
        console.print(f"{count(rejects.count, 'input')} set aside{where}")
    if arguments.output not in (None, "-"):
        console.print(f"The matches are in {arguments.output}")


def column_types(given: list[str]) -> dict[str, ValueType]:
    """The types of ``--type NAME=TYPE``."""
    types = {}
    for each in given:
        name, equals, kind = each.rpartition("=")
        if not equals or kind not in {known.value for known in ValueType}:
            raise PenstockError(f"--type takes NAME=TYPE, the type being {_any_of(ValueType)}; found {each!r}")
        types[name] = ValueType(kind)
    return types


def _any_of(words: type[ValueType]) -> str:
    *first, last = (word.value for word in words)
    return f"{', '.join(first)} or {last}"


def check_paths(arguments: Namespace) -> None:
    """Refuse files in two roles: the one would spoil the other."""
    inputs = [*arguments.events, arguments.subscriptions]
    if inputs.count(STANDARD_INPUT) > 1:
        raise PenstockError("standard input (-) can be read only once, but it is given twice")
    sources = [*find_sources(arguments.events), *find_sources([arguments.subscriptions], SUBSCRIPTION_FORMATS)]
    read = {source.path.resolve() for source in sources if source.path is not None}
    written = [Path(path).resolve() for path in (arguments.output, arguments.rejects) if path not in (None, "-")]
    for path in written:
        if path in read:
            raise PenstockError(f"{path.name} is given to be read and to be written; choose another name")
    if len(set(written)) < len(written):
        raise PenstockError("--output and --rejects name the same file")
