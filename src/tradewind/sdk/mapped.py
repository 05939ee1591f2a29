"""Tasks that exist once per map index: `Operator.partial(...).expand(...)`."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from tradewind.sdk.abstract_operator import AbstractOperator
from tradewind.sdk.expansion import ExpandInput, ListOfDictsInput, dict_of_lists, list_of_dicts
from tradewind.sdk.operator_defaults import ARGUMENT_DEFAULTS, normalised
from tradewind.sdk.operator_meta import inherited_arguments, own_parameters
from tradewind.sdk.operator_resources import Resources
from tradewind.sdk.param import ParamsDict
from tradewind.sdk.states import TriggerRule
from tradewind.sdk.xcom_arg import XComArg

if TYPE_CHECKING:
    from tradewind.sdk.context import Context
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.operator import BaseOperator
    from tradewind.sdk.task_groups import TaskGroup

_START_ARGUMENTS = ("trigger_kwargs", "next_kwargs")
# What the scheduler must know of a task before it knows how many there will be: the same for all of them.
_PLACE = ("task_id", "dag", "task_group", "default_args")
_SHARED = frozenset({*ARGUMENT_DEFAULTS, *_PLACE, "sla", "pre_execute", "post_execute"}) - {"params", "pool"}


def parameters_of(operator_class: type[BaseOperator]) -> frozenset[str]:
    """The names of all arguments that an operator takes, its ancestors' included."""
    names: set[str] = set()
    for cls in operator_class.__mro__:
        init = cls.__dict__.get("__init__")
        if init is not None and cls is not object:
            names |= own_parameters(init)
    return frozenset(names)


def make_partial(operator_class: type[BaseOperator], kwargs: dict[str, Any]) -> OperatorPartial:
    """`Operator.partial(**kwargs)`: refuse what the operator does not take, fill in what it inherits."""
    known = parameters_of(operator_class)
    _refuse_unknown(operator_class, kwargs, known)
    if "task_id" not in kwargs:
        raise TypeError(f"{operator_class.__name__}.partial() needs a task_id")
    place = {name: kwargs.pop(name, None) for name in _PLACE}
    defaults, params = inherited_arguments(place)
    for name in known & defaults.keys() - kwargs.keys():
        kwargs[name] = defaults[name]
    if params:
        kwargs["params"] = {**params, **(kwargs.get("params") or {})}
    return OperatorPartial(operator_class, place, kwargs)


def _refuse_unknown(operator_class: type[BaseOperator], kwargs: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(kwargs) - known)
    if unknown:
        raise TypeError(f"{operator_class.__name__} does not know the argument {', '.join(unknown)}")


class OperatorPartial:
    """A mapped task that still lacks what its copies differ in."""

    def __init__(self, operator_class: type[BaseOperator], place: dict[str, Any], kwargs: dict[str, Any]) -> None:
        self.operator_class = operator_class
        self.kwargs = kwargs
        self._place = place
        self._is_expanded = False

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.kwargs.items())
        return f"{self.operator_class.__name__}.partial({arguments})"

    def __del__(self) -> None:
        if not getattr(self, "_is_expanded", True):
            task_id = self._place.get("task_id")
            warnings.warn(f"task {task_id!r} is a partial() without expand(), so it is no task", stacklevel=1)

    def expand(self, **mapped_kwargs: Any) -> MappedOperator:
        """One copy for each combination of the elements of these lists, dicts and outputs."""
        if not mapped_kwargs:
            raise TypeError("expand() needs at least one argument to map over")
        return self._expand(dict_of_lists(mapped_kwargs), mapped_kwargs, strict=True)

    def expand_kwargs(self, kwargs: Any, *, strict: bool = True) -> MappedOperator:
        """One copy for each dict of arguments in a list or an output."""
        given = list_of_dicts(kwargs)
        named: dict[str, Any] = {}
        for element in given.value if isinstance(given.value, list) else ():
            named.update(element if isinstance(element, Mapping) else {})
        return self._expand(given, named, strict=strict)

    def _expand(self, expand_input: ExpandInput, named: Mapping[str, Any], *, strict: bool) -> MappedOperator:
        self._is_expanded = True
        _refuse_unknown(self.operator_class, named, parameters_of(self.operator_class))
        refused = sorted(name for name in named if name in _SHARED or (strict and name in self.kwargs))
        if refused:
            raise TypeError(
                f"{self.operator_class.__name__} cannot be mapped over {', '.join(refused)}:"
                " it is the same for all copies, or already given to partial()"
            )
        return MappedOperator(
            operator_class=self.operator_class,
            expand_input=expand_input,
            partial_kwargs=self.kwargs,
            strict=strict,
            **{name: value for name, value in self._place.items() if name != "default_args"},
        )


class MappedOperator(AbstractOperator):
    """A task of which there will be one copy per map index.

    Everything that all copies share can be asked like on an operator: `mapped.retries`, `mapped.pool`.
    """

    is_mapped: ClassVar[bool] = True
    operator_class: type[BaseOperator]
    partial_kwargs: dict[str, Any]

    def __init__(
        self,
        *,
        operator_class: type[BaseOperator],
        expand_input: ExpandInput,
        partial_kwargs: dict[str, Any],
        task_id: str,
        dag: DAG | None = None,
        task_group: TaskGroup | None = None,
        strict: bool = True,
    ) -> None:
        super().__init__()
        self.operator_class = operator_class
        self.expand_input = expand_input
        self.strict = strict
        self.partial_kwargs = self._normalised(partial_kwargs)
        self.take_place(task_id, dag, task_group)
        self._come_after_inputs()

    @staticmethod
    def _normalised(kwargs: dict[str, Any]) -> dict[str, Any]:
        made = {name: normalised(name, value) for name, value in kwargs.items()}
        if made.get("resources") is not None and not isinstance(made["resources"], Resources):
            made["resources"] = Resources(**made["resources"])
        if made.get("wait_for_downstream"):
            made["depends_on_past"] = True
        made["pool"] = made.get("pool") or ARGUMENT_DEFAULTS["pool"]
        made["params"] = ParamsDict(made.get("params"))
        return made

    def check_place(self) -> None:
        outer = self.get_closest_mapped_task_group()
        if outer is not None:
            raise NotImplementedError(
                f"task {self.task_id!r} is mapped inside the mapped group {outer.group_id!r}, which is not supported:"
                " map either the group or the task"
            )

    def _come_after_inputs(self) -> None:
        for operator, _ in self.expand_input.iter_references():
            self.set_upstream(operator)
        for field in self.template_fields:
            if field in self.partial_kwargs:
                XComArg.apply_upstream_relationship(self, self.partial_kwargs[field])

    def __getattr__(self, name: str) -> Any:
        """Whatever all copies share: an argument of `partial`, its default, or an attribute of the class."""
        if name.startswith("__") or "partial_kwargs" not in self.__dict__:
            raise AttributeError(name)
        if name in self.partial_kwargs:
            return self.partial_kwargs[name]
        if name in ARGUMENT_DEFAULTS:
            return normalised(name, ARGUMENT_DEFAULTS[name])
        raise AttributeError(f"the mapped task {self.task_id!r} has no {name!r} that all its copies share")

    def __repr__(self) -> str:
        return f"<Mapped({self.task_type}): {self.task_id}>"

    @cached_property
    def template_fields(self) -> Collection[str]:  # type: ignore[override]
        return self.operator_class.template_fields

    @property
    def template_ext(self) -> Sequence[str]:  # type: ignore[override]
        return self.operator_class.template_ext

    @property
    def template_fields_renderers(self) -> dict[str, str]:
        return self.operator_class.template_fields_renderers

    @property
    def ui_color(self) -> str:  # type: ignore[override]
        return self.operator_class.ui_color

    @property
    def ui_fgcolor(self) -> str:  # type: ignore[override]
        return self.operator_class.ui_fgcolor

    @property
    def operator_extra_links(self) -> Collection[Any]:  # type: ignore[override]
        return self.operator_class.operator_extra_links

    @property
    def start_from_trigger(self) -> bool:  # type: ignore[override]
        """Whether all copies begin with a trigger; each may say so for itself if it is mapped over."""
        return bool(self.partial_kwargs.get("start_from_trigger", self.operator_class.start_from_trigger))

    @property
    def custom_operator_name(self) -> str | None:
        return getattr(self.operator_class, "custom_operator_name", None)

    @property
    def task_type(self) -> str:
        return self.operator_class.__name__

    @property
    def task_display_name(self) -> str:
        """What people see in place of the id."""
        return str(self.partial_kwargs.get("task_display_name") or self.task_id)

    @property
    def inherits_from_empty_operator(self) -> bool:
        """Whether there is nothing to execute."""
        return bool(getattr(self.operator_class, "does_nothing", False))

    def become_teardown(self) -> None:
        self.is_teardown = True
        self.partial_kwargs["trigger_rule"] = TriggerRule.ALL_DONE_SETUP_SUCCESS

    def iter_mapped_dependencies(self) -> Iterator[AbstractOperator]:
        return (operator for operator, _ in self.expand_input.iter_references())

    def add_inlets(self, inlets: Sequence[Any]) -> None:
        """More that the task reads."""
        self.partial_kwargs["inlets"] = [*self.inlets, *inlets]

    def add_outlets(self, outlets: Sequence[Any]) -> None:
        """More that the task writes."""
        self.partial_kwargs["outlets"] = [*self.outlets, *outlets]

    def unmap(self, kwargs: Mapping[str, Any]) -> BaseOperator:
        """The copy with these arguments, as a task that can be executed."""
        arguments = {**self.partial_kwargs, **self.own_arguments(kwargs), "task_id": self.task_id}
        if isinstance(arguments.get("resources"), Resources):
            resources = arguments["resources"].to_dict()
            arguments["resources"] = {name: resource["qty"] for name, resource in resources.items()}
        operator = self.make_operator(arguments)
        operator.task_id = self.task_id
        operator.dag = self.dag
        operator.task_group = self.task_group
        operator.is_setup = self.is_setup
        operator.is_teardown = self.is_teardown
        operator.on_failure_fail_dagrun = self.on_failure_fail_dagrun
        operator.upstream_task_ids = self.upstream_task_ids
        operator.downstream_task_ids = self.downstream_task_ids
        if operator.start_trigger_args is not None:
            # An operator that is not mapped makes its own out of its other arguments, and looks at these for nothing.
            given = {name: arguments[name] for name in _START_ARGUMENTS if arguments.get(name) is not None}
            operator.start_trigger_args = replace(operator.start_trigger_args, **given)
        return operator

    def own_arguments(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of one copy; its params come on top of those that all copies share."""
        own = dict(kwargs)
        if "params" in own:
            own["params"] = {**dict(self.partial_kwargs["params"].items()), **own["params"]}
        if isinstance(self.expand_input, ListOfDictsInput) and self.strict:
            twice = sorted(own.keys() & self.partial_kwargs.keys() - {"params", "pool"})
            if twice:
                raise TypeError(
                    f"task {self.task_id!r} got {', '.join(twice)} both from partial() and from a mapped dict"
                )
        return own

    def make_operator(self, arguments: dict[str, Any]) -> BaseOperator:
        """An operator outside any DAG and group, so that it does not become one more task of the DAG."""
        arguments.pop("dag", None)
        arguments.pop("task_group", None)
        display_name = arguments.pop("task_display_name", None)
        return self.operator_class(**arguments, task_display_name=display_name)

    def expand_start_trigger_args(self, *, context: Context) -> Any:
        """How a copy begins with a trigger, without a worker."""
        return self.unmap(self.expand_input.resolve(context)).expand_start_trigger_args(context=context)
