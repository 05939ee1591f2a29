"""The runs that a timetable of an author's own names: asked here, where its code may run."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, overload

from tradewind.dag_processor.compile.values import CompileError
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.manual_interval import AskedRun, IntervalAnswer
from tradewind.model.planned_runs import MOST_PAST, MOST_PLANNED, LastRun, PlannedRuns, row_of
from tradewind.model.run_ids import InvalidRunId, check_run_id
from tradewind.model.states import RunType
from tradewind.model.timetable import AssetAndTime, AssetOrTime, Custom, DataInterval, RunInfo
from tradewind.model.timetable import TimeRestriction as Bounds
from tradewind.sdk.custom_timetable import DagRunInfo, TimeRestriction, Timetable
from tradewind.sdk.custom_timetable import DataInterval as SdkInterval
from tradewind.sdk.states import DagRunType
from tradewind.sdk.timezone import coerce_datetime

_LONGEST_S: Final = 2.0
"""How long runs are asked for, those to come and those of the past: a timetable that takes its time names fewer of
them, and its file can be read all the same."""

_LONGEST_KEY: Final = 250


def plan_runs(
    timetable: Any, compiled: Dag, last: LastRun | None, *, now: datetime, monotonic: Callable[[], float]
) -> PlannedRuns | None:
    """None: the timetable is not of the author's own.

    Raises:
        CompileError: it names what is no run.
    """
    timetable = _own_timetable(timetable, compiled)
    if timetable is None:
        return None
    bounds = restriction_of(compiled)
    runs, is_complete = _in_time(_named(timetable, bounds, last), MOST_PLANNED, monotonic)
    has_ids = _names_runs(timetable)
    runs = _with_ids(timetable, runs, DagRunType.SCHEDULED) if has_ids else runs
    plan = PlannedRuns(runs, is_complete=is_complete, asked_at=now)
    if bounds.earliest is None:
        return plan
    catching_up = replace(bounds, catchup=True)
    is_listed = _lists_partitions(timetable)
    latest = max((now, *(run.partition_date or run.run_after for run in runs)))
    since_start = _listed(timetable, bounds.earliest, latest) if is_listed else _named(timetable, catching_up, None)
    try:
        past, is_complete = _in_time(since_start, MOST_PAST, monotonic)
        past = _with_ids(timetable, past, DagRunType.BACKFILL_JOB) if has_ids else past
    except Exception as error:
        # For backfills only. A timetable that cannot say it is good for all else.
        return replace(plan, past_error=f"{type(error).__name__}: {error}")
    past = tuple(sorted(past, key=lambda run: run.partition_date or run.run_after)) if is_listed else past
    # Of a list nobody knows what comes after its end.
    return replace(plan, past=tuple(row_of(run) for run in past), past_is_complete=is_complete and not is_listed)


def describe_runs(timetable: Any, compiled: Dag, asked: Iterable[AskedRun]) -> Iterator[IntervalAnswer]:
    """What these runs by hand are about, if the timetable is of the author's own; or what it did instead of saying
    it."""
    timetable = _own_timetable(timetable, compiled)
    if timetable is not None:
        yield from (_described(timetable, compiled.dag_id, about) for about in asked)


def _own_timetable(timetable: Any, compiled: Dag) -> Any:
    """What the author wrote of the timetable; None: nothing."""
    stored = compiled.timetable
    if isinstance(stored, AssetOrTime | AssetAndTime):
        timetable, stored = timetable.timetable, stored.timetable
    return timetable if isinstance(stored, Custom) else None


def _described(timetable: Any, dag_id: str, about: AskedRun) -> IntervalAnswer:
    method = "infer_manual_data_interval"
    try:
        interval = _inferred(timetable, about.moment) if about.is_dated else None
        method = "resolve_partition_date"
        date = None if about.partition_key is None else _resolved(timetable, about.partition_key)
        return IntervalAnswer(dag_id, about, interval, date)
    except (Exception, SystemExit) as error:
        return IntervalAnswer(dag_id, about, error=f"{_name(timetable)}.{method}: {type(error).__name__}: {error}")


def _inferred(timetable: Any, moment: datetime) -> DataInterval:
    named = timetable.infer_manual_data_interval(run_after=_for_author(moment))
    return DataInterval(*(_utc(each) for each in named))


def _resolved(timetable: Any, partition_key: str) -> datetime | None:
    """Timetables from before Airflow had partition dates need not have the method."""
    if not hasattr(timetable, "resolve_partition_date"):
        return None
    date = timetable.resolve_partition_date(partition_key)
    return None if date is None else _utc(date)


def _names_runs(timetable: Any) -> bool:
    """As in Airflow, also beside assets: only runs for updates of these have other ids."""
    return getattr(type(timetable), "generate_run_id", None) not in (None, Timetable.generate_run_id)


def _with_ids(timetable: Any, runs: Sequence[RunInfo], run_type: DagRunType) -> tuple[RunInfo, ...]:
    """The runs as the timetable wants them to be called. No two have the same id."""
    named = {_run_id(timetable, run, run_type): run for run in runs}
    if len(named) < len(runs):
        raise CompileError(f"{_name(timetable)}.generate_run_id gives several runs the same id")
    return tuple(replace(run, run_id=run_id) for run_id, run in named.items())


def _run_id(timetable: Any, run: RunInfo, run_type: DagRunType) -> str:
    interval = run.data_interval
    run_id = timetable.generate_run_id(
        run_type=run_type,
        run_after=_for_author(run.run_after),
        data_interval=None if interval is None else _sdk_interval(interval),
        **({} if run.partition_key is None else {"partition_key": run.partition_key}),
    )
    try:
        return check_run_id(run_id, run_type=RunType(run_type.value))
    except (InvalidRunId, TypeError) as error:
        raise CompileError(f"{_name(timetable)}.generate_run_id: {error}") from None


def _in_time(runs: Iterator[RunInfo], most: int, monotonic: Callable[[], float]) -> tuple[tuple[RunInfo, ...], bool]:
    """The first, and as many more as are named in time; whether there are no others.

    Time runs from the first answer on: many timetables import a calendar or read a file before that, and only then.
    """
    found = list(islice(runs, 1))
    until = monotonic() + _LONGEST_S
    for run in runs:
        if len(found) == most or monotonic() > until:
            return tuple(found), False
        found.append(run)
    return tuple(found), True


def _named(timetable: Any, bounds: Bounds, last: LastRun | None) -> Iterator[RunInfo]:
    """Each follows from the one before, as a scheduler would ask."""
    restriction = TimeRestriction(_for_author(bounds.earliest), _for_author(bounds.latest), bounds.catchup)
    before = None if last is None else _sdk_info(last)
    while True:
        following = _ask(timetable, before, restriction)
        if following is None:
            return
        info = _checked(timetable, following)
        if before is not None and info.run_after <= before.run_after and _interval(before) == info.data_interval:
            raise CompileError(f"the timetable {_name(timetable)} names the run of {info.run_after} again and again")
        yield info
        before = following


def _lists_partitions(timetable: Any) -> bool:
    """In Airflow a class with partitions has to, or it cannot be backfilled."""
    own = getattr(type(timetable), "iter_partition_dagrun_infos", None)
    return timetable.partitioned and own not in (None, Timetable.iter_partition_dagrun_infos)


def _listed(timetable: Any, earliest: datetime, latest: datetime) -> Iterator[RunInfo]:
    infos = timetable.iter_partition_dagrun_infos(earliest=_for_author(earliest), latest=_for_author(latest))
    yield from (_checked(timetable, info) for info in infos)


def _ask(timetable: Any, before: DagRunInfo | None, restriction: TimeRestriction) -> Any:
    if hasattr(timetable, "next_dagrun_info_v2"):
        return timetable.next_dagrun_info_v2(last_dagrun_info=before, restriction=restriction)
    interval = None if before is None else before.data_interval
    return timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=restriction)


def _checked(timetable: Any, info: Any) -> RunInfo:
    try:
        interval = info.data_interval
        stored = None if interval is None else DataInterval(*(_utc(each) for each in interval))
        return RunInfo(_utc(info.run_after), stored, *_partition(info))
    except (AttributeError, TypeError, ValueError) as error:
        raise CompileError(f"the timetable {_name(timetable)} names {info!r}, which is no run: {error}") from None


def _partition(info: Any) -> tuple[str | None, datetime | None]:
    key, date = getattr(info, "partition_key", None), getattr(info, "partition_date", None)
    if key is None:
        return None, None
    if not isinstance(key, str) or not key.strip() or len(key) > _LONGEST_KEY:
        raise ValueError(f"a partition key is a text of 1 to {_LONGEST_KEY} characters that are not all blank")
    return key, None if date is None else _utc(date)


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone")
    return datetime.fromisoformat(moment.astimezone(UTC).isoformat())  # and not one of pendulum's


def _interval(info: DagRunInfo) -> DataInterval | None:
    interval = info.data_interval
    return None if interval is None else DataInterval(_utc(interval.start), _utc(interval.end))


def _sdk_info(last: LastRun) -> DagRunInfo:
    interval = last.data_interval
    known = None if interval is None else _sdk_interval(interval)
    return DagRunInfo(_for_author(last.run_after), known, _for_author(last.partition_date), last.partition_key)


def _sdk_interval(interval: DataInterval) -> SdkInterval:
    return SdkInterval(_for_author(interval.start), _for_author(interval.end))


@overload
def _for_author(moment: datetime) -> datetime: ...


@overload
def _for_author(moment: None) -> None: ...


def _for_author(moment: datetime | None) -> datetime | None:
    """As pendulum's type, made from Python's: with Python's zone, its sums lose the zone."""
    return None if moment is None else coerce_datetime(_utc(moment))


def _name(timetable: Any) -> str:
    return type(timetable).__name__
