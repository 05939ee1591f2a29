"""The time, given to everything that needs it."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall-clock instants to store and show; monotonic seconds to measure with."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds that never go back, since some unknown moment."""

    def sleep(self, seconds: float) -> None:
        """Let this much time pass."""


class SystemClock:
    """The machine's own."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """See `Clock.sleep`."""
        time.sleep(seconds)
