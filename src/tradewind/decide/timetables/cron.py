"""Cron in a time zone: which instants the readings of the wall clock stand for.

Two rules, chosen by the expression as a whole:

- Some hour is left out (`30 2 * * *`, `0 */2 * * *`): the wall clock counts. Each reading fires once. One
  that is shown twice fires at its second showing; one that is skipped fires when the clock, had it not been
  put forward, would have shown it (2:30 fires at 3:30).
- Every hour is named (`*/15 * * * *`): elapsed time counts. A reading that is shown twice fires twice.

These are Airflow's rules, and the default. The author may choose others: see `model.clock_changes`.

The ticks are a plain set of instants, and `after` and `before` search that set. Airflow instead steps from
the last tick; where the two differ is listed in the docstring of the package.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from tradewind.model.clock_changes import AS_AIRFLOW, ClockChanges, RepeatedTime, SkippedTime
from tradewind.model.cron_calendar import CronCalendar, cron_calendar
from tradewind.model.local_time import instants_of, offsets_near, time_zone

_TWO_DAYS = timedelta(days=2)
_MICROSECOND = timedelta(microseconds=1)
# Some days inside the calendar, so that no zone leads out of it. People do write `datetime.min`.
_FIRST = datetime(1, 1, 10, tzinfo=UTC)
_LAST = datetime(9999, 12, 20, tzinfo=UTC)


@dataclass(frozen=True, slots=True, eq=False)
class CronGrid:
    """The ticks of one cron expression in one time zone."""

    calendar: CronCalendar
    zone: tzinfo
    skipped: SkippedTime
    repeated: RepeatedTime

    def after(self, instant: datetime) -> datetime | None:
        """The first tick later than `instant` (in UTC)."""
        return _tick_after(self, instant)

    def find_after(self, instant: datetime) -> datetime | None:
        """As `after`, and never from memory."""
        try:
            here = offsets_near(instant.toordinal(), self.zone)
            reading = self.calendar.after(self._reading(instant, here))
            if reading is None:
                return None
            there = offsets_near(reading.toordinal(), self.zone)
            if len(here) == len(there) == 1:
                return (reading - there[0]).replace(tzinfo=UTC)
            return self._after_near_change(instant, reading)
        except OverflowError:
            return None  # the end of the calendar is the end of the schedule

    def before(self, instant: datetime) -> datetime | None:
        """The last tick earlier than `instant` (in UTC)."""
        try:
            here = offsets_near(instant.toordinal(), self.zone)
            reading = self.calendar.before(self._reading(instant, here))
            if reading is None:
                return None
            there = offsets_near(reading.toordinal(), self.zone)
            if len(here) == len(there) == 1:
                return (reading - there[0]).replace(tzinfo=UTC)
            return self._before_near_change(instant, reading)
        except OverflowError:
            return None  # the beginning of the calendar is the beginning of the schedule

    def at_or_after(self, instant: datetime) -> datetime | None:
        """`instant` if it is a tick, else the one that follows."""
        return self.after(max(instant, _FIRST) - _MICROSECOND)

    def at_or_before(self, instant: datetime) -> datetime | None:
        """`instant` if it is a tick, else the one that precedes it."""
        return self.before(min(instant, _LAST) + _MICROSECOND)

    def newest_boundary(self, now: datetime, start: datetime | None) -> datetime | None:
        """The newest tick; where the schedule began does not move it."""
        del start
        return self.at_or_before(now)

    def _reading(self, instant: datetime, offsets: tuple[timedelta, ...]) -> datetime:
        if len(offsets) == 1:
            return instant.replace(tzinfo=None) + offsets[0]
        return instant.astimezone(self.zone).replace(tzinfo=None, fold=0)

    def _instants(self, reading: datetime) -> tuple[datetime, ...]:
        return instants_of(reading, self.zone, repeated=self.repeated, skipped=self.skipped)

    def _after_near_change(self, instant: datetime, reading: datetime | None) -> datetime | None:
        """The first tick, where `reading` is the first reading later than the clock shows at `instant`.

        Around a clock change the order of readings is not the order of instants: a reading that looks past
        may still come, and a later one may come first. Under one and the same offset the orders agree, so
        look under each offset by itself, and pass over the readings that it does not hold for.
        """
        # A reading may stand for no instant at all, or for one that has passed.
        while reading is not None and not any(found > instant for found in self._instants(reading)):
            reading = self.calendar.after(reading)
        if reading is None:
            return None
        best = min(found for found in self._instants(reading) if found > instant)
        # No zone is two days from UTC: until two days before the reading, only a change right here matters.
        for origin in {instant, max(instant, reading.replace(tzinfo=UTC) - _TWO_DAYS)}:
            for offset in offsets_near(origin.toordinal(), self.zone):
                other = self.calendar.after(origin.replace(tzinfo=None) + offset)
                while other is not None and (found := (other - offset).replace(tzinfo=UTC)) < best:
                    if found in self._instants(other):
                        best = found
                    other = self.calendar.after(other)
        return best

    def _before_near_change(self, instant: datetime, reading: datetime | None) -> datetime | None:
        """The mirror image of `_after_near_change`, except that the reading may still be to come."""
        while reading is not None and not any(found < instant for found in self._instants(reading)):
            reading = self.calendar.before(reading)
        if reading is None:
            return None
        best = max(found for found in self._instants(reading) if found < instant)
        for origin in {instant, min(instant, reading.replace(tzinfo=UTC) + _TWO_DAYS)}:
            for offset in offsets_near(origin.toordinal(), self.zone):
                other = self.calendar.before(origin.replace(tzinfo=None) + offset)
                while other is not None and (found := (other - offset).replace(tzinfo=UTC)) > best:
                    if found in self._instants(other):
                        best = found
                    other = self.calendar.before(other)
        return best


@lru_cache(maxsize=1024)
def _tick_after(grid: CronGrid, instant: datetime) -> datetime | None:
    """Remembered, for when a schedule is due that many DAGs have, such as that of every hour, all ask the same."""
    return grid.find_after(instant)


@lru_cache(maxsize=4096)
def cron_grid(expression: str, timezone: str, changes: ClockChanges = AS_AIRFLOW) -> CronGrid:
    """The ticks of a cron expression in a time zone; refuses what it cannot read."""
    calendar, repeated = cron_calendar(expression), changes.repeated
    if repeated is RepeatedTime.USUAL:
        repeated = RepeatedTime.BOTH if calendar.every_hour else RepeatedTime.SECOND
    return CronGrid(calendar, time_zone(timezone), changes.skipped, repeated)
