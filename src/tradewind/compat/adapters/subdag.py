"""`SubDagOperator`: Airflow 3 has none. The tasks of the inner DAG become a task group of the outer one."""

from typing import Any

from tradewind.sdk.dag_context import current_dag
from tradewind.sdk.dags import DAG
from tradewind.sdk.task_groups import TaskGroup


class SubDagOperator(TaskGroup):
    """The tasks of an inner DAG, as a group of the outer DAG under the id of this task.

    Limits and schedule of the inner DAG have no effect: its tasks are tasks of the outer DAG like any other.
    """

    def __init__(self, *, subdag: DAG, task_id: str, dag: DAG | None = None, **kwargs: Any) -> None:
        outer = dag or current_dag()
        if outer is None:
            raise RuntimeError(
                f"the SubDagOperator {task_id!r} needs a DAG: define it inside `with DAG(...):` or pass dag="
            )
        super().__init__(group_id=task_id, dag=outer, tooltip=subdag.description or "", doc_md=subdag.doc_md)
        self.subdag = subdag
        # Its tasks leave it, and nobody should find an empty DAG in the file.
        subdag.auto_register = False
        new_ids = {old_id: self.child_id(old_id) for old_id in subdag.task_dict}
        for task in list(subdag.tasks):
            self._move(task, outer, new_ids)

    def _move(self, task: Any, outer: DAG, new_ids: dict[str, str]) -> None:
        inner = task.task_group
        if inner is not None and not inner.is_root:
            raise ValueError(
                f"the inner DAG {self.subdag.dag_id!r} has task groups: use a TaskGroup in place of the SubDagOperator"
            )
        old_id = task.task_id
        task.task_group = None
        task.dag = None
        task.task_id = new_ids[old_id]
        task.upstream_task_ids = {new_ids[other] for other in task.upstream_task_ids}
        task.downstream_task_ids = {new_ids[other] for other in task.downstream_task_ids}
        self.add(task)
        outer.add_task(task)
        del self.subdag.task_dict[old_id], self.subdag.task_group.children[old_id]
