"""Store what DAG files say: many files in one transaction."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tradewind.model.dag import Dag
from tradewind.model.dag_check import check_dag
from tradewind.model.dag_file import DagProblem, FileKey, FileName, FileParse
from tradewind.model.dag_json import decode_dag, encode_dag, structure_hash
from tradewind.model.ids import JobKey, VersionKey
from tradewind.model.partition_answers import PartitionAnswers, decode_answers
from tradewind.model.planned_runs import PlannedRuns, decode_plan
from tradewind.operations.cipher import Cipher
from tradewind.operations.declare_watchers import without_watcher_arguments
from tradewind.operations.name_executors import name_executors
from tradewind.operations.publish_dag import Publication, lock_dags, publish_dags
from tradewind.operations.register_assets import forget_assets
from tradewind.operations.spread_news import spread_import_errors
from tradewind.storage.interface import DagRecord, Transaction
from tradewind.telemetry.events import DagsPublished, FileFailed


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A parsed file whose DAGs were held against the rules."""

    parse: FileParse
    publications: tuple[Publication, ...]
    problems: tuple[DagProblem, ...]

    @property
    def failed_dags(self) -> set[str]:
        """DAGs that the file has but that cannot be used as they are now."""
        return {problem.dag_id for problem in self.problems if problem.dag_id is not None}


@dataclass(slots=True)
class PublishReport:
    """What became of the files."""

    published: dict[str, VersionKey] = field(default_factory=dict)
    lost: list[FileKey] = field(default_factory=list)
    """Files that another processor has taken over, or that are gone: nothing of them was stored."""
    requested: list[FileKey] = field(default_factory=list)
    """Files that shall be parsed because a DAG id that they also have became free."""
    stale: set[str] = field(default_factory=set)


def check_file(parse: FileParse, executors: Mapping[str, str] | None = None) -> CheckedFile:
    """Hold what a child said against the rules: it has run user code, so nothing is taken on trust.

    Takes time, and needs no transaction. `executors`: see `name_executors`; None: tasks may name any.
    """
    publications: dict[str, Publication] = {}
    problems = list(parse.problems)
    plans = {dag_id: plan for dag_id, text in parse.plans if (plan := _plan(dag_id, text, problems)) is not None}
    answers = {dag_id: said for dag_id, content in parse.answers if (said := _answers(dag_id, content, problems))}
    for data in parse.dags:
        try:
            dag = decode_dag(data)
            check_dag(dag)
            if executors is not None:
                named = name_executors(dag, executors)
                dag, data = named, data if named is dag else encode_dag(named)
        except (ValueError, RecursionError) as error:
            problems.append(DagProblem(str(error), getattr(error, "dag_id", "")))
            continue
        # The last one of a name wins within a file, as in Airflow.
        bundle_version = parse.bundle_version if dag.pins_bundle_version else None
        publications[dag.dag_id] = Publication(
            dag,
            _storable(dag, data),
            structure_hash(data),
            parse.name,
            bundle_version,
            parse.content_hash,
            plans.get(dag.dag_id),
            answers.get(dag.dag_id),
            tuple(said for said in parse.intervals if said.dag_id == dag.dag_id),
        )
    return CheckedFile(parse, tuple(publications.values()), tuple(problems))


def _plan(dag_id: str, text: str, problems: list[DagProblem]) -> PlannedRuns | None:
    try:
        plan = decode_plan(text)
        plan.named_since_start()  # what an author's process sent must be sound before it is stored
        return plan
    except ValueError as error:
        problems.append(DagProblem(str(error), dag_id))
        return None


def _answers(dag_id: str, content: object, problems: list[DagProblem]) -> PartitionAnswers | None:
    try:
        return decode_answers(content)
    except ValueError as error:
        problems.append(DagProblem(str(error), dag_id))
        return None


def _storable(dag: Dag, data: str) -> str:
    """Without what watchers were given: that is kept once, encrypted."""
    hidden = without_watcher_arguments(dag)
    return data if hidden is dag else encode_dag(hidden)


def publish_files(
    tx: Transaction,
    files: Sequence[CheckedFile],
    job: JobKey,
    now: datetime,
    *,
    is_paused_by_default: bool = True,
    cipher: Cipher | None = None,
) -> PublishReport:
    """Store the DAGs of files that this processor has claimed, what is wrong with them, and what they no longer have.

    A DAG that cannot be read keeps its last good version. One that no file has any more becomes stale; one that two
    files have belongs to the one that had it first.
    """
    report = PublishReport()
    locked = [file for file in tx.files.lock([each.parse.key for each in files]) if file.claimed_by == job]
    mine = {file.key for file in locked}
    report.lost = [each.parse.key for each in files if each.parse.key not in mine]
    chosen = sorted((each for each in files if each.parse.key in mine), key=lambda each: each.parse.name)
    before = tx.files.declared(mine)
    after = {each.parse.key: _declared(each, before[each.parse.key]) for each in chosen}
    released = {dag_id for key in mine for dag_id in before[key] - after[key]}
    candidates = [publication for each in chosen for publication in each.publications]
    records = lock_dags(tx, candidates, released, now, is_paused_by_default=is_paused_by_default)
    declarers = _declarers(tx, records, before, after)
    allowed, problems = _without_duplicates(chosen, records, declarers)
    report.published = publish_dags(tx, allowed, records, now, cipher)
    names = {each.parse.key: each.parse.name for each in chosen}
    _release(tx, _freed(names, before, after, records), declarers, report)
    _save(tx, chosen, problems, after, now)
    tx.emit(*_told(chosen, problems, report))
    spread_import_errors(tx, _errors(chosen, problems), locked, now)
    return report


def remove_files(tx: Transaction, keys: Collection[FileKey]) -> PublishReport:
    """Files that are gone, with all that they said."""
    report = PublishReport()
    files = {file.key: file.name for file in tx.files.lock(keys)}
    before = tx.files.declared(files)
    after: dict[FileKey, set[str]] = {key: set() for key in files}
    records = {record.dag_id: record for record in tx.dags.lock({dag_id for ids in before.values() for dag_id in ids})}
    declarers = _declarers(tx, records, before, after)
    _release(tx, _freed(files, before, after, records), declarers, report)
    tx.files.delete(files)
    tx.emit(*_told((), {}, report))
    return report


def _declared(file: CheckedFile, before: set[str]) -> set[str]:
    """What the file has now. A DAG that cannot be read is still there."""
    if not file.parse.is_read:
        return before
    return {publication.dag.dag_id for publication in file.publications} | (before & file.failed_dags)


def _declarers(
    tx: Transaction,
    dag_ids: Collection[str],
    before: Mapping[FileKey, set[str]],
    after: Mapping[FileKey, set[str]],
) -> dict[str, dict[FileKey, FileName]]:
    """Which files have these DAGs, once the given ones have what they shall have."""
    declarers = tx.files.declarers(dag_ids)
    for key, dags in before.items():
        for dag_id in dags - after[key]:
            declarers.get(dag_id, {}).pop(key, None)
    return declarers


def _without_duplicates(
    files: Sequence[CheckedFile],
    records: Mapping[str, DagRecord],
    declarers: Mapping[str, Mapping[FileKey, FileName]],
) -> tuple[list[Publication], dict[FileKey, list[DagProblem]]]:
    """The DAGs that belong to their file, and what is wrong with each file."""
    taken = {
        dag_id: record.file
        for dag_id, record in records.items()
        if record.file is not None and not record.is_stale and record.file in declarers.get(dag_id, {}).values()
    }
    allowed: list[Publication] = []
    problems: dict[FileKey, list[DagProblem]] = {}
    for file in files:
        of_file = list(file.problems)
        for publication in file.publications:
            dag_id = publication.dag.dag_id
            owner = taken.setdefault(dag_id, file.parse.name)
            if owner == file.parse.name:
                allowed.append(publication)
            else:
                where = f"{owner.path} of the bundle {owner.bundle!r}"
                message = f"the DAG id {dag_id!r} is already used in {where}: give one of the two another dag_id"
                of_file.append(DagProblem(message, dag_id))
        if of_file:
            problems[file.parse.key] = of_file
    return allowed, problems


def _freed(
    names: Mapping[FileKey, FileName],
    before: Mapping[FileKey, set[str]],
    after: Mapping[FileKey, set[str]],
    records: Mapping[str, DagRecord],
) -> set[str]:
    """DAGs that left the very file that they belonged to."""
    return {
        dag_id
        for key, name in names.items()
        for dag_id in before[key] - after[key]
        if dag_id in records and records[dag_id].file == name
    }


def _release(
    tx: Transaction, freed: set[str], declarers: Mapping[str, Mapping[FileKey, FileName]], report: PublishReport
) -> None:
    """DAGs that left their file: stale, unless it was published from another one or another one waits for it."""
    left = freed - report.published.keys()
    heirs = {dag_id: list(declarers[dag_id]) for dag_id in left if declarers.get(dag_id)}
    report.stale = left - heirs.keys()
    tx.dags.set_stale(report.stale)
    forget_assets(tx, report.stale)
    tx.dags.assign(dict.fromkeys(heirs))
    report.requested = sorted({key for keys in heirs.values() for key in keys})
    tx.files.request(report.requested)


def _save(
    tx: Transaction,
    files: Sequence[CheckedFile],
    problems: Mapping[FileKey, Sequence[DagProblem]],
    after: Mapping[FileKey, set[str]],
    now: datetime,
) -> None:
    used = {publication.source_hash for file in files for publication in file.publications}
    tx.versions.add_texts(
        {file.parse.content_hash: file.parse.source for file in files if file.parse.content_hash in used}
    )
    errors = {key: error_text(of_file) for key, of_file in problems.items()}
    tx.files.save([file.parse for file in files], errors, now)
    tx.files.declare(after)
    tx.files.warn({file.parse.key: file.parse.warnings for file in files}, now)


def error_text(problems: Sequence[DagProblem]) -> str:
    """All that is wrong with a file, as people read it."""
    return "\n\n".join(
        problem.message if not problem.dag_id or problem.dag_id in problem.message else _of_dag(problem)
        for problem in problems
    )


def _of_dag(problem: DagProblem) -> str:
    return f"DAG {problem.dag_id!r}: {problem.message}"


def _told(
    files: Sequence[CheckedFile], problems: Mapping[FileKey, Sequence[DagProblem]], report: PublishReport
) -> list[DagsPublished | FileFailed]:
    failed = [FileFailed(*name, error) for name, error in _errors(files, problems).items()]
    published = DagsPublished(tuple(sorted(report.published)), tuple(sorted(report.stale)))
    return [*failed, *([published] if report.published or report.stale else [])]


def _errors(files: Sequence[CheckedFile], problems: Mapping[FileKey, Sequence[DagProblem]]) -> dict[FileName, str]:
    return {file.parse.name: error_text(problems[file.parse.key]) for file in files if file.parse.key in problems}
