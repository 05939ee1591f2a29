"""Tasks and groups."""

import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from tradewind.dag_processor.compile.start_trigger import start_trigger, starts_from_trigger
from tradewind.dag_processor.compile.values import CompileError, exact, name_of, shown
from tradewind.model.asset import AssetAliasRef, AssetRef
from tradewind.model.dag import CallbackEvent, CallbackRef, Retry, Task, TaskGroup
from tradewind.model.json_value import JsonValue
from tradewind.model.mapping import MapLength
from tradewind.model.states import TaskRole, TriggerRule, WeightRule
from tradewind.sdk.abstract_operator import AbstractOperator
from tradewind.sdk.assets import BaseAsset
from tradewind.sdk.mapped import MappedOperator
from tradewind.sdk.operator_defaults import ARGUMENT_DEFAULTS
from tradewind.sdk.task_groups import MappedTaskGroup
from tradewind.sdk.task_groups import TaskGroup as SdkTaskGroup

# Read by people and workers only, under the author's own names; left out where they have their defaults.
_PLAIN_DETAILS: Final = (
    "email", "email_on_failure", "email_on_retry", "run_as_user", "map_index_template", "do_xcom_push",
    "multiple_outputs", "doc_md", "doc_json", "doc_yaml", "doc_rst", "logger_name", "allow_nested_operators",
    "render_template_as_native_obj",
)  # fmt: skip
_WHITE, _BLACK = "#fff", "#000"


def compile_task(task: AbstractOperator, own_file: str) -> Task:
    """One task, mapped or not."""
    operator: Any = task
    name = f"task {task.task_id!r}"
    group = task.task_group
    starts_waiting = starts_from_trigger(operator)
    return Task(
        task_id=task.task_id,
        operator=task.operator_name,
        upstream=tuple(sorted(task.upstream_task_ids)),
        group_id=group.group_id if group is not None else None,
        trigger_rule=TriggerRule(str(operator.trigger_rule)),
        role=_role(task),
        fails_run=task.on_failure_fail_dagrun,
        is_empty=_is_empty(operator),
        starts_from_trigger=starts_waiting,
        start_trigger=start_trigger(operator) if starts_waiting else None,
        mapping=_length(name, operator.expand_input.map_length) if isinstance(task, MappedOperator) else None,
        retry=_retry(operator),
        depends_on_past=bool(operator.depends_on_past),
        ignore_first_depends_on_past=bool(operator.ignore_first_depends_on_past),
        wait_for_past_depends_before_skipping=bool(operator.wait_for_past_depends_before_skipping),
        wait_for_downstream=bool(operator.wait_for_downstream),
        start_at=operator.start_date,
        end_at=operator.end_date,
        pool=operator.pool,
        pool_slots=operator.pool_slots,
        priority_weight=operator.priority_weight,
        weight_rule=_weight_rule(operator.weight_rule),
        queue=operator.queue,
        executor=operator.executor,
        max_active_per_dag=operator.max_active_tis_per_dag,
        max_active_per_run=operator.max_active_tis_per_dagrun,
        execution_timeout_s=_seconds(operator.execution_timeout),
        callbacks=tuple(_callbacks(operator, own_file)),
        inlets=_assets(operator.inlets),
        outlets=_assets(operator.outlets),
        owner=str(operator.owner),
        display_name=_different(operator.task_display_name, task.task_id),
        doc=operator.doc,
        details=_details(operator, name, own_file),
    )


def compile_group(group: SdkTaskGroup) -> TaskGroup:
    """One group, mapped or not."""
    name = f"group {group.node_id!r}"
    parent = group.task_group
    details: dict[str, JsonValue] = {}
    if group.doc_md:
        details["doc_md"] = group.doc_md
    if group.ui_color != "CornflowerBlue":
        details["ui_color"] = group.ui_color
    if group.ui_fgcolor != _BLACK:
        details["ui_fgcolor"] = group.ui_fgcolor
    return TaskGroup(
        group_id=group.node_id,
        parent_id=parent.group_id if parent is not None else None,
        mapping=_length(name, group.expand_input.map_length) if isinstance(group, MappedTaskGroup) else None,
        tooltip=group.tooltip,
        display_name=group.group_display_name or None,
        details=details or None,
    )


def _length(name: str, map_length: Any) -> MapLength:
    try:
        length: MapLength = map_length()
    except NotImplementedError as error:
        raise CompileError(f"{name}: {error}") from None
    return length


def _role(task: AbstractOperator) -> TaskRole:
    if task.is_teardown:
        return TaskRole.TEARDOWN
    return TaskRole.SETUP if task.is_setup else TaskRole.WORK


def _is_empty(operator: Any) -> bool:
    """Nothing to execute and nobody to call. A subclass that does something after all is not empty."""
    definer = next(cls for cls in operator.operator_class.__mro__ if "execute" in cls.__dict__)
    return bool(
        definer.__dict__.get("does_nothing")
        and not (operator.inlets or operator.outlets)
        and not (operator.on_execute_callback or operator.on_success_callback)
    )


def _retry(operator: Any) -> Retry:
    return Retry(
        retries=operator.retries,
        delay_s=operator.retry_delay.total_seconds(),
        multiplier=operator.retry_exponential_backoff,
        max_delay_s=_seconds(operator.max_retry_delay),
    )


def _seconds(duration: timedelta | None) -> float | None:
    return None if duration is None else duration.total_seconds()


def _weight_rule(rule: Any) -> WeightRule:
    """An author's own strategy is kept among the details; the engine takes the weight as it is."""
    return WeightRule(rule) if rule in set(WeightRule) else WeightRule.ABSOLUTE


def _callbacks(operator: Any, own_file: str) -> Iterator[CallbackRef]:
    for event in CallbackEvent:
        for callback in getattr(operator, f"on_{event}_callback", None) or ():
            yield CallbackRef(event, name_of(callback, own_file))


def _assets(things: Any) -> tuple[AssetRef | AssetAliasRef, ...]:
    models = [thing.to_model() for thing in things if isinstance(thing, BaseAsset)]
    return tuple(model for model in models if isinstance(model, AssetRef | AssetAliasRef))


def _different(value: str | None, usual: str) -> str | None:
    return value if value and value != usual else None


def _details(operator: Any, name: str, own_file: str) -> JsonValue:
    details: dict[str, JsonValue] = {"task_type": operator.task_type}
    module = sys.modules.get(operator.operator_class.__module__)
    if module is not None and getattr(module, "__file__", None) != own_file:
        details["module"] = operator.operator_class.__module__
    for argument in _PLAIN_DETAILS:
        value = getattr(operator, argument, None)
        if value != ARGUMENT_DEFAULTS.get(argument):
            details[argument] = shown(value)
    details.update(_template_details(operator))
    details.update(_mapping_details(operator))
    details.update(_worker_details(operator, name))
    details.update(_choices_of_author(operator, own_file))
    return details


def _template_details(operator: Any) -> dict[str, JsonValue]:
    fields = list(operator.template_fields)
    details: dict[str, JsonValue] = {}
    if fields:
        details["template_fields"] = list(fields)
        source = operator.partial_kwargs if isinstance(operator, MappedOperator) else operator.__dict__
        details["arguments"] = {field: shown(_field(operator, source, field)) for field in fields}
    renderers = dict(operator.template_fields_renderers or {})
    if renderers:
        details["template_fields_renderers"] = shown(renderers)
    return details


def _field(operator: Any, source: dict[str, Any], field: str) -> Any:
    if field in source or isinstance(operator, MappedOperator):
        return source.get(field)
    return getattr(operator, field, None)


def _mapping_details(operator: Any) -> dict[str, JsonValue]:
    if not isinstance(operator, MappedOperator):
        return {}
    given = operator.expand_input
    return {"mapped": {"kind": given.EXPAND_INPUT_TYPE, "over": shown(given.value)}}


def _worker_details(operator: Any, name: str) -> dict[str, JsonValue]:
    details: dict[str, JsonValue] = {}
    if operator.params:
        details["params"] = {
            key: exact(param.dump(), f"{name}, params[{key!r}]") for key, param in operator.params.items()
        }
    if operator.executor_config:
        details["executor_config"] = shown(operator.executor_config)
    if operator.resources is not None:
        details["resources"] = shown(operator.resources.to_dict())
    start = getattr(operator.operator_class, "start_trigger_args", None)
    if operator.start_from_trigger or start is not None:
        details["start_from_trigger"] = bool(operator.start_from_trigger)
        details["start_trigger_args"] = shown(vars_of(operator.start_trigger_args or start))
    for argument in ("inlets", "outlets"):
        others = [thing for thing in getattr(operator, argument) if not isinstance(thing, BaseAsset)]
        if others:
            details[argument] = shown(others)
    return details


def _choices_of_author(operator: Any, own_file: str) -> dict[str, JsonValue]:
    details: dict[str, JsonValue] = {}
    if operator.retry_policy is not None:
        details["retry_policy"] = shown(_policy(operator.retry_policy, own_file))
    rule = operator.weight_rule
    if rule not in set(WeightRule):
        details["weight_rule"] = rule if isinstance(rule, str) else name_of(type(rule), own_file)
    if operator.ui_color != _WHITE or operator.ui_fgcolor != _BLACK:
        details["ui_color"], details["ui_fgcolor"] = operator.ui_color, operator.ui_fgcolor
    links = operator.operator_extra_links
    if links:
        details["extra_links"] = [link.name for link in links]
        details["extra_link_keys"] = [link.xcom_key for link in links]
    for argument in ("pre_execute", "post_execute"):
        hook = _hook(operator, argument)
        if hook is not None:
            details[argument] = name_of(hook, own_file)
    return details


def _hook(operator: Any, argument: str) -> Any:
    if isinstance(operator, MappedOperator):
        return operator.partial_kwargs.get(argument)
    return getattr(operator, f"_{argument}_hook")


def _policy(policy: Any, own_file: str) -> dict[str, Any]:
    return {"class": name_of(type(policy), own_file), **vars_of(policy)}


def vars_of(thing: Any) -> dict[str, Any]:
    """The public attributes of an object, whether it has a dict or slots."""
    if thing is None:
        return {}
    names = [*getattr(thing, "__dict__", ()), *getattr(type(thing), "__slots__", ())]
    return {name: getattr(thing, name) for name in names if not name.startswith("_")}
