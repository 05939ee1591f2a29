"""Ask for a run now, or at a given date."""

from dataclasses import dataclass
from datetime import datetime

from tradewind.decide.timetables import manual_interval
from tradewind.errors import DagStale, DagUnusable, InvalidRequest, UnknownDag
from tradewind.model.json_value import JsonValue
from tradewind.model.run import NewRun, Run
from tradewind.model.run_ids import DEFAULT_RUN_ID_PATTERN, InvalidRunId, check_run_id, new_run_id
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.operations.check_conf import check_conf
from tradewind.operations.create_run import create_run
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


def trigger_run(
    tx: Transaction,
    request: RunRequest,
    structures: Structures,
    now: datetime,
    *,
    suffix: str,
    run_id_pattern: str = DEFAULT_RUN_ID_PATTERN,
) -> Run:
    """Create a queued run. `suffix` is a random word for run ids that no logical date makes unique.

    Raises:
        UnknownDag: there is none of that id.
        DagUnusable: it has no version that can be read, or its file cannot be imported as it is now.
        InvalidRequest: a bad run id, a type of run that the DAG does not allow, or a value that its params do not.
        RunExists: the DAG has a run of this id or logical date.
    """
    records = tx.dags.lock([request.dag_id])
    if not records:
        raise UnknownDag(request.dag_id)
    if records[0].version_key is None:
        raise DagUnusable(request.dag_id, "it was never parsed")
    if records[0].is_stale:
        raise DagStale(request.dag_id)
    if records[0].file is not None and tx.files.has_error(records[0].file):
        raise DagUnusable(request.dag_id, "its file cannot be imported")
    structure = structures.get(tx, records[0].version_key)
    check_conf(structure.dag.params, request.conf)
    run_after = request.run_after or now
    interval = request.data_interval
    if interval is None and request.logical_date is not None:
        interval = manual_interval(structure.dag.timetable, request.logical_date)
    new = NewRun(
        dag_id=request.dag_id,
        run_id=_run_id(request, run_after, suffix, run_id_pattern),
        run_type=request.run_type,
        run_after=run_after,
        version_key=records[0].version_key,
        logical_date=request.logical_date,
        data_interval=interval,
        conf=request.conf,
        note=request.note,
        triggered_by=request.triggered_by,
        triggering_user_name=request.triggering_user_name,
    )
    run_key = create_run(tx, structure, new, now)
    (run,) = tx.runs.read([run_key])
    return run


def _run_id(request: RunRequest, run_after: datetime, suffix: str, pattern: str) -> str:
    if request.run_id is None:
        return new_run_id(request.run_type, run_after, logical_date=request.logical_date, suffix=suffix)
    try:
        return check_run_id(request.run_id, run_type=request.run_type, pattern=pattern)
    except InvalidRunId as error:
        raise InvalidRequest(str(error)) from error
