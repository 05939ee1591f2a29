"""A person's remark on a run or a task instance."""

from tradewind.errors import UnknownRun, UnknownTask
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.storage.interface import Transaction


def set_run_note(tx: Transaction, dag_id: str, run_id: str, note: str | None) -> None:
    """Replace the note; None takes it away. Raises `UnknownRun`."""
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    tx.runs.set_note(run.key, note)


def set_task_note(
    tx: Transaction, dag_id: str, run_id: str, task_id: str, note: str | None, *, map_index: int = UNMAPPED
) -> None:
    """Replace the note; None takes it away. Raises `UnknownRun` and `UnknownTask`."""
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    if not tx.tasks.set_notes([TaskKey(run.key, task_id, map_index)], note):
        raise UnknownTask(dag_id, task_id, map_index)
