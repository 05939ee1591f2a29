"""Steps of a `Delta` along the calendar: months have no fixed length."""

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from tradewind.model.invalid_schedule import NonPositiveDelta
from tradewind.model.timetable import Delta

DAY_IN_EVERY_MONTH = 28
_LEAP_CYCLE_START = datetime(2000, 1, 1, tzinfo=UTC)
_DAYS_OF_LEAP_CYCLE = 1461


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
    if day > DAY_IN_EVERY_MONTH:
        day = min(day, monthrange(year, month + 1)[1])
    return instant.replace(year=year, month=month + 1, day=day)


@lru_cache(maxsize=1024)
def require_forward(delta: Delta, which: str = "the time between two runs") -> Delta:
    """The delta itself; an error unless it leads forward from every day of the calendar."""
    if delta.months >= 0 and delta.rest >= timedelta(0):
        forward = bool(delta.months or delta.rest)
    else:
        # Such as a month less a day: whether that leads forward depends on the lengths of the months.
        starts = (_LEAP_CYCLE_START + timedelta(days=day) for day in range(_DAYS_OF_LEAP_CYCLE))
        forward = all((there := shift(start, delta)) is not None and there > start for start in starts)
    if not forward:
        # Python writes an hour back as "-1 day, 23:00:00".
        rest = f"-{-delta.rest}" if delta.rest < timedelta(0) else str(delta.rest)
        raise NonPositiveDelta(which, f"{delta.months} months and {rest}" if delta.months else rest)
    return delta
