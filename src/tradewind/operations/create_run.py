"""Create a run with its task instances."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from tradewind.decide.mapping import resolve_length
from tradewind.decide.readiness import exists_at
from tradewind.decide.structure import Structure
from tradewind.errors import RunExists, RunTypeRefused
from tradewind.model.ids import UNMAPPED, RunKey
from tradewind.model.listing import Row
from tradewind.model.run import NewRun, Run
from tradewind.model.states import RunState, RunType
from tradewind.model.task import NewTask
from tradewind.model.timetable import AssetAndTime
from tradewind.operations.deadlines import set_deadlines
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import RunMoved, RunTimes
from tradewind.telemetry.measurements import TasksCreated

_NO_KEY_YET: Final = RunKey(0)
_LONGEST_REMEMBERED: Final = 200
"""Of how many tasks a DAG may have whose instances are remembered."""


def create_run(tx: Transaction, structure: Structure, new: NewRun, now: datetime, *, may_exist: bool = True) -> RunKey:
    """A queued run with one undecided instance per task. The DAG must be locked. `may_exist`: whether it is possible
    that there is one of its id or date.

    Raises:
        RunTypeRefused: the DAG does not allow runs of this type.
        RunExists: the DAG has a run of this id or logical date.
    """
    tasks = _tasks_of(tx, structure, new, may_exist=may_exist)
    run_key = tx.new_runs.create(new, tasks, now)
    _tell(tx, run_key, new, tasks, now)
    _settle_slot(tx, structure, run_key, new, now)
    set_deadlines(tx, structure.dag, run_key, new, now)
    return run_key


def create_due_runs(tx: Transaction, due: Sequence[tuple[Structure, NewRun]], now: datetime) -> None:
    """As `create_run` for many, each of another DAG. What exists already, or what its DAG does not allow, is left out:
    somebody asked by hand for the run of this very date, or nobody wants runs of this type."""
    made = _with_tasks((structure, new) for structure, new in due if _is_allowed(structure, new))
    run_keys = tx.new_runs.create_untaken([(new, tasks) for _, new, tasks in made], now)
    for run_key, (structure, new, tasks) in zip(run_keys, made, strict=True):
        if run_key is not None:
            _tell(tx, run_key, new, tasks, now)
            set_deadlines(tx, structure.dag, run_key, new, now)


def create_new_runs(tx: Transaction, news: Sequence[tuple[Structure, NewRun]], now: datetime) -> list[RunKey]:
    """As `create_run` for many, each of another DAG that allows it, where no run of its id or date can be there."""
    made = _with_tasks(news)
    run_keys = tx.new_runs.create_many([(new, tasks) for _, new, tasks in made], now)
    for run_key, (structure, new, tasks) in zip(run_keys, made, strict=True):
        _tell(tx, run_key, new, tasks, now)
        set_deadlines(tx, structure.dag, run_key, new, now)
    return run_keys


def _with_tasks(news: Iterable[tuple[Structure, NewRun]]) -> list[tuple[Structure, NewRun, Sequence[NewTask]]]:
    return [(structure, new, _tasks_at_first(structure, new)) for structure, new in news]


def _is_allowed(structure: Structure, new: NewRun) -> bool:
    allowed = structure.dag.allowed_run_types
    return allowed is None or new.run_type in allowed


def create_shown_run(
    tx: Transaction, structure: Structure, new: NewRun, now: datetime, *, may_exist: bool
) -> tuple[RunKey, Row]:
    """As `create_run`; returns also how the run looks in a list of runs."""
    tasks = _tasks_of(tx, structure, new, may_exist=may_exist)
    run_key, row = tx.new_runs.create_shown(new, tasks, now)
    _tell(tx, run_key, new, tasks, now)
    _settle_slot(tx, structure, run_key, new, now)
    set_deadlines(tx, structure.dag, run_key, new, now)
    return run_key, row


def create_shown_run_of(tx: Transaction, structure: Structure, new: NewRun, now: datetime) -> Row | None:
    """As `create_shown_run`, of a DAG that is not locked, for a run that cannot exist yet. None: it cannot be made of
    what is known of the DAG, which may be another one by now."""
    if not _is_allowed(structure, new):
        return None
    tasks = _tasks_at_first(structure, new)
    made = tx.new_runs.create_shown_of(new, tasks, now)
    if made is None:
        return None
    run_key, row = made
    _tell(tx, run_key, new, tasks, now)
    set_deadlines(tx, structure.dag, run_key, new, now)
    return row


def _tasks_of(tx: Transaction, structure: Structure, new: NewRun, *, may_exist: bool) -> Sequence[NewTask]:
    if not _is_allowed(structure, new):
        raise RunTypeRefused(new.dag_id, new.run_type)
    if may_exist and tx.runs.is_taken(new.dag_id, new.run_id, new.logical_date):
        raise RunExists(new.dag_id, new.run_id)
    return _tasks_at_first(structure, new)


def _tasks_at_first(structure: Structure, new: NewRun) -> Sequence[NewTask]:
    date = date_of_tasks(new)
    # Of a long one, or one with copies of tasks, it would take too much memory.
    if date is None and len(structure.tasks) <= _LONGEST_REMEMBERED and not any(structure.lengths):
        return _all_tasks(structure)
    return list(new_tasks(structure, _NO_KEY_YET, date))


@lru_cache(maxsize=64)
def _all_tasks(structure: Structure) -> Sequence[NewTask]:
    """The same for each run that has no date, as those that programs ask for in rows."""
    return tuple(new_tasks(structure, _NO_KEY_YET, None))


def _settle_slot(tx: Transaction, structure: Structure, run_key: RunKey, new: NewRun, now: datetime) -> None:
    """A tick that waits for assets waits no more when somebody, or a backfill, asks for the run of that very date. Runs
    of the timetable itself come from their slots."""
    date = new.logical_date
    if date is None or new.run_type is RunType.SCHEDULED or not isinstance(structure.dag.timetable, AssetAndTime):
        return
    tx.slots.settle_date(new.dag_id, date, run_key, "somebody asked for the run of this date", now)


def _tell(tx: Transaction, run_key: RunKey, new: NewRun, tasks: Sequence[NewTask], now: datetime) -> None:
    times = RunTimes(new.run_type, new.run_after, None, now)
    tx.emit(RunMoved(run_key, new.dag_id, new.run_id, RunState.QUEUED, times=times), TasksCreated(tasks))


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
