"""From a timetable to its runs: the one place that knows every kind."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import assert_never

from tradewind.decide.timetables.cron import cron_grid
from tradewind.decide.timetables.data_interval import last_complete, next_data_interval
from tradewind.decide.timetables.delta import DeltaGrid
from tradewind.decide.timetables.events import event_for, next_event
from tradewind.decide.timetables.partition import next_partition
from tradewind.decide.timetables.planned import has_few_left, next_planned
from tradewind.decide.timetables.simple import moment, next_continuous, next_once
from tradewind.decide.timetables.trigger import first_of, interval_until, next_trigger
from tradewind.model.delta_steps import require_forward
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import (
    CRON_PRESETS,
    AssetAndTime,
    AssetOrTime,
    AssetTriggered,
    Continuous,
    CronDataInterval,
    CronPartition,
    CronTrigger,
    Custom,
    DataInterval,
    DeltaDataInterval,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    Never,
    Once,
    PartitionedAssets,
    PartitionedAtRuntime,
    RunInfo,
    TimeRestriction,
    Timetable,
    TimeTimetable,
    by_time,
)


def next_run(
    timetable: Timetable,
    *,
    last: DataInterval | RunInfo | None,
    restriction: TimeRestriction,
    now: datetime,
    plan: PlannedRuns | None = None,
) -> RunInfo | None:
    """The run that follows `last` (the newest one that the timetable asked for), or `None` if there is none.

    `plan`: for a timetable of the author's own, the runs that it has named.

    Raises `InvalidSchedule` for a timetable that `require_usable` would refuse.
    """
    last, restriction, now = _interval(last), _in_utc(restriction), now.astimezone(UTC)
    if is_custom(timetable):
        return None if plan is None else next_planned(plan, last, restriction, now)
    match timetable:
        case CronPartition():
            return next_partition(timetable, last, restriction, now)
        case AssetOrTime(inner) | AssetAndTime(inner):
            return next_run(inner, last=last, restriction=restriction, now=now)
        case AssetTriggered() | PartitionedAssets():
            return None
        case _:
            return _next_by_time(timetable, last, restriction, now)


def _next_by_time(
    timetable: TimeTimetable, last: DataInterval | None, restriction: TimeRestriction, now: datetime
) -> RunInfo | None:
    match timetable:
        case CronTrigger(expression, timezone, interval, run_immediately, changes):
            grid = cron_grid(expression, timezone, changes)
            return next_trigger(grid, interval, last, restriction, now, run_immediately)
        case MultipleCronTrigger(expressions, timezone, interval, run_immediately, changes):
            grids = [cron_grid(expression, timezone, changes) for expression in expressions]
            runs = (next_trigger(grid, interval, last, restriction, now, run_immediately) for grid in grids)
            return first_of(runs, restriction, now)
        case CronDataInterval(expression, timezone, changes):
            return next_data_interval(cron_grid(expression, timezone, changes), last, restriction, now)
        case DeltaTrigger(delta, interval):
            return next_trigger(DeltaGrid(require_forward(delta)), interval, last, restriction, now)
        case DeltaDataInterval(delta):
            return next_data_interval(DeltaGrid(require_forward(delta)), last, restriction, now)
        case Events(instants):
            return next_event(instants, last, restriction, now)
        case Once():
            return next_once(last, restriction, now)
        case Continuous():
            return next_continuous(last, restriction, now)
        case Never() | PartitionedAtRuntime() | CronPartition() | Custom():
            return None  # `why_no_run` says why
        case _:
            assert_never(timetable)


def names_run(
    timetable: Timetable, info: RunInfo, *, restriction: TimeRestriction, plan: PlannedRuns | None = None
) -> bool:
    """Whether a schedule whose runs come again and again has this one among them, however long ago that would be."""
    if not timetable.periodic:
        return False
    if plan is not None:
        return any((run.run_after, run.data_interval) == (info.run_after, info.data_interval) for run in plan.runs)
    # The first run of a schedule that would begin with it. A trigger begins at its tick, a data interval at its start.
    return any(
        next_run(timetable, last=None, restriction=_beginning_at(begin, restriction), now=info.run_after) == info
        for begin in {info.run_after, info.logical_date or info.run_after}
    )


def _beginning_at(instant: datetime, restriction: TimeRestriction) -> TimeRestriction:
    earliest = instant if restriction.earliest is None else max(instant, restriction.earliest)
    return TimeRestriction(earliest, restriction.latest, catchup=True)


def is_custom(timetable: Timetable) -> bool:
    """Whether its runs are named by code of the author's own, which is never called here."""
    return isinstance(by_time(timetable), Custom)


def is_running_out(plan: PlannedRuns, last: DataInterval | RunInfo) -> bool:
    """Whether the author's own timetable had better be asked for more runs."""
    return has_few_left(plan, _interval(last))


def why_no_run(timetable: Timetable) -> str:
    """Why `next_run` has no answer, in words for a person."""
    match timetable:
        case Never():
            return "the DAG has no schedule: it runs only when somebody asks for it"
        case Once():
            return "the DAG runs once, and that run exists or lies after its end date"
        case PartitionedAtRuntime():
            return "the DAG runs only when somebody asks for a partition of it"
        case AssetTriggered():
            return "the DAG waits for assets and not for a time"
        case PartitionedAssets():
            return "the DAG waits for partitions of assets and not for a time"
        case CronPartition():
            return "the timetable has no partition to come"
        case Custom(path):
            return f"the timetable {path} of the DAG's own has named no further run when the file was last read"
        case AssetOrTime(inner) | AssetAndTime(inner):
            return why_no_run(inner)
        case _:
            return "the timetable has no further run"


def manual_interval(timetable: Timetable, run_after: datetime) -> DataInterval | None:
    """The data interval of a run that a person starts; `None` if the schedule has no complete one yet."""
    run_after = run_after.astimezone(UTC)
    match timetable:
        case CronTrigger(interval=interval) | MultipleCronTrigger(interval=interval) | DeltaTrigger(interval=interval):
            return interval_until(run_after, interval)
        case DeltaDataInterval(delta):
            return interval_until(run_after, delta)
        case CronDataInterval(expression, timezone, changes):
            return last_complete(cron_grid(expression, timezone, changes), run_after)
        case Events(instants, restrict_to_events):
            return moment(event_for(instants, run_after) if restrict_to_events else run_after)
        case AssetOrTime(inner) | AssetAndTime(inner):
            return manual_interval(inner, run_after)
        case CronPartition() | PartitionedAtRuntime() | PartitionedAssets():
            return None  # a partition takes the place of the interval
        case Once() | Continuous() | Never() | AssetTriggered() | Custom():
            return moment(run_after)
        case _:
            assert_never(timetable)


def upcoming(
    timetable: Timetable,
    *,
    last: DataInterval | RunInfo | None,
    restriction: TimeRestriction,
    now: datetime,
    count: int,
    plan: PlannedRuns | None = None,
) -> Iterator[RunInfo]:
    """Up to `count` runs after `last`, as they look at `now`.

    Ends early with the schedule, and where the future depends on what has not happened yet (`Continuous`).
    """
    for _ in range(count):
        following = next_run(timetable, last=last, restriction=restriction, now=now, plan=plan)
        if following is None:
            return
        yield following
        if isinstance(by_time(timetable), Continuous):
            return
        last = following


def parse_schedule(text: str, timezone: str, as_data_interval: bool) -> TimeTimetable:
    """The timetable that a DAG's `schedule="…"` stands for: a preset or a cron expression."""
    text = text.strip()
    if text.lower() == "@once":
        return Once()
    if text.lower() == "@continuous":
        return Continuous()
    cron_grid(text, timezone)
    expression = CRON_PRESETS.get(text.lower(), text)
    return CronDataInterval(expression, timezone) if as_data_interval else CronTrigger(expression, timezone)


def _interval(last: DataInterval | RunInfo | None) -> DataInterval | None:
    if isinstance(last, RunInfo):
        # A run without an interval, of a DAG that used to wait for assets: its instant is where to go on.
        last = last.data_interval or moment(last.run_after)
    if last is None:
        return None
    return DataInterval(last.start.astimezone(UTC), last.end.astimezone(UTC))


def _in_utc(restriction: TimeRestriction) -> TimeRestriction:
    earliest, latest = restriction.earliest, restriction.latest
    if (earliest is None or earliest.tzinfo is UTC) and (latest is None or latest.tzinfo is UTC):
        return restriction
    return TimeRestriction(
        None if earliest is None else earliest.astimezone(UTC),
        None if latest is None else latest.astimezone(UTC),
        restriction.catchup,
    )
