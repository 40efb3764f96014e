"""``penstock explain``: why an event satisfies a condition, or why not."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

from penstock.cli.exit_codes import ExitCode
from penstock.cli.terminal import answers, count
from penstock.encoding.batch import Reject, attributes_from_object
from penstock.encoding.sources import read_subscriptions
from penstock.encoding.sources.reading import missing
from penstock.engine.explanation import explain
from penstock.errors import PenstockError, UnknownSubscriptionError, ValueRefusedError, did_you_mean
from penstock.language.parser import parse
from penstock.model.values import Value


def run(arguments: Namespace) -> int:
    """Explain, and return the exit code."""
    text = arguments.condition_or_id
    if arguments.subscriptions is not None:
        text = _condition_of(text, arguments)
    event = _attributes("event", _text_of(arguments.event), arguments.attributes)
    context = _attributes("context", arguments.context or "{}", None)
    explanation = explain(parse(text), event, context)
    styles = {True: "green", False: "red", None: "yellow"}
    verdict = {True: "It matches.", False: "It does not match.", None: "It does not match: the condition is UNKNOWN."}
    console = answers()
    console.print(str(explanation))
    console.print(verdict[explanation.truth], style=styles[explanation.truth])
    return ExitCode.FINE


def _condition_of(wanted: str, arguments: Namespace) -> str:
    """The condition of the subscription with an id, as it is written on the command line."""
    rejects: list[Reject] = []
    ids: list[str] = []
    rows = read_subscriptions(
        arguments.subscriptions,
        subscription_id=arguments.subscription_id,
        condition=arguments.condition,
        on_reject=rejects.append,
    )
    for row in rows:
        if str(row.id) == wanted:
            return row.condition
        ids.append(str(row.id))
    unread = f" ({count(len(rejects), 'row')} of it could not be read)" if rejects else ""
    raise UnknownSubscriptionError(
        f"there is no subscription {wanted!r} in {arguments.subscriptions}{unread}{did_you_mean(wanted, ids)}"
    )


def _text_of(event: str) -> str:
    if event == "-":
        return sys.stdin.read()
    return Path(event[1:]).read_text(encoding="utf-8") if event.startswith("@") else event


def _attributes(what: str, text: str, key: str | None) -> dict[str, Value]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PenstockError(f"the {what} should be a JSON object, but is not valid JSON: {error}\n  {text}") from None
    if key is not None and isinstance(content, dict):
        if key not in content:
            raise PenstockError(f"the {what}: {missing('key', key, list(content))}")
        content = content[key]
    try:
        return attributes_from_object(content)
    except ValueRefusedError as error:
        raise PenstockError(f"the {what}: {error}") from None
