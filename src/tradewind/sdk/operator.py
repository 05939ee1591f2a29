"""`BaseOperator`: one task of a DAG and how it is run."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from tradewind.sdk.abstract_operator import AbstractOperator
from tradewind.sdk.edges import chain, chain_linear, cross_downstream
from tradewind.sdk.exceptions import TaskDeferralError, TaskDeferralTimeout, TaskDeferred
from tradewind.sdk.mapped import OperatorPartial, make_partial
from tradewind.sdk.operator_defaults import (
    ARGUMENT_DEFAULTS,
    DEFAULT_EMAIL_ON_FAILURE,
    DEFAULT_EMAIL_ON_RETRY,
    DEFAULT_OWNER,
    DEFAULT_POOL_NAME,
    DEFAULT_POOL_SLOTS,
    DEFAULT_PRIORITY_WEIGHT,
    DEFAULT_QUEUE,
    DEFAULT_RETRIES,
    DEFAULT_RETRY_DELAY,
    DEFAULT_TASK_EXECUTION_TIMEOUT,
    DEFAULT_TRIGGER_RULE,
    DEFAULT_WEIGHT_RULE,
    normalised,
)
from tradewind.sdk.operator_meta import OperatorMeta
from tradewind.sdk.operator_resources import Resources
from tradewind.sdk.param import ParamsDict
from tradewind.sdk.states import TriggerRule, WeightRule
from tradewind.sdk.xcom_arg import XComArg

if TYPE_CHECKING:
    from tradewind.sdk.context import Context
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.priority_strategy import PriorityWeightStrategy
    from tradewind.sdk.retry_policy import RetryPolicy
    from tradewind.sdk.task_groups import TaskGroup
    from tradewind.sdk.triggers import BaseTrigger

Callback = Callable[["Context"], Any]
Callbacks = None | Callback | Collection[Callback]
_TEARDOWN_RULE = TriggerRule.ALL_DONE_SETUP_SUCCESS
# Python's own word for "the rest of the arguments", and what `locals()` has besides arguments.
_NOT_ARGUMENTS = frozenset({"self", "__class__", "kwargs", "task_id", "dag", "task_group", "default_args", "sla"})
_NEXT_METHOD_FAILED = "__fail__"


class BaseOperator(AbstractOperator, metaclass=OperatorMeta):
    """One task. Subclasses say what it does in `execute`; all that is said here is when and how."""

    template_fields: Collection[str] = ()
    template_ext: Sequence[str] = ()
    template_fields_renderers: ClassVar[dict[str, str]] = {}
    shallow_copy_attrs: Sequence[str] = ()
    overwrite_rtif_after_execution: bool = False
    deserialization_allowed_class_fields: Sequence[str] = ()
    supports_lineage: bool = False

    _is_defined: bool = False

    # Set from the arguments of the same names.
    owner: str
    email: str | Iterable[str] | None
    email_on_retry: bool
    email_on_failure: bool
    retries: int
    retry_delay: timedelta
    retry_exponential_backoff: float
    max_retry_delay: timedelta | None
    retry_policy: RetryPolicy | None
    start_date: datetime | None
    end_date: datetime | None
    depends_on_past: bool
    ignore_first_depends_on_past: bool
    wait_for_past_depends_before_skipping: bool
    wait_for_downstream: bool
    params: ParamsDict
    priority_weight: int
    weight_rule: WeightRule | PriorityWeightStrategy | str
    queue: str
    pool: str
    pool_slots: int
    execution_timeout: timedelta | None
    on_execute_callback: list[Callback]
    on_failure_callback: list[Callback]
    on_success_callback: list[Callback]
    on_retry_callback: list[Callback]
    on_skipped_callback: list[Callback]
    trigger_rule: TriggerRule
    resources: Resources | None
    run_as_user: str | None
    map_index_template: str | None
    max_active_tis_per_dag: int | None
    max_active_tis_per_dagrun: int | None
    executor: str | None
    executor_config: dict[str, Any]
    do_xcom_push: bool
    multiple_outputs: bool
    inlets: list[Any]
    outlets: list[Any]
    doc: str | None
    doc_md: str | None
    doc_json: str | None
    doc_yaml: str | None
    doc_rst: str | None
    logger_name: str | None
    allow_nested_operators: bool
    render_template_as_native_obj: bool | None
    _pre_execute_hook: Callable[[Any], None] | None
    _post_execute_hook: Callable[[Any, Any], None] | None

    def __init__(
        self,
        *,
        task_id: str,
        owner: str = DEFAULT_OWNER,
        email: str | Iterable[str] | None = None,
        email_on_retry: bool = DEFAULT_EMAIL_ON_RETRY,
        email_on_failure: bool = DEFAULT_EMAIL_ON_FAILURE,
        retries: int | None = DEFAULT_RETRIES,
        retry_delay: timedelta | float = DEFAULT_RETRY_DELAY,
        retry_exponential_backoff: float | bool = 0,
        max_retry_delay: timedelta | float | None = None,
        retry_policy: RetryPolicy | None = None,
        start_date: datetime | None = None,
        end_date: datetime | None = None,
        depends_on_past: bool = False,
        ignore_first_depends_on_past: bool = False,
        wait_for_past_depends_before_skipping: bool = False,
        wait_for_downstream: bool = False,
        dag: DAG | None = None,
        params: Mapping[str, Any] | None = None,
        default_args: dict[str, Any] | None = None,
        priority_weight: int = DEFAULT_PRIORITY_WEIGHT,
        weight_rule: WeightRule | PriorityWeightStrategy | str = DEFAULT_WEIGHT_RULE,
        queue: str = DEFAULT_QUEUE,
        pool: str | None = None,
        pool_slots: int = DEFAULT_POOL_SLOTS,
        sla: timedelta | None = None,
        execution_timeout: timedelta | None = DEFAULT_TASK_EXECUTION_TIMEOUT,
        on_execute_callback: Callbacks = None,
        on_failure_callback: Callbacks = None,
        on_success_callback: Callbacks = None,
        on_retry_callback: Callbacks = None,
        on_skipped_callback: Callbacks = None,
        pre_execute: Callable[[Any], None] | None = None,
        post_execute: Callable[[Any, Any], None] | None = None,
        trigger_rule: str = DEFAULT_TRIGGER_RULE,
        resources: dict[str, Any] | None = None,
        run_as_user: str | None = None,
        map_index_template: str | None = None,
        max_active_tis_per_dag: int | None = None,
        max_active_tis_per_dagrun: int | None = None,
        executor: str | None = None,
        executor_config: dict[str, Any] | None = None,
        do_xcom_push: bool = True,
        multiple_outputs: bool = False,
        inlets: Any = None,
        outlets: Any = None,
        task_group: TaskGroup | None = None,
        doc: str | None = None,
        doc_md: str | None = None,
        doc_json: str | None = None,
        doc_yaml: str | None = None,
        doc_rst: str | None = None,
        task_display_name: str | None = None,
        logger_name: str | None = None,
        allow_nested_operators: bool = True,
        render_template_as_native_obj: bool | None = None,
        **kwargs: Any,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name not in _NOT_ARGUMENTS}
        super().__init__()
        if kwargs:
            raise TypeError(_unknown_arguments(type(self).__name__, task_id, kwargs))
        if sla is not None:
            warnings.warn("sla has no effect: use a deadline on the DAG (DAG(deadline=...))", UserWarning, stacklevel=4)
        self._take(arguments)
        self.take_place(task_id, dag, task_group)

    def _take(self, arguments: dict[str, Any]) -> None:
        """Keep the arguments under their own names."""
        own = self.__dict__
        own["_pre_execute_hook"] = arguments.pop("pre_execute")
        own["_post_execute_hook"] = arguments.pop("post_execute")
        own["_task_display_name"] = arguments.pop("task_display_name")
        arguments["pool"] = arguments["pool"] or DEFAULT_POOL_NAME
        if arguments["wait_for_downstream"]:
            arguments["depends_on_past"] = True
        if arguments["resources"] is not None:
            arguments["resources"] = Resources(**arguments["resources"])
        params = arguments.pop("params")
        own["params"] = params if isinstance(params, ParamsDict) else ParamsDict(params)
        for name, value in arguments.items():
            own[name] = normalised(name, value)

    def finish_definition(self) -> None:
        """Called once every `__init__` is done: what the task uses comes before it."""
        for field in self.template_fields:
            if hasattr(self, field):
                XComArg.apply_upstream_relationship(self, getattr(self, field))
        self.__dict__["_is_defined"] = True

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if self._is_defined and name in self.template_fields:
            XComArg.apply_upstream_relationship(self, value)

    def __repr__(self) -> str:
        return f"<Task({self.task_type}): {self.task_id}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> BaseOperator:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        shared = set(self.shallow_copy_attrs)
        for name, value in self.__dict__.items():
            made.__dict__[name] = copy.copy(value) if name in shared else copy.deepcopy(value, memo)
        return made

    def __class_getitem__(cls, _: Any) -> type[BaseOperator]:
        """Operators may be written with a type, as in `BaseOperator[str]`."""
        return cls

    @classmethod
    def partial(cls, **kwargs: Any) -> OperatorPartial:
        """The arguments that all copies of a mapped task share; `expand` says what they differ in."""
        return make_partial(cls, kwargs)

    @property
    def operator_class(self) -> type[BaseOperator]:
        """The class of the operator."""
        return type(self)

    @property
    def task_type(self) -> str:
        return type(self).__name__

    @property
    def task_display_name(self) -> str:
        """What people see in place of the id."""
        return self.__dict__["_task_display_name"] or self.task_id

    @property
    def inherits_from_empty_operator(self) -> bool:
        """Whether there is nothing to execute."""
        return bool(getattr(type(self), "does_nothing", False))

    def become_teardown(self) -> None:
        self.is_teardown = True
        self.trigger_rule = _TEARDOWN_RULE

    def add_inlets(self, inlets: Iterable[Any]) -> None:
        """More that the task reads."""
        self.inlets.extend(inlets)

    def add_outlets(self, outlets: Iterable[Any]) -> None:
        """More that the task writes."""
        self.outlets.extend(outlets)

    def get_inlet_defs(self) -> list[Any]:
        """What the task reads."""
        return list(self.inlets)

    def get_outlet_defs(self) -> list[Any]:
        """What the task writes."""
        return list(self.outlets)

    def execute(self, context: Context) -> Any:
        """What the task does. The return value is its output."""
        raise NotImplementedError(f"{type(self).__name__} has no execute()")

    def pre_execute(self, context: Any) -> None:
        """Called just before `execute`."""
        if self._pre_execute_hook is not None:
            self._pre_execute_hook(context)

    def post_execute(self, context: Any, result: Any = None) -> None:
        """Called just after `execute`."""
        if self._post_execute_hook is not None:
            self._post_execute_hook(context, result)

    def on_kill(self) -> None:
        """Called when the task is told to stop: end what it started elsewhere."""

    def defer(
        self,
        *,
        trigger: BaseTrigger,
        method_name: str,
        kwargs: dict[str, Any] | None = None,
        timeout: timedelta | float | None = None,
    ) -> NoReturn:
        """Leave the worker until `trigger` fires, then go on in the method of this name."""
        raise TaskDeferred(trigger=trigger, method_name=method_name, kwargs=kwargs, timeout=timeout)

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Context) -> Any:
        """Go on after a trigger fired, ran out of time or failed."""
        kwargs = dict(next_kwargs or {})
        if next_method == _NEXT_METHOD_FAILED:
            traceback = kwargs.get("traceback")
            if traceback is not None:
                self.log.error("The trigger failed:\n%s", "\n".join(traceback))
            error = kwargs.get("error", "Unknown")
            raise TaskDeferralTimeout(error) if error == "Trigger timeout" else TaskDeferralError(error)
        method = getattr(self, next_method, None)
        if method is None:
            raise AttributeError(f"task {self.task_id!r} was to go on in {next_method}(), which it does not have")
        return method(context, **kwargs)

    def dry_run(self) -> None:
        """Show what the templates became."""
        for field in self.template_fields:
            self.log.info("%s: %s", field, getattr(self, field, None))

    def expand_start_trigger_args(self, *, context: Context) -> Any:
        """How to begin with a trigger, without a worker."""
        return self.start_trigger_args


def _unknown_arguments(operator: str, task_id: str, kwargs: Mapping[str, Any]) -> str:
    names = ", ".join(sorted(kwargs))
    return f"{operator} (task_id: {task_id}) does not know the argument{'s' if len(kwargs) > 1 else ''} {names}"


__all__ = [
    "ARGUMENT_DEFAULTS",
    "BaseOperator",
    "chain",
    "chain_linear",
    "cross_downstream",
]
