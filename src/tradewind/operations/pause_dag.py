"""Pause and unpause."""

from datetime import datetime

from tradewind.errors import UnknownDag
from tradewind.storage.interface import Transaction


def pause_dag(tx: Transaction, dag_id: str, now: datetime, *, is_paused: bool) -> bool:
    """A paused DAG starts no run and no task; what runs goes on, and its runs may end. Returns whether it changed.

    Raises:
        UnknownDag: there is none of that id.
    """
    records = tx.dags.lock([dag_id])
    if not records:
        raise UnknownDag(dag_id)
    if records[0].is_paused == is_paused:
        return False
    tx.dags.set_paused(dag_id, is_paused)
    running = tx.runs.running_of_dag(dag_id)
    tx.runs.lock(running)
    tx.tasks.hold_paused(dag_id, is_paused=is_paused)
    tx.runs.decided(running, None, now)
    tx.changes.record_runs(running, now)
    return True
