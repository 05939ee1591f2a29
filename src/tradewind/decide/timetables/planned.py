"""Schedules whose runs an author's own code has named ahead of time."""

from datetime import datetime

from tradewind.model.planned_runs import FEW_LEFT, PlannedRuns
from tradewind.model.timetable import DataInterval, RunInfo, TimeRestriction


def next_planned(
    plan: PlannedRuns, last: DataInterval | None, restriction: TimeRestriction, now: datetime
) -> RunInfo | None:
    """The first that was not made yet; without catchup, the newest of those that have become due since they were named.

    The timetable has heard of start date, end date and catchup when it was asked, and what it named although it was
    due then is wanted. But it was asked some time ago: while the DAG was paused, runs may have become due of which,
    without catchup, only one is wanted. Where that is no longer on the list, the timetable has to be asked again.
    """
    left = _after(plan, last)
    following = next(iter(left), None)
    if following is not None and not restriction.catchup and not _was_due(plan, following):
        due = [run for run in left if run.run_after <= now]
        is_newest_unknown = len(due) == len(left) and not plan.is_complete
        following = None if is_newest_unknown else due[-1] if due else following
    if following is None or (restriction.latest is not None and _date(following) > restriction.latest):
        return None
    return following


def partition_named(plan: PlannedRuns, run_after: datetime) -> tuple[str, datetime | None] | None:
    """The partition of the run at that moment, with its date, if the timetable has named one."""
    named = _run_at(plan, run_after)
    return None if named is None or named.partition_key is None else (named.partition_key, named.partition_date)


def run_id_named(plan: PlannedRuns | None, run_after: datetime) -> str | None:
    """What the run at that moment is called, if the timetable has a word in that."""
    named = None if plan is None else _run_at(plan, run_after)
    return None if named is None else named.run_id


def _run_at(plan: PlannedRuns, run_after: datetime) -> RunInfo | None:
    return next((run for run in plan.runs if run.run_after == run_after), None)


def has_few_left(plan: PlannedRuns, last: DataInterval | None) -> bool:
    """Whether the timetable had better be asked for more."""
    return not plan.is_complete and len(_after(plan, last)) <= FEW_LEFT


def _was_due(plan: PlannedRuns, run: RunInfo) -> bool:
    """Whether its time had come when it was named."""
    return plan.asked_at is not None and run.run_after <= plan.asked_at


def _after(plan: PlannedRuns, last: DataInterval | None) -> list[RunInfo]:
    return [run for run in plan.runs if last is None or _order(run) > (last.end, last.start)]


def _order(run: RunInfo) -> tuple[datetime, datetime]:
    interval = run.data_interval
    return (run.run_after, run.run_after) if interval is None else (interval.end, interval.start)


def _date(run: RunInfo) -> datetime:
    return run.logical_date or run.run_after
