"""Telling listeners of a task. What they raise goes to the log and nowhere else."""

from typing import Any, Protocol

from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.sdk.task_runner_marker import TaskRunnerMarker
from tradewind.worker.task_life.outcome import Failure, Outcome, Skip, Success


class Listeners(Protocol):
    """Who wants to hear of tasks: a manager of pluggy hooks, as in Airflow. The host has it, since it loads plugins."""

    @property
    def has_listeners(self) -> bool:
        """Whether anybody listens."""

    def tell(self, hook: str, **facts: Any) -> None:
        """Each of them, whatever the others raise."""


def tell_starting(listeners: Listeners | None) -> None:
    """The process of the task has begun."""
    _tell(listeners, "on_starting", component=TaskRunnerMarker())


def tell_stopping(listeners: Listeners | None) -> None:
    """The process of the task is about to end."""
    _tell(listeners, "before_stopping", component=TaskRunnerMarker())


def tell_running(listeners: Listeners | None, ti: RuntimeTaskInstance) -> None:
    """The task is about to execute."""
    _tell(listeners, "on_task_instance_running", previous_state=TaskInstanceState.QUEUED, task_instance=ti)


def tell_ended(listeners: Listeners | None, ti: RuntimeTaskInstance, outcome: Outcome) -> None:
    """The task ended like that; `ti` has its new state. One that goes on later is no end to listeners."""
    match outcome:
        case Success():
            _tell_end(listeners, "on_task_instance_success", ti)
        case Skip():
            _tell_end(listeners, "on_task_instance_skipped", ti)
        case Failure():
            _tell_end(listeners, "on_task_instance_failed", ti, error=outcome.error)
        case _:
            pass


def _tell_end(listeners: Listeners | None, hook: str, ti: RuntimeTaskInstance, **more: Any) -> None:
    _tell(listeners, hook, previous_state=TaskInstanceState.RUNNING, task_instance=ti, **more)


def _tell(listeners: Listeners | None, hook: str, **facts: Any) -> None:
    if listeners is not None and listeners.has_listeners:
        listeners.tell(hook, **facts)
