"""What follows the end of a task that had no worker, besides its callbacks: links are looked up, and listeners told."""

import logging
from typing import Any, cast

from tradewind.compat.adapters.listeners import get_listener_manager
from tradewind.compat.plugin_loading import load_plugins
from tradewind.dag_processor.parse_child.asking import AfterwardsRuntime
from tradewind.model.dag import CallbackEvent
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.runtime import Runtime, use_runtime
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.worker.task_life.extra_links import push_extra_links
from tradewind.worker.task_life.listeners import tell_ended
from tradewind.worker.task_life.outcome import Failure, Outcome, Skip, Success

log = logging.getLogger(__name__)


def look_up_links(ti: RuntimeTaskInstance, context: Context, runtime: AfterwardsRuntime) -> list[tuple[str, Any]]:
    """The addresses of the links of its operator, as XComs. One that fails is left out."""
    task: Any = ti.task
    if not task.operator_extra_links:
        return []
    with use_runtime(cast("Runtime", runtime)):
        _render(task, context)
        push_extra_links(task, ti)
    return runtime.left


def tell_listeners(plugins: str, event: CallbackEvent, ti: RuntimeTaskInstance, reason: str | None) -> None:
    """Tell those of all plugins how the task ended."""
    load_plugins(plugins or None)
    tell_ended(get_listener_manager(), ti, _outcome(event, reason or "the task failed"))


def _render(task: Any, context: Context) -> None:
    """Links may be made of template fields. This process has the task for itself, and ends with it."""
    if task.is_mapped:
        return  # what its copy was given, only a worker puts together
    try:
        task.render_template_fields(context)
    except Exception:  # most links need none of them
        log.exception("The template fields of task %r cannot be rendered", task.task_id)


def _outcome(event: CallbackEvent, reason: str) -> Outcome:
    match event:
        case CallbackEvent.SUCCESS:
            return Success()
        case CallbackEvent.SKIPPED:
            return Skip(reason)
        case _:
            return Failure(error=AirflowException(reason), reason=reason, will_retry=event is CallbackEvent.RETRY)
