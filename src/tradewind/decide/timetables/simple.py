"""Schedules without a grid: once, and again and again."""

from datetime import datetime

from tradewind.model.timetable import DataInterval, RunInfo, TimeRestriction


def next_once(last: DataInterval | None, restriction: TimeRestriction, now: datetime) -> RunInfo | None:
    """The only run, at the start date. Catchup makes no difference: once is once."""
    run_after = restriction.earliest or now
    if last is not None or (restriction.latest is not None and run_after > restriction.latest):
        return None
    return RunInfo(run_after, moment(run_after))


def next_continuous(last: DataInterval | None, restriction: TimeRestriction, now: datetime) -> RunInfo | None:
    """The run about everything since the previous one; `active_runs_limit` keeps the two apart."""
    begin = restriction.earliest or now
    if last is None:
        start, end = begin, max(begin, now)
    elif last.end > now:
        # The previous run lies ahead, as it does for a start date to come: keep its length.
        start, end = begin, begin + (last.end - last.start)
    else:
        start, end = last.end, now
    if restriction.latest is not None and end > restriction.latest:
        return None
    return RunInfo(end, DataInterval(start, end))


def moment(instant: datetime) -> DataInterval:
    """The data interval that is just one instant."""
    return DataInterval(instant, instant)
