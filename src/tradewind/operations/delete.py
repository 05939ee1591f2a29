"""Delete DAGs and runs, with everything that belongs to them."""

from contextlib import suppress
from datetime import datetime

from tradewind.errors import Conflict, DagUnusable, UnknownDag
from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.states import OCCUPYING_STATES
from tradewind.operations.choose_tasks import Selection, choose_tasks, lock_dag_and_find_run, touch_run
from tradewind.operations.listen_to_assets import look_again
from tradewind.operations.past import tell_next_run
from tradewind.operations.prepare_starts import keep_what_dag_says
from tradewind.operations.register_assets import forget_assets
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import DagDeleted, RunDeleted, TasksDeleted


def delete_dag(tx: Transaction, dag_id: str) -> None:
    """With its versions, runs and history. Where a file still has it, that is read again, and the DAG begins anew.

    Raises:
        UnknownDag: there is none of that id.
        Conflict: tasks of it are running.
    """
    # Files before DAGs, as everybody locks them.
    tx.files.request(tx.files.declarers([dag_id]).get(dag_id, ()))
    if not tx.dags.lock([dag_id]):
        raise UnknownDag(dag_id)
    running = tx.runs.running_of_dag(dag_id)
    tx.runs.lock(running)
    for run_key in running:
        _refuse_if_active(tx, run_key, f"DAG {dag_id!r}")
    forget_assets(tx, [dag_id])
    keep_what_dag_says(tx, dag_id, Structures())
    tx.triggers.orphans.outlive_dag(dag_id)
    tx.dags.delete(dag_id)
    tx.emit(DagDeleted(dag_id))


def delete_run(tx: Transaction, dag_id: str, run_id: str, structures: Structures, now: datetime) -> None:
    """With its task instances and their history.

    Raises:
        UnknownDag, UnknownRun: as the name says.
        Conflict: tasks of it are running.
    """
    run = lock_dag_and_find_run(tx, dag_id, run_id)
    tx.runs.lock([run.key])
    _refuse_if_active(tx, run.key, f"run {run_id!r} of DAG {dag_id!r}")
    with suppress(DagUnusable):  # a run that cannot be read can still be deleted
        tell_next_run(tx, run, structures.get(tx, run.version_key), now)
    keep_what_dag_says(tx, dag_id, structures)
    tx.triggers.orphans.outlive_run(run.key)
    tx.runs.delete(run.key)
    tx.emit(RunDeleted(dag_id, run_id))
    tx.dags.set_at_run_limit([dag_id], False)
    look_again(tx, [dag_id], now)


def delete_tasks(tx: Transaction, selection: Selection, structures: Structures, now: datetime) -> list[TaskKey]:
    """Task instances, with their history: their runs go on as if they had never been there.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
        Conflict: one of them is running.
    """
    deleted = []
    for chosen in choose_tasks(tx, selection, structures):
        for task in chosen.instances:
            if task.state in OCCUPYING_STATES:
                raise Conflict(f"task {task.task_id!r} cannot be deleted while it is {task.state}")
        keys = [task.key for task in chosen.instances]
        keep_what_dag_says(tx, chosen.run.dag_id, structures)
        tx.triggers.orphans.outlive_tasks(keys)
        tx.tasks.delete(keys)
        tx.emit(TasksDeleted(tuple(keys)))
        touch_run(tx, chosen.run, now)
        deleted.extend(keys)
    return deleted


def _refuse_if_active(tx: Transaction, run_key: RunKey, what: str) -> None:
    for snapshot in tx.tasks.of_runs([run_key]):
        if snapshot.state in OCCUPYING_STATES:
            raise Conflict(f"{what} cannot be deleted while task {snapshot.task_id!r} is {snapshot.state}")
