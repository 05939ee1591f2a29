"""`@setup`, `@teardown` and `@result`: what a task is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tradewind.sdk.standard.python_decorator import python_task
from tradewind.sdk.task_group_decorator import TaskGroupDecorator
from tradewind.sdk.taskflow import TaskDecorator


def _as_decorated(function: Callable[..., Any]) -> Any:
    """A plain function becomes a task of Python; a task or a group stays what it is."""
    return function if isinstance(function, TaskDecorator | TaskGroupDecorator) else python_task(function)


def setup(func: Callable[..., Any]) -> Callable[..., Any]:
    """The task prepares what others need."""
    decorated = _as_decorated(func)
    decorated.is_setup = True
    made: Callable[..., Any] = decorated
    return made


def teardown(_func: Callable[..., Any] | None = None, *, on_failure_fail_dagrun: bool = False) -> Callable[..., Any]:
    """The task cleans up, whatever became of the work before it."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        decorated = _as_decorated(function)
        decorated.is_teardown = True
        decorated.on_failure_fail_dagrun = on_failure_fail_dagrun
        made: Callable[..., Any] = decorated
        return made

    return decorate if _func is None else decorate(_func)


def result(t: Callable[..., Any]) -> TaskDecorator:
    """What the task returns is the result of the whole run. Written above `@task`."""
    if not isinstance(t, TaskDecorator):
        raise TypeError("@result stands above @task: what it decorates has to be a task")
    t.is_dag_result = True
    return t
