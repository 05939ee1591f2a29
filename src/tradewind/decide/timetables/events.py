"""Schedules that are a list of instants."""

from bisect import bisect_left, bisect_right
from datetime import UTC, datetime

from tradewind.decide.timetables.simple import moment
from tradewind.model.timetable import DataInterval, RunInfo, TimeRestriction


def next_event(
    instants: tuple[datetime, ...], last: DataInterval | None, restriction: TimeRestriction, now: datetime
) -> RunInfo | None:
    """The run at the first event that had none yet; without catchup, events before `now` are gone."""
    first = 0 if restriction.earliest is None else bisect_left(instants, restriction.earliest)
    if not restriction.catchup:
        first = max(first, bisect_left(instants, now))
    if last is not None:
        first = max(first, bisect_right(instants, last.end))
    if first == len(instants) or (restriction.latest is not None and instants[first] > restriction.latest):
        return None
    event = instants[first].astimezone(UTC)
    return RunInfo(event, moment(event))


def event_for(instants: tuple[datetime, ...], run_after: datetime) -> datetime:
    """The newest event at that time, or the first of all if none has happened yet."""
    if not instants:
        return run_after
    return instants[max(0, bisect_right(instants, run_after) - 1)].astimezone(UTC)
