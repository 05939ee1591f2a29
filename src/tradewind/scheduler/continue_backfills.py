"""Duty: make the runs of backfills, batch by batch, and note which backfills are complete."""

from functools import partial

from tradewind.errors import DagUnusable
from tradewind.operations.start_backfill import continue_backfill
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.backfill_store import OpenBackfill
from tradewind.telemetry.events import DutyFailed


def find_backfills(state: SchedulerState) -> None:
    """The polling net, and the way by which all but the first runs are made: backfills that are not complete."""
    state.backfills_to_continue.update(state.store.transact(lambda tx: tx.backfills.open()))


def continue_backfills(state: SchedulerState) -> int:
    """One batch of each backfill in `backfills_to_continue`. Returns how many dates were looked at."""
    done = 0
    for each in sorted(state.backfills_to_continue):
        looked_at = state.store.transact(partial(_continue, state=state, each=each))
        if looked_at:
            done += looked_at
            state.dags_to_start.add(each.dag_id)
        else:
            state.backfills_to_continue.discard(each)
    return done


def _continue(tx: Transaction, state: SchedulerState, each: OpenBackfill) -> int:
    now = state.clock.now()
    records = tx.dags.lock([each.dag_id], skip_locked=True)
    if not records:
        return 0  # another scheduler is at it, or it is gone; the next poll will tell
    try:
        return continue_backfill(tx, records[0], each.key, state.structures, now)
    except DagUnusable as error:
        # Its DAG may be sound: the version that it was planned with is not. A person has to see it.
        tx.backfills.set_paused(each.key, True, now)
        tx.emit(DutyFailed("continue backfills", f"backfill {each.key} is paused: {error}"))
        return 0
