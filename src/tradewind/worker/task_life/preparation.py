"""From the task in the DAG to one that can be executed: its own copy, unmapped, with its templates rendered."""

import copy
import logging
from typing import Any

from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowInactiveAssetInInletOrOutletException
from tradewind.sdk.expansion import DictOfListsInput, ExpandInput
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.param import process_params
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.sdk.template import is_empty
from tradewind.sdk.xcom_arg import XComArg
from tradewind.worker.task_life.plain_text import plain_text
from tradewind.worker.task_life.rendered_fields import rendered_fields

log = logging.getLogger(__name__)


def prepare(ti: RuntimeTaskInstance, context: Context) -> BaseOperator:
    """The task that is to be executed, which becomes that of `ti` and `context`."""
    pushed: set[int] = set()
    if ti.task.is_mapped:
        arguments = ti.task.expand_input.resolve(context)
        pushed = _pushed_by_others(ti.task.expand_input, arguments)
        task: BaseOperator = ti.task.unmap(arguments)
    else:
        # In the DAG there is one object for all tries and for all copies of a mapped group.
        task = _own_copy(ti.task)
    # What is set from now on are rendered values: they make no dependencies, and need not be searched for any.
    task.__dict__["_is_defined"] = False
    ti.task = context["task"] = task
    if ti.is_mapped:
        conf = dict(ti.dag_run.conf or {})
        context["params"] = process_params(task.dag, task, conf, suppress_exception=False)
    _refuse_inactive_assets(task)
    _render(task, context, pushed)
    if any(not is_empty(getattr(task, field, None)) for field in task.template_fields):
        show_rendered_fields(task)
    show_map_index(ti, context, has_run=False)
    return task


def _own_copy(task: BaseOperator) -> BaseOperator:
    """As `copy.copy` would make it for a plain class, at a fraction of the cost."""
    if hasattr(type(task), "__copy__") or type(task).__reduce_ex__ is not object.__reduce_ex__:
        return copy.copy(task)
    own = object.__new__(type(task))
    own.__dict__.update(task.__dict__)
    return own


def _pushed_by_others(expand_input: ExpandInput, arguments: dict[str, Any]) -> set[int]:
    """Values that other tasks returned: data, and never templates, whatever they look like."""
    if not isinstance(expand_input, DictOfListsInput):
        return set(map(id, arguments.values())) if isinstance(expand_input.value, XComArg) else set()
    return {id(arguments[name]) for name, value in expand_input.value.items() if isinstance(value, XComArg)}


def _refuse_inactive_assets(task: BaseOperator) -> None:
    if task.inlets or task.outlets:
        inactive = current_runtime().get_inactive_assets()
        if inactive:
            raise AirflowInactiveAssetInInletOrOutletException(inactive)


def _render(task: BaseOperator, context: Context, pushed: set[int]) -> None:
    task.resolve_template_files()
    if pushed:
        task.render_fields_besides(pushed, context)
    else:
        task.render_template_fields(context)


def show_rendered_fields(task: BaseOperator) -> None:
    """Let people see what the templates became."""
    try:
        current_runtime().set_rendered_fields(rendered_fields(task))
    except Exception:
        log.exception("The rendered fields of task %r cannot be shown", task.task_id)


def show_map_index(ti: RuntimeTaskInstance, context: Context, *, has_run: bool) -> None:
    """Show the name of a mapped instance. While the task has not run, what the name is made of may be missing."""
    template = context.get("map_index_template") if ti.map_index >= 0 else None
    if not template:
        return
    try:
        name = plain_text(str(ti.task.render_template(template, context)))
    except Exception:
        if has_run:
            log.exception("map_index_template of task %r cannot be rendered", ti.task_id)
        return
    if name != ti.rendered_map_index:
        ti.rendered_map_index = name
        current_runtime().set_rendered_map_index(name)
