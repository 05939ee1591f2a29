"""Look at backfills, pause them, and call them off."""

from contextlib import suppress
from datetime import datetime

from tradewind.decide.backfill import BackfillProgress, progress
from tradewind.errors import Conflict, DagUnusable, UnknownBackfill, UnknownDag
from tradewind.model.backfill import Backfill
from tradewind.model.ids import BackfillKey
from tradewind.model.listing import Condition, Listed, Query, Test
from tradewind.model.states import RunState
from tradewind.operations.call_off_triggers import stop_unfinished
from tradewind.operations.past import tell_next_run
from tradewind.operations.request_callbacks import request_listeners
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import RunMoved


def find_backfill(tx: Transaction, key: BackfillKey) -> Backfill:
    """Raises `UnknownBackfill`."""
    found = tx.backfills.find(key)
    if found is None:
        raise UnknownBackfill(key)
    return found


def backfills_of(tx: Transaction, dag_id: str) -> list[Backfill]:
    """Those of a DAG, the oldest first. Raises `UnknownDag`."""
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    query = Query((Condition("dag_id", Test.IS, dag_id),), is_counted=False)
    rows = tx.listings.page(Listed.BACKFILLS, query).rows
    return tx.backfills.read([BackfillKey(int(str(row["id"]))) for row in rows])


def progress_of(tx: Transaction, backfill: Backfill) -> BackfillProgress:
    """How far along it is."""
    return progress(backfill, tx.backfills.count_runs(backfill.key))


def pause_backfill(tx: Transaction, key: BackfillKey, now: datetime, *, is_paused: bool) -> None:
    """A paused backfill makes and starts no run; what runs goes on.

    Raises:
        UnknownBackfill: there is none.
        Conflict: it is complete.
    """
    backfill = _lock(tx, key)
    if backfill.is_paused != is_paused:
        tx.backfills.set_paused(key, is_paused, now)
    if not is_paused:
        # Tell a scheduler, which would else only look when it polls.
        tx.changes.record_runs(tx.backfills.queued_runs(key)[:1], now)


def cancel_backfill(tx: Transaction, key: BackfillKey, structures: Structures, now: datetime) -> None:
    """Make no further runs, and fail those that have not begun. What runs goes on.

    Raises:
        UnknownBackfill: there is none.
        Conflict: it is complete.
    """
    backfill = _lock(tx, key)
    runs = tx.runs.lock(tx.backfills.queued_runs(key))
    reason = f"backfill {key} was cancelled"
    for run in runs:
        stop_unfinished(tx, run.key, now, spare=(), reason=reason, fails_running=True)
        if tx.runs.set_state(run.key, RunState.QUEUED, RunState.FAILED, now, reason=reason, owner=None):
            tx.emit(RunMoved(run.key, run.dag_id, run.run_id, RunState.FAILED, reason))
            request_listeners(tx, run, RunState.FAILED, reason, now)
        with suppress(DagUnusable):  # a run that cannot be read can still be called off
            tell_next_run(tx, run, structures.get(tx, run.version_key), now)
    tx.runs.decided([run.key for run in runs], None, now)
    if not backfill.is_paused:
        tx.backfills.set_paused(key, True, now)
    tx.backfills.complete(key, now)


def _lock(tx: Transaction, key: BackfillKey) -> Backfill:
    """Its DAG is what is locked; then it is read again."""
    tx.dags.lock([find_backfill(tx, key).dag_id])
    backfill = find_backfill(tx, key)
    if backfill.is_complete:
        raise Conflict(f"backfill {key} is already complete")
    return backfill
