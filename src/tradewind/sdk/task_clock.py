"""The time as running user code sees it: the machine's, except in tests, where it passes in jumps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Protocol, TypeVar


class TaskClock(Protocol):
    """What a waiting task looks at."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Let this much time pass."""


Clock = TypeVar("Clock", bound=TaskClock)


class MachineClock:
    """That of the machine on which the task runs."""

    def now(self) -> datetime:
        """See `TaskClock.now`."""
        return datetime.now(UTC)  # noqa: TID251 - where no test gives a clock, it is the machine's

    def monotonic(self) -> float:
        """See `TaskClock.monotonic`."""
        return time.monotonic()  # noqa: TID251 - as above

    def sleep(self, seconds: float) -> None:
        """See `TaskClock.sleep`."""
        time.sleep(seconds)  # noqa: TID251 - as above


_MACHINE = MachineClock()
_current: ContextVar[TaskClock] = ContextVar("tradewind_clock", default=_MACHINE)


def current_clock() -> TaskClock:
    """The clock that counts here."""
    return _current.get()


@contextmanager
def use_clock(clock: Clock) -> Iterator[Clock]:
    """Let `clock` count within the block, and in what the block awaits or hands to `asyncio.to_thread`."""
    token = _current.set(clock)
    try:
        yield clock
    finally:
        _current.reset(token)


__all__ = ["MachineClock", "TaskClock", "current_clock", "use_clock"]
