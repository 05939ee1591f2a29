"""What is inside a group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from tradewind.sdk.exceptions import NodeNotFound
from tradewind.sdk.node import DAGNode, DependencyMixin

if TYPE_CHECKING:
    from tradewind.sdk.abstract_operator import AbstractOperator


class GroupMembers(DAGNode):
    """The part of `TaskGroup` that finds its way around the group's tasks and inner groups."""

    children: dict[str, DAGNode]

    @property
    def group_id(self) -> str | None:
        """The full id of the group."""
        raise NotImplementedError

    def child_id(self, label: str) -> str:
        """The full id of a task or group that is called `label` inside this group."""
        raise NotImplementedError

    def iter_tasks(self) -> Iterator[AbstractOperator]:
        """All tasks in it, those of inner groups included."""
        for child in self.children.values():
            if isinstance(child, GroupMembers):
                yield from child.iter_tasks()
            else:
                yield cast("AbstractOperator", child)

    def __iter__(self) -> Iterator[DAGNode]:
        for child in self.children.values():
            if isinstance(child, GroupMembers):
                yield from child
            else:
                yield child

    def iter_groups(self) -> Iterator[Any]:
        """All groups in it, outer ones first."""
        for child in self.children.values():
            if isinstance(child, GroupMembers):
                yield child
                yield from child.iter_groups()

    def get_child_by_label(self, label: str) -> DAGNode:
        """The task or group that is called so inside this group."""
        return self.children[self.child_id(label)]

    def __getitem__(self, label: str) -> DAGNode:
        try:
            return self.get_child_by_label(label)
        except KeyError:
            raise NodeNotFound(f"the group {self.node_id!r} has no task or group {label!r}") from None

    def get_task_group_dict(self) -> dict[str | None, Any]:
        """This group and all in it, by id."""
        return {self.group_id: self, **{group.group_id: group for group in self.iter_groups()}}

    @property
    def roots(self) -> list[DependencyMixin]:
        """Its tasks that nothing in the group comes before."""
        tasks = list(self.iter_tasks())
        inside = {task.task_id for task in tasks}
        return [task for task in tasks if inside.isdisjoint(task.upstream_task_ids)]

    @property
    def leaves(self) -> list[DependencyMixin]:
        """Its tasks that nothing in the group comes after. Nobody waits for a teardown, but for the work before it."""
        tasks = list(self.iter_tasks())
        inside = {task.task_id: task for task in tasks}
        found: dict[str, DependencyMixin] = {}
        for task in tasks:
            if inside.keys().isdisjoint(task.downstream_task_ids):
                found.update((leaf.task_id, leaf) for leaf in _work_before(task, inside))
        return list(found.values())

    def get_roots(self) -> Iterator[DependencyMixin]:
        """See `roots`."""
        return iter(self.roots)

    def get_leaves(self) -> Iterator[DependencyMixin]:
        """See `leaves`."""
        return iter(self.leaves)


def _work_before(task: AbstractOperator, inside: dict[str, AbstractOperator]) -> Iterator[AbstractOperator]:
    """The task itself, or for a teardown the nearest tasks of the group before it that are work."""
    if not task.is_teardown:
        yield task
        return
    for task_id in sorted(task.upstream_task_ids & inside.keys()):
        before = inside[task_id]
        if not before.is_setup:
            yield from _work_before(before, inside)
