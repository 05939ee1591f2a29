"""What is being defined right now: inside which DAG and which group a new task comes into being."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.task_groups import TaskGroup


class _Definition:
    """The open `with` blocks of the file that is being read. A file is read by one thread of one process."""

    def __init__(self) -> None:
        self.dags: list[DAG] = []
        self.groups: list[TaskGroup] = []
        self.collectors: list[list[DAG]] = []


_definition = _Definition()


def current_dag() -> DAG | None:
    """The DAG of the innermost `with` block."""
    return _definition.dags[-1] if _definition.dags else None


def push_dag(dag: DAG) -> None:
    """Begin to define a DAG."""
    _definition.dags.append(dag)
    register(dag)


def pop_dag() -> DAG | None:
    """End the definition of the innermost DAG."""
    return _definition.dags.pop() if _definition.dags else None


def register(dag: DAG) -> None:
    """A DAG shows itself to whoever reads the file, even if no name of the module refers to it."""
    if dag.auto_register:
        for collected in _definition.collectors:
            if not any(dag is known for known in collected):
                collected.append(dag)


@contextmanager
def collecting_dags() -> Iterator[list[DAG]]:
    """The list fills with the DAGs that register while the block runs."""
    collected: list[DAG] = []
    _definition.collectors.append(collected)
    try:
        yield collected
    finally:
        _definition.collectors.pop()


def current_task_group(dag: DAG | None = None) -> TaskGroup | None:
    """The group of the innermost `with` block; without one, the root group of the DAG that is being defined.

    A group of another DAG does not count: `dag` is the DAG that the new task will be part of.
    """
    dag = dag if dag is not None else current_dag()
    if _definition.groups and (dag is None or _definition.groups[-1].dag is dag):
        return _definition.groups[-1]
    return dag.task_group if dag is not None else None


def push_task_group(group: TaskGroup) -> None:
    """Begin to define a group."""
    _definition.groups.append(group)


def pop_task_group() -> TaskGroup | None:
    """End the definition of the innermost group."""
    return _definition.groups.pop() if _definition.groups else None


class DagContext:
    """Airflow's name for the stack of DAGs."""

    push = staticmethod(push_dag)
    pop = staticmethod(pop_dag)
    get_current = staticmethod(current_dag)


class TaskGroupContext:
    """Airflow's name for the stack of groups."""

    push = staticmethod(push_task_group)
    pop = staticmethod(pop_task_group)
    get_current = staticmethod(current_task_group)
