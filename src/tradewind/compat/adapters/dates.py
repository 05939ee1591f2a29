"""`airflow.utils.dates` as Airflow 2 had it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pendulum

from tradewind.sdk.timezone import utcnow

cron_presets: Final[dict[str, str]] = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@quarterly": "0 0 1 */3 *",
    "@yearly": "0 0 1 1 *",
}


def days_ago(n: int, hour: int = 0, minute: int = 0, second: int = 0, microsecond: int = 0) -> datetime:
    """The given time of day, n days before today, in UTC."""
    today = utcnow().replace(hour=hour, minute=minute, second=second, microsecond=microsecond)
    return today - timedelta(days=n)


def parse_execution_date(execution_date_str: str) -> pendulum.DateTime:
    """An instant from text; without a time zone it is UTC."""
    parsed = pendulum.parse(execution_date_str)
    if not isinstance(parsed, pendulum.DateTime):
        raise ValueError(f"{execution_date_str!r} is not a date with or without a time")  # noqa: TRY004 - the text is wrong
    return parsed


def round_time(dt: datetime, delta: str | timedelta, start_date: datetime | None = None) -> datetime:
    """The step of a grid of timedeltas from the start date on that is nearest to the instant."""
    if isinstance(delta, str):
        raise TypeError("round_time takes a timedelta; for cron expressions use a timetable of airflow.sdk")
    start = start_date or datetime.min.replace(tzinfo=dt.tzinfo)
    return start + round((dt - start) / delta) * delta


def date_range(
    start_date: datetime,
    end_date: datetime | None = None,
    num: int | None = None,
    delta: str | timedelta | None = None,
) -> list[datetime]:
    """Instants from the start date on, a delta apart: up to the end date, or so many (backwards if negative)."""
    if isinstance(delta, str):
        raise TypeError("date_range takes a timedelta; for cron expressions use a timetable of airflow.sdk")
    if not delta:
        return []
    if end_date is not None and num is not None:
        raise ValueError("give end_date or num, not both")
    if end_date is not None and start_date > end_date:
        raise ValueError("the start date is after the end date")
    start = start_date if start_date.tzinfo else start_date.replace(tzinfo=UTC)
    if num is not None:
        return sorted(start + delta * step for step in _steps(num))
    end = end_date or utcnow()
    end = end if end.tzinfo else end.replace(tzinfo=UTC)
    return [start + delta * step for step in range(int((end - start) / delta) + 1)]


def _steps(num: int) -> Sequence[int]:
    return range(num) if num > 0 else range(num + 1, 1)


def datetime_to_nano(datetime: Any) -> int | None:
    """Nanoseconds since 1970; a naive instant is UTC."""
    if not datetime:
        return None
    aware = datetime if datetime.tzinfo else datetime.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1_000_000_000)
