"""Partition keys that stand for times: read, rounded down to their period, written, and read again.

A key is the reading of a wall clock in the zone of its mapper. A reading that the clock shows twice stands for its
second showing, and one that it skips for the time that many minutes later (see `local_time`). The steps of a window are
counted on the wall clock too, so a day always has 24 of them.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from tradewind.model.local_time import instants_of, time_zone
from tradewind.model.partition import Direction, Period, PeriodWindow, StartOfPeriod

DEFAULT_FORMATS: Final = {
    Period.HOUR: "%Y-%m-%dT%H",
    Period.DAY: "%Y-%m-%d",
    Period.WEEK: "%Y-%m-%d (W%V)",
    Period.MONTH: "%Y-%m",
    Period.QUARTER: "%Y-Q{quarter}",
    Period.YEAR: "%Y",
}

_QUARTER: Final = "quarter"
# What `strptime` cannot read back by itself: the number of a week without its year, and our own quarter.
_READ_BY_PATTERN: Final = {Period.WEEK: ("Y", "m", "d"), Period.QUARTER: ("Y", _QUARTER)}
_DIGITS: Final = {"Y": r"\d{4}", _QUARTER: "[1-4]"} | dict.fromkeys("mdHMSVUW", r"\d{2}")
_TOKEN: Final = re.compile(r"%(?P<directive>[YmdHMSVUW])|\{(?P<placeholder>[^}]*)\}|(?P<literal>.)", re.DOTALL)

_Step = Callable[[datetime, int], datetime]


def start_of(period: Period, moment: datetime) -> datetime:
    """When the period around a moment began, on the same clock."""
    if period is Period.HOUR:
        return moment.replace(minute=0, second=0, microsecond=0)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    match period:
        case Period.DAY:
            return day
        case Period.WEEK:
            return day - timedelta(days=day.weekday())
        case Period.MONTH:
            return day.replace(day=1)
        case Period.QUARTER:
            return day.replace(day=1, month=_quarter(day) * 3 - 2)
        case Period.YEAR:
            return day.replace(day=1, month=1)


def downstream_key(mapper: StartOfPeriod, key: str) -> str:
    """The period that an upstream key belongs to. A `ValueError` says what is wrong with the key."""
    moment = datetime.strptime(key, mapper.input_format)  # noqa: DTZ007 - a reading of the wall clock
    return write_period(mapper, start_of(mapper.period, _located(mapper, moment)))


def write_period(mapper: StartOfPeriod, start: datetime) -> str:
    """The key of a period that begins then."""
    text = mapper.output_format.replace(f"{{{_QUARTER}}}", str(_quarter(start)))
    return start.strftime(text)


def read_period(mapper: StartOfPeriod, downstream_key: str) -> datetime:
    """When the period of a downstream key begins; without a zone, unless the key states one."""
    needed = _READ_BY_PATTERN.get(mapper.period)
    if needed is None:
        return datetime.strptime(downstream_key, mapper.output_format)  # noqa: DTZ007 - a reading of the wall clock
    found = key_pattern(mapper.output_format).fullmatch(downstream_key)
    parts = {} if found is None else found.groupdict()
    if any(name not in parts for name in needed):
        wanted = ", ".join(f"{{{name}}}" if name == _QUARTER else f"%{name}" for name in needed)
        raise ValueError(
            f"the key {downstream_key!r} cannot be read as {mapper.output_format!r}; that format needs {wanted}"
        )
    month = int(parts["m"]) if "m" in parts else int(parts[_QUARTER]) * 3 - 2
    return datetime(int(parts["Y"]), month, int(parts.get("d", 1)))  # noqa: DTZ001 - a reading of the wall clock


def upstream_key(mapper: StartOfPeriod, moment: datetime) -> str:
    """How the producer writes that moment."""
    return _located(mapper, moment).strftime(mapper.input_format)


def period_date(mapper: StartOfPeriod, downstream_key: str) -> datetime:
    """The instant at which the period of a downstream key begins."""
    return _located(mapper, start_of(mapper.period, read_period(mapper, downstream_key)))


def window_members(window: PeriodWindow, anchor: datetime) -> Iterator[datetime]:
    """Every step of the window, earliest first."""
    if window.period in (Period.MONTH, Period.QUARTER, Period.YEAR) and anchor.day != 1:
        raise ValueError(f"a {window.period} begins on the first of a month, not at {anchor.isoformat()}")
    if window.period is Period.MONTH:
        return _days_of_month(window, anchor)
    count, step = _STEPS[window.period]
    first = anchor if window.direction is Direction.FORWARD else step(anchor, 1 - count)
    return (step(first, number) for number in range(count))


@lru_cache(maxsize=1024)
def key_pattern(output_format: str) -> re.Pattern[str]:
    """What keys of that format look like. A `ValueError` if they could not be read again."""
    parts: list[str] = []
    seen: set[str] = set()
    for token in _TOKEN.finditer(output_format):
        name = token["directive"] or token["placeholder"]
        if token["literal"] is not None:
            parts.append(re.escape(token["literal"]))
            continue
        if name not in _DIGITS:
            raise ValueError(
                f"the format {output_format!r} has an unknown placeholder {token[0]}; there is {{quarter}}"
            )
        if name in seen:
            raise ValueError(f"the format {output_format!r} has {token[0]} twice, so its keys cannot be read again")
        seen.add(name)
        parts.append(f"(?P<{name}>{_DIGITS[name]})")
    return re.compile("".join(parts))


def require_readable(mapper: StartOfPeriod) -> None:
    """Raise a `ValueError` if the format of the mapper could not be read again."""
    if mapper.period in _READ_BY_PATTERN:
        key_pattern(mapper.output_format)


def _located(mapper: StartOfPeriod, moment: datetime) -> datetime:
    zone = time_zone(mapper.timezone)
    if moment.tzinfo is None:
        (moment,) = instants_of(moment, zone)
    return moment.astimezone(zone)


def _quarter(moment: datetime) -> int:
    return (moment.month + 2) // 3


def _days_of_month(window: PeriodWindow, anchor: datetime) -> Iterator[datetime]:
    """The days of the month that begins at the anchor; backward, as many days as the month before has, up to it."""
    if window.direction is Direction.FORWARD:
        first, days = anchor, (_add_months(anchor, 1) - anchor).days
    else:
        days = (anchor - _add_months(anchor, -1)).days
        first = anchor - timedelta(days=days - 1)
    return (first + timedelta(days=number) for number in range(days))


def _add_months(first_of_month: datetime, months: int) -> datetime:
    years, month = divmod(first_of_month.month - 1 + months, 12)
    return first_of_month.replace(year=first_of_month.year + years, month=month + 1)


_STEPS: Final[dict[Period, tuple[int, _Step]]] = {
    Period.HOUR: (60, lambda moment, number: moment + timedelta(minutes=number)),
    Period.DAY: (24, lambda moment, number: moment + timedelta(hours=number)),
    Period.WEEK: (7, lambda moment, number: moment + timedelta(days=number)),
    Period.QUARTER: (3, _add_months),
    Period.YEAR: (12, _add_months),
}
