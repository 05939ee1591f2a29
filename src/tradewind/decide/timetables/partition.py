"""Which partition a run of a timetable is about."""

from datetime import UTC, datetime
from typing import NamedTuple

from tradewind.decide.timetables.cron import cron_grid
from tradewind.decide.timetables.planned import partition_named
from tradewind.decide.timetables.trigger import next_trigger
from tradewind.model.local_time import instants_of, time_zone
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import (
    NO_TIME,
    CronPartition,
    DataInterval,
    RunInfo,
    TimeRestriction,
    Timetable,
    by_time,
)


class Partition(NamedTuple):
    """What a run is about."""

    key: str
    date: datetime | None


def next_partition(
    timetable: CronPartition, last: DataInterval | None, restriction: TimeRestriction, now: datetime
) -> RunInfo | None:
    """At each tick, as if each were a trigger. A partition takes the place of the interval."""
    grid = cron_grid(timetable.expression, timetable.timezone, timetable.clock_changes)
    info = next_trigger(grid, NO_TIME, last, restriction, now, timetable.run_immediately)
    return None if info is None else RunInfo(info.run_after, None)


def partition_of(timetable: Timetable, run_after: datetime, plan: PlannedRuns | None = None) -> Partition | None:
    """Of the run at that tick: its date lies `run_offset` ticks further on. `None`: it has none.

    `plan`: for a timetable of the author's own, the runs that it has named.
    """
    if plan is not None:
        named = partition_named(plan, run_after)
        return None if named is None else Partition(*named)
    timetable = by_time(timetable)
    if not isinstance(timetable, CronPartition):
        return None
    grid = cron_grid(timetable.expression, timetable.timezone, timetable.clock_changes)
    date: datetime | None = run_after.astimezone(UTC)
    for _ in range(abs(timetable.run_offset)):
        if date is not None:
            date = grid.after(date) if timetable.run_offset > 0 else grid.before(date)
    return None if date is None else partition_on(timetable, date)


def partition_on(timetable: Timetable, date: datetime) -> Partition | None:
    """The partition of that date; `None` where the timetable has no partitions."""
    timetable = by_time(timetable)
    if not isinstance(timetable, CronPartition):
        return None
    return Partition(date.astimezone(time_zone(timetable.timezone)).strftime(timetable.key_format), date)


def date_of_key(timetable: Timetable, key: str) -> datetime | None:
    """The date that a partition key stands for, if it stands for one. A `ValueError` says what is wrong with it."""
    timetable = by_time(timetable)
    if not isinstance(timetable, CronPartition):
        return None
    moment = datetime.strptime(key, timetable.key_format)  # noqa: DTZ007 - a reading of the wall clock
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    (instant,) = instants_of(moment, time_zone(timetable.timezone))
    return instant.astimezone(UTC)


def wall_clock_date(timetable: Timetable, given: datetime) -> datetime:
    """What a date stands for that somebody reads on the clock of the timetable, whatever zone it is given in."""
    timetable = by_time(timetable)
    if not isinstance(timetable, CronPartition):
        return given
    (instant,) = instants_of(given.replace(tzinfo=None), time_zone(timetable.timezone))
    return instant.astimezone(UTC)
