"""Coming runs of DAGs whose timetable is of their author's own: kept here, named where DAG files are read."""

from collections.abc import Collection, Iterable

from tradewind.decide.timetables import is_custom, is_running_out
from tradewind.model.dag import Dag
from tradewind.model.dag_file import FileKey, FileName
from tradewind.model.planned_runs import LastRun, PlannedRuns
from tradewind.model.run import Run
from tradewind.model.timetable import RunInfo
from tradewind.storage.interface import DagRecord, Transaction


def plan_of(tx: Transaction, dag: Dag) -> PlannedRuns | None:
    """None for all timetables that can be asked here."""
    return tx.plans.find(dag.dag_id) if is_custom(dag.timetable) else None


def ask_for_more(
    tx: Transaction, file: FileName | None, plan: PlannedRuns | None, last: RunInfo, following: RunInfo | None
) -> None:
    """Have the DAG's file read again, long before its timetable's last known run is made, or if nobody knows which of
    them follows."""
    if plan is None or file is None or plan.is_complete or (following is not None and not is_running_out(plan, last)):
        return
    found = tx.files.find(file)
    if found is not None:
        tx.files.request([found.key])


def ask_anew(tx: Transaction, records: Iterable[DagRecord]) -> None:
    """Have files read again whose DAGs were paused: what their timetables had named may long be over."""
    names = {record.file for record in records if record.file is not None and tx.plans.find(record.dag_id) is not None}
    files = [tx.files.find(name) for name in sorted(names)]
    tx.files.request([file.key for file in files if file is not None])


def _last_run(run: Run) -> LastRun:
    return LastRun(run.dag_id, run.run_after, run.data_interval, run.partition_key, run.partition_date)


def last_runs_in(tx: Transaction, files: Collection[FileKey]) -> dict[FileKey, list[LastRun]]:
    """Where timetables of authors' own go on, for those of these files."""
    found: dict[FileKey, list[LastRun]] = {}
    for key, dag_ids in tx.plans.planned_in(files).items():
        for dag_id in dag_ids:
            run = tx.runs.last_scheduled(dag_id)
            if run is not None:
                found.setdefault(key, []).append(_last_run(run))
    return found
