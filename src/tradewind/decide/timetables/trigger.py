"""Schedules whose ticks start runs; the data interval ends there, by default with no length at all."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from tradewind.decide.timetables.grid import Grid
from tradewind.model.delta_steps import shift
from tradewind.model.timetable import DataInterval, Delta, RunInfo, TimeRestriction

_SMALLEST_GRACE = timedelta(minutes=5)


def next_trigger(
    grid: Grid,
    interval: Delta,
    last: DataInterval | None,
    restriction: TimeRestriction,
    now: datetime,
    run_immediately: bool | Delta | None = True,
) -> RunInfo | None:
    """The run at the first tick that did not start one yet and that the restriction allows."""
    if last is not None:
        ticks = [grid.after(last.end)]
    elif restriction.earliest is None:
        ticks = [_first_tick(grid, run_immediately, now)]
    else:
        ticks = []
    # A tick after a run that was not too early is not too early.
    if restriction.earliest is not None and (last is None or last.end < restriction.earliest):
        ticks.append(grid.at_or_after(restriction.earliest))
    if not restriction.catchup:
        # No tick at all until now is no reason against one to come.
        ticks.append(grid.at_or_before(now) or ticks[0])
    known = [tick for tick in ticks if tick is not None]
    if len(known) < len(ticks):
        return None  # the schedule has no tick left
    tick = max(known)
    if restriction.latest is not None and tick > restriction.latest:
        return None
    return RunInfo(tick, interval_until(tick, interval))


def first_of(runs: Iterable[RunInfo | None], restriction: TimeRestriction, now: datetime) -> RunInfo | None:
    """Of the next runs of several schedules, the one to make.

    That is the soonest. Only without catchup, where the missed ones do not count, it is the newest that is due.
    """
    known = [run for run in runs if run is not None]
    due = [] if restriction.catchup else [run for run in known if run.run_after <= now]
    if due:
        return max(due, key=_run_after)
    return min(known, key=_run_after, default=None)


def _run_after(run: RunInfo) -> datetime:
    return run.run_after


def interval_until(run_after: datetime, interval: Delta) -> DataInterval:
    """The data interval of a run that starts at `run_after`."""
    return DataInterval(shift(run_after, interval, -1) or run_after, run_after)


def _first_tick(grid: Grid, run_immediately: bool | Delta | None, now: datetime) -> datetime | None:
    """Without a start date and without a run: the tick just missed, or the one to come.

    Airflow documents that `False` waits for the next tick, but treats it like `None`: a tick missed by less
    than a tenth of the distance, or by less than five minutes, still counts. We do as it does.
    """
    past, future = grid.at_or_before(now), grid.at_or_after(now)
    if past is None or future is None:
        return past or future
    if run_immediately is True:
        return past
    if isinstance(run_immediately, Delta):
        latest = shift(past, run_immediately)
        return past if latest is None or now <= latest else future
    grace = max((future - past) / 10, _SMALLEST_GRACE)
    return past if now - past <= grace else future
