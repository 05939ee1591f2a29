"""Functions as tasks: what `@task` and the other decorators are made of."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tradewind.sdk.dag_context import current_dag, current_task_group
from tradewind.sdk.expansion import ExpandInput, dict_of_lists, list_of_dicts
from tradewind.sdk.mapped import MappedOperator, parameters_of
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.operator_meta import inherited_arguments
from tradewind.sdk.xcom_arg import PlainXComArg, XComArg

if TYPE_CHECKING:
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.task_groups import TaskGroup

_COUNTED: Final = re.compile(r"^(.+)__(\d+)$")

# What a template context is called by, so that a function may ask for a part of it by parameter name.
CONTEXT_KEYS: Final = frozenset(
    {
        "asset_state_store", "conn", "context", "dag", "dag_run", "data_interval_end", "data_interval_start", "ds",
        "ds_nodash", "exception", "expanded_ti_count", "inlet_events", "inlets", "logical_date", "macros",
        "map_index_template", "outlet_events", "outlets", "params", "partition_date", "partition_key",
        "prev_data_interval_end_success", "prev_data_interval_start_success", "prev_end_date_success",
        "prev_start_date_success", "reason", "run_id", "task", "task_instance", "task_instance_key_str",
        "task_reschedule_count", "task_state_store", "templates_dict", "test_mode", "ti", "triggering_asset_events",
        "try_number", "ts", "ts_nodash", "ts_nodash_with_tz", "var",
    }
)  # fmt: skip


def get_unique_task_id(task_id: str, dag: DAG | None = None, task_group: TaskGroup | None = None) -> str:
    """The id itself, or with the next free number behind it: a function may be called more than once."""
    dag = dag or current_dag()
    if dag is None:
        return task_id
    group = task_group or current_task_group(dag)
    full_id = group.child_id(task_id) if group is not None else task_id
    taken = dag.task_dict
    if full_id not in taken:
        return task_id
    counted = _COUNTED.match(full_id)
    base = counted.group(1) if counted else full_id
    numbers = [0]
    for other in taken:
        found = _COUNTED.match(other)
        if found is not None and found.group(1) == base:
            numbers.append(int(found.group(2)))
    own = _COUNTED.match(task_id)
    return f"{own.group(1) if own else task_id}__{max(numbers) + 1}"


def determine_kwargs(func: Callable[..., Any], args: Collection[Any], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of `kwargs` that the function can be called with, `args` being given by position."""
    return KeywordParameters.determine(func, args, kwargs).unpacking()


def call_signature(func: Callable[..., Any]) -> inspect.Signature:
    """How a function is called. Remembered: a worker finds it out once, before its tasks are forked."""
    try:
        return _remembered_signature(func)
    except TypeError:  # no key of a dictionary, or no signature: then the error is told again
        return inspect.signature(func)


@functools.lru_cache(maxsize=4096)
def _remembered_signature(func: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(func)


def call_parameters(func: Callable[..., Any]) -> tuple[tuple[str, inspect.Parameter], ...]:
    """The parameters of a function by name. Remembered as its signature is."""
    try:
        return _remembered_parameters(func)
    except TypeError:
        return tuple(inspect.signature(func).parameters.items())


@functools.lru_cache(maxsize=4096)
def _remembered_parameters(func: Callable[..., Any]) -> tuple[tuple[str, inspect.Parameter], ...]:
    return tuple(_remembered_signature(func).parameters.items())


def takes_any_name(func: Callable[..., Any]) -> bool:
    """Whether it takes all keyword arguments that there are (`**kwargs`)."""
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for _, parameter in call_parameters(func))


class KeywordParameters:
    """The keyword arguments that a function takes out of a larger set."""

    def __init__(self, kwargs: Mapping[str, Any]) -> None:
        self._kwargs = kwargs

    @classmethod
    def determine(cls, func: Callable[..., Any], args: Collection[Any], kwargs: Mapping[str, Any]) -> KeywordParameters:
        """See `determine_kwargs`."""
        parameters = call_parameters(func)
        if not parameters:
            return cls({})
        if takes_any_name(func):
            by_position = {name for name, parameter in parameters[: len(args)] if _is_positional(parameter)}
            return cls({name: value for name, value in kwargs.items() if name not in by_position})
        names = [name for name, parameter in parameters if _is_named(parameter)]
        by_position = {name for name, parameter in parameters[: len(args)] if _is_positional(parameter)}
        return cls({name: kwargs[name] for name in names if name in kwargs and name not in by_position})

    def unpacking(self) -> Mapping[str, Any]:
        """The arguments, to be unpacked with `**`."""
        return self._kwargs


def _is_positional(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _is_named(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class DecoratedOperator(BaseOperator):
    """A task whose work is a function. The arguments of the call in the DAG file are the function's arguments.

    How the function is run is said by the operator that stands behind it in the list of base classes.
    """

    custom_operator_name: str | None = None
    template_fields: Collection[str] = ("op_args", "op_kwargs")
    template_fields_renderers: ClassVar[dict[str, str]] = {"op_args": "py", "op_kwargs": "py"}
    shallow_copy_attrs: Sequence[str] = ("python_callable",)

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        task_id: str,
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        kwargs_to_upstream: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        group = kwargs.get("task_group")
        task_id = get_unique_task_id(task_id, kwargs.get("dag"), group)
        self.python_callable = python_callable
        self.op_args = list(op_args or ())
        self.op_kwargs = dict(op_kwargs or {})
        _check_call(python_callable, self.op_args, self.op_kwargs)
        # Classes between this one and BaseOperator (sensors, branch operators) may take arguments of the same kind.
        kwargs_to_upstream = kwargs_to_upstream or {}
        super().__init__(task_id=task_id, **kwargs_to_upstream, **kwargs)

    def get_python_source(self) -> str:
        """The source of the function, without its task decorators: it is to run where they do not exist."""
        source = textwrap.dedent(inspect.getsource(self.python_callable))
        return without_task_decorators(source, self.custom_operator_name)


def _check_call(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """A call that cannot work fails while the DAG is read. What comes from the context counts as given."""
    signature = call_signature(function)
    taken = {name for name in signature.parameters if name in CONTEXT_KEYS}
    supplied = {name: None for name in taken if name not in kwargs}
    by_position = list(signature.parameters)[: len(args)]
    signature.bind(*args, **kwargs, **{name: value for name, value in supplied.items() if name not in by_position})


def without_task_decorators(source: str, decorator_name: str | None = None) -> str:
    """The source of a function without lines such as `@task.virtualenv(...)`; other decorators stay."""
    function = ast.parse(source).body[0]
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return source
    lines = source.splitlines(keepends=True)
    for decorator in reversed(function.decorator_list):
        name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
        is_ours = name in {"task", "setup", "teardown"} or name.startswith("task.") or f"@{name}" == decorator_name
        if is_ours:
            del lines[decorator.lineno - 1 : decorator.end_lineno]
    return "".join(lines)


def infer_multiple_outputs(function: Callable[..., Any]) -> bool:
    """A function that says it returns a dict of named values has one output for each of them."""
    try:
        returned = typing.get_type_hints(function).get("return", Any)
    except Exception:  # names that only type checkers see: then the text is all there is
        returned = getattr(function, "__annotations__", {}).get("return", Any)
    if isinstance(returned, str):
        return bool(re.match(r"(typing\.)?(dict|Dict|Mapping)\b", returned))
    origin = typing.get_origin(returned) or returned
    return isinstance(origin, type) and issubclass(origin, Mapping)


class TaskDecorator:
    """A function that has become a kind of task. Calling it, in a DAG, makes a task of this kind."""

    is_task_decorator: ClassVar[bool] = True

    def __init__(
        self,
        function: Callable[..., Any],
        operator_class: type[DecoratedOperator],
        kwargs: dict[str, Any],
        multiple_outputs: bool | None = None,
    ) -> None:
        _refuse_misuse(function, operator_class)
        self.function = function
        self.operator_class = operator_class
        self.kwargs = dict(kwargs)
        self.kwargs.setdefault("task_id", function.__name__)
        if self.kwargs["task_id"] is None:
            self.kwargs["task_id"] = function.__name__
        self._given_multiple_outputs = multiple_outputs
        self.is_setup = False
        self.is_teardown = False
        self.on_failure_fail_dagrun = False
        self.is_dag_result = False
        functools.update_wrapper(self, function)

    @functools.cached_property
    def multiple_outputs(self) -> bool:
        """Whether each key of what the function returns is an output of its own."""
        if self._given_multiple_outputs is not None:
            return self._given_multiple_outputs
        if "multiple_outputs" in self.kwargs:
            return bool(self.kwargs["multiple_outputs"])
        return "return" in getattr(self.function, "__annotations__", {}) and infer_multiple_outputs(self.function)

    def __call__(self, *args: Any, **kwargs: Any) -> PlainXComArg:
        """Make a task. The arguments are those of the function; outputs of tasks among them make dependencies."""
        operator = self.operator_class(
            python_callable=self.function,
            op_args=args,
            op_kwargs=kwargs,
            **self._operator_arguments(),
        )
        return self._finished(operator)

    def _operator_arguments(self) -> dict[str, Any]:
        arguments = dict(self.kwargs)
        arguments["multiple_outputs"] = self.multiple_outputs
        if arguments.get("doc_md") is None and arguments.get("doc") is None and self.function.__doc__:
            arguments["doc_md"] = inspect.cleandoc(self.function.__doc__)
        return arguments

    def _finished(self, operator: Any) -> PlainXComArg:
        if self.is_setup:
            operator.as_setup()
        if self.is_teardown:
            operator.as_teardown(on_failure_fail_dagrun=self.on_failure_fail_dagrun)
        output = PlainXComArg(operator)
        if self.is_dag_result and operator.dag is not None:
            operator.dag.add_result(output)
        return output

    def override(self, **kwargs: Any) -> TaskDecorator:
        """The same function with other arguments of the operator."""
        made = type(self)(self.function, self.operator_class, {**self.kwargs, **kwargs}, self._given_multiple_outputs)
        made.is_setup, made.is_teardown = self.is_setup, self.is_teardown
        made.on_failure_fail_dagrun, made.is_dag_result = self.on_failure_fail_dagrun, self.is_dag_result
        return made

    def partial(self, **kwargs: Any) -> TaskDecorator:
        """Arguments of the function that all copies of a mapped task share."""
        self._refuse_unknown("partial()", kwargs)
        given = self.kwargs.get("op_kwargs") or {}
        twice = sorted(set(given) & set(kwargs))
        if twice:
            raise TypeError(f"partial() got {', '.join(twice)} twice")
        return self.override(op_kwargs={**given, **kwargs})

    def expand(self, **mapped: Any) -> PlainXComArg:
        """One copy of the task for each combination of the elements of these lists, dicts and outputs."""
        if not mapped:
            raise TypeError("expand() needs at least one argument to map over")
        self._refuse_unknown("expand()", mapped)
        twice = sorted(set(self.kwargs.get("op_kwargs") or {}) & set(mapped))
        if twice:
            raise TypeError(f"expand() got {', '.join(twice)}, which partial() has already")
        return self._expand(dict_of_lists(mapped), strict=False)

    def expand_kwargs(self, kwargs: Any, *, strict: bool = True) -> PlainXComArg:
        """One copy of the task for each dict of arguments in a list or an output."""
        given = list_of_dicts(kwargs)
        for element in given.value if isinstance(given.value, list) else ():
            if isinstance(element, Mapping):
                self._refuse_unknown("expand_kwargs()", element)
        return self._expand(given, strict=strict)

    def _refuse_unknown(self, method: str, kwargs: Mapping[str, Any]) -> None:
        parameters = inspect.signature(self.function).parameters
        if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
            return
        unknown = sorted(set(kwargs) - set(parameters))
        if unknown:
            raise TypeError(f"{method}: the function {self.function.__name__}() has no argument {', '.join(unknown)}")

    def _expand(self, expand_input: ExpandInput, *, strict: bool) -> PlainXComArg:
        arguments = self._operator_arguments()
        place = {name: arguments.pop(name, None) for name in ("task_id", "dag", "task_group", "default_args")}
        defaults, params = inherited_arguments(place)
        known = parameters_of(self.operator_class)
        for name in (known & defaults.keys()) - arguments.keys():
            arguments[name] = defaults[name]
        if params:
            arguments["params"] = {**params, **(arguments.get("params") or {})}
        task_id = get_unique_task_id(place["task_id"], place["dag"], place["task_group"])
        operator = DecoratedMappedOperator(
            operator_class=self.operator_class,
            expand_input=expand_input,
            partial_kwargs={**arguments, "python_callable": self.function},
            task_id=task_id,
            dag=place["dag"],
            task_group=place["task_group"],
            strict=strict,
        )
        return self._finished(operator)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.function.__name__}()>"


class DecoratedMappedOperator(MappedOperator):
    """A function as a mapped task: what the copies differ in are arguments of the function."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        XComArg.apply_upstream_relationship(self, self.partial_kwargs.get("op_kwargs") or {})

    def own_arguments(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The copy's own arguments of the function, on top of those that all copies share."""
        shared = self.partial_kwargs.get("op_kwargs") or {}
        twice = sorted(set(shared) & set(kwargs))
        if self.strict and twice:
            raise TypeError(f"task {self.task_id!r} got {', '.join(twice)} both from partial() and from a mapped dict")
        return {"op_kwargs": {**shared, **kwargs}}


def _refuse_misuse(function: Any, operator_class: type[DecoratedOperator]) -> None:
    name = getattr(operator_class, "custom_operator_name", None) or "@task"
    if isinstance(function, TaskDecorator):
        raise TypeError(f"{name} cannot decorate {function.function.__name__}(), which is a task already")
    if inspect.isclass(function) or not callable(function):
        raise TypeError(f"{name} decorates functions, not {function!r}")
    parameters = inspect.signature(function).parameters
    if "self" in parameters and next(iter(parameters)) == "self":
        raise TypeError(f"{name} cannot decorate methods, such as {function.__qualname__}()")
    for parameter in parameters.values():
        if parameter.name in CONTEXT_KEYS and parameter.default not in (None, inspect.Parameter.empty):
            raise ValueError(
                f"{function.__name__}(): the parameter {parameter.name!r} is filled from the context of the task,"
                " so its default can only be None"
            )


def task_decorator_factory(
    python_callable: Callable[..., Any] | None = None,
    *,
    multiple_outputs: bool | None = None,
    decorated_operator_class: type[DecoratedOperator],
    **kwargs: Any,
) -> Any:
    """Make a decorator, with or without arguments, that turns functions into tasks of a kind."""
    if multiple_outputs is None:
        multiple_outputs = kwargs.pop("multiple_outputs", None)
    if python_callable is not None:
        return TaskDecorator(python_callable, decorated_operator_class, kwargs, multiple_outputs)

    def decorate(function: Callable[..., Any]) -> TaskDecorator:
        return TaskDecorator(function, decorated_operator_class, kwargs, multiple_outputs)

    return decorate
