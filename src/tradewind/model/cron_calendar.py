"""The readings of a wall clock at which a cron expression fires, forwards and backwards.

Time zones are no concern here: readings are naive. Everything that depends on the expression alone is worked
out once, when it is read, so that a step costs a few bisections.
"""

from bisect import bisect_left, bisect_right
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from tradewind.model.cron_syntax import LAST, CronFields, DayRule, read_cron
from tradewind.model.invalid_schedule import BadCron

_SHORTEST_MONTH = 28
_MONTH_LENGTHS = range(_SHORTEST_MONTH, 32)
_CALENDAR_CYCLE = range(2000, 2400)
"""The Gregorian calendar repeats after 400 years: what is not in here never comes."""


@dataclass(frozen=True, slots=True, eq=False)
class CronCalendar:
    """All readings of one expression."""

    fields: CronFields
    days: tuple[tuple[int, ...], ...]
    """The days meant, for each weekday that a month can begin with and each length that it can have."""

    @property
    def every_hour(self) -> bool:
        """Whether no hour of a day is left out."""
        return len(self.fields.hours) == 24

    def after(self, reading: datetime) -> datetime | None:
        """The first reading later than the given one."""
        start = reading.replace(microsecond=0) + timedelta(seconds=1)
        day = self._day_from(start.date())
        if day == start.date():
            moment = self._time_from(start.time())
            if moment is not None:
                return datetime.combine(day, moment)
            day = self._day_from(day + timedelta(days=1))
        if day is None:
            return None
        return datetime.combine(day, time(self.fields.hours[0], self.fields.minutes[0], self.fields.seconds[0]))

    def before(self, reading: datetime) -> datetime | None:
        """The last reading earlier than the given one."""
        end = (reading - timedelta(microseconds=1)).replace(microsecond=0)
        day = self._day_until(end.date())
        if day == end.date():
            moment = self._time_until(end.time())
            if moment is not None:
                return datetime.combine(day, moment)
            day = self._day_until(day - timedelta(days=1))
        if day is None:
            return None
        return datetime.combine(day, time(self.fields.hours[-1], self.fields.minutes[-1], self.fields.seconds[-1]))

    def days_of(self, year: int, month: int) -> tuple[int, ...]:
        """The days meant in that month, if the month itself is meant."""
        return self.days[_kind_of_month(year, month)]

    def _day_from(self, day: date) -> date | None:
        months, years = self.fields.months, self.fields.years
        for year in range(day.year, (years[-1] if years else date.max.year) + 1):
            if years and year not in years:
                continue
            for month in months if year > day.year else months[bisect_left(months, day.month) :]:
                days = self.days_of(year, month)
                at = bisect_left(days, day.day) if (year, month) == (day.year, day.month) else 0
                if at < len(days):
                    return date(year, month, days[at])
        return None

    def _day_until(self, day: date) -> date | None:
        months, years = self.fields.months, self.fields.years
        for year in range(day.year, (years[0] if years else date.min.year) - 1, -1):
            if years and year not in years:
                continue
            for month in reversed(months if year < day.year else months[: bisect_right(months, day.month)]):
                days = self.days_of(year, month)
                at = bisect_right(days, day.day) if (year, month) == (day.year, day.month) else len(days)
                if at:
                    return date(year, month, days[at - 1])
        return None

    def _time_from(self, moment: time) -> time | None:
        hours, minutes, seconds = self.fields.hours, self.fields.minutes, self.fields.seconds
        hour = _at_least(moment.hour, hours)
        if hour == moment.hour:
            minute = _at_least(moment.minute, minutes)
            if minute == moment.minute:
                second = _at_least(moment.second, seconds)
                if second is not None:
                    return time(hour, minute, second)
                minute = _at_least(minute + 1, minutes)
            if minute is not None:
                return time(hour, minute, seconds[0])
            hour = _at_least(hour + 1, hours)
        return None if hour is None else time(hour, minutes[0], seconds[0])

    def _time_until(self, moment: time) -> time | None:
        hours, minutes, seconds = self.fields.hours, self.fields.minutes, self.fields.seconds
        hour = _at_most(moment.hour, hours)
        if hour == moment.hour:
            minute = _at_most(moment.minute, minutes)
            if minute == moment.minute:
                second = _at_most(moment.second, seconds)
                if second is not None:
                    return time(hour, minute, second)
                minute = _at_most(minute - 1, minutes)
            if minute is not None:
                return time(hour, minute, seconds[-1])
            hour = _at_most(hour - 1, hours)
        return None if hour is None else time(hour, minutes[-1], seconds[-1])


@lru_cache(maxsize=1024)
def _kind_of_month(year: int, month: int) -> int:
    """Remembered, for thousands of schedules ask about the same month in the minute in which they are due."""
    first_weekday, length = monthrange(year, month)
    return first_weekday * len(_MONTH_LENGTHS) + length - _SHORTEST_MONTH


@lru_cache(maxsize=4096)
def cron_calendar(expression: str) -> CronCalendar:
    """The calendar of a cron expression or preset, refused if it is empty (30 February)."""
    fields = read_cron(expression)
    days = tuple(
        _days_meant(fields.day_rule, first_weekday, length) for first_weekday in range(7) for length in _MONTH_LENGTHS
    )
    calendar = CronCalendar(fields, days)
    years = fields.years or _CALENDAR_CYCLE
    if not any(calendar.days_of(year, month) for year in years for month in fields.months):
        raise BadCron(expression, "it names a date that does not exist in any year")
    return calendar


def _days_meant(rule: DayRule, first_weekday: int, length: int) -> tuple[int, ...]:
    """`first_weekday` counts from Monday, as `calendar` does; the rule counts from Sunday, as cron does."""
    sunday_based = first_weekday + 1
    return tuple(day for day in range(1, length + 1) if _is_meant(rule, day, (sunday_based + day - 1) % 7, length))


def _is_meant(rule: DayRule, day: int, weekday: int, length: int) -> bool:
    by_weekday = rule.weekdays is not None and (
        weekday in rule.weekdays
        or (weekday, (day + 6) // 7) in rule.nth_weekdays
        or (day + 7 > length and (weekday, LAST) in rule.nth_weekdays)
    )
    if rule.days is None:
        return by_weekday or rule.weekdays is None
    return (
        by_weekday
        or day in rule.days
        or (rule.last_day and day == length)
        or (
            rule.nearest_working_day is not None
            and _is_nearest(min(rule.nearest_working_day, length), day, weekday, length)
        )
    )


def _is_nearest(target: int, day: int, weekday: int, length: int) -> bool:
    """Whether `day` is the working day nearest to `target` within its month."""
    target_weekday = (weekday + target - day) % 7
    if target_weekday == 6:
        return day == (target - 1 if target > 1 else target + 2)
    if target_weekday == 0:
        return day == (target + 1 if target < length else target - 2)
    return day == target


def _at_least(low: int, values: tuple[int, ...]) -> int | None:
    at = bisect_left(values, low)
    return values[at] if at < len(values) else None


def _at_most(high: int, values: tuple[int, ...]) -> int | None:
    at = bisect_right(values, high)
    return values[at - 1] if at else None
