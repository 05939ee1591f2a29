"""What a task and a mapped task have in common: a place in a DAG, a group and the graph, and templates."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tradewind.sdk.dag_context import current_dag, current_task_group
from tradewind.sdk.node import DAGNode, DependencyMixin, as_sequence, validate_key
from tradewind.sdk.setup_teardown import SetupTeardownContext
from tradewind.sdk.template import Templater
from tradewind.sdk.xcom_arg import PlainXComArg

if TYPE_CHECKING:
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.operator_link import BaseOperatorLink
    from tradewind.sdk.task_groups import MappedTaskGroup, TaskGroup
    from tradewind.sdk.triggers import StartTriggerArgs


class NotMapped(Exception):
    """Asked a task that is not mapped for something that only mapped ones have."""


class AbstractOperator(Templater, DAGNode):
    """A task of a DAG, mapped or not."""

    task_id: str
    operator_class: Any
    is_setup: bool = False
    is_teardown: bool = False
    on_failure_fail_dagrun: bool = False
    is_mapped: ClassVar[bool] = False

    ui_color: str = "#fff"
    ui_fgcolor: str = "#000"
    operator_extra_links: Collection[BaseOperatorLink] = ()
    start_trigger_args: StartTriggerArgs | None = None
    start_from_trigger: bool = False

    @property
    def node_id(self) -> str:
        return self.task_id

    @property
    def roots(self) -> Sequence[AbstractOperator]:
        return [self]

    @property
    def leaves(self) -> Sequence[AbstractOperator]:
        return [self]

    def take_place(self, task_id: str, dag: DAG | None, task_group: TaskGroup | None) -> None:
        """Join the DAG and the group that are given or being defined. The group is part of the task's full id."""
        validate_key(task_id)
        if task_group is not None and dag is None:
            dag = task_group.dag
        dag = dag or current_dag()
        group = task_group or current_task_group(dag)
        self.dag = None
        self.task_group = group
        self.task_id = group.child_id(task_id) if group is not None else task_id
        validate_key(self.task_id)
        self.check_place()
        if dag is not None:
            dag.check_trigger_rule(self)
        if group is not None:
            group.add(self)
        if dag is not None:
            dag.add_task(self)
        # A task that comes into being inside `with setup:` belongs between the setup and its teardown.
        SetupTeardownContext.add(self)

    def check_place(self) -> None:
        """Refuse a place where this kind of task cannot be."""

    @property
    def task_type(self) -> str:
        """The name of the operator's class."""
        raise NotImplementedError

    @property
    def operator_name(self) -> str:
        """What people call the operator: the class's own name for itself, or the name of the class."""
        return str(getattr(self, "custom_operator_name", None) or self.task_type)

    @property
    def output(self) -> PlainXComArg:
        """What the task returns."""
        return PlainXComArg(self)

    @property
    def log(self) -> logging.Logger:
        """The logger of the task."""
        name = getattr(self, "logger_name", None) or f"{type(self).__module__}.{type(self).__name__}"
        return logging.getLogger(f"airflow.task.operators.{name}")

    @property
    def operator_extra_link_dict(self) -> dict[str, BaseOperatorLink]:
        """The links that the operator offers, by name."""
        return {link.name: link for link in self.operator_extra_links}

    @property
    def extra_links(self) -> list[str]:
        """The names of the links that the operator offers."""
        return sorted(self.operator_extra_link_dict)

    def as_setup(self) -> DependencyMixin:
        """Mark as a setup: it prepares what other tasks need."""
        self.is_setup = True
        return self

    def as_teardown(
        self,
        *,
        setups: DependencyMixin | Iterable[DependencyMixin] | None = None,
        on_failure_fail_dagrun: bool | None = None,
    ) -> DependencyMixin:
        """Mark as a teardown, which runs whatever became of the tasks between it and its setups."""
        self.become_teardown()
        if on_failure_fail_dagrun is not None:
            self.on_failure_fail_dagrun = on_failure_fail_dagrun
        for setup in () if setups is None else as_sequence(setups):
            setup.as_setup()
            setup.set_downstream(self)
        return self

    def become_teardown(self) -> None:
        """A teardown waits for all work to end, and runs if its setup did."""
        raise NotImplementedError

    def __enter__(self) -> type[SetupTeardownContext]:
        if not self.is_setup and not self.is_teardown:
            raise ValueError(f"task {self.task_id!r} is neither a setup nor a teardown, so it opens no `with` block")
        SetupTeardownContext.push([self])
        return SetupTeardownContext

    def __exit__(self, *exc_info: object) -> None:
        SetupTeardownContext.pop()

    def get_dag(self) -> DAG | None:
        return self.dag

    @property
    def dag_id(self) -> str:
        return super().dag_id if self.has_dag() else f"adhoc_{getattr(self, 'owner', 'airflow')}"

    def iter_mapped_task_groups(self) -> Iterator[MappedTaskGroup]:
        """The mapped groups around it, the innermost first."""
        group: TaskGroup | None = self.task_group
        if group is not None:
            yield from group.iter_mapped_task_groups()

    def get_closest_mapped_task_group(self) -> MappedTaskGroup | None:
        """The innermost mapped group around it."""
        return next(self.iter_mapped_task_groups(), None)

    def get_needs_expansion(self) -> bool:
        """Whether there will be one of it per map index, for its own sake or its group's."""
        return self.is_mapped or self.get_closest_mapped_task_group() is not None

    def iter_mapped_dependencies(self) -> Iterator[AbstractOperator]:
        """The mapped tasks whose output it is mapped over."""
        return iter(())

    def get_upstreams_only_setups(self) -> Iterator[AbstractOperator]:
        """The setups before it whose teardowns come after it, or that have none."""
        after = self.get_flat_relative_ids(upstream=False)
        for task in self.get_flat_relatives(upstream=True):
            if not task.is_setup:
                continue
            teardowns = [other for other in task.downstream_list if other.is_teardown]
            if not teardowns or any(other.task_id in after or other is self for other in teardowns):
                yield task


__all__ = ["AbstractOperator", "NotMapped"]
