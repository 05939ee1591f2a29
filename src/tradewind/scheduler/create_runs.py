"""Duty: create the runs that timetables say are due."""

from contextlib import suppress
from datetime import datetime

from tradewind.decide.timetables import next_run
from tradewind.errors import DagUnusable, RunExists
from tradewind.model.dag import Dag
from tradewind.model.run import NewRun
from tradewind.model.run_ids import new_run_id
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import RunInfo
from tradewind.operations.create_run import create_run
from tradewind.operations.publish_dag import restriction_of
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import DagRecord, Transaction
from tradewind.telemetry.events import DagFenced


def create_runs(state: SchedulerState) -> int:
    """One run for each DAG that is due, at most `max_dagruns_to_create_per_loop`. Returns how many DAGs were due."""
    if not state.settings.use_job_schedule:
        return 0
    now = state.clock.now()

    def work(tx: Transaction) -> list[str]:
        due = tx.dags.due(now, state.settings.max_dagruns_to_create_per_loop)
        active = tx.runs.count_active([record.dag_id for record in due]) if due else {}
        for record in due:
            _create_next(tx, state, record, active[record.dag_id].active, now)
        return [record.dag_id for record in due]

    dag_ids = state.store.transact(work)
    state.dags_to_start.update(dag_ids)
    return len(dag_ids)


def fence(tx: Transaction, error: DagUnusable) -> None:
    """Leave this DAG alone until it has a new version; all others go on (B10)."""
    tx.dags.set_error(error.dag_id, error.reason)
    tx.emit(DagFenced(error.dag_id, error.reason))


def _create_next(tx: Transaction, state: SchedulerState, record: DagRecord, active_runs: int, now: datetime) -> None:
    info, version_key = record.next_run, record.version_key
    if info is None or version_key is None:
        return
    try:
        structure = state.structures.get(tx, version_key)
        dag = structure.dag
        following = _following(dag, info, now)
    except DagUnusable as error:
        fence(tx, error)
        return
    if active_runs >= dag.max_active_runs:
        tx.dags.set_at_run_limit([record.dag_id], True)
        return
    # Where somebody asked by hand for the run of this very date, it is there: all that was wanted.
    with suppress(RunExists):
        create_run(tx, structure, _scheduled_run(record.dag_id, info, record), now)
    tx.dags.set_next_run(record.dag_id, following)


def _following(dag: Dag, info: RunInfo, now: datetime) -> RunInfo | None:
    try:
        return next_run(dag.timetable, last=info, restriction=restriction_of(dag), now=now)
    except Exception as error:  # whatever a timetable cannot cope with concerns its own DAG only
        raise DagUnusable(dag.dag_id, f"its timetable failed: {type(error).__name__}: {error}") from error


def _suffix(run_after: datetime) -> str:
    """Unique for the DAG without throwing dice: a timetable makes one run for each instant."""
    return f"{int(run_after.timestamp()) % 10**8:08d}"


def _scheduled_run(dag_id: str, info: RunInfo, record: DagRecord) -> NewRun:
    assert record.version_key is not None
    run_id = new_run_id(
        RunType.SCHEDULED, info.run_after, logical_date=info.logical_date, suffix=_suffix(info.run_after)
    )
    return NewRun(
        dag_id=dag_id,
        run_id=run_id,
        run_type=RunType.SCHEDULED,
        run_after=info.run_after,
        version_key=record.version_key,
        logical_date=info.logical_date,
        data_interval=info.data_interval,
        triggered_by=TriggeredBy.TIMETABLE,
    )
