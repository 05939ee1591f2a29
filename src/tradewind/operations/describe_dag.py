"""All that a person may want to know of a DAG."""

from tradewind.errors import DagUnusable, UnknownDag
from tradewind.model.dag import Dag
from tradewind.model.dag_summary import summary_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import DagRecord, Transaction


def describe_dag(tx: Transaction, dag_id: str, structures: Structures) -> dict[str, object]:
    """By name. Of a DAG that cannot be read, only what is known without reading it. Raises `UnknownDag`."""
    record = tx.dags.find(dag_id)
    if record is None:
        raise UnknownDag(dag_id)
    known: dict[str, object] = {
        "dag_id": dag_id,
        "is_paused": record.is_paused,
        "is_stale": record.is_stale,
        "bundle_name": record.file and record.file.bundle,
        "relative_fileloc": record.file and record.file.path,
        "error": record.error,
    }
    counts = tx.runs.count_active([dag_id])[dag_id]
    known |= _next_run(record) | {"running_runs": counts.running, "queued_runs": counts.queued}
    if record.version_key is None:
        return known
    try:
        dag = structures.get(tx, record.version_key).dag
    except DagUnusable as unusable:
        return known | {"error": unusable.reason}
    return known | _of_version(dag)


def _next_run(record: DagRecord) -> dict[str, object]:
    following = record.next_run
    interval = None if following is None else following.data_interval
    return {
        "next_dagrun_run_after": following and following.run_after,
        "next_dagrun_data_interval_start": interval and interval.start,
        "next_dagrun_data_interval_end": interval and interval.end,
    }


def _of_version(dag: Dag) -> dict[str, object]:
    summary = summary_of(dag)
    return {
        "dag_display_name": summary.display_name,
        "description": summary.description,
        "owners": summary.owners,
        "tags": ", ".join(summary.tags),
        "timetable_type": summary.timetable_type,
        "timetable_summary": summary.timetable_summary,
        "timetable_description": summary.timetable_description,
        "timezone": dag.timezone,
        "start_date": dag.start_at,
        "end_date": dag.end_at,
        "catchup": dag.catchup,
        "max_active_tasks": dag.max_active_tasks,
        "max_active_runs": dag.max_active_runs,
        "max_consecutive_failed_dag_runs": dag.max_consecutive_failed_runs,
        "dagrun_timeout": dag.run_timeout_s,
        "fail_fast": dag.fail_fast,
        "task_count": len(dag.tasks),
        "doc_md": dag.doc,
    }
