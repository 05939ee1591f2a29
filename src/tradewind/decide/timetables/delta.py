"""Schedules of a fixed distance, and the arithmetic of months."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from tradewind.decide.timetables.invalid import NonPositiveDelta
from tradewind.model.timetable import Delta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEAP_CYCLE_START = datetime(2000, 1, 1, tzinfo=UTC)
_DAYS_OF_LEAP_CYCLE = 1461
_DAY_IN_EVERY_MONTH = 28


def shift(instant: datetime, delta: Delta, times: int = 1) -> datetime | None:
    """`instant` moved by `times` the delta in one step; `None` if that leaves the calendar."""
    try:
        moved = _add_months(instant, delta.months * times) if delta.months else instant
        return moved + delta.rest * times
    except (OverflowError, ValueError):
        return None


def _add_months(instant: datetime, months: int) -> datetime:
    """The same day that many months on, or the last of that month where it has no such day."""
    years, month = divmod(instant.month - 1 + months, 12)
    year = instant.year + years
    day = instant.day
    if day > _DAY_IN_EVERY_MONTH:
        day = min(day, monthrange(year, month + 1)[1])
    return instant.replace(year=year, month=month + 1, day=day)


@lru_cache(maxsize=1024)
def require_forward(delta: Delta) -> Delta:
    """The delta itself; an error unless it leads forward from every day of the calendar."""
    if delta.months >= 0 and delta.rest >= timedelta(0):
        forward = bool(delta.months or delta.rest)
    else:
        # Such as a month less a day: whether that leads forward depends on the lengths of the months.
        starts = (_LEAP_CYCLE_START + timedelta(days=day) for day in range(_DAYS_OF_LEAP_CYCLE))
        forward = all((there := shift(start, delta)) is not None and there > start for start in starts)
    if not forward:
        raise NonPositiveDelta(f"{delta.months} months and {delta.rest}" if delta.months else str(delta.rest))
    return delta


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
        if boundary.day > _DAY_IN_EVERY_MONTH or self.delta.rest or boundary >= now:
            return boundary
        months = (now.year - boundary.year) * 12 + now.month - boundary.month - 1
        return shift(boundary, self.delta, max(0, months // self.delta.months)) or boundary
