"""`@task.run_if` and `@task.skip_if`: a condition that is looked at just before the task would run."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from tradewind.sdk.exceptions import AirflowSkipException
from tradewind.sdk.taskflow import TaskDecorator

if TYPE_CHECKING:
    from tradewind.sdk.context import Context

Condition = Callable[["Context"], "bool | tuple[bool, str | None]"]


def run_if(condition: Condition, skip_message: str | None = None) -> Callable[[Any], Any]:
    """Skip the task unless the condition holds."""
    return _conditional("run_if", condition, skip_message, skips_if=False)


def skip_if(condition: Condition, skip_message: str | None = None) -> Callable[[Any], Any]:
    """Skip the task if the condition holds."""
    return _conditional("skip_if", condition, skip_message, skips_if=True)


def _conditional(name: str, condition: Condition, message: str | None, *, skips_if: bool) -> Callable[[Any], Any]:
    def decorate(task: Any) -> Any:
        if not isinstance(task, TaskDecorator):
            raise TypeError(f"@task.{name} stands above @task: what it decorates has to be a task")
        earlier = task.kwargs.get("pre_execute")

        @wraps(condition)
        def look(context: Any) -> None:
            answer = condition(context)
            holds, said = answer if isinstance(answer, tuple) else (answer, None)
            if bool(holds) is skips_if:
                raise AirflowSkipException(said or message or f"@task.{name}: the condition says that it is not to run")
            if earlier is not None:
                earlier(context)

        task.kwargs["pre_execute"] = look
        return task

    return decorate
