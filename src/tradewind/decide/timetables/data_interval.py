"""Schedules whose ticks bound data: a run covers the span between two ticks and starts when it is over."""

from datetime import datetime

from tradewind.decide.timetables.grid import Grid
from tradewind.model.timetable import DataInterval, RunInfo, TimeRestriction


def next_data_interval(
    grid: Grid, last: DataInterval | None, restriction: TimeRestriction, now: datetime
) -> RunInfo | None:
    """The run about the first span that was not covered yet and that the restriction allows."""
    earliest = restriction.earliest
    if earliest is not None:
        earliest = grid.at_or_after(earliest)
        if earliest is None:
            return None  # the last tick is before the start date
    if not restriction.catchup:
        earliest = _skip_missed(grid, earliest, now)
    start = earliest if last is None else _continue_after(grid, last, earliest)
    if start is None or (restriction.latest is not None and start > restriction.latest):
        return None
    end = grid.after(start)
    return None if end is None else RunInfo(end, DataInterval(start, end))


def last_complete(grid: Grid, run_after: datetime) -> DataInterval | None:
    """The newest span that is over at `run_after`: what a run by hand is about."""
    end = grid.at_or_before(run_after)
    start = None if end is None else grid.before(end)
    return None if end is None or start is None else DataInterval(start, end)


def _skip_missed(grid: Grid, earliest: datetime | None, now: datetime) -> datetime | None:
    """Where the newest complete span starts, unless the DAG starts later."""
    boundary = grid.newest_boundary(now, earliest)
    newest = None if boundary is None else grid.before(boundary)
    if newest is None:
        # Nothing is complete yet: the schedule itself has only begun, or is still to begin.
        return earliest or boundary or grid.after(now)
    return newest if earliest is None else max(newest, earliest)


def _continue_after(grid: Grid, last: DataInterval, earliest: datetime | None) -> datetime | None:
    # Since the last run the schedule may have become another one: put its end onto the ticks of today.
    start = grid.at_or_before(last.end)
    if start is None:
        start = grid.after(last.end)
    if start is not None and earliest is not None:
        start = max(start, earliest)
    if start is not None and start <= last.start:
        # A coarser schedule would repeat a logical date that exists; one tick on is always past it.
        start = grid.after(start)
    return start
