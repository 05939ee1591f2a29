"""Schedules of a fixed distance."""

from dataclasses import dataclass
from datetime import UTC, datetime

from tradewind.model.delta_steps import DAY_IN_EVERY_MONTH, shift
from tradewind.model.timetable import Delta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DeltaGrid:
    """Ticks that are counted from wherever one starts: every instant may be one."""

    delta: Delta

    def after(self, instant: datetime) -> datetime | None:
        """One delta later."""
        return shift(instant, self.delta)

    def before(self, instant: datetime) -> datetime | None:
        """One delta earlier."""
        return shift(instant, self.delta, -1)

    def at_or_after(self, instant: datetime) -> datetime | None:
        """The instant itself."""
        return instant

    def at_or_before(self, instant: datetime) -> datetime | None:
        """The instant itself."""
        return instant

    def newest_boundary(self, now: datetime, start: datetime | None) -> datetime | None:
        """The newest multiple of the delta since the epoch; months have no fixed length: since `start`."""
        if not self.delta.months:
            return now - (now - _EPOCH) % self.delta.rest
        return self._newest_step(now, start or now)

    def _newest_step(self, now: datetime, start: datetime) -> datetime:
        # One step after the other, because the path matters: 31 January, 28 February, 28 March.
        boundary = self._leap(now, start)
        while (following := self.after(boundary)) is not None and following <= now:
            boundary = self._leap(now, following)
        return boundary

    def _leap(self, now: datetime, boundary: datetime) -> datetime:
        """Many steps at once, where no month is too short to matter; never past `now`."""
        if boundary.day > DAY_IN_EVERY_MONTH or self.delta.rest or boundary >= now:
            return boundary
        months = (now.year - boundary.year) * 12 + now.month - boundary.month - 1
        return shift(boundary, self.delta, max(0, months // self.delta.months)) or boundary
