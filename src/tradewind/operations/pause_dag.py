"""Pause and unpause."""

from collections.abc import Collection, Iterable
from datetime import datetime

from tradewind.errors import DagUnusable, UnknownDag
from tradewind.model.timetable import AssetAndTime
from tradewind.operations.listen_to_assets import look_again
from tradewind.operations.plan_runs import ask_anew
from tradewind.operations.publish_dag import next_run_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import DagRecord, Transaction
from tradewind.telemetry.events import DagsPaused


def pause_dag(tx: Transaction, dag_id: str, now: datetime, *, is_paused: bool) -> bool:
    """A paused DAG starts no run and no task; what runs goes on, and its runs may end. Returns whether it changed.

    Raises:
        UnknownDag: there is none of that id.
    """
    return bool(pause_dags(tx, [dag_id], now, is_paused=is_paused))


def pause_dags(tx: Transaction, dag_ids: Collection[str], now: datetime, *, is_paused: bool) -> list[str]:
    """The same for many DAGs. Returns those that changed.

    Raises:
        UnknownDag: there is none of one of the ids.
    """
    records = tx.dags.lock(dag_ids)
    missing = set(dag_ids) - {record.dag_id for record in records}
    if missing:
        raise UnknownDag(min(missing))
    changed = [record.dag_id for record in records if record.is_paused != is_paused]
    for dag_id in changed:
        tx.dags.set_paused(dag_id, is_paused)
    # All runs at once: one DAG after the other would lock them in another order than everybody else.
    running = [run_key for dag_id in changed for run_key in tx.runs.running_of_dag(dag_id)]
    tx.runs.lock(running)
    for dag_id in changed:
        tx.tasks.hold_paused(dag_id, is_paused=is_paused)
    tx.runs.decided(running, None, now)
    tx.changes.record_runs(running, now)
    if changed:
        if not is_paused:
            look_again(tx, changed, now)
            ask_anew(tx, [record for record in records if record.dag_id in changed])
            _forget_missed(tx, [record for record in records if record.dag_id in changed], now)
        tx.watchers.wake()
        tx.emit(DagsPaused(tuple(changed), is_paused))
    return changed


def _forget_missed(tx: Transaction, unpaused: Iterable[DagRecord], now: datetime) -> None:
    """Without catchup, of the runs that came due during the pause only the newest is wanted.

    Ticks that wait for assets are left to their own rules: each is superseded by the next one.
    """
    structures = Structures()
    following = {}
    for record in unpaused:
        if record.version_key is None or record.next_run is None or record.next_run.run_after > now:
            continue
        try:
            dag = structures.get(tx, record.version_key).dag
        except DagUnusable:
            continue
        if not dag.catchup and not isinstance(dag.timetable, AssetAndTime):
            following[record.dag_id] = next_run_of(tx, dag, now)
    tx.dags.set_next_runs(following)
