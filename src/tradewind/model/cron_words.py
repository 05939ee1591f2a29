"""A cron expression in words, for people."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

from tradewind.model.cron_syntax import LAST, CronFields, DayRule, read_cron

_WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_ORDINALS: Final = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", LAST: "last"}
_MOST_TIMES: Final = 6
_SHORTEST_RANGE: Final = 3


def cron_words(expression: str) -> str:
    """Such as `At 09:30, Monday through Friday`.

    Raises:
        BadCron: it is no cron expression.
    """
    fields = read_cron(expression)
    parts = [_times(fields), *_days(fields.day_rule), *_months(fields)]
    if fields.years:
        parts.append(f"only in {_listed(fields.years, str)}")
    return ", ".join(part for part in parts if part)


def _times(fields: CronFields) -> str:
    hours, minutes, seconds = fields.hours, fields.minutes, fields.seconds
    if len(hours) * len(minutes) * len(seconds) <= _MOST_TIMES:
        clock = [f"{hour:02}:{minute:02}" + (f":{second:02}" if seconds != (0,) else "")
                 for hour, minute, second in product(hours, minutes, seconds)]  # fmt: skip
        return "At " + _joined(clock)
    words = [] if seconds == (0,) else [_every(seconds, 60, "second")]
    if minutes == (0,) and not words:
        words.append("every hour")
    elif not words or len(minutes) < 60:
        words.append(_every(minutes, 60, "minute") + (" of each hour" if len(minutes) == 1 else ""))
    if len(hours) < 24:
        words.append(_every(hours, 24, "hour"))
    text = ", ".join(words)
    return text[0].upper() + text[1:]


def _every(values: Sequence[int], around: int, unit: str) -> str:
    """`every 5 minutes`; `in minutes 1 and 7` where the distances are not even."""
    if len(values) == 1:
        return f"at {unit} {values[0]}"
    step = around // len(values)
    if tuple(values) == tuple(range(0, around, step)):
        return f"every {unit}" if step == 1 else f"every {step} {unit}s"
    return f"in {unit}s {_listed(values, str)}"


def _days(rule: DayRule) -> list[str]:
    choices = []
    if rule.days:
        choices.append(f"on day {_listed(sorted(rule.days), str)} of the month")
    if rule.last_day:
        choices.append("on the last day of the month")
    if rule.nearest_working_day is not None:
        choices.append(f"on the working day nearest to day {rule.nearest_working_day} of the month")
    if rule.weekdays:
        # The week of people begins on Monday.
        days = sorted(rule.weekdays, key=lambda day: day or 7)
        choices.append(f"only on {_listed([day or 7 for day in days], lambda day: _WEEKDAYS[day % 7])}")
    choices += [f"on the {_ORDINALS[nth]} {_WEEKDAYS[day]} of the month" for day, nth in sorted(rule.nth_weekdays)]
    return [" or ".join(choices)]


def _months(fields: CronFields) -> list[str]:
    if len(fields.months) == len(_MONTHS):
        return []
    return [f"only in {_listed(fields.months, lambda month: _MONTHS[month - 1])}"]


def _listed(values: Sequence[int], name: Callable[[int], str]) -> str:
    is_range = len(values) >= _SHORTEST_RANGE and tuple(values) == tuple(range(values[0], values[-1] + 1))
    return f"{name(values[0])} through {name(values[-1])}" if is_range else _joined([name(value) for value in values])


def _joined(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
