"""The tasks of a DAG as a graph: adding, finding, ordering, cutting out a part."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tradewind.sdk.exceptions import (
    AirflowDagCycleException,
    DuplicateTaskIdFound,
    FailFastDagInvalidTriggerRule,
    NodeNotFound,
    TaskNotFound,
)
from tradewind.sdk.group_members import GroupMembers
from tradewind.sdk.states import TriggerRule

if TYPE_CHECKING:
    from typing import Self

    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.node import DAGNode
    from tradewind.sdk.task_groups import TaskGroup

_FAIL_FAST_RULES = (TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS)


class DagTasks:
    """The part of `DAG` that is about its tasks."""

    dag_id: str
    fail_fast: bool
    task_dict: dict[str, AbstractOperator]
    task_group: TaskGroup
    edge_info: dict[str, dict[str, Any]]

    @property
    def tasks(self) -> list[AbstractOperator]:
        """All tasks, in the order in which they were defined."""
        return list(self.task_dict.values())

    @property
    def task_ids(self) -> list[str]:
        """The ids of all tasks."""
        return list(self.task_dict)

    @property
    def task_count(self) -> int:
        """How many tasks there are."""
        return len(self.task_dict)

    @property
    def roots(self) -> list[AbstractOperator]:
        """The tasks that nothing comes before."""
        return [task for task in self.tasks if not task.upstream_task_ids]

    @property
    def leaves(self) -> list[AbstractOperator]:
        """The tasks that nothing comes after."""
        return [task for task in self.tasks if not task.downstream_task_ids]

    @property
    def teardowns(self) -> list[AbstractOperator]:
        """The tasks that clean up."""
        return [task for task in self.tasks if task.is_teardown]

    @property
    def task_group_dict(self) -> dict[str, TaskGroup]:
        """All groups by id."""
        return {group.node_id: group for group in self.task_group.iter_groups()}

    def add_task(self, task: AbstractOperator) -> None:
        """Take in a task."""
        known = self.task_dict.get(task.task_id)
        if known is task:
            return
        # A task with a group was taken in by it a moment ago, and the group has looked at the id.
        if known is not None or (task.task_group is None and task.task_id in self.task_group.used_group_ids):
            raise DuplicateTaskIdFound(
                f"the DAG {self.dag_id!r} already has a task or group with the id {task.task_id!r}"
            )
        self.check_trigger_rule(task)
        task.dag = self  # type: ignore[assignment]
        self.task_dict[task.task_id] = task
        if task.task_group is None:
            self.task_group.add(task)

    def add_tasks(self, tasks: Iterable[AbstractOperator]) -> None:
        """Take in several tasks."""
        for task in tasks:
            self.add_task(task)

    def check_trigger_rule(self, task: Any) -> None:
        """A DAG that stops at its first failure has no use for rules that wait for failures."""
        if self.fail_fast and task.trigger_rule not in _FAIL_FAST_RULES:
            raise FailFastDagInvalidTriggerRule(
                f"task {task.task_id!r} has the trigger rule {task.trigger_rule}, but its DAG is fail_fast,"
                f" which allows only {' and '.join(_FAIL_FAST_RULES)}"
            )

    def has_task(self, task_id: str) -> bool:
        """Whether there is such a task."""
        return task_id in self.task_dict

    def has_task_group(self, task_group_id: str) -> bool:
        """Whether there is such a group."""
        return task_group_id in self.task_group_dict

    def get_task(self, task_id: str) -> AbstractOperator:
        """The task with this id."""
        try:
            return self.task_dict[task_id]
        except KeyError:
            raise TaskNotFound(f"the DAG {self.dag_id!r} has no task {task_id!r}") from None

    def __getitem__(self, node_id: str) -> DAGNode:
        """`dag["task_or_group"]`."""
        if node_id in self.task_dict:
            return self.task_dict[node_id]
        groups = self.task_group_dict
        if node_id in groups:
            return groups[node_id]
        raise NodeNotFound(f"the DAG {self.dag_id!r} has no task or group {node_id!r}")

    def set_dependency(self, upstream_task_id: str, downstream_task_id: str) -> None:
        """An arrow between two tasks that are known by their ids."""
        self.get_task(upstream_task_id).set_downstream(self.get_task(downstream_task_id))

    def get_edge_info(self, upstream_task_id: str, downstream_task_id: str) -> dict[str, Any]:
        """What was written on an arrow."""
        info: dict[str, Any] = self.edge_info.get(upstream_task_id, {}).get(downstream_task_id, {})
        return info

    def set_edge_info(self, upstream_task_id: str, downstream_task_id: str, info: dict[str, Any]) -> None:
        """Write something on an arrow."""
        self.edge_info.setdefault(upstream_task_id, {})[downstream_task_id] = info

    def topological_sort(self) -> tuple[AbstractOperator, ...]:
        """All tasks, each after those it depends on; otherwise as they were defined."""
        waiting_for = {task.task_id: len(task.upstream_task_ids) for task in self.tasks}
        ready = [task_id for task_id, count in waiting_for.items() if count == 0]
        ordered: list[AbstractOperator] = []
        for task_id in ready:
            task = self.task_dict[task_id]
            ordered.append(task)
            for after in sorted(task.downstream_task_ids):
                waiting_for[after] -= 1
                if waiting_for[after] == 0:
                    ready.append(after)
        if len(ordered) < len(self.task_dict):
            circle = sorted(task_id for task_id, count in waiting_for.items() if count > 0)
            raise AirflowDagCycleException(
                f"tasks of the DAG {self.dag_id!r} depend on each other in a circle: {circle}"
            )
        return tuple(ordered)

    def check_cycle(self) -> None:
        """Raise if tasks depend on each other in a circle."""
        self.topological_sort()

    def partial_subset(
        self,
        task_ids: str | Iterable[str],
        include_downstream: bool = False,
        include_upstream: bool = True,
        include_direct_upstream: bool = False,
        depth: int | None = None,
    ) -> Self:
        """A copy of the DAG with some of its tasks and, as asked for, what comes before and after them."""
        wanted = {task_ids} if isinstance(task_ids, str) else set(task_ids)
        chosen = [self.get_task(task_id) for task_id in sorted(wanted)]
        for task in list(chosen):
            wanted |= self._around(task, include_upstream, include_downstream, depth)
        if include_direct_upstream:
            wanted |= {before for task_id in list(wanted) for before in self.task_dict[task_id].upstream_task_ids}
        made = copy.deepcopy(self)
        _keep_only(made.task_group, wanted)
        made.task_dict = {task_id: task for task_id, task in made.task_dict.items() if task_id in wanted}
        for task in made.tasks:
            task.upstream_task_ids &= wanted
            task.downstream_task_ids &= wanted
        return made

    def _around(self, task: AbstractOperator, before: bool, after: bool, depth: int | None) -> set[str]:
        found: set[str] = set()
        for is_asked, upstream in ((before, True), (after, False)):
            level, distance = {task.task_id}, 0
            while is_asked and level and (depth is None or distance < depth):
                tasks = [self.task_dict[task_id] for task_id in level]
                level = {other for task in tasks for other in task.get_direct_relative_ids(upstream)} - found
                found |= level
                distance += 1
        return found


def _keep_only(group: GroupMembers, wanted: set[str]) -> None:
    for child_id, child in list(group.children.items()):
        if isinstance(child, GroupMembers):
            _keep_only(child, wanted)
            is_kept = bool(child.children)
        else:
            is_kept = child_id in wanted
        if not is_kept:
            del group.children[child_id]
    group.upstream_task_ids &= wanted
    group.downstream_task_ids &= wanted
