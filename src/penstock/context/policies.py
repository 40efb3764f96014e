"""When to make an index accurate again for a profile that it returned in vain (section 5.5).

``always`` does it each time. ``fixed(n)`` each n-th time, whichever profile that meets. ``auto`` is like it with an n
that follows the workload: C times the updates for each false positive. ``rental`` is ours: it counts for each profile
by itself, and deescalates one that has cost as much in vain as deescalating it would.
"""

from __future__ import annotations

from typing import Final, Protocol

from penstock.context.counters import Counters
from penstock.errors import PenstockError, did_you_mean

GOOD_FIXED: Final = 1000
AUTO_CONSTANT: Final = 3000
RECENT: Final = 1000
RENT: Final = 40
"""How many evaluations in vain cost about as much as one deescalation and the escalation that may follow it."""


class UnknownPolicyError(PenstockError, ValueError):
    """A name that is no deescalation policy."""


class Policy(Protocol):
    """Decides about each false positive."""

    def deescalates(self, profile: int, counters: Counters) -> bool:
        """Whether a profile is to be deescalated that was found in vain just now."""

    def forget(self, profile: int) -> None:
        """A profile was escalated, or is gone."""


class Fixed:
    """Each n-th false positive deescalates; each one, for n = 1."""

    def __init__(self, ignored: int) -> None:
        if ignored < 1:
            raise ValueError(f"a fixed policy deescalates at each n-th false positive, n from 1; found {ignored}")
        self.every = ignored
        self._seen = 0

    def deescalates(self, profile: int, counters: Counters) -> bool:  # noqa: ARG002 - all profiles count together
        self._seen += 1
        if self._seen < self.every:
            return False
        self._seen = 0
        return True

    def forget(self, profile: int) -> None:
        """Nothing is kept for a profile."""


class Auto:
    """As ``fixed``, with C * updates / false positives ignored before each deescalation.

    The paper does not say since when both are counted. Here it is lately: whenever ``RECENT`` false positives were
    counted, half of both is forgotten, so that a burst of updates does not count for ever.
    """

    def __init__(self, constant: float = AUTO_CONSTANT) -> None:
        self.constant = constant
        self._seen = 0
        self._updates_before = 0
        self._false_before = 0

    def deescalates(self, profile: int, counters: Counters) -> bool:  # noqa: ARG002 - all profiles count together
        self._seen += 1
        updates = counters.updates - self._updates_before
        false_positives = counters.false_positives - self._false_before
        if false_positives >= RECENT:
            self._updates_before += updates // 2
            self._false_before += false_positives // 2
        if self._seen * false_positives < self.constant * updates:
            return False
        self._seen = 0
        return True

    def forget(self, profile: int) -> None:
        """Nothing is kept for a profile."""


class Rental:
    """Each profile pays for being found in vain until it has paid what accuracy costs.

    A profile that is updated often is escalated again before that, and starts anew; one that is not pays once. Whatever
    comes, no profile costs more than twice what it would with knowledge of the future.
    """

    def __init__(self, rent: int = RENT) -> None:
        self.rent = rent
        self._paid: dict[int, int] = {}

    def deescalates(self, profile: int, counters: Counters) -> bool:  # noqa: ARG002 - each profile by itself
        paid = self._paid.get(profile, 0) + 1
        if paid < self.rent:
            self._paid[profile] = paid
            return False
        self._paid.pop(profile, None)
        return True

    def forget(self, profile: int) -> None:
        self._paid.pop(profile, None)


def new_policy(policy: str | Policy) -> Policy:
    """A policy by name: ``always``, ``fixed`` or ``fixed(n)``, ``auto`` or ``auto(C)``, ``rental`` or ``rental(n)``.

    >>> new_policy("fixed(10)").every
    10
    """
    if not isinstance(policy, str):
        return policy
    name, _, argument = policy.rstrip(")").partition("(")
    match name, argument:
        case "always", "":
            return Fixed(1)
        case "fixed", _:
            return Fixed(int(argument or GOOD_FIXED))
        case "auto", _:
            return Auto(float(argument or AUTO_CONSTANT))
        case "rental", _:
            return Rental(int(argument or RENT))
    known = ("always", "fixed", "auto", "rental")
    hint = did_you_mean(name, known) or f"; known are {', '.join(known)}"
    raise UnknownPolicyError(f"there is no deescalation policy {policy!r}{hint}")
