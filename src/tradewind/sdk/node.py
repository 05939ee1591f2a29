"""What can stand at either end of an arrow: tasks, groups, outputs of tasks, labels.

`DependencyMixin` is everything with `>>` and `<<`. `DAGNode` is what the arrows finally connect: a task or a group.
"""

from __future__ import annotations

import re
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.edges import EdgeModifier
    from tradewind.sdk.task_groups import TaskGroup

MAX_KEY_LENGTH: Final = 250
_KEY: Final = re.compile(r"[\w.-]+")
_GROUP_KEY: Final = re.compile(r"[\w-]+")


def validate_key(key: str, max_length: int = MAX_KEY_LENGTH) -> None:
    """Refuse what cannot be the id of a DAG or a task."""
    _validate(key, _KEY, "letters, digits, '_', '-' and '.'", max_length)


def validate_group_key(key: str, max_length: int = 200) -> None:
    """Refuse what cannot be the id of a group: its tasks are named after it, with a dot between."""
    _validate(key, _GROUP_KEY, "letters, digits, '_' and '-'", max_length)


def _validate(key: object, pattern: re.Pattern[str], allowed: str, max_length: int) -> None:
    if not isinstance(key, str):
        raise TypeError(f"an id has to be a string, but {key!r} is of type {type(key).__name__}")
    if len(key) > max_length:
        raise ValueError(f"the id {key[:50]!r}… is longer than {max_length} characters")
    if pattern.fullmatch(key) is None:
        raise ValueError(f"the id {key!r} has to be made of {allowed} only, at least one of them")


class DependencyMixin(metaclass=ABCMeta):
    """Something that can be put before or after something else."""

    @property
    @abstractmethod
    def roots(self) -> Iterable[DependencyMixin]:
        """What comes first in it: an arrow to it ends here."""

    @property
    @abstractmethod
    def leaves(self) -> Iterable[DependencyMixin]:
        """What comes last in it: an arrow from it starts here."""

    @abstractmethod
    def set_upstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """Put `other` directly before this."""

    @abstractmethod
    def set_downstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """Put `other` directly after this."""

    def as_setup(self) -> DependencyMixin:
        """Mark as a setup."""
        raise NotImplementedError(f"{type(self).__name__} cannot be a setup")

    def as_teardown(
        self,
        *,
        setups: DependencyMixin | Iterable[DependencyMixin] | None = None,
        on_failure_fail_dagrun: bool | None = None,
    ) -> DependencyMixin:
        """Mark as a teardown."""
        raise NotImplementedError(f"{type(self).__name__} cannot be a teardown")

    def update_relative(  # noqa: B027 - most have nothing to note
        self, other: DependencyMixin, upstream: bool = True, edge_modifier: EdgeModifier | None = None
    ) -> None:
        """Told that `other` was connected with this; `upstream`: as something before it."""

    # The arrows return their right or left end, so that `a >> b >> c` reads from left to right.

    def __rshift__(self, other: Any) -> Any:
        self.set_downstream(other)
        return other

    def __lshift__(self, other: Any) -> Any:
        self.set_upstream(other)
        return other

    def __rrshift__(self, other: Any) -> DependencyMixin:
        """`[a, b] >> this`: a list has no arrow of its own."""
        self.set_upstream(other)
        return self

    def __rlshift__(self, other: Any) -> DependencyMixin:
        self.set_downstream(other)
        return self


def as_sequence(things: DependencyMixin | Iterable[DependencyMixin]) -> list[DependencyMixin]:
    """One thing or many, as a list."""
    return [things] if isinstance(things, DependencyMixin) else list(things)


class DAGNode(DependencyMixin):
    """A task or a group of tasks: what the lines of a graph connect."""

    dag: DAG | None
    task_group: TaskGroup | None
    upstream_task_ids: set[str]
    downstream_task_ids: set[str]

    def __init__(self) -> None:
        self.upstream_task_ids = set()
        self.downstream_task_ids = set()

    @property
    @abstractmethod
    def node_id(self) -> str:
        """The id in the graph."""

    @property
    def label(self) -> str:
        """The id as it is shown inside its group: without the group's name."""
        group = self.task_group
        if group is not None and group.node_id and self.node_id.startswith(f"{group.node_id}."):
            return self.node_id[len(group.node_id) + 1 :]
        return self.node_id

    def has_dag(self) -> bool:
        """Whether it is part of a DAG yet."""
        return self.dag is not None

    @property
    def dag_id(self) -> str:
        """The DAG it is part of."""
        return self.dag.dag_id if self.dag is not None else "_in_memory_dag_"

    def get_dag(self) -> DAG | None:
        """The DAG it is part of, if any."""
        return self.dag

    def set_upstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """Put `other` directly before this."""
        self._connect(other, upstream=True, edge_modifier=edge_modifier)

    def set_downstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """Put `other` directly after this."""
        self._connect(other, upstream=False, edge_modifier=edge_modifier)

    def _connect(
        self, other: DependencyMixin | Sequence[DependencyMixin], *, upstream: bool, edge_modifier: EdgeModifier | None
    ) -> None:
        others: list[AbstractOperator] = []
        for thing in as_sequence(other):
            if not isinstance(thing, DependencyMixin):
                raise TypeError(f"{self.node_id!r} can be connected with tasks and groups, not with {thing!r}")
            thing.update_relative(self, not upstream, edge_modifier=edge_modifier)
            others.extend(last_tasks(thing) if upstream else first_tasks(thing))
        own = list(first_tasks(self) if upstream else last_tasks(self))
        dag = common_dag([*own, *others], self)
        for mine in own:
            for theirs in others:
                before, after = (theirs, mine) if upstream else (mine, theirs)
                before.downstream_task_ids.add(after.node_id)
                after.upstream_task_ids.add(before.node_id)
                if edge_modifier is not None and dag is not None:
                    edge_modifier.add_edge_info(dag, before.node_id, after.node_id)

    @property
    def upstream_list(self) -> list[AbstractOperator]:
        """The tasks directly before it."""
        return self._tasks_named(self.upstream_task_ids)

    @property
    def downstream_list(self) -> list[AbstractOperator]:
        """The tasks directly after it."""
        return self._tasks_named(self.downstream_task_ids)

    def get_direct_relative_ids(self, upstream: bool = False) -> set[str]:
        """The ids of the tasks directly after it, or before it."""
        return self.upstream_task_ids if upstream else self.downstream_task_ids

    def get_direct_relatives(self, upstream: bool = False) -> list[AbstractOperator]:
        """The tasks directly after it, or before it."""
        return self.upstream_list if upstream else self.downstream_list

    def get_flat_relative_ids(self, *, upstream: bool = False) -> set[str]:
        """The ids of all tasks after it, or before it, at any distance."""
        if self.dag is None:
            return set()
        found: set[str] = set()
        ahead = list(self.get_direct_relative_ids(upstream))
        while ahead:
            task_id = ahead.pop()
            if task_id not in found:
                found.add(task_id)
                ahead.extend(self.dag.task_dict[task_id].get_direct_relative_ids(upstream))
        return found

    def get_flat_relatives(self, upstream: bool = False) -> list[AbstractOperator]:
        """All tasks after it, or before it, at any distance."""
        return self._tasks_named(self.get_flat_relative_ids(upstream=upstream))

    def _tasks_named(self, task_ids: set[str]) -> list[AbstractOperator]:
        if not task_ids:
            return []
        if self.dag is None:
            raise RuntimeError(f"{self.node_id!r} is not part of a DAG yet, so its relatives are not known")
        return [self.dag.task_dict[task_id] for task_id in sorted(task_ids)]


def first_tasks(thing: DependencyMixin) -> Iterator[AbstractOperator]:
    """The tasks at which an arrow to `thing` ends."""
    return _ends(thing, "roots")


def last_tasks(thing: DependencyMixin) -> Iterator[AbstractOperator]:
    """The tasks from which an arrow from `thing` starts."""
    return _ends(thing, "leaves")


def _ends(thing: DependencyMixin, side: str) -> Iterator[Any]:
    for end in getattr(thing, side):
        if end is thing:
            yield end
        else:
            yield from _ends(end, side)


def common_dag(tasks: Sequence[AbstractOperator], asker: DAGNode) -> DAG | None:
    """The DAG of all these tasks. Those that have none yet join it."""
    dags = {id(task.dag): task.dag for task in tasks if task.dag is not None}
    if len(dags) > 1:
        names = ", ".join(sorted(repr(dag.dag_id) for dag in dags.values()))
        raise RuntimeError(f"{asker.node_id!r} cannot be connected with a task of another DAG: {names}")
    dag = next(iter(dags.values()), None)
    if dag is not None:
        for task in tasks:
            if task.dag is None:
                dag.add_task(task)
    return dag
