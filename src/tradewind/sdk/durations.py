"""Durations and time zones as authors write them, turned into what is stored.

Authors use `timedelta`, dateutil's `relativedelta`, pendulum's `Duration`, and time zones of four libraries. They are
told apart by what they look like: importing those libraries would cost every DAG file what only some of them need.
"""

from datetime import datetime, timedelta, tzinfo
from typing import Any, Final

from tradewind.model.timetable import Delta
from tradewind.sdk.exceptions import AirflowTimetableInvalid

_ABSOLUTE: Final = ("year", "month", "day", "weekday", "hour", "minute", "second", "microsecond")
# What pendulum takes a year and a month for where a plain timedelta is wanted.
_DAYS_OF_YEAR: Final = 365
_DAYS_OF_MONTH: Final = 30


def is_relativedelta(value: object) -> bool:
    """Whether this is a `relativedelta` of dateutil."""
    return any(base.__name__ == "relativedelta" for base in type(value).__mro__)


def delta_of(value: Any, what: str) -> Delta:
    """The distance in time that an author means."""
    if isinstance(value, timedelta):
        years, months = getattr(value, "years", 0), getattr(value, "months", 0)
        calendar_days = timedelta(days=years * _DAYS_OF_YEAR + months * _DAYS_OF_MONTH)
        fixed = timedelta(value.days, value.seconds, value.microseconds)
        return Delta.of(fixed - calendar_days, months=years * 12 + months)
    if is_relativedelta(value):
        return _of_relativedelta(value, what)
    raise AirflowTimetableInvalid(f"{what} must be a timedelta or a relativedelta, not {value!r}")


def _of_relativedelta(value: Any, what: str) -> Delta:
    absolute = [name for name in _ABSOLUTE if getattr(value, name) is not None]
    if value.leapdays:
        absolute.append("leapdays")
    if absolute:
        raise AirflowTimetableInvalid(
            f"{what} is {value!r}, which names a date ({', '.join(absolute)}); use distances such as months= or days="
        )
    parts = ("days", "hours", "minutes", "seconds", "microseconds")
    fixed = timedelta(**{name: getattr(value, name) for name in parts})
    return Delta.of(fixed, months=int(value.years) * 12 + int(value.months))


def zone_name(timezone: str | tzinfo) -> str:
    """The name of a time zone, or its offset from UTC."""
    if isinstance(timezone, str):
        return "UTC" if timezone.lower() == "utc" else timezone
    if not isinstance(timezone, tzinfo):
        raise AirflowTimetableInvalid(f"a time zone is a name or a tzinfo, not {timezone!r}")
    if isinstance(key := getattr(timezone, "key", None), str):  # zoneinfo, and pendulum on top of it
        return key
    offset = timezone.utcoffset(None)
    if offset is not None:
        return "UTC" if not offset else _written(offset)
    for attribute in ("zone", "name"):  # pytz, and others like it
        if isinstance(name := getattr(timezone, attribute, None), str):
            return name
    raise AirflowTimetableInvalid(
        f"the time zone {timezone!r} has no name; use zoneinfo.ZoneInfo, pendulum.timezone or just its name"
    )


def _written(offset: timedelta) -> str:
    # The clock that knows how offsets are written is that of datetime.
    epoch = datetime(1970, 1, 1) + abs(offset)  # noqa: DTZ001 - a reading, not an instant
    return ("-" if offset < timedelta(0) else "+") + epoch.strftime("%H:%M:%S").removesuffix(":00")
