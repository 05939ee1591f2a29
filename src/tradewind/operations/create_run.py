"""Create a run with its task instances."""

from collections.abc import Iterator
from datetime import datetime

from tradewind.decide.mapping import resolve_length
from tradewind.decide.readiness import exists_at
from tradewind.decide.structure import Structure
from tradewind.errors import RunExists, RunTypeRefused
from tradewind.model.ids import UNMAPPED, RunKey
from tradewind.model.run import NewRun, Run
from tradewind.model.states import RunState, RunType
from tradewind.model.task import NewTask
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import RunMoved, RunTimes
from tradewind.telemetry.measurements import TasksCreated


def create_run(tx: Transaction, structure: Structure, new: NewRun, now: datetime) -> RunKey:
    """A queued run with one undecided instance per task. The DAG must be locked.

    Raises:
        RunTypeRefused: the DAG does not allow runs of this type.
        RunExists: the DAG has a run of this id or logical date.
    """
    allowed = structure.dag.allowed_run_types
    if allowed is not None and new.run_type not in allowed:
        raise RunTypeRefused(new.dag_id, new.run_type)
    if tx.runs.is_taken(new.dag_id, new.run_id, new.logical_date):
        raise RunExists(new.dag_id, new.run_id)
    run_key = tx.runs.create(new, now)
    tasks = list(new_tasks(structure, run_key, date_of_tasks(new)))
    tx.tasks.create(tasks)
    tx.changes.record_runs([run_key], now)
    times = RunTimes(new.run_type, new.run_after, None, now)
    tx.emit(RunMoved(run_key, new.dag_id, new.run_id, RunState.QUEUED, times=times), TasksCreated(tasks))
    return run_key


def new_task(structure: Structure, run_key: RunKey, number: int, map_index: int) -> NewTask:
    """One instance of one task, with all that admission needs to know of it."""
    task = structure.tasks[number]
    details = task.details if isinstance(task.details, dict) else {}
    task_type, executor_config = details.get("task_type"), details.get("executor_config")
    return NewTask(
        run_key=run_key,
        dag_id=structure.dag.dag_id,
        task_id=task.task_id,
        map_index=map_index,
        max_tries=task.retry.retries,
        pool=task.pool,
        pool_slots=task.pool_slots,
        priority_weight=structure.priority[number],
        max_active_per_dag=task.max_active_per_dag,
        queue=task.queue,
        executor=task.executor,
        operator=task.operator,
        task_type=task_type if isinstance(task_type, str) and task_type != task.operator else None,
        display_name=task.display_name if task.display_name != task.task_id else None,
        executor_config=str(executor_config) if executor_config else None,
    )


def date_of_tasks(run: NewRun | Run) -> datetime | None:
    """The date at which tasks have to exist to be part of the run. None: all are, whatever their start and end dates.

    So it is in a backfill: who asks for dates from before a task was there wants them done all the same.
    """
    return None if run.run_type is RunType.BACKFILL else run.logical_date


def new_tasks(structure: Structure, run_key: RunKey, logical_date: datetime | None) -> Iterator[NewTask]:
    """All instances that a run has at first."""
    for number, task in enumerate(structure.tasks):
        if not exists_at(task, logical_date):
            continue
        length = structure.lengths[number]
        copies = resolve_length(length, {}) if length is not None else None
        # A length that the DAG file states is expanded now; 0 copies leave the stand-in, to be skipped in its turn.
        for map_index in range(copies) if copies else (UNMAPPED,):
            yield new_task(structure, run_key, number, map_index)
