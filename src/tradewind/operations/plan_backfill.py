"""Work out what a backfill will do, before it is begun or instead of that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from tradewind.decide.backfill import (
    MOST_DATES,
    Span,
    Survey,
    Treatment,
    date_of,
    has_partitions,
    is_by_assets,
    partition_about,
    planned_dates,
    span_of,
    survey,
    treatment,
    why_not,
    why_not_named,
)
from tradewind.decide.timetables import is_custom
from tradewind.errors import DagStale, DagUnusable, InvalidRequest, RunTypeRefused, UnknownDag
from tradewind.model.backfill import DEFAULT_MAX_ACTIVE_RUNS, BackfillPlan, ReprocessBehavior
from tradewind.model.dag import Dag
from tradewind.model.json_value import JsonValue
from tradewind.model.states import RunType
from tradewind.model.timetable import RunInfo
from tradewind.operations.backfill_gate import BackfillGate
from tradewind.operations.backfill_updates import moments_in
from tradewind.operations.check_conf import check_conf
from tradewind.operations.plan_runs import plan_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.backfill_store import ExistingRun

_AT_ONCE: Final = 200
_MOST_ACTIVE_RUNS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class BackfillRequest:
    """What somebody wants."""

    dag_id: str
    from_date: datetime
    to_date: datetime
    run_backwards: bool = False
    conf: JsonValue = None
    reprocess_behavior: ReprocessBehavior = ReprocessBehavior.NONE
    max_active_runs: int = DEFAULT_MAX_ACTIVE_RUNS
    run_on_latest_version: bool | None = None
    """None: as the DAG says, and if it says nothing, yes."""
    triggering_user_name: str | None = None


def plan_backfill(tx: Transaction, request: BackfillRequest, structures: Structures, now: datetime) -> BackfillPlan:
    """What such a backfill means. Only reads, and may take a while: to name 50,000 dates takes some seconds.

    Raises:
        UnknownDag: there is none of that id.
        DagUnusable: its stored form cannot be read.
        RunTypeRefused: the DAG allows no backfills.
        InvalidRequest: its schedule does not allow this backfill, or its params do not; or it is too long.
    """
    record = tx.dags.find(request.dag_id)
    if record is None:
        raise UnknownDag(request.dag_id)
    if record.version_key is None:
        raise DagUnusable(request.dag_id, "it was never parsed")
    if record.is_stale:
        raise DagStale(request.dag_id)
    dag = structures.get(tx, record.version_key).dag
    if dag.allowed_run_types is not None and RunType.BACKFILL not in dag.allowed_run_types:
        raise RunTypeRefused(dag.dag_id, RunType.BACKFILL)
    span = _span(dag, request, now)
    _refuse(dag, request, span)
    found = _survey(tx, dag, span)
    if found is None:
        raise InvalidRequest(f"there are more than {MOST_DATES} dates in this range: backfill a part of it at a time")
    return BackfillPlan(
        dag_id=dag.dag_id,
        version_key=record.version_key,
        from_date=span.start,
        to_date=span.end,
        until=now,
        is_backward=request.run_backwards,
        reprocess=request.reprocess_behavior,
        max_active_runs=request.max_active_runs,
        conf=request.conf,
        uses_latest_version=_uses_latest(dag, request),
        total=found.total,
        marks=found.marks,
        partition_keys=found.partition_keys,
        run_ids=found.run_ids,
        triggering_user_name=request.triggering_user_name,
    )


@dataclass(frozen=True, slots=True)
class RunToMake:
    """A run that a backfill would make, or would let start over."""

    run_after: datetime
    logical_date: datetime | None
    partition_key: str | None = None
    partition_date: datetime | None = None


def runs_to_make(tx: Transaction, plan: BackfillPlan, structures: Structures) -> Iterator[RunToMake]:
    """The runs that the backfill would make or let start over, as things are, in its direction."""
    dag = structures.get(tx, plan.version_key).dag
    gate = BackfillGate(tx, dag)
    left = planned_dates(dag.timetable, plan)
    while some := list(islice(left, _AT_ONCE)):
        existing = runs_of_dates(tx, dag, some)
        for info in some:
            run = existing.get(date_of(info))
            what = treatment(None if run is None else run.state, plan.reprocess)
            if what is Treatment.START_OVER or (what is Treatment.CREATE and gate.is_open(info)):
                partition = partition_about(dag.timetable, info)
                yield RunToMake(info.run_after, info.logical_date, *(partition or ()))


def _survey(tx: Transaction, dag: Dag, span: Span) -> Survey | None:
    if is_by_assets(dag.timetable):
        return survey(dag.timetable, span, moments_in(tx, dag, span))
    if not is_custom(dag.timetable):
        return survey(dag.timetable, span)
    plan = plan_of(tx, dag)
    reason = why_not_named(dag, span, plan)
    if reason is not None:
        raise InvalidRequest(reason)
    return survey(dag.timetable, span, () if plan is None else plan.named_since_start())


def runs_of_dates(tx: Transaction, dag: Dag, infos: Sequence[RunInfo]) -> dict[datetime, ExistingRun]:
    """The runs that there are for these dates, whoever made them: of a partition, the newest."""
    dates = [date_of(info) for info in infos]
    if has_partitions(dag.timetable):
        return tx.backfills.existing_partitions(dag.dag_id, dates)
    return tx.backfills.existing_runs(dag.dag_id, dates)


def _span(dag: Dag, request: BackfillRequest, now: datetime) -> Span:
    try:
        return span_of(dag.timetable, request.from_date, request.to_date, now)
    except OverflowError:
        raise InvalidRequest(
            f"the dates {request.from_date.isoformat()} and {request.to_date.isoformat()} are so far away that they"
            " cannot be compared with others"
        ) from None


def _refuse(dag: Dag, request: BackfillRequest, span: Span) -> None:
    reason = why_not(
        dag,
        span,
        is_backward=request.run_backwards,
        reprocess=request.reprocess_behavior,
        max_active=request.max_active_runs,
    )
    if reason is not None:
        raise InvalidRequest(reason)
    if request.max_active_runs > _MOST_ACTIVE_RUNS:
        raise InvalidRequest(f"max_active_runs is {request.max_active_runs}, but cannot be above {_MOST_ACTIVE_RUNS}")
    if request.conf is not None:
        check_conf(dag.params, request.conf)


def _uses_latest(dag: Dag, request: BackfillRequest) -> bool:
    if request.run_on_latest_version is not None:
        return request.run_on_latest_version
    of_dag = dag.details.get("rerun_with_latest_version") if isinstance(dag.details, dict) else None
    return True if of_dag is None else bool(of_dag)
