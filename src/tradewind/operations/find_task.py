"""A task instance by the names that people know."""

from tradewind.errors import UnknownRun, UnknownTask
from tradewind.model.ids import UNMAPPED
from tradewind.model.task import TaskInstance
from tradewind.storage.interface import Transaction


def find_task(tx: Transaction, dag_id: str, run_id: str, task_id: str, *, map_index: int = UNMAPPED) -> TaskInstance:
    """Raises `UnknownRun` and `UnknownTask`."""
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    for task in tx.tasks.instances(run.key, [task_id]):
        if task.map_index == map_index:
            return task
    raise UnknownTask(dag_id, task_id, map_index)
