"""A clock that stands still until told otherwise."""

from datetime import UTC, datetime, timedelta

_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_UPTIME_S = 10_000.0


class FakeClock:
    """Implements `runtime.clock.Clock`. Time passes by `advance` and `sleep` only; `jump` sets the wall clock."""

    def __init__(self, start: datetime = _BEGINNING) -> None:
        if start.tzinfo is None:
            raise ValueError(f"the start {start.isoformat()} has no time zone")
        self._now = start.astimezone(UTC)
        self._monotonic_s = _UPTIME_S
        self.slept_s: list[float] = []
        """Every `sleep` so far, for tests of who waits how long."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return self._now

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return self._monotonic_s

    def sleep(self, seconds: float) -> None:
        """Does not wait: the time has passed at once."""
        self.slept_s.append(seconds)
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        if seconds < 0:
            raise ValueError(f"time does not go back; to set the wall clock, use jump({seconds})")
        self._now += timedelta(seconds=seconds)
        self._monotonic_s += seconds

    def jump(self, seconds: float) -> None:
        """Somebody sets the wall clock, forwards or back; no time passes."""
        self._now += timedelta(seconds=seconds)
