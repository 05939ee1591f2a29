"""Between instants and what a clock on the wall shows.

A wall clock that is put back shows an hour twice; one that is put forward never shows an hour at all. This
module says which instants a reading of the clock stands for.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from tradewind.model.clock_changes import RepeatedTime, SkippedTime
from tradewind.model.invalid_schedule import UnknownTimeZone

_OFFSET = re.compile(r"(?:UTC)?(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?")


@lru_cache(maxsize=1024)
def time_zone(name: str) -> tzinfo:
    """The zone of that name, or at that fixed offset from UTC."""
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        return _fixed(name, offset)
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        # Besides names that are not there: folders ("America"), paths out of the database, empty names.
        raise UnknownTimeZone(name) from None


def _fixed(name: str, offset: re.Match[str]) -> timezone:
    hours, minutes, seconds = (int(offset[part] or 0) for part in ("hours", "minutes", "seconds"))
    distance = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if distance >= timedelta(hours=24):
        raise UnknownTimeZone(name)
    return timezone(-distance if offset["sign"] == "-" else distance)


def instants_of(
    reading: datetime,
    zone: tzinfo,
    *,
    repeated: RepeatedTime = RepeatedTime.SECOND,
    skipped: SkippedTime = SkippedTime.LATER,
) -> tuple[datetime, ...]:
    """The instants that a reading of the wall clock stands for: usually one.

    A reading shown twice stands for its second showing, and one that is skipped for the instant that many minutes after
    the clock was put forward (2:30 becomes 3:30), unless something else is asked for.
    """
    first = reading.replace(tzinfo=zone)
    second = first.replace(fold=1)
    earlier = first.astimezone(UTC)
    if first.utcoffset() == second.utcoffset():
        return (earlier,)
    later = second.astimezone(UTC)
    if later > earlier:
        return _showings(earlier, later, repeated)
    # Skipped: the offset from before the change (fold 0) is the one that moves the reading forward.
    match skipped:
        case SkippedTime.LATER:
            return (earlier,)
        case SkippedTime.AT_CHANGE:
            return (_change_between(later, earlier, zone),)
        case SkippedTime.OMIT:
            return ()


def _showings(earlier: datetime, later: datetime, repeated: RepeatedTime) -> tuple[datetime, ...]:
    if repeated is RepeatedTime.BOTH:
        return (earlier, later)
    return (earlier,) if repeated is RepeatedTime.FIRST else (later,)


def _change_between(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The first instant with the later of two offsets; clocks are moved at whole seconds."""
    offset = after.astimezone(zone).utcoffset()
    start, low, high = before, -1, round((after - before).total_seconds())
    while high - low > 1:
        middle = (low + high) // 2
        if (start + timedelta(seconds=middle)).astimezone(zone).utcoffset() == offset:
            high = middle
        else:
            low = middle
    return (start + timedelta(seconds=high)).replace(microsecond=0)


def clock_change_on(instant: datetime, zone: tzinfo) -> timedelta:
    """By how much clocks are put forward on the day of the zone to which an instant belongs; back, if negative."""
    midnight = instant.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    before, after = (
        (midnight + timedelta(days=days)).replace(tzinfo=zone).astimezone(UTC).astimezone(zone).utcoffset()
        for days in (0, 1)
    )
    assert before is not None
    assert after is not None
    return after - before


@lru_cache(maxsize=16384)
def offsets_near(day: int, zone: tzinfo) -> tuple[timedelta, ...]:
    """The distances from UTC that the zone has on a day (its ordinal) and within five days of it.

    More than one only around a clock change. Found by a look at each midnight, because `zoneinfo` does not
    tell its changes; two that cancel each other out within a day never were.
    """
    midnight = datetime.fromordinal(day).replace(tzinfo=UTC)
    offsets: list[timedelta] = []
    for days in range(-5, 7):
        offset = (midnight + timedelta(days=days)).astimezone(zone).utcoffset()
        assert offset is not None
        if offset not in offsets:
            offsets.append(offset)
    return tuple(offsets)
