"""Backfills: which dates, what becomes of each, how many at once, how far along. Pure, like all of `decide`.

The dates are those that the timetable names one after the other between two dates, and so each follows from the one
before. To go through them backward, or to go on after a restart, without going through all of them again, they are cut
into blocks: a `Survey` keeps the interval before each block, from which its dates are found again. Timetables of
authors' own cannot be asked here; of the dates that they have named where their file was read, each is kept. Of a
timetable of partitions, the dates are those of its partitions, at which their runs are due too: `partition_on` names
them, and of those that authors' own have named the keys are kept as well. Of a DAG that waits for assets alone, they
are the moments at which past updates would have started a run; each of them is kept too.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import groupby, islice
from math import ceil
from typing import Final

from tradewind.decide.assets import Meaning, missing
from tradewind.decide.timetables import (
    Partition,
    is_custom,
    next_run,
    partition_on,
    wall_clock_date,
    why_no_run,
)
from tradewind.model.asset import AssetExpression, AssetKey
from tradewind.model.backfill import Backfill, BackfillPlan, BackfillRuns, ReprocessBehavior
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.slot_policy import EventWindow
from tradewind.model.states import FINISHED_RUN_STATES, RunState
from tradewind.model.timetable import (
    AssetTriggered,
    CronPartition,
    Custom,
    DataInterval,
    RunInfo,
    TimeRestriction,
    Timetable,
    by_time,
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
    """The last interval of each block; of a timetable of the author's own, and of updates of assets, all of them."""
    partition_keys: tuple[str, ...] = ()
    """Of each of these, where the timetable is of the author's own and names partitions."""
    run_ids: tuple[str, ...] = ()
    """Of each of these, where the timetable is of the author's own and names its runs."""


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
        if info is None:
            return
        after = _about(info)
        if after.end >= span.until:
            return
        yield info


def survey(timetable: Timetable, span: Span, named: Iterable[RunInfo] = ()) -> Survey | None:
    """None: there are more than `MOST_DATES`. `named`: by a timetable of the author's own, since its start date, or by
    updates of assets."""
    if _are_kept(timetable):
        found = list(_within(span, named))
        keys = tuple(info.partition_key for info in found if info.partition_key is not None)
        run_ids = tuple(info.run_id for info in found if info.run_id is not None)
        return Survey(len(found), tuple(_about(info) for info in found), keys, run_ids)
    total, marks = 0, []
    for info in dates(timetable, span):
        total += 1
        if total > MOST_DATES:
            return None
        if total % BLOCK == 0:
            marks.append(_about(info))
    return Survey(total, tuple(marks))


def has_partitions(timetable: Timetable) -> bool:
    """Whether the dates are those of partitions."""
    timetable = by_time(timetable)
    return isinstance(timetable, CronPartition) or (isinstance(timetable, Custom) and timetable.partitioned)


def partition_about(timetable: Timetable, info: RunInfo) -> Partition | None:
    """The partition of a run of a backfill; `None`: it is about none."""
    if info.partition_key is not None:
        return Partition(info.partition_key, date_of(info))
    return partition_on(timetable, date_of(info))


def date_of(info: RunInfo) -> datetime:
    """The date of a run of a backfill: the logical one, or that of its partition."""
    return _about(info).start


def _about(info: RunInfo) -> DataInterval:
    """Where to go on after a run. A partition has no interval: its date is that of its tick, or what its timetable, of
    the author's own, says."""
    date = info.partition_date or info.run_after
    return info.data_interval or DataInterval(date, date)


def span_of(timetable: Timetable, start: datetime, end: datetime, until: datetime) -> Span:
    """Which dates somebody means. Dates of partitions are read on the clock of the timetable, as in Airflow."""
    first, last = (wall_clock_date(timetable, each).astimezone(UTC) for each in (start, end))
    return Span(first, last, until)


def is_by_assets(timetable: Timetable) -> bool:
    """Whether the dates are moments at which assets were updated."""
    return isinstance(timetable, AssetTriggered)


def _are_kept(timetable: Timetable) -> bool:
    """Whether each date is kept, because nobody could name them again."""
    return is_custom(timetable) or is_by_assets(timetable)


def moments_of_updates(
    condition: AssetExpression, meaning: Meaning, updates: Iterable[tuple[datetime, AssetKey]]
) -> Iterator[RunInfo]:
    """When these updates, in their order, would have started runs: whenever the condition holds by those that came
    since the last one. What was updated at the same instant counts together."""
    updated: set[AssetKey] = set()
    for at, of_instant in groupby(updates, key=lambda update: update[0]):
        updated.update(key for _, key in of_instant)
        if missing(condition, updated, meaning) is None:
            updated.clear()
            yield RunInfo(at, DataInterval(at, at))


def updates_of(plan: BackfillPlan, info: RunInfo) -> EventWindow:
    """The updates that such a run is made for: those since the moment before."""
    ends: Sequence[datetime] = [mark.end for mark in plan.marks]
    place = bisect_left(ends, info.run_after)
    after = ends[place - 1] + timedelta(microseconds=1) if place else plan.from_date
    return EventWindow(after=after, before=info.run_after)


def _within(span: Span, named: Iterable[RunInfo]) -> Iterator[RunInfo]:
    for info in named:
        interval = _about(info)
        is_dated = info.data_interval is not None or info.partition_date is not None
        if is_dated and span.start <= interval.start <= span.end and interval.end < span.until:
            yield info


def planned_dates(timetable: Timetable, plan: BackfillPlan, *, position: int = 0) -> Iterator[RunInfo]:
    """All of them in the direction of the backfill, but for the first `position`."""
    if _are_kept(timetable):
        yield from _kept_dates(plan)[position:]
        return
    while position < plan.total:
        # From the earliest on, the place of the next one, and of the first of its block.
        place = plan.total - 1 - position if plan.is_backward else position
        first = place - place % BLOCK
        block = _block(timetable, plan, first)
        left = block[place - first :: -1] if plan.is_backward else block[place - first :]
        yield from left
        position += len(left)


def _kept_dates(plan: BackfillPlan) -> list[RunInfo]:
    if plan.partition_keys:
        named = zip(plan.marks, plan.partition_keys, strict=True)
        kept = [RunInfo(mark.start, None, key, mark.start) for mark, key in named]
    else:
        kept = [RunInfo(mark.end, mark) for mark in plan.marks]
    if plan.run_ids:
        kept = [replace(info, run_id=run_id) for info, run_id in zip(kept, plan.run_ids, strict=True)]
    return kept[::-1] if plan.is_backward else kept


def _block(timetable: Timetable, plan: BackfillPlan, first: int) -> list[RunInfo]:
    after = plan.marks[first // BLOCK - 1] if first else None
    span = Span(plan.from_date, plan.to_date, plan.until)
    found = list(islice(dates(timetable, span, after=after), min(BLOCK, plan.total - first)))
    if len(found) < min(BLOCK, plan.total - first):
        raise ValueError("the timetable no longer names the dates that the backfill was planned with")
    return found


def why_not(dag: Dag, span: Span, *, is_backward: bool, reprocess: ReprocessBehavior, max_active: int) -> str | None:
    """Why such a backfill of the DAG is refused, before its dates are looked at."""
    if not dag.timetable.periodic and not is_by_assets(dag.timetable):
        return f"DAG {dag.dag_id!r} has a schedule that names no dates to backfill: {why_no_run(dag.timetable)}"
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


def why_not_named(dag: Dag, span: Span, plan: PlannedRuns | None) -> str | None:
    """Why nobody knows the dates of a DAG with a timetable of its author's own in this span."""
    who, start = f"DAG {dag.dag_id!r} has a timetable of its own", restriction_of(dag).earliest
    if plan is not None and plan.past_error is not None:
        return f"{who}, which failed when it was asked for past dates: {plan.past_error}"
    if start is None:
        return f"{who}, which names dates to backfill from the start_date of the DAG on: it needs one"
    if span.start < start:
        return f"{who}, which names dates from {start.isoformat()} on: from_date must not lie before"
    named = [] if plan is None else plan.named_since_start()
    if has_partitions(dag.timetable) and len({info.partition_date for info in named} - {None}) < len(named):
        # What was run already is found by the date.
        return f"{who}, whose partitions have no date each of its own: those can be run by hand, by their keys"
    if plan is not None and plan.past_is_complete:
        return None
    last = date_of(named[-1]) if named else None
    if last is None or min(span.end, span.until) > last:
        known = "nothing yet" if last is None else f"its first {len(named)} dates, up to {last.isoformat()}"
        return f"{who}, of which is known {known}: to_date must not lie after"
    return None


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
