"""`@task_group`: a function that builds a group of tasks."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tradewind.sdk.expansion import ExpandInput, MappedArgument, dict_of_lists, list_of_dicts
from tradewind.sdk.node import DependencyMixin
from tradewind.sdk.task_groups import MappedTaskGroup, TaskGroup

_GROUP_ARGUMENTS = frozenset(inspect.signature(TaskGroup.__init__).parameters) - {"self"}


class TaskGroupDecorator:
    """A function that has become a kind of group. Calling it, in a DAG, makes such a group."""

    is_task_decorator: ClassVar[bool] = False

    def __init__(
        self, function: Callable[..., Any], kwargs: dict[str, Any], shared: dict[str, Any] | None = None
    ) -> None:
        unknown = sorted(set(kwargs) - _GROUP_ARGUMENTS)
        if unknown:
            raise TypeError(f"@task_group does not know the argument {', '.join(unknown)}")
        self.function = function
        self.kwargs = {"group_id": function.__name__, **kwargs}
        self.shared = shared or {}
        self.is_setup = False
        self.is_teardown = False
        self.on_failure_fail_dagrun = False
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> DependencyMixin:
        """Make the group. Returns what the function returned, or the group."""
        return self._build(TaskGroup(**self._arguments()), args, {**self.shared, **kwargs})

    def _arguments(self) -> dict[str, Any]:
        arguments = dict(self.kwargs)
        arguments.setdefault("add_suffix_on_collision", True)
        if not arguments.get("tooltip") and self.function.__doc__:
            arguments["tooltip"] = inspect.cleandoc(self.function.__doc__)
        return arguments

    def _build(self, group: TaskGroup, args: tuple[Any, ...], kwargs: dict[str, Any]) -> DependencyMixin:
        with group:
            returned = self.function(*args, **kwargs)
        for task in group.iter_tasks() if self.is_setup or self.is_teardown else ():
            if self.is_setup:
                task.as_setup()
            else:
                task.as_teardown(on_failure_fail_dagrun=self.on_failure_fail_dagrun)
        return returned if isinstance(returned, DependencyMixin) else group

    def override(self, **kwargs: Any) -> TaskGroupDecorator:
        """The same function with other arguments of the group."""
        made = TaskGroupDecorator(self.function, {**self.kwargs, **kwargs}, self.shared)
        made.is_setup, made.is_teardown = self.is_setup, self.is_teardown
        made.on_failure_fail_dagrun = self.on_failure_fail_dagrun
        return made

    def partial(self, **kwargs: Any) -> TaskGroupDecorator:
        """Arguments of the function that all copies of a mapped group share."""
        self._refuse_unknown("partial()", kwargs)
        return TaskGroupDecorator(self.function, self.kwargs, {**self.shared, **kwargs})

    def expand(self, **mapped: Any) -> DependencyMixin:
        """One copy of the group for each combination of the elements of these lists, dicts and outputs."""
        if not mapped:
            raise TypeError("expand() needs at least one argument to map over")
        self._refuse_unknown("expand()", mapped)
        return self._expand(dict_of_lists(mapped), mapped)

    def expand_kwargs(self, kwargs: Any) -> DependencyMixin:
        """One copy of the group for each dict of arguments in a list or an output."""
        names = [name for name in inspect.signature(self.function).parameters if name not in self.shared]
        return self._expand(list_of_dicts(kwargs), names)

    def _refuse_unknown(self, method: str, kwargs: Mapping[str, Any]) -> None:
        parameters = inspect.signature(self.function).parameters
        unknown = sorted(set(kwargs) - set(parameters))
        if unknown:
            raise TypeError(f"{method}: the function {self.function.__name__}() has no argument {', '.join(unknown)}")

    def _expand(self, expand_input: ExpandInput, names: Any) -> DependencyMixin:
        group = MappedTaskGroup(expand_input=expand_input, **self._arguments())
        inside = {name: MappedArgument(expand_input=expand_input, key=name) for name in names}
        built = self._build(group, (), {**self.shared, **inside})
        # Only a plain group can be used like what its function returns: of a mapped one there are many.
        return group if isinstance(built, TaskGroup) else built


def task_group(python_callable: Callable[..., Any] | None = None, **tg_kwargs: Any) -> Any:
    """Decorate a function that defines tasks: its calls make groups. Takes the arguments of `TaskGroup`."""
    if callable(python_callable) and not tg_kwargs:
        return TaskGroupDecorator(python_callable, {})
    return functools.partial(_decorate, tg_kwargs)


def _decorate(kwargs: dict[str, Any], function: Callable[..., Any]) -> TaskGroupDecorator:
    return TaskGroupDecorator(function, kwargs)
