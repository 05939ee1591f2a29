"""Ask for a run now, or at a given date."""

from dataclasses import dataclass
from datetime import datetime

from tradewind.decide.partitions import LONGEST_KEY
from tradewind.decide.structure import Structure
from tradewind.decide.timetables import date_of_key, is_custom, manual_interval
from tradewind.errors import DagStale, DagUnusable, InvalidRequest, UnknownDag
from tradewind.model.dag import Dag
from tradewind.model.ids import RunKey, VersionKey
from tradewind.model.json_value import JsonValue
from tradewind.model.listing import Row
from tradewind.model.manual_interval import AskedRun, IntervalQuestion
from tradewind.model.run import NewRun, Run
from tradewind.model.run_ids import DEFAULT_RUN_ID_PATTERN, InvalidRunId, check_run_id, new_run_id
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.model.timetable_words import knows_partitions
from tradewind.operations.ask_intervals import waits_for_author
from tradewind.operations.check_conf import check_conf
from tradewind.operations.create_run import create_run, create_shown_run, create_shown_run_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the caller wants. Everything but the DAG has a sensible default."""

    dag_id: str
    run_id: str | None = None
    run_type: RunType = RunType.MANUAL
    logical_date: datetime | None = None
    run_after: datetime | None = None
    data_interval: DataInterval | None = None
    conf: JsonValue = None
    note: str | None = None
    triggered_by: TriggeredBy | None = None
    triggering_user_name: str | None = None
    partition_key: str | None = None


def trigger_run(
    tx: Transaction,
    request: RunRequest,
    structures: Structures,
    now: datetime,
    *,
    suffix: str,
    run_id_pattern: str = DEFAULT_RUN_ID_PATTERN,
) -> Run:
    """As `request_run`, and read what became of it."""
    run_key = request_run(tx, request, structures, now, suffix=suffix, run_id_pattern=run_id_pattern)
    (run,) = tx.runs.read([run_key])
    return run


def request_run(
    tx: Transaction,
    request: RunRequest,
    structures: Structures,
    now: datetime,
    *,
    suffix: str,
    run_id_pattern: str = DEFAULT_RUN_ID_PATTERN,
) -> RunKey:
    """Create a queued run. `suffix` is a word for run ids that no logical date makes unique.

    Raises:
        UnknownDag: there is none of that id.
        DagUnusable: it has no version that can be read, or its file cannot be imported as it is now.
        InvalidRequest: a bad run id, a type of run that the DAG does not allow, or a value that its params do not.
        RunExists: the DAG has a run of this id or logical date.
    """
    structure, new = _checked(tx, request, structures, now, suffix, run_id_pattern)
    run_key = create_run(tx, structure, new, now)
    _ask_for_interval(tx, structure.dag, new, run_key)
    return run_key


def request_shown_run(
    tx: Transaction,
    request: RunRequest,
    structures: Structures,
    now: datetime,
    *,
    suffix: str,
    run_id_pattern: str = DEFAULT_RUN_ID_PATTERN,
) -> Row:
    """As `request_run`, with a `suffix` that nobody else will ever come upon, so that a run which gets it need not be
    looked for. Returns how the run looks in a list of runs."""
    is_new = request.run_id is None and request.logical_date is None
    if is_new:
        row = _create_as_remembered(tx, request, structures, now, suffix, run_id_pattern)
        if row is not None:
            return row
    structure, new = _checked(tx, request, structures, now, suffix, run_id_pattern, is_new=is_new)
    run_key, row = create_shown_run(tx, structure, new, now, may_exist=not is_new)
    _ask_for_interval(tx, structure.dag, new, run_key)
    return row


def _create_as_remembered(
    tx: Transaction, request: RunRequest, structures: Structures, now: datetime, suffix: str, run_id_pattern: str
) -> Row | None:
    """By the version that the DAG had last, which saves a look at it: the write is refused if it has another. None: it
    has, or none is known, or there is something wrong, which is to be said of the version that it has now; or the
    author is to be asked."""
    known = structures.current(request.dag_id)
    if known is None:
        return None
    version_key, structure = known
    try:
        new = _new_run(request, structure, version_key, now, suffix, run_id_pattern)
    except InvalidRequest:
        return None
    if waits_for_author(structure.dag, new):
        return None
    return create_shown_run_of(tx, structure, new, now)


def _checked(
    tx: Transaction,
    request: RunRequest,
    structures: Structures,
    now: datetime,
    suffix: str,
    run_id_pattern: str,
    *,
    is_new: bool = False,
) -> tuple[Structure, NewRun]:
    # Many runs of a DAG are often asked for at once; none waits until another one is safely on the disk.
    found = tx.new_runs.lock_dag(request.dag_id, with_others=is_new)
    if found is None:
        raise UnknownDag(request.dag_id)
    record, has_file_error = found
    if record.version_key is None:
        raise DagUnusable(request.dag_id, "it was never parsed")
    if record.is_stale:
        raise DagStale(request.dag_id)
    if has_file_error:
        raise DagUnusable(request.dag_id, "its file cannot be imported")
    structure = structures.get_current(tx, request.dag_id, record.version_key)
    return structure, _new_run(request, structure, record.version_key, now, suffix, run_id_pattern)


def _new_run(
    request: RunRequest, structure: Structure, version_key: VersionKey, now: datetime, suffix: str, run_id_pattern: str
) -> NewRun:
    check_conf(structure.dag.params, request.conf)
    run_after = request.run_after or now
    interval = request.data_interval
    if interval is None and request.logical_date is not None and not is_custom(structure.dag.timetable):
        interval = manual_interval(structure.dag.timetable, request.logical_date)
    return NewRun(
        dag_id=request.dag_id,
        run_id=_run_id(request, run_after, suffix, run_id_pattern),
        run_type=request.run_type,
        run_after=run_after,
        version_key=version_key,
        logical_date=request.logical_date,
        data_interval=interval,
        conf=request.conf,
        note=request.note,
        triggered_by=request.triggered_by,
        triggering_user_name=request.triggering_user_name,
        partition_key=request.partition_key,
        partition_date=_partition_date(structure.dag, request.partition_key),
    )


def _ask_for_interval(tx: Transaction, dag: Dag, new: NewRun, run_key: RunKey) -> None:
    """The run waits until code of the author's own has said what it is about."""
    if waits_for_author(dag, new):
        about = AskedRun(new.logical_date or new.run_after, new.logical_date is not None, new.partition_key)
        tx.plans.add_question(IntervalQuestion(run_key, dag.dag_id, about))


def _partition_date(dag: Dag, key: str | None) -> datetime | None:
    if key is None:
        return None
    if not knows_partitions(dag.timetable):
        raise InvalidRequest(f"DAG {dag.dag_id!r} has no partitions, so none of key {key!r}")
    if not key.strip() or len(key) > LONGEST_KEY:
        raise InvalidRequest(
            f"a partition key has 1 to {LONGEST_KEY} characters that are not all blank, unlike {key!r}"
        )
    try:
        return date_of_key(dag.timetable, key)
    except ValueError as error:
        raise InvalidRequest(f"the partition key {key!r} is not one of DAG {dag.dag_id!r}: {error}") from error


def _run_id(request: RunRequest, run_after: datetime, suffix: str, pattern: str) -> str:
    if request.run_id is None:
        return new_run_id(request.run_type, run_after, logical_date=request.logical_date, suffix=suffix)
    try:
        return check_run_id(request.run_id, run_type=request.run_type, pattern=pattern)
    except InvalidRunId as error:
        raise InvalidRequest(str(error)) from error
