"""Backfills: which dates, what becomes of each, how many at once, how far along. Pure, like all of `decide`.

The dates are those that the timetable names one after the other between two dates, and so each follows from the one
before. To go through them backward, or to go on after a restart, without going through all of them again, they are cut
into blocks: a `Survey` keeps the interval before each block, from which its dates are found again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from math import ceil
from typing import Final

from tradewind.decide.timetables import next_run, why_no_run
from tradewind.model.backfill import Backfill, BackfillPlan, BackfillRuns, ReprocessBehavior
from tradewind.model.dag import Dag
from tradewind.model.states import FINISHED_RUN_STATES, RunState
from tradewind.model.timetable import (
    AssetOrTime,
    CronPartition,
    Custom,
    DataInterval,
    RunInfo,
    TimeRestriction,
    Timetable,
)

BLOCK: Final = 100
MOST_DATES: Final = 100_000
"""More is refused: whoever wants each minute of ten years has most likely mistaken the year."""


@dataclass(frozen=True, slots=True)
class Span:
    """Which dates are meant."""

    start: datetime
    end: datetime
    """Included."""
    until: datetime
    """Of data that is complete before then."""


@dataclass(frozen=True, slots=True)
class Survey:
    """How many dates there are, and where their blocks begin."""

    total: int
    marks: tuple[DataInterval, ...]


class Treatment(StrEnum):
    """What becomes of one date."""

    CREATE = "create"
    START_OVER = "start over"
    """Its run ended, and shall run again."""
    PASS_OVER = "pass over"
    """Its run is left alone."""


def dates(timetable: Timetable, span: Span, *, after: DataInterval | None = None) -> Iterator[RunInfo]:
    """From the earliest to the latest; only those that follow `after`, the interval of one of them.

    Start and end date of the DAG do not count, and whether it catches up does not either: these are asked for.
    """
    restriction = TimeRestriction(span.start, span.end, catchup=True)
    while True:
        info = next_run(timetable, last=after, restriction=restriction, now=span.until)
        if info is None or info.data_interval is None or info.data_interval.end >= span.until:
            return
        yield info
        after = info.data_interval


def survey(timetable: Timetable, span: Span) -> Survey | None:
    """None: there are more than `MOST_DATES`."""
    total, marks = 0, []
    for info in dates(timetable, span):
        total += 1
        if total > MOST_DATES:
            return None
        if total % BLOCK == 0 and info.data_interval is not None:
            marks.append(info.data_interval)
    return Survey(total, tuple(marks))


def planned_dates(timetable: Timetable, plan: BackfillPlan, *, position: int = 0) -> Iterator[RunInfo]:
    """All of them in the direction of the backfill, but for the first `position`."""
    while position < plan.total:
        # From the earliest on, the place of the next one, and of the first of its block.
        place = plan.total - 1 - position if plan.is_backward else position
        first = place - place % BLOCK
        block = _block(timetable, plan, first)
        left = block[place - first :: -1] if plan.is_backward else block[place - first :]
        yield from left
        position += len(left)


def _block(timetable: Timetable, plan: BackfillPlan, first: int) -> list[RunInfo]:
    after = plan.marks[first // BLOCK - 1] if first else None
    span = Span(plan.from_date, plan.to_date, plan.until)
    found = list(islice(dates(timetable, span, after=after), min(BLOCK, plan.total - first)))
    if len(found) < min(BLOCK, plan.total - first):
        raise ValueError("the timetable no longer names the dates that the backfill was planned with")
    return found


def why_not(dag: Dag, span: Span, *, is_backward: bool, reprocess: ReprocessBehavior, max_active: int) -> str | None:
    """Why such a backfill of the DAG is refused, before its dates are looked at."""
    if not dag.timetable.periodic:
        return f"DAG {dag.dag_id!r} has a schedule that names no dates to backfill: {why_no_run(dag.timetable)}"
    if _is_not_asked(dag.timetable):
        return f"DAG {dag.dag_id!r} cannot be backfilled: {why_no_run(dag.timetable)}"
    if span.start > span.end:
        return f"from_date {span.start.isoformat()} is after to_date {span.end.isoformat()}"
    if span.start >= span.until:
        return f"from_date {span.start.isoformat()} lies in the future, and only the past can be backfilled"
    if max_active < 1:
        return f"max_active_runs is {max_active}, but no run could start with less than 1"
    if any(task.depends_on_past for task in dag.tasks):
        if is_backward:
            return f"DAG {dag.dag_id!r} has tasks with depends_on_past, and so cannot be backfilled backwards"
        if reprocess is ReprocessBehavior.NONE:
            return (
                f"DAG {dag.dag_id!r} has tasks with depends_on_past, for which a run that exists cannot be passed over:"
                " set reprocess_behavior to failed or completed"
            )
    return None


def _is_not_asked(timetable: Timetable) -> bool:
    by_time = timetable.timetable if isinstance(timetable, AssetOrTime) else timetable
    return isinstance(by_time, CronPartition | Custom)


def treatment(existing: RunState | None, reprocess: ReprocessBehavior) -> Treatment:
    """What becomes of a date whose run is in this state; None: it has none."""
    if existing is None:
        return Treatment.CREATE
    if existing not in FINISHED_RUN_STATES or reprocess is ReprocessBehavior.NONE:
        return Treatment.PASS_OVER
    if reprocess is ReprocessBehavior.FAILED and existing is not RunState.FAILED:
        return Treatment.PASS_OVER
    return Treatment.START_OVER


def is_held(backfill: Backfill) -> bool:
    """Whether no run of it may start. A run that is cleared after all was over is held by nothing."""
    return backfill.is_paused and not backfill.is_complete


def free_places(backfill: Backfill, running: int) -> int:
    """How many more of its runs may start."""
    return 0 if is_held(backfill) else max(0, backfill.plan.max_active_runs - running)


def is_done(backfill: Backfill, active: int) -> bool:
    """Whether each date was dealt with and no run is left: not sooner, and always then."""
    return backfill.looked_at == backfill.plan.total and active == 0


@dataclass(frozen=True, slots=True)
class BackfillProgress:
    """How far along a backfill is."""

    total: int
    ended: int
    """Dates that nothing more will be done about."""
    passed_over: int
    to_come: int
    """Dates that were not looked at yet; of one that was cancelled, those that never will be."""
    runs: BackfillRuns
    remaining: timedelta | None
    """About how long it will still take; None where nothing is known to tell it by, or where it does not go on."""


def progress(backfill: Backfill, runs: BackfillRuns) -> BackfillProgress:
    """What has ended is what was looked at and is not active: a run that somebody deletes is no longer waited for."""
    total, to_come = backfill.plan.total, backfill.plan.total - backfill.looked_at
    left = runs.active if backfill.is_complete else to_come + runs.active
    remaining = None
    if left == 0:
        remaining = timedelta(0)
    elif runs.mean_duration_s is not None and not is_held(backfill):
        rounds = ceil(left / backfill.plan.max_active_runs)
        remaining = timedelta(seconds=rounds * runs.mean_duration_s)
    return BackfillProgress(total, backfill.looked_at - runs.active, backfill.passed_over, to_come, runs, remaining)
