"""Let whole runs start over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tradewind.model.ids import TaskKey
from tradewind.model.task import NewTask
from tradewind.operations.choose_tasks import Selection, choose_tasks, lock_dag_and_find_run, touch_run
from tradewind.operations.clear_tasks import clear_tasks, reopen_run
from tradewind.operations.structures import Structures
from tradewind.operations.use_latest_version import goes_on_with_latest, tasks_to_add, use_latest_version
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Clearing:
    """What is to be cleared of a run."""

    only_failed: bool = False
    only_new: bool = False
    """Nothing that the run has; it gets the tasks that its DAG has got since."""
    on_latest_version: bool | None = None
    """Whether it goes on with the DAG as it is now. None: as the DAG says."""


def would_clear(
    tx: Transaction, dag_id: str, run_id: str, clearing: Clearing, structures: Structures
) -> Sequence[TaskKey | NewTask]:
    """The task instances that `clear_run` would clear, or make.

    Raises:
        UnknownDag, UnknownRun: as the name says.
    """
    if clearing.only_new:
        return tasks_to_add(tx, lock_dag_and_find_run(tx, dag_id, run_id), structures)
    selection = Selection(dag_id, run_id, only_failed=clearing.only_failed)
    return [task.key for chosen in choose_tasks(tx, selection, structures) for task in chosen.instances]


def clear_run(
    tx: Transaction, dag_id: str, run_id: str, clearing: Clearing, structures: Structures, now: datetime
) -> None:
    """Undo the tasks of the run, and let it go on.

    Raises:
        UnknownDag, UnknownRun: as the name says.
    """
    found = lock_dag_and_find_run(tx, dag_id, run_id)
    (run,) = tx.runs.lock([found.key])
    if not clearing.only_new:
        clear_tasks(tx, Selection(dag_id, run_id, only_failed=clearing.only_failed), structures, now)
    if clearing.only_new or goes_on_with_latest(structures.get(tx, run.version_key), clearing.on_latest_version):
        (run,) = tx.runs.lock([found.key])
        if use_latest_version(tx, run, structures, now) or not clearing.only_new:
            reopen_run(tx, run, now)
            touch_run(tx, run, now)
