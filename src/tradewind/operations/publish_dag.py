"""Make DAGs known, or known anew."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from tradewind.decide.timetables import next_run
from tradewind.model.dag import Dag
from tradewind.model.dag_check import check_dag
from tradewind.model.dag_file import FileName, NewVersion, VersionOrigin
from tradewind.model.dag_json import encode_dag, structure_hash
from tradewind.model.dag_summary import summary_of
from tradewind.model.ids import VersionKey
from tradewind.model.timetable import RunInfo, TimeRestriction
from tradewind.operations.grant_access import grant_access
from tradewind.operations.register_assets import register_assets
from tradewind.storage.interface import DagRecord, Transaction


@dataclass(frozen=True, slots=True)
class Publication:
    """A DAG that is fit to be stored, and where it comes from."""

    dag: Dag
    data: str
    """Its JSON."""
    structure_hash: str
    file: FileName | None = None
    bundle_version: str | None = None
    source_hash: str | None = None


def publish_dag(tx: Transaction, dag: Dag, now: datetime, *, is_paused_by_default: bool = True) -> VersionKey:
    """Store a DAG that comes from no file; a new version only where its structure changed.

    Raises:
        InvalidDag: the structure contradicts itself.
    """
    check_dag(dag)
    data = encode_dag(dag)
    publication = Publication(dag, data, structure_hash(data))
    records = lock_dags(tx, [publication], (), now, is_paused_by_default=is_paused_by_default)
    return publish_dags(tx, [publication], records, now)[dag.dag_id]


def lock_dags(
    tx: Transaction,
    publications: Sequence[Publication],
    others: Collection[str],
    now: datetime,
    *,
    is_paused_by_default: bool,
) -> dict[str, DagRecord]:
    """Lock the DAGs to be published, creating those that are new, and the others, as far as they exist."""
    dag_ids = {publication.dag.dag_id for publication in publications}
    records = {record.dag_id: record for record in tx.dags.lock(dag_ids | set(others))}
    missing = {
        publication.dag.dag_id: _is_paused(publication.dag, is_paused_by_default)
        for publication in publications
        if publication.dag.dag_id not in records
    }
    if missing:
        tx.dags.create_missing(missing, now)
        records |= {record.dag_id: record for record in tx.dags.lock(missing)}
    return records


def publish_dags(
    tx: Transaction, publications: Sequence[Publication], records: dict[str, DagRecord], now: datetime
) -> dict[str, VersionKey]:
    """Store locked DAGs, with a new version for those whose structure changed. Returns the current version of each.

    Runs keep the version they started with. A fence (see `DagRecord.error`) is taken away: the new version may be
    sound, and if not, the scheduler will say so again.
    """
    current = {record.version_key for record in records.values() if record.version_key is not None}
    origins = tx.versions.origins(current)
    kept: dict[str, VersionKey] = {}
    new: list[NewVersion] = []
    sources: dict[VersionKey, str] = {}
    awaited: list[Publication] = []
    for publication in publications:
        dag_id = publication.dag.dag_id
        record = records[dag_id]
        origin = _kept_version(record, origins, publication)
        if origin is None:
            new.append(_new_version(publication))
        else:
            kept[dag_id] = origin.version_key
            if publication.source_hash is not None and publication.source_hash != origin.source_hash:
                sources[origin.version_key] = publication.source_hash
        if origin is None or record.is_stale:
            awaited.append(publication)
    added = tx.versions.add(new, now)
    tx.versions.set_sources(sources)
    _assign(tx, publications, records)
    _await(tx, awaited, records, now)
    if awaited:
        register_assets(tx, [publication.dag for publication in awaited], now)
        grant_access(tx, [publication.dag for publication in awaited])
    return kept | added


def restriction_of(dag: Dag) -> TimeRestriction:
    """The bounds within which the timetable may make runs: from the smallest start date on (B2)."""
    starts = [task.start_at for task in dag.tasks if task.start_at is not None]
    if dag.start_at is not None:
        starts.append(dag.start_at)
    return TimeRestriction(earliest=min(starts, default=None), latest=dag.end_at, catchup=dag.catchup)


def next_run_of(tx: Transaction, dag: Dag, now: datetime) -> RunInfo | None:
    """What its timetable says comes after the last run that it made."""
    last = tx.runs.last_scheduled(dag.dag_id)
    last_info = None if last is None else RunInfo(last.run_after, last.data_interval)
    return next_run(dag.timetable, last=last_info, restriction=restriction_of(dag), now=now)


def _is_paused(dag: Dag, by_default: bool) -> bool:
    return by_default if dag.is_paused_upon_creation is None else dag.is_paused_upon_creation


def _kept_version(
    record: DagRecord, origins: dict[VersionKey, VersionOrigin], publication: Publication
) -> VersionOrigin | None:
    if record.error is not None or record.version_key is None:
        return None
    origin = origins.get(record.version_key)
    return origin if origin is not None and origin.structure_hash == publication.structure_hash else None


def _new_version(publication: Publication) -> NewVersion:
    return NewVersion(
        publication.dag.dag_id,
        publication.structure_hash,
        publication.data,
        publication.file,
        publication.bundle_version,
        publication.source_hash,
        summary_of(publication.dag),
    )


def _assign(tx: Transaction, publications: Sequence[Publication], records: dict[str, DagRecord]) -> None:
    files = {}
    for publication in publications:
        record = records[publication.dag.dag_id]
        if record.is_stale or record.file != publication.file:
            files[record.dag_id] = publication.file
    tx.dags.assign(files)


def _await(tx: Transaction, awaited: Sequence[Publication], records: dict[str, DagRecord], now: datetime) -> None:
    """Ask the timetables anew, and let the scheduler look at DAGs that it had fenced off."""
    if not awaited:
        return
    tx.dags.set_next_runs(
        {each.dag.dag_id: _next_after_publishing(tx, each.dag, records[each.dag.dag_id], now) for each in awaited}
    )
    tx.dags.set_at_run_limit([each.dag.dag_id for each in awaited], False)
    for each in awaited:
        if records[each.dag.dag_id].error is not None:
            tx.dags.set_error(each.dag.dag_id, None)
            tx.changes.record_runs(tx.runs.running_of_dag(each.dag.dag_id), now)


def _next_after_publishing(tx: Transaction, dag: Dag, record: DagRecord, now: datetime) -> RunInfo | None:
    # A DAG without a version never had a run: the question would be asked a thousand times when all are new.
    if record.version_key is None:
        return next_run(dag.timetable, last=None, restriction=restriction_of(dag), now=now)
    return next_run_of(tx, dag, now)
