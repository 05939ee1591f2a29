"""Let a run go on with the DAG as it is now."""

from datetime import datetime

from tradewind.decide.structure import Structure
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_STATES, OCCUPYING_STATES, TaskState
from tradewind.model.task import NewTask
from tradewind.operations.create_run import date_of_tasks, new_task, new_tasks
from tradewind.operations.structures import Structures
from tradewind.storage.interface import DagRecord, Transaction
from tradewind.telemetry.events import TasksMoved
from tradewind.telemetry.measurements import TasksCreated, TasksRemoved


def goes_on_with_latest(structure: Structure, asked: bool | None) -> bool:
    """Whether runs of this version, cleared, go on with the DAG as it is now. Not asked: as the DAG says."""
    if asked is not None:
        return asked
    details = structure.dag.details
    return bool(details.get("rerun_with_latest_version")) if isinstance(details, dict) else False


def tasks_to_add(tx: Transaction, run: Run, structures: Structures) -> list[NewTask]:
    """Instances of the tasks that the DAG's current version has and the run has not.

    Raises:
        DagUnusable: the version cannot be read.
    """
    record = tx.dags.find(run.dag_id)
    if record is None or record.version_key is None:
        return []
    known = {snapshot.task_id for snapshot in tx.tasks.of_runs([run.key])}
    wanted = new_tasks(structures.get(tx, record.version_key), run.key, date_of_tasks(run))
    return [task for task in wanted if task.task_id not in known]


def use_latest_version(tx: Transaction, run: Run, structures: Structures, now: datetime) -> list[TaskKey]:
    """Give a locked run its DAG's current version, and instances of the tasks that are new in it, which are returned.

    Instances of tasks that the version no longer has are removed, as far as nothing has come of them; one that
    runs may end. The caller lets the run go on.

    Raises:
        DagUnusable: the version cannot be read.
    """
    record = tx.dags.find(run.dag_id)
    if record is None or record.version_key is None:
        return []
    structure = structures.get(tx, record.version_key)
    created = tasks_to_add(tx, run, structures)
    version = {"version_key": record.version_key, "bundle_version": _bundle_version(tx, record)}
    tx.runs.set_state(run.key, run.state, run.state, now, **version)
    lost = [
        task
        for task in tx.tasks.instances(run.key)
        if task.task_id not in structure.index and task.state not in FINISHED_STATES | OCCUPYING_STATES
    ]
    tries = [task.max_tries for task in lost]
    removed = tx.tasks.set_state(lost, TaskState.REMOVED, now, max_tries=tries, reason="the DAG lost this task")
    if removed:
        tx.emit(TasksMoved(TaskState.REMOVED, tuple(sorted(removed))), TasksRemoved(run.dag_id, len(removed)))
    _refit(tx, run, structure)
    tx.tasks.create(created)
    tx.emit(TasksCreated(created))
    return [TaskKey(task.run_key, task.task_id, task.map_index) for task in created]


def _refit(tx: Transaction, run: Run, structure: Structure) -> None:
    """What has not begun gets the pool, the queue and whatever else the version gives it."""
    tx.tasks.refit(
        [
            new_task(structure, run.key, structure.index[each.task_id], each.map_index)
            for each in tx.tasks.of_runs([run.key])
            if each.state is TaskState.NONE and each.task_id in structure.index
        ]
    )


def _bundle_version(tx: Transaction, record: DagRecord) -> str | None:
    """What a new run would be pinned to."""
    if record.file is None:
        return None
    return next((bundle.version for bundle in tx.bundles.all() if bundle.name == record.file.bundle), None)
