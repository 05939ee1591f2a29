"""From a timetable to its runs: the one place that knows every kind."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import assert_never

from tradewind.decide.timetables.cron import cron_grid
from tradewind.decide.timetables.data_interval import last_complete, next_data_interval
from tradewind.decide.timetables.delta import DeltaGrid, require_forward
from tradewind.decide.timetables.simple import moment, next_continuous, next_once
from tradewind.decide.timetables.trigger import interval_until, next_trigger
from tradewind.model.timetable import (
    CRON_PRESETS,
    AssetTriggered,
    Continuous,
    CronDataInterval,
    CronTrigger,
    DataInterval,
    DeltaDataInterval,
    DeltaTrigger,
    Never,
    Once,
    RunInfo,
    TimeRestriction,
    Timetable,
)


def next_run(
    timetable: Timetable,
    *,
    last: DataInterval | RunInfo | None,
    restriction: TimeRestriction,
    now: datetime,
) -> RunInfo | None:
    """The run that follows `last` (the newest one that the timetable asked for), or `None` if there is none.

    Raises `InvalidSchedule` for a timetable that `require_usable` would refuse.
    """
    last, restriction, now = _interval(last), _in_utc(restriction), now.astimezone(UTC)
    match timetable:
        case CronTrigger(expression, timezone, interval, run_immediately):
            grid = cron_grid(expression, timezone)
            return next_trigger(grid, interval, last, restriction, now, run_immediately)
        case CronDataInterval(expression, timezone):
            return next_data_interval(cron_grid(expression, timezone), last, restriction, now)
        case DeltaTrigger(delta, interval):
            return next_trigger(DeltaGrid(require_forward(delta)), interval, last, restriction, now)
        case DeltaDataInterval(delta):
            return next_data_interval(DeltaGrid(require_forward(delta)), last, restriction, now)
        case Once():
            return next_once(last, restriction, now)
        case Continuous():
            return next_continuous(last, restriction, now)
        case Never() | AssetTriggered():
            return None
        case _:
            assert_never(timetable)


def manual_interval(timetable: Timetable, run_after: datetime) -> DataInterval | None:
    """The data interval of a run that a person starts; `None` if the schedule has no complete one yet."""
    run_after = run_after.astimezone(UTC)
    match timetable:
        case CronTrigger(interval=interval) | DeltaTrigger(interval=interval):
            return interval_until(run_after, interval)
        case DeltaDataInterval(delta):
            return interval_until(run_after, delta)
        case CronDataInterval(expression, timezone):
            return last_complete(cron_grid(expression, timezone), run_after)
        case Once() | Continuous() | Never() | AssetTriggered():
            return moment(run_after)
        case _:
            assert_never(timetable)


def upcoming(
    timetable: Timetable,
    *,
    last: DataInterval | RunInfo | None,
    restriction: TimeRestriction,
    now: datetime,
    count: int,
) -> Iterator[RunInfo]:
    """Up to `count` runs after `last`, as they look at `now`.

    Ends early with the schedule, and where the future depends on what has not happened yet (`Continuous`).
    """
    for _ in range(count):
        following = next_run(timetable, last=last, restriction=restriction, now=now)
        if following is None:
            return
        yield following
        if isinstance(timetable, Continuous):
            return
        last = following


def require_usable(timetable: Timetable) -> None:
    """Raise an `InvalidSchedule` that says what is wrong, if anything is."""
    match timetable:
        case CronTrigger(expression, timezone) | CronDataInterval(expression, timezone):
            cron_grid(expression, timezone)
        case DeltaTrigger(delta) | DeltaDataInterval(delta):
            require_forward(delta)
        case Once() | Continuous() | Never() | AssetTriggered():
            pass
        case _:
            assert_never(timetable)


def parse_schedule(text: str, timezone: str, as_data_interval: bool) -> Timetable:
    """The timetable that a DAG's `schedule="…"` stands for: a preset or a cron expression."""
    text = text.strip()
    if text.lower() == "@once":
        return Once()
    if text.lower() == "@continuous":
        return Continuous()
    cron_grid(text, timezone)
    expression = CRON_PRESETS.get(text.lower(), text)
    return CronDataInterval(expression, timezone) if as_data_interval else CronTrigger(expression, timezone)


def _interval(last: DataInterval | RunInfo | None) -> DataInterval | None:
    if isinstance(last, RunInfo):
        # A run without an interval, of a DAG that used to wait for assets: its instant is where to go on.
        last = last.data_interval or moment(last.run_after)
    if last is None:
        return None
    return DataInterval(last.start.astimezone(UTC), last.end.astimezone(UTC))


def _in_utc(restriction: TimeRestriction) -> TimeRestriction:
    earliest, latest = restriction.earliest, restriction.latest
    if (earliest is None or earliest.tzinfo is UTC) and (latest is None or latest.tzinfo is UTC):
        return restriction
    return TimeRestriction(
        None if earliest is None else earliest.astimezone(UTC),
        None if latest is None else latest.astimezone(UTC),
        restriction.catchup,
    )
