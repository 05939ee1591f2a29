"""Telling listeners and metrics of a task. What listeners raise goes to the log and nowhere else."""

import logging
from typing import Any, Protocol

from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.stats import Stats
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.worker.task_life.outcome import Failure, Outcome, Skip, Success

log = logging.getLogger(__name__)


class Listeners(Protocol):
    """Who wants to hear of tasks: a manager of pluggy hooks, as in Airflow. The host has it, since it loads plugins."""

    @property
    def has_listeners(self) -> bool:
        """Whether anybody listens."""

    @property
    def hook(self) -> Any:
        """Its methods call all listeners."""


def tell_running(listeners: Listeners | None, ti: RuntimeTaskInstance) -> None:
    """The task is about to execute."""
    if Stats.are_kept():
        Stats.incr("ti.start", tags=ti.stats_tags)
    _tell(listeners, "on_task_instance_running", previous_state=TaskInstanceState.QUEUED, task_instance=ti)


def tell_ended(listeners: Listeners | None, ti: RuntimeTaskInstance, outcome: Outcome) -> None:
    """The task ended like that; `ti` has its new state. One that goes on later is no end to listeners."""
    if Stats.are_kept():
        _measure(ti, outcome)
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
    if listeners is None or not listeners.has_listeners:
        return
    try:
        getattr(listeners.hook, hook)(**facts)
    except Exception:
        log.exception("A listener failed in %s", hook)


def _measure(ti: RuntimeTaskInstance, outcome: Outcome) -> None:
    """The metrics of Airflow's workers, under its names."""
    tags = ti.stats_tags
    Stats.incr("ti.finish", tags={**tags, "state": str(getattr(ti.state, "value", ti.state))})
    if isinstance(outcome, Success | Failure):
        end = "successes" if isinstance(outcome, Success) else "failures"
        Stats.incr(f"operator_{end}", tags={**tags, "operator_name": type(ti.task).__name__})
        Stats.incr(f"ti_{end}", tags=tags)
    if ti.end_date is not None and ti.start_date is not None:
        Stats.timing("task.duration", ti.end_date - ti.start_date, tags=tags)
