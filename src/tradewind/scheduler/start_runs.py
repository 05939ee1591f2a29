"""Duty: let queued runs begin, within `max_active_runs` of their DAG."""

from datetime import datetime, timedelta

from tradewind.decide.structure import Structure
from tradewind.errors import DagUnusable
from tradewind.model.run import Run
from tradewind.model.states import RunState
from tradewind.operations.pause_dag import pause_dag
from tradewind.scheduler.create_runs import fence
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import DagRecord, Transaction
from tradewind.telemetry.events import RunMoved


def start_runs(state: SchedulerState) -> int:
    """Start what may start of the DAGs in `dags_to_start`: a run of theirs was created or ended. Returns how many
    runs began. Also where a DAG that fails too often is paused, since here its row is locked."""
    if not state.dags_to_start:
        return 0
    now = state.clock.now()
    limit = state.settings.max_dagruns_per_loop_to_schedule
    chosen = sorted(state.dags_to_start)[:limit]

    def work(tx: Transaction) -> tuple[int, set[str]]:
        records = tx.dags.lock(chosen, skip_locked=True)
        started = sum(_start(tx, state, record, now) for record in records)
        return started, {record.dag_id for record in records}

    started, looked_at = state.store.transact(work)
    # A DAG whose row another scheduler holds stays on the list: what is done there may not be what is needed here.
    state.dags_to_start -= looked_at
    return started


def find_startable(state: SchedulerState) -> None:
    """The polling net: DAGs with queued runs whose time has come, whoever created them."""
    now = state.clock.now()
    state.dags_to_start.update(state.store.transact(lambda tx: tx.runs.dags_with_startable(now)))


def _start(tx: Transaction, state: SchedulerState, record: DagRecord, now: datetime) -> int:
    if record.is_paused or record.version_key is None:
        return 0
    try:
        structure = state.structures.get(tx, record.version_key)
    except DagUnusable as error:
        fence(tx, error)
        return 0
    if _fails_too_often(tx, structure):
        pause_dag(tx, record.dag_id, now, is_paused=True)
        return 0
    running, queued = tx.runs.count_active(record.dag_id)
    if record.is_at_run_limit and running + queued < structure.dag.max_active_runs:
        tx.dags.set_at_run_limit([record.dag_id], False)
    free = structure.dag.max_active_runs - running
    if free <= 0 or not queued:
        return 0
    runs = tx.runs.startable(record.dag_id, now, free)
    started = tx.runs.start([(run.key, _timeout(structure, now)) for run in runs], now)
    tx.changes.record_runs(started, now)
    tx.emit(*(_moved(run) for run in runs if run.key in started))
    return len(started)


def _fails_too_often(tx: Transaction, structure: Structure) -> bool:
    most = structure.dag.max_consecutive_failed_runs
    return most > 0 and tx.runs.failed_in_a_row(structure.dag.dag_id, most) >= most


def _timeout(structure: Structure, now: datetime) -> datetime | None:
    timeout_s = structure.dag.run_timeout_s
    return None if timeout_s is None else now + timedelta(seconds=timeout_s)


def _moved(run: Run) -> RunMoved:
    return RunMoved(run.key, run.dag_id, run.run_id, RunState.RUNNING)
