"""The text of a cron expression, read into the values of its fields.

The language is croniter's, which Airflow users write: five fields, a sixth for seconds and a seventh for
years; lists, ranges that may wrap around, steps, names, `L` (last day), `15W` (nearest working day), `5#3`
(third Friday), `L5` (last Friday). The docstring of `decide.timetables` says why croniter itself is not used, and
what is different.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tradewind.model.invalid_schedule import BadCron
from tradewind.model.timetable import CRON_PRESETS

LAST = -1
"""In the place of "the how-manieth weekday of the month"."""

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    names: Mapping[str, int]

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(range(self.low, self.high + 1))


_MINUTE = _Field("minute", 0, 59, {})
_HOUR = _Field("hour", 0, 23, {})
_DAY = _Field("day of month", 1, 31, {})
_MONTH = _Field("month", 1, 12, {name: number for number, name in enumerate(_MONTH_NAMES, 1)})
_WEEKDAY = _Field("day of week", 0, 6, {name: number for number, name in enumerate(_WEEKDAY_NAMES)} | {"7": 0})
_SECOND = _Field("second", 0, 59, {})
_YEAR = _Field("year", 1970, 2099, {})

_MEANT = "minute, hour, day, month, weekday, and if need be second and year are meant"
_PLACE_OF_SECONDS = (
    "",
    "; with six fields the seconds come last",
    "; with seven fields the seconds come before the year",
)

_ITEM = re.compile(r"(?P<low>\*|[a-z0-9]+)(?:-(?P<high>[a-z0-9]+))?(?:/(?P<step>\d+))?")
_NEAREST = re.compile(r"(\d+)w|w(\d+)")
_NTH = re.compile(r"(?P<days>.+)#(?P<nth>\d+)")
_LAST_WEEKDAY = re.compile(r"l(?P<day>[0-7])")


@dataclass(frozen=True, slots=True)
class DayRule:
    """Which days of a month are meant. `None` leaves that side open; if both are set, either may hold."""

    days: frozenset[int] | None
    last_day: bool = False
    nearest_working_day: int | None = None
    weekdays: frozenset[int] | None = None
    """0 is Sunday."""
    nth_weekdays: frozenset[tuple[int, int]] = frozenset()
    """(weekday, how-manieth of the month)."""


@dataclass(frozen=True, slots=True)
class CronFields:
    """The values of each field, ascending."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: tuple[int, ...]
    years: tuple[int, ...]
    """Empty for every year."""
    day_rule: DayRule


class _Unreadable(Exception):
    """Carries the reason up to where the whole expression is known."""


def read_cron(expression: str) -> CronFields:
    """The fields of a cron expression or preset."""
    text = expression.strip().lower()
    if text.startswith("@") and text not in CRON_PRESETS:
        raise BadCron(expression, f"no such preset; there are {', '.join(CRON_PRESETS)}")
    texts = CRON_PRESETS.get(text, text).split()
    if not 5 <= len(texts) <= 7:
        raise BadCron(expression, f"{len(texts)} fields; {_MEANT}")
    minute, hour, day, month, weekday, *more = texts
    try:
        return CronFields(
            seconds=_values(more[0], _SECOND) if more else (0,),
            minutes=_values(minute, _MINUTE),
            hours=_values(hour, _HOUR),
            months=_values(month, _MONTH),
            years=_values(more[1], _YEAR) if len(more) == 2 and more[1] != "*" else (),
            day_rule=_day_rule(day, weekday),
        )
    except _Unreadable as problem:
        # Others write the seconds first, and mean something else by all that follows.
        raise BadCron(expression, f"{problem}{_PLACE_OF_SECONDS[len(more)]}") from None


def _day_rule(day: str, weekday: str) -> DayRule:
    weekdays, nth_weekdays = _weekdays(weekday)
    days, last_day, nearest = _days(day)
    # A field that lists every value leaves the choice to the other field only where that one has a star.
    if days == frozenset(_DAY.all) and "*" in weekday:
        days = None
    if weekdays == frozenset(_WEEKDAY.all) and "*" in day:
        weekdays = None
    return DayRule(days, last_day, nearest, weekdays, nth_weekdays)


def _days(text: str) -> tuple[frozenset[int] | None, bool, int | None]:
    if text in ("*", "?"):
        return None, False, None
    nearest = _NEAREST.fullmatch(text)
    if nearest is not None:
        return frozenset(), False, _number(nearest[1] or nearest[2], _DAY)
    items = text.split(",")
    plain = [re.sub(r"-l\b", "-31", item) for item in items if item != "l"]
    values = frozenset(value for item in plain for value in _item(item, _DAY))
    return values, len(plain) < len(items), None


def _weekdays(text: str) -> tuple[frozenset[int] | None, frozenset[tuple[int, int]]]:
    if text in ("*", "?"):
        return None, frozenset()
    plain: set[int] = set()
    nth_weekdays: set[tuple[int, int]] = set()
    for item in text.split(","):
        if (last := _LAST_WEEKDAY.fullmatch(item)) is not None:
            nth_weekdays.add((_number(last["day"], _WEEKDAY), LAST))
        elif (nth := _NTH.fullmatch(item)) is not None:
            if not 1 <= int(nth["nth"]) <= 5:
                raise _Unreadable(f"no month has a weekday number {nth['nth']} (in {item!r})")
            nth_weekdays.update((day, int(nth["nth"])) for day in _item(nth["days"], _WEEKDAY))
        else:
            plain.update(_item(item, _WEEKDAY))
    return frozenset(plain), frozenset(nth_weekdays)


def _values(text: str, field: _Field) -> tuple[int, ...]:
    return tuple(sorted({value for item in text.split(",") for value in _item(item, field)}))


def _item(text: str, field: _Field) -> Iterator[int]:
    """One part of a list: a value, a range or a star, each with or without a step."""
    match = _ITEM.fullmatch(text)
    if match is None or (match["low"] == "*" and match["high"]):
        raise _Unreadable(f"{text!r} is no {field.name}{_hint(text)}")
    low, high, step = match["low"], match["high"], int(match["step"] or 1)
    if step == 0:
        raise _Unreadable(f"a step of 0 in the {field.name} {text!r}")
    if low == "*":
        return iter(range(field.low, field.high + 1, step))
    first = _number(low, field)
    if high is None:
        return iter(range(first, field.high + 1, step) if match["step"] else (first,))
    return _range(first, _number(high, field), step, field)


def _range(first: int, last: int, step: int, field: _Field) -> Iterator[int]:
    if first == last:
        # Once around, as in sun-sun; it begins at the lowest value wherever the range does.
        return iter(range(field.low, field.high + 1, step))
    around = field.high - field.low + 1
    span = (last - first) % around
    return (field.low + (first - field.low + ahead) % around for ahead in range(0, span + 1, step))


def _number(text: str, field: _Field) -> int:
    if text in field.names:
        return field.names[text]
    if not text.isdecimal():
        raise _Unreadable(f"{text!r} is no {field.name}{_hint(text)}")
    number = int(text)
    if not field.low <= number <= field.high:
        raise _Unreadable(f"{field.name} {number} is not within {field.low}-{field.high}")
    return number


def _hint(text: str) -> str:
    if re.match(r"[hr](\W|$)", text):
        return "; hashed (H) and random (R) values would differ from one scheduler to the next"
    return ""
