"""How a task decides that tasks behind it are skipped.

The decision leaves the task as `DownstreamTasksSkipped`: whoever runs the task reports success together with the list,
and the engine holds on to it for as long as the task stands. So nothing has to be asked or stored from here.
"""

from collections.abc import Iterable
from typing import Any

from tradewind.sdk.abstract_operator import AbstractOperator
from tradewind.sdk.exceptions import AirflowException, DownstreamTasksSkipped
from tradewind.sdk.log import LoggingMixin
from tradewind.sdk.node import DAGNode

XCOM_SKIPMIXIN_KEY = "skipmixin_key"
XCOM_SKIPMIXIN_SKIPPED = "skipped"
XCOM_SKIPMIXIN_FOLLOWED = "followed"


class SkipMixin(LoggingMixin):
    """For operators that skip what comes after them."""

    def skip(self, ti: Any, tasks: Iterable[DAGNode]) -> None:
        """Skip these tasks of the same run."""
        task_ids = _within_reach(ti, tasks)
        if not task_ids:
            return
        if getattr(self, "task_id", None) is not None:
            ti.xcom_push(key=XCOM_SKIPMIXIN_KEY, value={XCOM_SKIPMIXIN_SKIPPED: task_ids})
        raise DownstreamTasksSkipped(tasks=task_ids)

    def skip_all_except(self, ti: Any, branch_task_ids: str | Iterable[str] | None) -> None:
        """Skip all tasks directly behind this one but those named, and those that wait for one of these."""
        chosen = self._check_branch(ti, branch_task_ids)
        self.log.info("Following %s", sorted(chosen) or "no branch")
        direct = _within_reach(ti, ti.task.downstream_list)
        if not direct:
            return
        # In `branch >> [work, join]; work >> join`, choosing `work` must not skip `join`, though it is a direct
        # downstream task that was not named.
        followed = set(chosen)
        for task_id in chosen:
            followed |= ti.task.dag.get_task(task_id).get_flat_relative_ids(upstream=False)
        ti.xcom_push(
            key=XCOM_SKIPMIXIN_KEY,
            value={XCOM_SKIPMIXIN_FOLLOWED: [task_id for task_id in direct if task_id in followed]},
        )
        skipped = [task_id for task_id in direct if task_id not in followed]
        if skipped:
            self.log.info("Skipping %s", skipped)
            raise DownstreamTasksSkipped(tasks=skipped)

    def _check_branch(self, ti: Any, branch_task_ids: object) -> set[str]:
        if branch_task_ids is None:
            return set()
        if isinstance(branch_task_ids, str):
            chosen: list[object] = [branch_task_ids]
        elif isinstance(branch_task_ids, Iterable):
            chosen = list(branch_task_ids)
        else:
            raise AirflowException(
                f"a branch is a task id, a collection of task ids, or None, not {type(branch_task_ids).__name__}"
            )
        wrong = [task_id for task_id in chosen if not isinstance(task_id, str)]
        if wrong:
            raise AirflowException(f"a branch consists of task ids, but it has {wrong!r}; return the ids as strings")
        named = {str(task_id) for task_id in chosen}
        unknown = named - set(ti.task.dag.task_ids)
        if unknown:
            raise AirflowException(
                f"the branch names {sorted(unknown)}, but DAG {ti.task.dag.dag_id!r} has no such task or task group"
            )
        return named


def _within_reach(ti: Any, nodes: Iterable[DAGNode]) -> list[str]:
    """The ids of those nodes that are tasks and that this task instance may decide about.

    One of many copies decides only about its own copy of its mapped group: what comes behind the group belongs to all
    of them, and its trigger rule sees how each of them ended.
    """
    tasks = [node for node in nodes if isinstance(node, AbstractOperator)]
    if ti.map_index >= 0:
        group = ti.task.get_closest_mapped_task_group()
        tasks = [] if group is None else [task for task in tasks if task.get_closest_mapped_task_group() is group]
    return [task.task_id for task in tasks]
