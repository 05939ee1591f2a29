"""Throw away what ended long ago, some at a time, so that nobody waits for it."""

from datetime import datetime

from tradewind.model.states import FINISHED_RUN_STATES
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.pruning_store import Prunable, PruneChoice

BATCH_SIZE = 100
"""Runs of one transaction. With a run go its task instances and all that they left."""


def count_old(tx: Transaction, what: Prunable, choice: PruneChoice) -> int:
    """How many there are to throw away."""
    return tx.pruning.count(what, choice)


def prune_some(tx: Transaction, what: Prunable, choice: PruneChoice, now: datetime, limit: int = BATCH_SIZE) -> int:
    """Throw some away. Returns how many; fewer than `limit` means that none is left.

    A run that is cleared in the meantime is no longer at its end, and stays.
    """
    if what is not Prunable.RUNS:
        gone = tx.pruning.delete(what, choice, limit)
        if what is Prunable.VERSIONS and gone:
            tx.versions.prune_texts()
        return gone
    found = tx.pruning.old_runs(choice, limit)
    if not found:
        return 0
    dag_ids = {run.dag_id for run in found}
    tx.dags.lock(dag_ids)
    ended = [run.key for run in tx.runs.lock([run.key for run in found]) if run.state in FINISHED_RUN_STATES]
    tx.pruning.delete_runs(ended)
    # Tasks of the next run may have waited for how those of a deleted one ended.
    waiting = [run_key for dag_id in sorted(dag_ids) for run_key in tx.runs.running_of_dag(dag_id)]
    if waiting:
        tx.changes.record_runs(waiting, now)
    return len(found)
