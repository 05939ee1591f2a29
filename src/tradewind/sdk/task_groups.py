"""Groups of tasks: a name, a place in the graph, and arguments that their tasks share."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tradewind.sdk.dag_context import current_dag, current_task_group, pop_task_group, push_task_group
from tradewind.sdk.exceptions import DuplicateTaskIdFound, TaskAlreadyInTaskGroup
from tradewind.sdk.expansion import ExpandInput
from tradewind.sdk.group_members import GroupMembers
from tradewind.sdk.node import DAGNode, DependencyMixin, as_sequence, validate_group_key

if TYPE_CHECKING:
    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.edges import EdgeModifier

_SUFFIX = re.compile(r"^(.+)__(\d+)$")


class TaskGroup(GroupMembers, DAGNode):
    """A named set of tasks. `with TaskGroup("load"):` puts what is defined inside into it."""

    def __init__(
        self,
        group_id: str | None,
        group_display_name: str = "",
        prefix_group_id: bool = True,
        parent_group: TaskGroup | None = None,
        dag: DAG | None = None,
        default_args: dict[str, Any] | None = None,
        tooltip: str = "",
        doc_md: str | None = None,
        ui_color: str = "CornflowerBlue",
        ui_fgcolor: str = "#000",
        add_suffix_on_collision: bool = False,
    ) -> None:
        super().__init__()
        self.group_display_name = group_display_name
        self.prefix_group_id = prefix_group_id
        self.default_args = copy.copy(default_args) if default_args else {}
        self.tooltip = tooltip
        self.doc_md = doc_md
        self.ui_color = ui_color
        self.ui_fgcolor = ui_fgcolor
        self.children = {}
        self.upstream_group_ids: set[str] = set()
        self.downstream_group_ids: set[str] = set()
        self.add_suffix_on_collision = add_suffix_on_collision
        self._group_id = group_id
        if group_id is None:
            self.dag = dag
            self.task_group = None
            self.used_group_ids: set[str | None] = set()
            return
        validate_group_key(group_id)
        self._take_place(parent_group, dag)

    def _take_place(self, parent: TaskGroup | None, dag: DAG | None) -> None:
        parent = parent or current_task_group(dag)
        dag = dag or (parent.dag if parent is not None else None) or current_dag()
        if dag is None or parent is None:
            raise RuntimeError(
                f"the group {self._group_id!r} needs a DAG: define it inside `with DAG(...):` or pass dag="
            )
        self.dag = dag
        self.task_group = parent
        self.used_group_ids = parent.used_group_ids
        self._group_id = self._free_id(self._group_id or "")
        self.used_group_ids.add(self.group_id)
        parent.add(self)

    def _free_id(self, group_id: str) -> str:
        taken = self.used_group_ids
        full_id = self._full_id(group_id)
        if full_id not in taken:
            return group_id
        if not self.add_suffix_on_collision:
            raise DuplicateTaskIdFound(f"the group id {full_id!r} is already taken by another task or group")
        found = _SUFFIX.match(group_id)
        base = found.group(1) if found else group_id
        number = int(found.group(2)) + 1 if found else 1
        while self._full_id(f"{base}__{number}") in taken:
            number += 1
        return f"{base}__{number}"

    def _full_id(self, group_id: str) -> str:
        parent = self.task_group
        return parent.child_id(group_id) if parent is not None else group_id

    @classmethod
    def create_root(cls, dag: DAG) -> TaskGroup:
        """The nameless group that holds everything in a DAG."""
        return cls(group_id=None, dag=dag)

    @property
    def is_root(self) -> bool:
        """Whether it is the nameless group around everything."""
        return self._group_id is None

    @property
    def parent_group(self) -> TaskGroup | None:
        """The group around it."""
        return self.task_group

    @property
    def group_id(self) -> str | None:
        """The full id: the ids of the groups around it, then its own."""
        if self._group_id is None:
            return None
        return self._full_id(self._group_id)

    @property
    def node_id(self) -> str:
        return self.group_id or ""

    @property
    def label(self) -> str:
        """What people see."""
        return self.group_display_name or self._group_id or ""

    def child_id(self, label: str) -> str:
        """The full id of a task or group that is called `label` inside this group."""
        group_id = self.group_id if self.prefix_group_id else None
        return f"{group_id}.{label}" if group_id else label

    def add(self, node: DAGNode) -> DAGNode:
        """Take in a task or a group."""
        if node.task_group is not None and node.task_group is not self:
            raise TaskAlreadyInTaskGroup(node.node_id, node.task_group.node_id, self.node_id)
        key = node.node_id
        if key in self.children or (not isinstance(node, TaskGroup) and key in self.used_group_ids):
            kind = "group" if isinstance(node, TaskGroup) else "task"
            raise DuplicateTaskIdFound(f"the {kind} id {key!r} is already taken by another task or group")
        node.task_group = self
        self.used_group_ids.add(key)
        self.children[key] = node
        return node

    def inherited_default_args(self) -> dict[str, Any]:
        """The default arguments of this group and those around it; the innermost wins."""
        outer = self.task_group.inherited_default_args() if self.task_group is not None else {}
        return {**outer, **self.default_args}

    def update_relative(
        self, other: DependencyMixin, upstream: bool = True, edge_modifier: EdgeModifier | None = None
    ) -> None:
        tasks = self.upstream_task_ids if upstream else self.downstream_task_ids
        groups = self.upstream_group_ids if upstream else self.downstream_group_ids
        if isinstance(other, TaskGroup):
            groups.add(other.node_id)
        else:
            ends = other.leaves if upstream else other.roots
            tasks.update(end.node_id for end in ends if isinstance(end, DAGNode))

    def _connect(
        self, other: DependencyMixin | Sequence[DependencyMixin], *, upstream: bool, edge_modifier: EdgeModifier | None
    ) -> None:
        for thing in as_sequence(other):
            self.update_relative(thing, upstream, edge_modifier)
        super()._connect(other, upstream=upstream, edge_modifier=edge_modifier)

    def iter_mapped_task_groups(self) -> Iterator[MappedTaskGroup]:
        """This group and those around it, as far as they are mapped; the innermost first."""
        group: TaskGroup | None = self
        while group is not None:
            if isinstance(group, MappedTaskGroup):
                yield group
            group = group.task_group

    def __enter__(self) -> TaskGroup:
        push_task_group(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        pop_task_group()


class MappedTaskGroup(TaskGroup):
    """A group of which there will be one copy per map index."""

    def __init__(self, *, expand_input: ExpandInput, group_id: str | None, **kwargs: Any) -> None:
        super().__init__(group_id=group_id, **kwargs)
        self.expand_input = expand_input
        outer = next(self.task_group.iter_mapped_task_groups(), None) if self.task_group is not None else None
        if outer is not None:
            raise NotImplementedError(
                f"the group {self.group_id!r} is mapped inside the mapped group {outer.group_id!r},"
                " which is not supported"
            )

    def iter_mapped_dependencies(self) -> Iterator[AbstractOperator]:
        """The tasks whose output it is mapped over."""
        return (operator for operator, _ in self.expand_input.iter_references())

    def __exit__(self, *exc_info: object) -> None:
        for operator, _ in self.expand_input.iter_references():
            self.set_upstream(operator)
        super().__exit__(*exc_info)
