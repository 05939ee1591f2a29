"""Make a DAG known, or known anew."""

from datetime import datetime

from tradewind.decide.timetables import next_run
from tradewind.model.dag import Dag
from tradewind.model.dag_check import check_dag
from tradewind.model.dag_json import encode_dag, structure_hash
from tradewind.model.ids import VersionKey
from tradewind.model.timetable import RunInfo, TimeRestriction
from tradewind.storage.interface import Transaction


def publish_dag(tx: Transaction, dag: Dag, now: datetime, *, is_paused_by_default: bool = True) -> VersionKey:
    """Store the DAG; a new version only where its structure changed.

    Runs keep the version they started with. A fence (see `DagRecord.error`) is taken away: the new version may be
    sound, and if not, the scheduler will say so again.

    Raises:
        InvalidDag: the structure contradicts itself.
    """
    check_dag(dag)
    data = encode_dag(dag)
    hash_now = structure_hash(data)
    if tx.dags.find(dag.dag_id) is None:
        paused = dag.is_paused_upon_creation
        tx.dags.create(dag.dag_id, is_paused=is_paused_by_default if paused is None else paused, now=now)
    (record,) = tx.dags.lock([dag.dag_id])
    if record.error is None and record.version_key is not None and tx.dags.version_hash(record.version_key) == hash_now:
        return record.version_key
    version_key = tx.dags.add_version(dag.dag_id, structure_hash=hash_now, data=data, now=now)
    tx.dags.set_next_run(dag.dag_id, _next_after_publishing(tx, dag, now))
    tx.dags.set_at_run_limit([dag.dag_id], False)
    if record.error is not None:
        tx.dags.set_error(dag.dag_id, None)
        tx.changes.record_runs(tx.runs.running_of_dag(dag.dag_id), now)
    return version_key


def restriction_of(dag: Dag) -> TimeRestriction:
    """The bounds within which the timetable may make runs: from the smallest start date on (B2)."""
    starts = [task.start_at for task in dag.tasks if task.start_at is not None]
    if dag.start_at is not None:
        starts.append(dag.start_at)
    return TimeRestriction(earliest=min(starts, default=None), latest=dag.end_at, catchup=dag.catchup)


def _next_after_publishing(tx: Transaction, dag: Dag, now: datetime) -> RunInfo | None:
    last = tx.runs.last_scheduled(dag.dag_id)
    last_info = None if last is None else RunInfo(last.run_after, last.data_interval)
    return next_run(dag.timetable, last=last_info, restriction=restriction_of(dag), now=now)
