"""Which runs a timetable would make, and what would hold them back, if nothing changed. Nothing is written anywhere.

The rules are those of the scheduler: a run is made when it is due and the DAG has fewer active runs than
`max_active_runs`; the timetable is then asked for the next one, as things look at that moment. How long runs take is
for their load to say (`decide.load`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from tradewind.decide.load import Load, RunEnd, Wait
from tradewind.decide.timetables import Partition, next_run, partition_of
from tradewind.model.dag import Dag
from tradewind.model.local_time import clock_change_on, time_zone
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import (
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
    by_time,
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
    waits: tuple[Wait, ...] = ()
    """What kept its tasks from beginning."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """What would happen."""

    runs: list[SimulatedRun]
    """In the order in which they are due."""
    is_cut_off: bool
    """There would be more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """From when to when, and what is assumed of that time."""

    start: datetime
    end: datetime
    last: DataInterval | RunInfo | None
    """The newest run that the timetable made before."""
    restriction: TimeRestriction
    max_active_runs: int
    active_runs: int = 0
    """Under way at the start: as if they began then."""
    most: int = 1000
    """So many runs, and no more."""
    plan: PlannedRuns | None = None
    """The runs that a timetable of the author's own has named."""


def simulate(dag: Dag, course: Course, load: Load) -> Simulated:
    """The runs of that time.

    Raises `InvalidSchedule` for a timetable that cannot be asked.
    """
    played = _Play(dag, course, load)
    is_cut_off = played.play()
    runs = [
        replace(
            run,
            clock_change=clock_change(dag, run.info.run_after),
            partition=partition_of(dag.timetable, run.info.run_after, course.plan),
        )
        for run in played.outcome()[: course.most]
    ]
    return Simulated(runs, is_cut_off or len(played.runs) > course.most)


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


def clock_change(dag: Dag, instant: datetime) -> timedelta | None:
    """By how much clocks are put forward on the day of a run, in the zone of its schedule; back, if negative."""
    return clock_change_on(instant, time_zone(zone_of(dag))) or None


def zone_of(dag: Dag) -> str:
    """The zone in which the schedule names its times."""
    named = by_time(dag.timetable)
    if isinstance(named, CronTrigger | MultipleCronTrigger | CronDataInterval | CronPartition):
        return named.timezone
    return dag.timezone


class _Play:
    """Time passes."""

    def __init__(self, dag: Dag, course: Course, load: Load) -> None:
        self._dag = dag
        self._course = course
        self._load = load
        self.runs: list[SimulatedRun] = []
        self._numbers: dict[int, int] = {}
        """By its place among the runs: the number of one that begins."""
        self._begun = 0
        self._active: set[int] = set()
        self._ended_at: dict[int, datetime] = {}

    def play(self) -> bool:
        """From beginning to end. Returns whether the load has become too much on the way."""
        for _ in range(self._course.active_runs):
            self._begin(self._course.start, None)
        self._make_runs()
        while ended := self._load.next_end(None):
            self._note(ended)
        return self._load.is_exhausted

    def outcome(self) -> list[SimulatedRun]:
        """The runs, with what became of them."""
        return [
            run if (number := self._numbers.get(place)) is None else self._as_it_went(run, number)
            for place, run in enumerate(self.runs)
        ]

    def _as_it_went(self, run: SimulatedRun, number: int) -> SimulatedRun:
        return replace(run, ends_at=self._ended_at.get(number), waits=self._load.waits_of(number))

    def _make_runs(self) -> None:
        course, timetable = self._course, self._dag.timetable
        now, last = course.start, course.last
        while len(self.runs) <= course.most and not self._load.is_exhausted:
            info = next_run(timetable, last=last, restriction=course.restriction, now=now, plan=course.plan)
            if info is None or info.run_after > course.end:
                return
            if isinstance(last, RunInfo) and info.run_after <= last.run_after:
                return  # what comes then depends on what has not happened yet
            if last is not None and now > course.start:
                self.runs.extend(_missed(self._dag, course, last, info))
            starts_at = self._when_free(max(info.run_after, now))
            if starts_at is None or starts_at > course.end:
                self.runs.append(SimulatedRun(info, None, None, Held.MAX_ACTIVE_RUNS))
                self._hold_the_rest(info)
                return
            held_by = Held.MAX_ACTIVE_RUNS if starts_at > max(info.run_after, course.start) else None
            self._numbers[len(self.runs)] = number = self._begin(starts_at, info.logical_date)
            self.runs.append(SimulatedRun(info, starts_at, None, held_by))
            now, last = starts_at, info
            if isinstance(timetable, Continuous):
                now = max(self._when_ended(number) or course.end, starts_at + timedelta(seconds=1))

    def _hold_the_rest(self, last: RunInfo) -> None:
        """Nothing comes free before the end: what is due until then waits as well, or is passed over."""
        if isinstance(self._dag.timetable, Continuous):
            return  # each is due when the one before has ended
        held_by = Held.MAX_ACTIVE_RUNS if self._course.restriction.catchup else Held.NO_CATCHUP
        for info in _named(self._dag, self._course, last, self._course.end):
            if info.run_after > self._course.end or len(self.runs) > self._course.most:
                return
            self.runs.append(SimulatedRun(info, None, None, held_by))

    def _begin(self, at: datetime, logical_date: datetime | None) -> int:
        number = self._begun
        self._begun += 1
        self._active.add(number)
        self._load.begin(number, at, logical_date)
        return number

    def _note(self, ended: RunEnd) -> None:
        self._active.discard(ended.number)
        self._ended_at[ended.number] = ended.at

    def _when_free(self, due_at: datetime) -> datetime | None:
        """The first moment from then on at which the DAG has fewer runs than it may have; None: there is none."""
        while ended := self._load.next_end(due_at):
            self._note(ended)
        while len(self._active) >= self._course.max_active_runs:
            ended = self._load.next_end(None)
            if ended is None:
                return None
            self._note(ended)
            due_at = max(due_at, ended.at)
        return due_at

    def _when_ended(self, number: int) -> datetime | None:
        while number in self._active and (ended := self._load.next_end(None)):
            self._note(ended)
        return self._ended_at.get(number)


def _missed(dag: Dag, course: Course, last: DataInterval | RunInfo, until: RunInfo) -> Iterator[SimulatedRun]:
    """The runs between two others that a DAG without catchup passes over."""
    if course.restriction.catchup:
        return
    for info in _named(dag, course, last, until.run_after):
        if info.run_after >= until.run_after:
            return
        yield SimulatedRun(info, None, None, Held.NO_CATCHUP)


def _named(dag: Dag, course: Course, last: DataInterval | RunInfo, now: datetime) -> Iterator[RunInfo]:
    """One after the other, all that the timetable names after that."""
    every = replace(course.restriction, catchup=True)
    while (info := next_run(dag.timetable, last=last, restriction=every, now=now, plan=course.plan)) is not None:
        if isinstance(last, RunInfo) and info.run_after <= last.run_after:
            return
        yield info
        last = info
