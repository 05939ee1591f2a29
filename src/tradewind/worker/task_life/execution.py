"""Executing a task that was prepared."""

import json
import logging
from collections.abc import Callable, MutableMapping
from datetime import timedelta
from types import GeneratorType
from typing import Any, Final

from tradewind.model.assignment import Assignment
from tradewind.sdk.asset_events import OutletEventAccessors
from tradewind.sdk.assets import Metadata
from tradewind.sdk.context import Context, context_to_airflow_vars, needs_whole, whole
from tradewind.sdk.exceptions import AirflowTaskTimeout
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.operator_meta import RUNNING_OPERATOR
from tradewind.sdk.serde import deserialize
from tradewind.sdk.task_clock import current_clock
from tradewind.worker.task_life.callbacks import run_callbacks
from tradewind.worker.task_life.time_limit import TimeLimit
from tradewind.worker.task_life.waiting import time_left

log = logging.getLogger(__name__)

_FAILED_METHOD: Final = "__fail__"
"""What a task goes on with after a wait that failed."""


def execute(
    task: BaseOperator,
    context: Context,
    assignment: Assignment,
    *,
    limit: TimeLimit,
    environment: MutableMapping[str, str],
) -> Any:
    """All that belongs to executing it. Returns its result."""
    for name, value in context_to_airflow_vars(context, in_env_var_format=True).items():
        environment[name] = value
    token = RUNNING_OPERATOR.set(task)
    try:
        _run_hooks("pre_execute", task, context)
        run_callbacks("on_execute_callback", task.on_execute_callback, context)
        result = _within(_time_left(task, assignment), task, limit, _body(task, context, assignment))
        _run_hooks("post_execute", task, context, result)
    finally:
        RUNNING_OPERATOR.reset(token)
    return result


def _body(task: BaseOperator, context: Context, assignment: Assignment) -> Callable[[], Any]:
    """The work itself, or the rest of it after a deferral."""
    method = assignment.next_method
    if method is not None or needs_whole(type(task).execute):
        whole(context)
    if method is None:
        return lambda: task.execute(context)
    kwargs = deserialize(json.loads(assignment.next_kwargs or "null"))
    return lambda: task.resume_execution(method, kwargs, context)


def _time_left(task: BaseOperator, assignment: Assignment) -> timedelta | None:
    """How long it may execute. After a deferral, less: the whole try is what `execution_timeout` limits."""
    if assignment.next_method is None or assignment.next_method == _FAILED_METHOD:
        return task.execution_timeout
    return time_left(task, current_clock().now() - assignment.started_at)


def _within(left: timedelta | None, task: BaseOperator, limit: TimeLimit, body: Callable[[], Any]) -> Any:
    if left is None or task.execution_timeout is None:
        return body()
    try:
        with limit(left.total_seconds(), task.execution_timeout.total_seconds()):
            return body()
    except AirflowTaskTimeout:
        kill(task)
        raise


def kill(task: BaseOperator) -> None:
    """Have the task end what it started elsewhere. It is stopped anyway, whatever comes of that."""
    try:
        task.on_kill()
    except Exception:
        log.exception("on_kill of task %r failed", task.task_id)


def _run_hooks(name: str, task: BaseOperator, context: Context, *args: Any) -> None:
    """The function that the author gave as an argument, then the method of the operator."""
    hook = task.__dict__.get(f"_{name}_hook")
    if hook is not None:
        # Taken away from the task, so that a method that calls its parent's does not run it again.
        task.__dict__[f"_{name}_hook"] = None
        _take_yields(hook(whole(context), *args), context)
    if getattr(type(task), name) is not getattr(BaseOperator, name):
        _take_yields(getattr(task, name)(whole(context), *args), context)


def _take_yields(made: Any, context: Context) -> None:
    """A hook may be a generator: each `Metadata` that it yields is about an outlet."""
    if not isinstance(made, GeneratorType):
        return
    for yielded in made:
        if isinstance(yielded, Metadata):
            note_metadata(yielded, context["outlet_events"])
        else:
            log.warning("a hook yielded %r; only Metadata can be used", yielded)


def note_metadata(metadata: Metadata, outlet_events: OutletEventAccessors) -> None:
    """Take what was said about an outlet into its event."""
    outlet_events[metadata.asset].extra.update(metadata.extra)
    if metadata.alias is not None:
        outlet_events[metadata.alias].add(metadata.asset, extra=metadata.extra)
