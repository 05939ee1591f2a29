"""Make DAGs known, or known anew."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from tradewind.decide.timetables import names_run, next_run
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.dag_check import check_dag
from tradewind.model.dag_file import FileName, NewVersion, VersionOrigin
from tradewind.model.dag_json import decode_dag, encode_dag, structure_hash
from tradewind.model.dag_summary import summary_of
from tradewind.model.ids import VersionKey
from tradewind.model.manual_interval import IntervalAnswer
from tradewind.model.partition_answers import PartitionAnswers
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import AssetAndTime, RunInfo
from tradewind.operations.ask_intervals import keep_intervals
from tradewind.operations.ask_mappers import keep_answers
from tradewind.operations.cipher import Cipher, NoCipher
from tradewind.operations.declare_watchers import declare_watchers
from tradewind.operations.grant_access import grant_access
from tradewind.operations.plan_runs import plan_of
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
    plan: PlannedRuns | None = None
    """The coming runs, of a timetable of the author's own."""
    answers: PartitionAnswers | None = None
    """What mappers of the author's own were asked and said."""
    intervals: tuple[IntervalAnswer, ...] = ()
    """What its timetable, of the author's own, said of runs by hand."""


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
    tx: Transaction,
    publications: Sequence[Publication],
    records: dict[str, DagRecord],
    now: datetime,
    cipher: Cipher | None = None,
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
    _plan(tx, publications, awaited, records, now)
    _await(tx, awaited, records, now)
    _keep_intervals(tx, publications, records, now)
    if awaited:
        register_assets(tx, [publication.dag for publication in awaited], now)
        declare_watchers(tx, [(each.dag, each.file) for each in awaited], cipher or NoCipher(), now)
        grant_access(tx, [publication.dag for publication in awaited])
    return kept | added


def next_run_of(tx: Transaction, dag: Dag, now: datetime) -> RunInfo | None:
    """What its timetable says comes after the last run that it made, or after the last tick that waited for assets."""
    last = tx.runs.last_scheduled(dag.dag_id)
    last_info = None if last is None else RunInfo(last.run_after, last.data_interval)
    slot = tx.slots.last(dag.dag_id) if isinstance(dag.timetable, AssetAndTime) else None
    if slot is not None and (last_info is None or slot.info.run_after > last_info.run_after):
        last_info = slot.info
    return next_run(dag.timetable, last=last_info, restriction=restriction_of(dag), now=now, plan=plan_of(tx, dag))


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


def _plan(
    tx: Transaction,
    publications: Sequence[Publication],
    awaited: Sequence[Publication],
    records: dict[str, DagRecord],
    now: datetime,
) -> None:
    """Keep the runs that authors' timetables have named. These may be others although the DAG is the same."""
    tx.plans.put({each.dag.dag_id: each.plan for each in publications if each.plan is not None}, now)
    others = {each.dag.dag_id for each in awaited if each.plan is None and records[each.dag.dag_id].version_key}
    if others:
        tx.plans.drop(others)
    same = [each for each in publications if each not in awaited]
    keep_answers(tx, {each.dag.dag_id: each.answers for each in same if each.answers is not None}, now)
    again = [each for each in same if each.plan is not None]
    tx.dags.set_next_runs({each.dag.dag_id: next_run_of(tx, each.dag, now) for each in again})


def _keep_intervals(
    tx: Transaction, publications: Sequence[Publication], records: dict[str, DagRecord], now: datetime
) -> None:
    """Only of DAGs that may have runs by hand already: a deployment that starts with many new ones asks nothing."""
    known = [each for each in publications if records[each.dag.dag_id].version_key is not None]
    keep_intervals(tx, [each.dag for each in known], [said for each in known for said in each.intervals], now)


def _await(tx: Transaction, awaited: Sequence[Publication], records: dict[str, DagRecord], now: datetime) -> None:
    """Ask the timetables anew, and let the scheduler look at DAGs that it had fenced off."""
    if not awaited:
        return
    tx.dags.set_next_runs(
        {each.dag.dag_id: _next_after_publishing(tx, each.dag, records[each.dag.dag_id], now) for each in awaited}
    )
    tx.dags.set_at_run_limit([each.dag.dag_id for each in awaited], False)
    _end_slots(tx, [each.dag for each in awaited if records[each.dag.dag_id].version_key is not None], now)
    for each in awaited:
        if records[each.dag.dag_id].error is not None:
            tx.dags.set_error(each.dag.dag_id, None)
            tx.changes.record_runs(tx.runs.running_of_dag(each.dag.dag_id), now)


def _end_slots(tx: Transaction, dags: Sequence[Dag], now: datetime) -> None:
    """Nobody looks any more at ticks that wait for assets where the schedule is another kind now."""
    ungated = [dag.dag_id for dag in dags if not isinstance(dag.timetable, AssetAndTime)]
    tx.slots.supersede_all(ungated, "the schedule of the DAG waits no more for a time and assets", now)


def _next_after_publishing(tx: Transaction, dag: Dag, record: DagRecord, now: datetime) -> RunInfo | None:
    # A DAG without a version never had a run: the question would be asked a thousand times when all are new.
    if record.version_key is None:
        return next_run(dag.timetable, last=None, restriction=restriction_of(dag), now=now, plan=plan_of(tx, dag))
    return record.next_run if _keeps_due_run(tx, dag, record, now) else next_run_of(tx, dag, now)


def _keeps_due_run(tx: Transaction, dag: Dag, record: DagRecord, now: datetime) -> bool:
    """A tick that has come is not taken back because a file was read, if the schedule still names it.

    Without catchup the timetable itself would pass it over: for a newer one, or, of a list of events, for one to come.
    """
    due = record.next_run
    if due is None or due.run_after > now:
        return False
    if isinstance(dag.timetable, AssetAndTime):
        return True
    if dag.catchup or record.is_paused:
        return False  # with catchup it is named anyway; of what was missed in a pause, only the newest is wanted
    is_named = names_run(dag.timetable, due, restriction=restriction_of(dag), plan=plan_of(tx, dag))
    return is_named and not _caught_up(tx, record)


def _caught_up(tx: Transaction, record: DagRecord) -> bool:
    """Whether the DAG as it was made up for what it missed. What is due may then be old, and is wanted no more."""
    assert record.version_key is not None
    stored = tx.dags.version_data([record.version_key]).get(record.version_key)
    try:
        return stored is None or decode_dag(stored[1]).catchup
    except (ValueError, KeyError):
        return True  # it cannot be read, so that nobody knows how long it has stood still
