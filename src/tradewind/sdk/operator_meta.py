"""How operators come into being: `default_args` of group and DAG fill in what the author left out.

Each class in an operator's line of ancestors may take arguments of its own, and a subclass may settle an argument of
its parent without taking it. So defaults are filled in at every `__init__` on the way up, each time only for the
arguments that this very `__init__` names.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from abc import ABCMeta
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final

from tradewind.sdk.dag_context import current_dag, current_task_group
from tradewind.sdk.notset import is_arg_set

RUNNING_OPERATOR: Final[ContextVar[Any]] = ContextVar("running_operator", default=None)
"""The operator whose `execute` a worker is calling."""
_DEFAULTS: Final = "_default_arguments"


class OperatorMeta(ABCMeta):
    """The class of operator classes."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> OperatorMeta:
        for method, wrap in (("__init__", _fills_in_defaults), ("execute", _refuses_nesting)):
            function = namespace.get(method)
            if inspect.isfunction(function):
                namespace[method] = wrap(function)
        return super().__new__(mcs, name, bases, namespace, **kwargs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(f"{cls.__name__} takes keyword arguments only, such as task_id=...")
        make: Callable[[type], Any] = object.__new__
        operator = make(cls)
        defaults, params = inherited_arguments(kwargs)
        operator.__dict__[_DEFAULTS] = defaults
        if params:
            kwargs["params"] = {**params, **(kwargs.get("params") or {})}
        operator.__init__(**kwargs)
        del operator.__dict__[_DEFAULTS]
        operator.finish_definition()
        return operator


def inherited_arguments(kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The default arguments for an operator with these arguments, and the params it inherits from its DAG.

    Whoever is nearest wins: the operator's own `default_args`, then those of its groups from the inside out, then those
    of the DAG.
    """
    dag = kwargs.get("dag") or current_dag()
    group = kwargs.get("task_group")
    if group is not None and dag is None:
        dag = group.dag
    if group is None:
        group = current_task_group(dag)
    defaults: dict[str, Any] = {}
    params: dict[str, Any] = dict(dag.params.items()) if dag is not None and dag.params else {}
    if dag is not None:
        defaults.update(dag.default_args)
    if group is not None:
        defaults.update(group.inherited_default_args())
    defaults.update(kwargs.get("default_args") or {})
    params.update(defaults.pop("params", None) or {})
    return defaults, params


def own_parameters(function: Callable[..., Any]) -> frozenset[str]:
    """The names of the arguments that a function takes by name."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return frozenset(parameter.name for parameter in parameters if parameter.kind in by_name)


def _fills_in_defaults(init: Callable[..., None]) -> Callable[..., None]:
    names = own_parameters(init) - {"default_args", "dag", "task_group", "task_id", "params"}

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it is one
        defaults = self.__dict__.get(_DEFAULTS)
        if defaults:
            for name in names & defaults.keys():
                kwargs.setdefault(name, defaults[name])
        init(self, *args, **kwargs)

    return __init__


def _refuses_nesting(execute: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that runs inside another one has no task instance: no retries, no log, no state of its own."""

    @functools.wraps(execute)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        running = RUNNING_OPERATOR.get()
        if running is not None and running is not self:
            message = (
                f"{type(self).__name__}.execute() is called inside the task {running.task_id!r}:"
                " make it a task of its own, so that it is retried, logged and shown"
            )
            if not getattr(self, "allow_nested_operators", True):
                raise RuntimeError(message)
            warnings.warn(message, UserWarning, stacklevel=2)
        return execute(self, *args, **kwargs)

    return guarded


def given(**arguments: Any) -> dict[str, Any]:
    """Those of the arguments that somebody gave."""
    return {name: value for name, value in arguments.items() if is_arg_set(value)}
