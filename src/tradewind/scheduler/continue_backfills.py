"""Duty: make the runs of backfills, batch by batch, and note which backfills are complete."""

from functools import partial

from tradewind.errors import DatabaseError
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
        looked_at = _continue(state, each)
        if looked_at:
            done += looked_at
            state.dags_to_start.add(each.dag_id)
        else:
            state.backfills_to_continue.discard(each)
    return done


def _continue(state: SchedulerState, each: OpenBackfill) -> int:
    try:
        return state.store.transact(partial(_next_batch, state=state, each=each))
    except DatabaseError:
        raise
    except Exception as error:
        # Its version cannot be read, or its DAG allows such runs no longer. The others go on (B10); a person sees it.
        state.store.transact(partial(_give_up, state=state, each=each, error=error))
        return 0


def _next_batch(tx: Transaction, state: SchedulerState, each: OpenBackfill) -> int:
    records = tx.dags.lock([each.dag_id], skip_locked=True)
    if not records:
        return 0  # another scheduler is at it, or it is gone; the next poll will tell
    return continue_backfill(tx, records[0], each.key, state.structures, state.clock.now())


def _give_up(tx: Transaction, state: SchedulerState, each: OpenBackfill, error: Exception) -> None:
    tx.dags.lock([each.dag_id])
    if tx.backfills.set_paused(each.key, True, state.clock.now()):
        tx.emit(DutyFailed("continue backfills", f"backfill {each.key} is paused: {error}"))
