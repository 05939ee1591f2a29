"""Python functions as tasks.

What a plain `@task` loads: no third-party module is imported from here.
"""

import functools
import inspect
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from types import GeneratorType
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from tradewind.sdk.branch import BaseBranchOperator
from tradewind.sdk.context import Context, looks_up_keys, whole
from tradewind.sdk.exceptions import AirflowException, AirflowTaskTimeout
from tradewind.sdk.lazy_module import LazyModule
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.skip import SkipMixin
from tradewind.sdk.taskflow import determine_kwargs, takes_any_name

if TYPE_CHECKING:
    from tradewind.sdk import assets as _assets
else:
    _assets = LazyModule("tradewind.sdk.assets")

_LONGEST_SHOWN: Final = 10_000


def is_async_callable(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await: also for partials and for objects with an async `__call__`.

    Remembered: a worker finds it out once, before its tasks are forked.
    """
    try:
        return _is_known_to_be_async(function)
    except TypeError:  # no key of a dictionary
        return _is_async(function)


@functools.lru_cache(maxsize=4096)
def _is_known_to_be_async(function: Callable[..., Any]) -> bool:
    return _is_async(function)


def _is_async(function: Callable[..., Any]) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    return any(
        inspect.iscoroutinefunction(candidate) or inspect.isasyncgenfunction(candidate)
        for candidate in (function, getattr(function, "__call__", None))  # noqa: B004 - the method itself is looked at
    )


class PythonOperator(BaseOperator):
    """Call a function, with those context values that it names as parameters.

    A generator function may yield `Metadata` for its outlets; the value it returns is the result.
    """

    template_fields: Sequence[str] = ("templates_dict", "op_args", "op_kwargs")
    template_fields_renderers: ClassVar[dict[str, str]] = {"templates_dict": "json", "op_args": "py", "op_kwargs": "py"}
    ui_color = "#ffefeb"
    # The arguments are never changed, and some (protobuf messages, locks) cannot be copied deeply.
    shallow_copy_attrs: Sequence[str] = ("python_callable", "op_kwargs")

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        templates_dict: dict[str, Any] | None = None,
        templates_exts: Sequence[str] | None = None,
        show_return_value_in_logs: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not callable(python_callable):
            raise AirflowException(f"python_callable of task {self.task_id!r} is {python_callable!r}, not a function")
        self.python_callable = python_callable
        # Templates may make anything of them.
        self.op_args: Any = op_args or ()
        self.op_kwargs: Any = op_kwargs or {}
        self.templates_dict = templates_dict
        if templates_exts:
            self.template_ext = templates_exts
        self.show_return_value_in_logs = show_return_value_in_logs

    @property
    def is_async(self) -> bool:
        """Whether the function is awaited in an event loop of its own."""
        return is_async_callable(self.python_callable)

    @looks_up_keys
    def execute(self, context: Context) -> Any:
        """Call the function."""
        if self.is_async:
            # Not at the top: few functions need an event loop, and every DAG file would wait for its import.
            return import_module("asyncio").run(self._within_time(whole(context)))
        self._prepare_call(context)
        return self._log_result(self.execute_callable())

    async def aexecute(self, context: Context) -> Any:
        """Await the function."""
        self._prepare_call(context)
        return self._log_result(await self.aexecute_callable())

    def determine_kwargs(self, context: Mapping[str, Any]) -> Mapping[str, Any]:
        """Of the context and the author's own arguments, those that the function takes."""
        return determine_kwargs(self.python_callable, self.op_args, context)

    def execute_callable(self) -> Any:
        """Call the function with the arguments that were determined, and note the metadata that it yields."""
        result = self.python_callable(*self.op_args, **self.op_kwargs)
        if not (isinstance(result, GeneratorType) and inspect.isgeneratorfunction(self.python_callable)):
            return result
        while True:
            try:
                self._note_yielded(next(result))
            except StopIteration as end:
                return end.value

    async def aexecute_callable(self) -> Any:
        """As `execute_callable`. An async generator cannot return a value: what it yielded is its result."""
        result = self.python_callable(*self.op_args, **self.op_kwargs)
        if not inspect.isasyncgen(result):
            return await result
        yielded = []
        async for value in result:
            if isinstance(value, _assets.Metadata):
                self._note_yielded(value)
            else:
                yielded.append(value)
        return yielded or None

    async def _within_time(self, context: Context) -> Any:
        limit = self.execution_timeout
        deadline = import_module("asyncio").timeout(None if limit is None else limit.total_seconds())
        try:
            async with deadline:
                return await self.aexecute(context)
        except TimeoutError as timeout:
            if not deadline.expired():
                raise
            raise AirflowTaskTimeout(f"task {self.task_id!r} ran for longer than {limit}") from timeout

    def _prepare_call(self, context: Context) -> None:
        self._outlet_events: Any = context.get("outlet_events")
        context["templates_dict"] = self.templates_dict
        if type(self).determine_kwargs is not PythonOperator.determine_kwargs or takes_any_name(self.python_callable):
            whole(context)
        # The author's arguments win over the context. A ChainMap, because some context values are only looked up
        # when they are asked for.
        self.op_kwargs = self.determine_kwargs(ChainMap(dict(self.op_kwargs), cast("dict[str, Any]", context)))

    def _note_yielded(self, value: object) -> None:
        if not isinstance(value, _assets.Metadata):
            self.log.warning("Task %s yielded a %s; only Metadata is used", self.task_id, type(value).__name__)
            return
        self._outlet_events[value.asset].extra.update(value.extra)
        if value.alias is not None:
            self._outlet_events[value.alias].add(value.asset, extra=value.extra)

    def _log_result(self, result: Any) -> Any:
        if result is None:
            return None  # that nothing came of it is no news
        self.log.info("The function returned %s", _Shown(result) if self.show_return_value_in_logs else "(not shown)")
        return result


class _Shown:
    """The beginning of what a function returned, made only if somebody logs it: it may be large."""

    __slots__ = ("_result",)

    def __init__(self, result: Any) -> None:
        self._result = result

    def __str__(self) -> str:
        text = str(self._result)
        rest = len(text) - _LONGEST_SHOWN
        return text if rest <= 0 else f"{text[:_LONGEST_SHOWN]}… and {rest} characters more"


class BranchPythonOperator(BaseBranchOperator, PythonOperator):
    """Call a function that returns what to follow: ids of tasks or task groups, or `None`."""

    def choose_branch(self, context: Context) -> str | Iterable[str] | None:
        """What the function returns."""
        branch: str | Iterable[str] | None = PythonOperator.execute(self, context)
        return branch


def downstream_to_skip(task: BaseOperator, *, all_of_them: bool) -> list[Any]:
    """The tasks behind `task`, or only those directly behind it; teardowns are never skipped from upstream."""
    tasks = task.get_flat_relatives(upstream=False) if all_of_them else task.get_direct_relatives(upstream=False)
    return [each for each in tasks if not each.is_teardown]


class ShortCircuitOperator(PythonOperator, SkipMixin):
    """Call a function; if it returns something false, skip what comes behind.

    That is everything downstream, or with `ignore_downstream_trigger_rules=False` only the tasks directly behind
    this one, so that the trigger rules of those further on decide.
    """

    inherits_from_skipmixin = True

    def __init__(self, *, ignore_downstream_trigger_rules: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.ignore_downstream_trigger_rules = ignore_downstream_trigger_rules

    def execute(self, context: Context) -> Any:
        """What the function returns."""
        condition = super().execute(context)
        if condition:
            self.log.info("The condition holds: going on")
            return condition
        self.log.info("The condition does not hold: skipping what is downstream")
        task = context["task"]
        self.skip(context["ti"], downstream_to_skip(task, all_of_them=self.ignore_downstream_trigger_rules))
        return condition
