"""How long whoever fails to log in has to wait. Nobody is locked out for good: that is too easy to do to others."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from tradewind.model.account import LoginFailures

FORGOTTEN_AFTER: Final = timedelta(hours=1)
"""Failures that are older do not count."""
LONGEST_WAIT: Final = timedelta(minutes=5)
_MOST_DOUBLINGS: Final = 16


class Counted(Enum):
    """By what failures are counted, and how many there may be before anybody has to wait."""

    NAME = 5
    """Many addresses may try one name."""
    ADDRESS = 20
    """One address may try many names; and many people may share one address."""


def wait_until(failures: LoginFailures, counted: Counted) -> datetime:
    """When the next attempt may be made: at once for the first ones, then after twice as long each time."""
    excess = failures.count - counted.value
    if excess < 0:
        return failures.last_at
    return failures.last_at + min(timedelta(seconds=2 ** min(excess, _MOST_DOUBLINGS)), LONGEST_WAIT)


def counting_one_more(failures: LoginFailures | None, now: datetime) -> LoginFailures:
    """With an attempt that is made now."""
    is_fresh = failures is not None and now - failures.last_at < FORGOTTEN_AFTER
    return LoginFailures(failures.count + 1 if failures is not None and is_fresh else 1, now)


def remaining_wait(known: Mapping[Counted, LoginFailures], now: datetime) -> timedelta:
    """How long is to be waited yet; nothing or less: an attempt may be made."""
    waits = [wait_until(failures, counted) - now for counted, failures in known.items()]
    return max(waits, default=timedelta())
