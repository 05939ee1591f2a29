"""Duty: let queued runs begin, within `max_active_runs` of their DAG, or of their backfill."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from tradewind.decide.backfill import free_places
from tradewind.decide.structure import Structure
from tradewind.errors import DagUnusable
from tradewind.model.ids import BackfillKey, RunKey
from tradewind.model.run import RunCounts, RunHead
from tradewind.model.states import RunState
from tradewind.operations.ask_intervals import held_runs
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.request_callbacks import request_run_begins
from tradewind.operations.run_times import times_of
from tradewind.scheduler.fencing import fence
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import DagRecord, Transaction
from tradewind.telemetry.events import RunMoved

_SHORT_QUEUE = 32


def start_runs(state: SchedulerState) -> int:
    """Start what may start of the DAGs in `dags_to_start`: a run of theirs was created or ended. Returns how many
    runs began or may be made now. Also where a DAG that fails too often is paused, since here its row is locked."""
    if not state.dags_to_start:
        return 0
    now = state.clock.now()
    chosen = _in_turn(state)[: state.settings.max_dagruns_per_loop_to_schedule]

    def work(tx: Transaction) -> tuple[int, list[DagRecord], set[str]]:
        records = tx.dags.lock(chosen, skip_locked=True)
        started, freed = _start(tx, state, records, now)
        return started, freed, {record.dag_id for record in records}

    started, freed, looked_at = state.store.transact(work)
    state.has_due_runs |= any(_is_due(record, now) for record in freed)
    # A DAG whose row another scheduler holds stays on the list: what is done there may not be what is needed here.
    state.dags_to_start -= looked_at
    state.last_looked_at = chosen[-1]
    return started + len(freed)


def _in_turn(state: SchedulerState) -> list[str]:
    """DAGs at their limit come back with every poll. If those of the first names were always first, they could keep all
    others waiting."""
    waiting = sorted(state.dags_to_start)
    place = bisect_right(waiting, state.last_looked_at)
    return waiting[place:] + waiting[:place]


def find_startable(state: SchedulerState) -> None:
    """The polling net: DAGs with queued runs whose time has come, whoever created them."""
    now = state.clock.now()
    state.dags_to_start.update(state.store.transact(lambda tx: tx.runs.dags_with_startable(now)))


def _start(
    tx: Transaction, state: SchedulerState, records: Sequence[DagRecord], now: datetime
) -> tuple[int, list[DagRecord]]:
    """How many began, and the DAGs of which runs may be made again."""
    state.structures.prepare(tx, {record.version_key for record in records if record.version_key is not None})
    structures = {
        record.dag_id: structure
        for record in records
        if (structure := _usable(tx, state, record)) is not None and not _pause_if_failing(tx, structure, now)
    }
    counts = tx.runs.count_active(structures) if structures else {}
    freed = _free_places(tx, records, structures, counts, now)
    free = {dag_id: structure.dag.max_active_runs - counts[dag_id].running for dag_id, structure in structures.items()}
    waiting = {dag_id: counts[dag_id].queued for dag_id in structures if counts[dag_id].queued and free[dag_id] > 0}
    backfills = [key for each in counts.values() for key in each.waiting_backfills]
    held = held_runs(tx, (structure.dag for structure in structures.values()))
    found = (*_startable(tx, waiting, free, held, now), *_startable_of_backfills(tx, backfills, now))
    runs = {run.key: run for run in found}
    started = tx.runs.start([(run.key, _timeout(structures[run.dag_id], now)) for run in runs.values()], now)
    tx.changes.record_runs(started, now)
    tx.emit(*(_moved(runs[run_key], now) for run_key in sorted(started)))
    request_run_begins(tx, (runs[run_key] for run_key in sorted(started)), now, heard=state.heard_of_runs)
    return len(started), freed


def _free_places(
    tx: Transaction,
    records: Sequence[DagRecord],
    structures: Mapping[str, Structure],
    counts: Mapping[str, RunCounts],
    now: datetime,
) -> list[DagRecord]:
    """Runs of DAGs that were at their limit may be made again: for their time, or for updates of assets that wait."""
    freed = [
        record
        for record in records
        if record.is_at_run_limit
        and record.dag_id in structures
        and counts[record.dag_id].active < structures[record.dag_id].dag.max_active_runs
    ]
    if freed:
        tx.dags.set_at_run_limit([record.dag_id for record in freed], False)
    listening = [record.dag_id for record in freed if structures[record.dag_id].dag.assets is not None]
    tx.dag_changes.record(listening, now)
    return freed


def _is_due(record: DagRecord, now: datetime) -> bool:
    return record.next_run is not None and record.next_run.run_after <= now


def _startable(
    tx: Transaction,
    waiting: Mapping[str, int],
    free: Mapping[str, int],
    held: Mapping[str, Collection[RunKey]],
    now: datetime,
) -> Iterator[RunHead]:
    """For DAGs with few queued runs one question for all of them; only a long queue is worth one of its own. Those that
    are held do not know yet what they are about."""
    short = [dag_id for dag_id, queued in waiting.items() if queued <= _SHORT_QUEUE]
    left = {dag_id: free[dag_id] for dag_id in short}
    for run in tx.runs.startable(short, now, len(short) * _SHORT_QUEUE) if short else ():
        if left[run.dag_id] > 0 and run.key not in held.get(run.dag_id, ()):
            left[run.dag_id] -= 1
            yield run
    for dag_id in waiting.keys() - left.keys():
        others = held.get(dag_id, ())
        found = tx.runs.startable([dag_id], now, free[dag_id] + len(others))
        yield from [run for run in found if run.key not in others][: free[dag_id]]


def _startable_of_backfills(tx: Transaction, keys: Sequence[BackfillKey], now: datetime) -> Iterator[RunHead]:
    """Each within the limit of its own backfill; that of the DAG does not count, nor do these count against it."""
    for backfill in tx.backfills.read(keys) if keys else ():
        running, _ = tx.backfills.count_active(backfill.key)
        places = free_places(backfill, running)
        if places > 0:
            yield from tx.backfills.startable(backfill, now, places)


def _usable(tx: Transaction, state: SchedulerState, record: DagRecord) -> Structure | None:
    if record.is_paused or record.version_key is None or record.error is not None:
        return None
    try:
        return state.structures.get(tx, record.version_key)
    except DagUnusable as error:
        fence(tx, error)
        return None


def _pause_if_failing(tx: Transaction, structure: Structure, now: datetime) -> bool:
    """`max_consecutive_failed_dag_runs`."""
    most = structure.dag.max_consecutive_failed_runs
    if most <= 0 or tx.runs.failed_in_a_row(structure.dag.dag_id, most) < most:
        return False
    return pause_dag(tx, structure.dag.dag_id, now, is_paused=True)


def _timeout(structure: Structure, now: datetime) -> datetime | None:
    timeout_s = structure.dag.run_timeout_s
    return None if timeout_s is None else now + timedelta(seconds=timeout_s)


def _moved(run: RunHead, now: datetime) -> RunMoved:
    return RunMoved(run.key, run.dag_id, run.run_id, RunState.RUNNING, times=times_of(run, now))
