"""Duty: create the runs that timetables say are due."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tradewind.decide.structure import Structure
from tradewind.decide.timetables import next_run
from tradewind.errors import DagUnusable
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.run import NewRun
from tradewind.model.timetable import AssetAndTime, RunInfo
from tradewind.operations.create_run import create_due_runs
from tradewind.operations.plan_runs import ask_for_more, plan_of
from tradewind.operations.scheduled_run import scheduled_run
from tradewind.operations.settle_slots import take_ticks
from tradewind.scheduler.fencing import fence
from tradewind.scheduler.run_for_assets import look_at_ticks
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import DagRecord, Transaction

_MOST_TICKS: Final = 200
"""Of one DAG in one transaction. What is left is still due."""


@dataclass(slots=True)
class _Batch:
    """What a pass writes for many DAGs at once."""

    runs: list[tuple[Structure, NewRun]] = field(default_factory=list)
    following: dict[str, RunInfo | None] = field(default_factory=dict)
    ticks: dict[str, datetime] = field(default_factory=dict)
    """Of DAGs whose ticks wait for assets, the first that has come."""


def create_runs(state: SchedulerState) -> int:
    """One run for each DAG that is due, at most `max_dagruns_to_create_per_loop`. Returns how many DAGs were due."""
    if not state.settings.use_job_schedule:
        return 0
    now = state.clock.now()

    def work(tx: Transaction) -> list[str]:
        if not state.has_due_runs and not _is_any_due(tx, now):
            return []
        due = tx.dags.due(now, state.settings.max_dagruns_to_create_per_loop)
        if not due:
            return []
        active = tx.runs.count_active([record.dag_id for record in due])
        state.structures.prepare(tx, {record.version_key for record in due if record.version_key is not None})
        batch = _Batch()
        for record in due:
            _create_next(tx, state, record, active[record.dag_id].active, now, batch)
        create_due_runs(tx, batch.runs, now)
        tx.dags.set_next_runs(batch.following)
        if batch.ticks:
            look_at_ticks(tx, state, [record for record in due if record.dag_id in batch.ticks], now, batch.ticks)
        return [record.dag_id for record in due]

    dag_ids = state.store.transact(work)
    # Until none is due: what has no place is noted only when it is looked at, and what is not noted is not told of.
    state.has_due_runs = bool(dag_ids)
    state.dags_to_start.update(dag_ids)
    return len(dag_ids)


def _is_any_due(tx: Transaction, now: datetime) -> bool:
    """Asked first while nothing is known to be due, which is nearly always: the database plans this once. What takes
    the due ones has a time in it, and PostgreSQL would plan it anew each second."""
    due_at = tx.dags.next_due_at()
    return due_at is not None and due_at <= now


def _create_next(
    tx: Transaction,
    state: SchedulerState,
    record: DagRecord,
    active_runs: int,
    now: datetime,
    batch: _Batch,
) -> None:
    """What is to be written for all DAGs at once goes to the batch."""
    info, version_key = record.next_run, record.version_key
    if info is None or version_key is None:
        return
    try:
        structure = state.structures.get(tx, version_key)
        dag = structure.dag
        plan = plan_of(tx, dag)
        if isinstance(dag.timetable, AssetAndTime):
            _take_ticks(tx, record, dag, dag.timetable, plan, now, batch)
            return
        following = _following(dag, info, now, plan)
    except DagUnusable as error:
        fence(tx, error)
        return
    if active_runs >= dag.max_active_runs:
        tx.dags.set_at_run_limit([record.dag_id], True)
        return
    batch.runs.append((structure, scheduled_run(dag, info, version_key, plan)))
    batch.following[record.dag_id] = following
    ask_for_more(tx, record.file, plan, info, following)


def _take_ticks(
    tx: Transaction,
    record: DagRecord,
    dag: Dag,
    gate: AssetAndTime,
    plan: PlannedRuns | None,
    now: datetime,
    batch: _Batch,
) -> None:
    """Let the ticks that have come wait for their assets. So long they are no runs: no limit of runs concerns them, and
    of the many that a DAG may have to catch up with, many are noted at once."""
    following = record.next_run
    ticks: list[RunInfo] = []
    while following is not None and following.run_after <= now and len(ticks) < _MOST_TICKS:
        ticks.append(following)
        following = _following(dag, following, now, plan)
    take_ticks(tx, dag.dag_id, gate, ticks, now)
    batch.following[dag.dag_id] = following
    batch.ticks[dag.dag_id] = ticks[0].run_after
    ask_for_more(tx, record.file, plan, ticks[-1], following)


def _following(dag: Dag, info: RunInfo, now: datetime, plan: PlannedRuns | None) -> RunInfo | None:
    try:
        return next_run(dag.timetable, last=info, restriction=restriction_of(dag), now=now, plan=plan)
    except Exception as error:  # whatever a timetable cannot cope with concerns its own DAG only
        raise DagUnusable(dag.dag_id, f"its timetable failed: {type(error).__name__}: {error}") from error
