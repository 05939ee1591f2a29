"""Which runs a timetable would make, and what would hold them back, if nothing changed. Nothing is written anywhere.

The rules are those of the scheduler: a run is made when it is due and the DAG has fewer active runs than
`max_active_runs`; the timetable is then asked for the next one, as things look at that moment. How long runs take is
an assumption of the caller.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from heapq import heappop, heappush
from typing import Final

from tradewind.decide.timetables import Partition, next_run, partition_of
from tradewind.model.dag import Dag
from tradewind.model.local_time import clock_change_on, time_zone
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import (
    AssetAndTime,
    AssetOrTime,
    Continuous,
    CronDataInterval,
    CronPartition,
    CronTrigger,
    DataInterval,
    DeltaDataInterval,
    DeltaTrigger,
    MultipleCronTrigger,
    RunInfo,
    TimeRestriction,
    Timetable,
    TimeTimetable,
)

_SHORTEST: Final = timedelta(microseconds=1)
_MOST_STEPS: Final = 100_000


class Held(StrEnum):
    """Why a run is made later than it is due, or never."""

    MAX_ACTIVE_RUNS = "max_active_runs"
    NO_CATCHUP = "catchup"
    """Its time passed while the DAG had as many runs as it may have, and the DAG does not make up for that."""


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """One run of the simulation."""

    info: RunInfo
    starts_at: datetime | None
    """None: it would never be made."""
    ends_at: datetime | None
    held_by: Held | None = None
    clock_change: timedelta | None = None
    """By how much clocks are put forward on its day, in the zone of the schedule; back, if negative."""
    partition: Partition | None = None
    """That it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """From when to when, and what is assumed of that time."""

    start: datetime
    end: datetime
    last: DataInterval | RunInfo | None
    """The newest run that the timetable made before."""
    restriction: TimeRestriction
    max_active_runs: int
    duration: timedelta
    """Of each run."""
    active_runs: int = 0
    """Under way at the start; they end after that time."""
    plan: PlannedRuns | None = None
    """The runs that a timetable of the author's own has named."""


def simulate(dag: Dag, course: Course) -> Iterator[SimulatedRun]:
    """The runs of that time, in the order in which they are due.

    Raises `InvalidSchedule` for a timetable that cannot be asked.
    """
    zone = time_zone(zone_of(dag))
    for run in _simulated(dag, course):
        change = clock_change_on(run.info.run_after, zone) or None
        yield replace(run, clock_change=change, partition=partition_of(dag.timetable, run.info.run_after, course.plan))


def made_before(
    timetable: Timetable,
    start: datetime,
    *,
    last: DataInterval | RunInfo | None,
    restriction: TimeRestriction,
    plan: PlannedRuns | None = None,
) -> DataInterval | RunInfo | None:
    """The newest run by then, if each was made when it was due."""

    def following(catchup: bool) -> RunInfo | None:
        bounds = replace(restriction, catchup=catchup)
        info = next_run(timetable, last=last, restriction=bounds, now=start - _SHORTEST, plan=plan)
        is_again = info is not None and isinstance(last, RunInfo) and info.run_after <= last.run_after
        return None if info is None or is_again or info.run_after >= start else info

    if not isinstance(by_time(timetable), DeltaTrigger | DeltaDataInterval):
        # At once, for years may lie between. Distances count from run to run, and have to be gone step by step.
        last = following(catchup=False) or last
    for _ in range(_MOST_STEPS):
        info = following(catchup=True)
        if info is None:
            return last
        last = info
    return following(catchup=False) or last


def by_time(timetable: Timetable) -> Timetable | TimeTimetable:
    """What a timetable says about time, where it speaks of assets too."""
    return timetable.timetable if isinstance(timetable, AssetOrTime | AssetAndTime) else timetable


def zone_of(dag: Dag) -> str:
    """The zone in which the schedule names its times."""
    named = by_time(dag.timetable)
    if isinstance(named, CronTrigger | MultipleCronTrigger | CronDataInterval | CronPartition):
        return named.timezone
    return dag.timezone


def _simulated(dag: Dag, course: Course) -> Iterator[SimulatedRun]:
    ends: list[datetime] = [course.start + course.duration] * course.active_runs
    now, last = course.start, course.last
    while True:
        info = next_run(dag.timetable, last=last, restriction=course.restriction, now=now, plan=course.plan)
        if info is None or info.run_after > course.end:
            return
        if isinstance(last, RunInfo) and info.run_after <= last.run_after:
            return  # what comes then depends on what has not happened yet
        if last is not None and now > course.start:
            yield from _missed(dag, course, last, info)
        due_at = max(info.run_after, now)
        starts_at = _when_free(ends, course.max_active_runs, due_at)
        held_by = Held.MAX_ACTIVE_RUNS if starts_at > max(info.run_after, course.start) else None
        if starts_at > course.end:
            yield SimulatedRun(info, None, None, held_by)
            return
        heappush(ends, starts_at + course.duration)
        yield SimulatedRun(info, starts_at, starts_at + course.duration, held_by)
        now, last = starts_at, info
        if isinstance(dag.timetable, Continuous):
            now = starts_at + max(course.duration, timedelta(seconds=1))


def _when_free(ends: list[datetime], most: int, due_at: datetime) -> datetime:
    """The first moment from then on at which fewer than so many runs are active."""
    while ends and ends[0] <= due_at:
        heappop(ends)
    while len(ends) >= most:
        due_at = heappop(ends)
    return due_at


def _missed(dag: Dag, course: Course, last: DataInterval | RunInfo, until: RunInfo) -> Iterator[SimulatedRun]:
    """The runs between two others that a DAG without catchup passes over."""
    if course.restriction.catchup:
        return
    every = replace(course.restriction, catchup=True)
    while True:
        info = next_run(dag.timetable, last=last, restriction=every, now=until.run_after, plan=course.plan)
        if info is None or info.run_after >= until.run_after:
            return
        yield SimulatedRun(info, None, None, Held.NO_CATCHUP)
        last = info
