"""Throw away what ended long ago, some at a time, so that nobody waits for it."""

from collections.abc import Collection
from datetime import datetime

from tradewind.errors import InvalidRequest
from tradewind.model.states import FINISHED_RUN_STATES
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.pruning_store import Archive, Archived, Prunable, PruneChoice

BATCH_SIZE = 100
"""Runs of one transaction. With a run go its task instances and all that they left."""


def count_old(tx: Transaction, what: Prunable, choice: PruneChoice) -> int:
    """How many there are to throw away."""
    return tx.pruning.count(what, choice)


def prune_some(
    tx: Transaction,
    what: Prunable,
    choice: PruneChoice,
    now: datetime,
    limit: int = BATCH_SIZE,
    archive: Archive | None = None,
) -> int:
    """Throw some away, after a copy to the archive. Returns how many; fewer than `limit` means that none is left.

    A run that is cleared in the meantime is no longer at its end, and stays.
    """
    if what is not Prunable.RUNS:
        gone = tx.pruning.delete(what, choice, limit, archive)
        if what is Prunable.VERSIONS and gone:
            tx.versions.prune_texts()
        return gone
    found = tx.pruning.old_runs(choice, limit)
    if not found:
        return 0
    dag_ids = {run.dag_id for run in found}
    tx.dags.lock(dag_ids)
    ended = [run.key for run in tx.runs.lock([run.key for run in found]) if run.state in FINISHED_RUN_STATES]
    tx.pruning.delete_runs(ended, archive)
    # Tasks of the next run may have waited for how those of a deleted one ended.
    waiting = [run_key for dag_id in sorted(dag_ids) for run_key in tx.runs.running_of_dag(dag_id)]
    if waiting:
        tx.changes.record_runs(waiting, now)
    return len(found)


def drop_unused(tx: Transaction, archive: Archive) -> None:
    """Drop those of its tables that nothing was copied to."""
    made = [each.name for each in tx.archives.all() if each.name.endswith(f"__{archive.stamp}")]
    tx.archives.drop([name for name in made if not tx.archives.count(name)])


def find_archives(tx: Transaction, names: Collection[str] = ()) -> list[Archived]:
    """Those with copies of these tables, or of what was deleted with their rows; without names all.

    Raises:
        InvalidRequest: nothing of such a name is ever archived.
    """
    tables = {what.value: tx.archives.tables_of(what) for what in Prunable}
    known = {*tables, *(table for those in tables.values() for table in those)}
    for name in names:
        if name not in known:
            raise InvalidRequest(f"nothing of the name {name!r} is archived, only {', '.join(sorted(known))}")
    wanted = {table for name in names for table in tables.get(name, (name,))}
    return [each for each in tx.archives.all() if not names or each.table in wanted]
