"""Dates and times as templates and DAG files use them: pendulum's, and always with a zone."""

import datetime as dt
from typing import Any, overload

import pendulum
from pendulum import DateTime, FixedTimezone, Timezone

from tradewind.model.local_time import instants_of
from tradewind.sdk.configuration import conf
from tradewind.sdk.task_clock import current_clock

utc = pendulum.UTC
# pendulum has modules of the same names as these two functions, which is all that type checkers see.
_zones: Any = pendulum


class _Default:
    """The zone of what is written without one; `[core] default_timezone` unless `initialize` said otherwise."""

    zone: Timezone | FixedTimezone | None = None


def initialize(default_timezone: str) -> None:
    """Say which zone is meant where none is named. `system` is that of the machine."""
    _Default.zone = local_timezone() if default_timezone == "system" else parse_timezone(default_timezone)


def default_timezone() -> Timezone | FixedTimezone:
    """The zone that is meant where none is named."""
    if _Default.zone is None:
        initialize(conf.get("core", "default_timezone", fallback="UTC"))
    assert _Default.zone is not None
    return _Default.zone


def local_timezone() -> Timezone | FixedTimezone:
    """The zone of the machine."""
    zone: Timezone | FixedTimezone = _zones.local_timezone()
    return zone


def parse_timezone(name: str | int) -> Timezone | FixedTimezone:
    """The zone of that name, or at that offset from UTC in seconds."""
    if isinstance(name, str) and name.lower() == "utc":
        return utc
    zone: Timezone | FixedTimezone = _zones.timezone(name)
    return zone


def utcnow() -> dt.datetime:
    """Now, in UTC."""
    return current_clock().now().astimezone(utc)


def is_localized(value: dt.datetime) -> bool:
    """Whether a datetime has a zone."""
    return value.utcoffset() is not None


def is_naive(value: dt.datetime) -> bool:
    """Whether a datetime has no zone."""
    return value.utcoffset() is None


@overload
def convert_to_utc(value: None) -> None: ...


@overload
def convert_to_utc(value: dt.datetime) -> DateTime: ...


def convert_to_utc(value: dt.datetime | None) -> DateTime | None:
    """The same instant in UTC; a datetime without a zone is taken to be in the default one."""
    if value is None:
        return None
    aware = value if is_localized(value) else make_aware(value)
    return pendulum.instance(aware.astimezone(utc))


@overload
def make_aware(value: None, timezone: dt.tzinfo | None = None) -> None: ...


@overload
def make_aware(value: dt.datetime, timezone: dt.tzinfo | None = None) -> dt.datetime: ...


def make_aware(value: dt.datetime | None, timezone: dt.tzinfo | None = None) -> dt.datetime | None:
    """The instant that a reading of the clock stands for in a zone, by default the default one.

    A reading that is shown twice stands for its second showing; one that is skipped, for as much later.
    """
    if value is None:
        return None
    if is_localized(value):
        raise ValueError(f"{value} has a time zone already")
    zone = timezone or default_timezone()
    for method in ("localize", "convert"):  # pytz, pendulum
        if hasattr(zone, method):
            aware: dt.datetime = getattr(zone, method)(value.replace(fold=1))
            return aware
    (instant,) = instants_of(value, zone)
    return instant.astimezone(zone)


def make_naive(value: dt.datetime, timezone: dt.tzinfo | None = None) -> dt.datetime:
    """What the clock shows at that instant in a zone, by default the default one."""
    if is_naive(value):
        raise ValueError(f"{value} has no time zone")
    there = value.astimezone(timezone or default_timezone())
    return dt.datetime(  # noqa: DTZ001 - a reading of the clock is what was asked for
        there.year, there.month, there.day, there.hour, there.minute, there.second, there.microsecond
    )


def datetime(*args: Any, **kwargs: Any) -> dt.datetime:
    """Like `datetime.datetime`, in the default zone unless `tzinfo` is given."""
    kwargs.setdefault("tzinfo", default_timezone())
    return dt.datetime(*args, **kwargs)  # noqa: DTZ001 - it is among the arguments


def parse(string: str, timezone: Any = None, *, strict: bool = False) -> DateTime:
    """The datetime that a text stands for, in the given or the default zone unless the text has one."""
    parsed = pendulum.parse(string, tz=timezone or default_timezone(), strict=strict)
    if not isinstance(parsed, DateTime):
        raise ValueError(f"{string!r} is no date and time")  # noqa: TRY004 - the value is wrong, not its type
    return parsed


@overload
def coerce_datetime(v: None, tz: dt.tzinfo | None = None) -> None: ...


@overload
def coerce_datetime(v: dt.datetime, tz: dt.tzinfo | None = None) -> DateTime: ...


def coerce_datetime(v: dt.datetime | None, tz: dt.tzinfo | None = None) -> DateTime | None:
    """The same as pendulum's type; without a zone it gets `tz` or the default one, else it keeps its own."""
    if v is None:
        return None
    aware = v if v.tzinfo is not None else make_aware(v, tz)
    return aware if isinstance(aware, DateTime) else pendulum.instance(aware)


def from_timestamp(timestamp: float, tz: str | Timezone | FixedTimezone = utc) -> DateTime:
    """The instant that many seconds after 1970 began; `tz` is a zone, its name, or `local`."""
    zone = local_timezone() if isinstance(tz, str) and tz.lower() == "local" else tz
    return pendulum.from_timestamp(timestamp, tz="UTC").in_timezone(zone)


def td_format(td_object: dt.timedelta | float | None) -> str | None:
    """A duration for people, such as `1h:2M:32s`. A month is taken to be 30 days."""
    if td_object is None:
        return None
    seconds = int(td_object.total_seconds() if isinstance(td_object, dt.timedelta) else td_object)
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    parts = []
    for unit, size in (("y", 360 * 86400), ("m", 30 * 86400), ("d", 86400), ("h", 3600), ("M", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return sign + ":".join(parts) if parts else "<1s"
