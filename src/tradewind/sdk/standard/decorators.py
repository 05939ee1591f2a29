"""The other decorators: each turns a function into a task of one of the standard operators."""

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, cast

from tradewind.sdk.context import Context
from tradewind.sdk.notset import NOTSET
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.external_python import BranchExternalPythonOperator, ExternalPythonOperator
from tradewind.sdk.standard.isolated_python import IsolatedPythonOperator
from tradewind.sdk.standard.isolated_script import function_source
from tradewind.sdk.standard.python import BranchPythonOperator, ShortCircuitOperator
from tradewind.sdk.standard.python_decorator import _PythonDecoratedOperator, python_task
from tradewind.sdk.standard.python_sensor import PythonSensor
from tradewind.sdk.standard.virtualenv import BranchPythonVirtualenvOperator, PythonVirtualenvOperator
from tradewind.sdk.taskflow import DecoratedOperator, determine_kwargs, get_unique_task_id, task_decorator_factory


class _BranchPythonDecoratedOperator(_PythonDecoratedOperator, BranchPythonOperator):
    template_fields: Sequence[str] = BranchPythonOperator.template_fields
    custom_operator_name: str = "@task.branch"


class _ShortCircuitDecoratedOperator(_PythonDecoratedOperator, ShortCircuitOperator):
    template_fields: Sequence[str] = ShortCircuitOperator.template_fields
    custom_operator_name: str = "@task.short_circuit"


class _IsolatedDecoratedOperator(_PythonDecoratedOperator, IsolatedPythonOperator):
    def get_python_source(self) -> str:
        """The source of the function, without its task decorators."""
        return function_source(self.python_callable)


class _PythonVirtualenvDecoratedOperator(_IsolatedDecoratedOperator, PythonVirtualenvOperator):
    template_fields: Sequence[str] = PythonVirtualenvOperator.template_fields
    custom_operator_name: str = "@task.virtualenv"


class _BranchPythonVirtualenvDecoratedOperator(_IsolatedDecoratedOperator, BranchPythonVirtualenvOperator):
    template_fields: Sequence[str] = BranchPythonVirtualenvOperator.template_fields
    custom_operator_name: str = "@task.branch_virtualenv"


class _PythonExternalDecoratedOperator(_IsolatedDecoratedOperator, ExternalPythonOperator):
    template_fields: Sequence[str] = ExternalPythonOperator.template_fields
    custom_operator_name: str = "@task.external_python"


class _BranchExternalPythonDecoratedOperator(_IsolatedDecoratedOperator, BranchExternalPythonOperator):
    template_fields: Sequence[str] = BranchExternalPythonOperator.template_fields
    custom_operator_name: str = "@task.branch_external_python"


class _BashDecoratedOperator(DecoratedOperator, BashOperator):
    """The function returns the command."""

    template_fields: Sequence[str] = (*DecoratedOperator.template_fields, *BashOperator.template_fields)
    template_fields_renderers: ClassVar[dict[str, str]] = {
        **DecoratedOperator.template_fields_renderers,
        **BashOperator.template_fields_renderers,
    }
    custom_operator_name: str = "@task.bash"
    overwrite_rtif_after_execution: bool = True

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            python_callable=python_callable, op_args=op_args, op_kwargs=op_kwargs, bash_command=NOTSET, **kwargs
        )

    def execute(self, context: Context) -> Any:
        """Ask the function for the command, render it as the template it may be, and run it."""
        arguments = determine_kwargs(self.python_callable, self.op_args, {**context, **self.op_kwargs})
        command = self.python_callable(*self.op_args, **arguments)
        if not isinstance(command, str) or not command.strip():
            raise TypeError(f"the function of task {self.task_id!r} must return a command, not {command!r}")
        self.bash_command = command
        self.render_template_fields(context)
        return BashOperator.execute(self, context)


class DecoratedSensorOperator(PythonSensor):
    """The function is asked again and again."""

    template_fields: Sequence[str] = ("op_args", "op_kwargs")
    template_fields_renderers: ClassVar[dict[str, str]] = {"op_args": "py", "op_kwargs": "py"}
    custom_operator_name: str = "@task.sensor"
    shallow_copy_attrs: Sequence[str] = ("python_callable",)

    def __init__(self, *, task_id: str, **kwargs: Any) -> None:
        super().__init__(
            task_id=get_unique_task_id(task_id, kwargs.get("dag"), kwargs.get("task_group")),
            **kwargs,
        )


class _StubOperator(DecoratedOperator):
    """A task that something else than Python runs: here it has only its name, place and arguments."""

    custom_operator_name: str = "@task.stub"
    is_stub: ClassVar[bool] = True

    def __init__(self, *, python_callable: Callable[..., Any], task_id: str, **kwargs: Any) -> None:
        super().__init__(python_callable=python_callable, task_id=task_id, **kwargs)
        if self.retry_policy is not None:
            raise ValueError(f"stub task {self.task_id!r} has a retry_policy, which no Python would run: use retries")
        if not _is_empty(function_source(python_callable)):
            raise ValueError(f"the function of stub task {self.task_id!r} is never called: its body can only be `...`")

    def execute(self, context: Context) -> Any:
        """Not here."""
        raise RuntimeError(
            f"stub task {self.task_id!r} came to a Python worker: its queue must be served by the runtime it is for"
        )


def _is_empty(source: str) -> bool:
    function = ast.parse(source).body[0]
    if not isinstance(function, ast.FunctionDef):
        raise TypeError("a stub task is made of a plain function: `def name(...): ...`")
    return all(
        isinstance(statement, ast.Pass)
        or (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str | type(...))
        )
        for statement in function.body
    )


def _decorator(operator_class: Any) -> Callable[..., Any]:
    def decorate(
        python_callable: Callable[..., Any] | None = None, multiple_outputs: bool | None = None, **kwargs: Any
    ) -> Any:
        return task_decorator_factory(
            python_callable=python_callable,
            multiple_outputs=multiple_outputs,
            decorated_operator_class=operator_class,
            **kwargs,
        )

    decorate.__doc__ = f"`{operator_class.custom_operator_name}`."
    return decorate


branch_task = _decorator(_BranchPythonDecoratedOperator)
branch_external_python_task = _decorator(_BranchExternalPythonDecoratedOperator)
branch_virtualenv_task = _decorator(_BranchPythonVirtualenvDecoratedOperator)
short_circuit_task = _decorator(_ShortCircuitDecoratedOperator)
virtualenv_task = _decorator(_PythonVirtualenvDecoratedOperator)


def bash_task(python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """`@task.bash`: the function returns a command for bash."""
    return task_decorator_factory(
        python_callable=python_callable, decorated_operator_class=_BashDecoratedOperator, **kwargs
    )


def external_python_task(
    python: str | None = None,
    python_callable: Callable[..., Any] | None = None,
    multiple_outputs: bool | None = None,
    **kwargs: Any,
) -> Any:
    """`@task.external_python`: the path of the interpreter may come first, without its name."""
    return task_decorator_factory(
        python_callable=python_callable,
        multiple_outputs=multiple_outputs,
        decorated_operator_class=_PythonExternalDecoratedOperator,
        python=python,
        **kwargs,
    )


def sensor_task(python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """`@task.sensor`: the function says whether the wait is over."""
    return task_decorator_factory(
        python_callable=python_callable,
        multiple_outputs=False,
        decorated_operator_class=cast("type[DecoratedOperator]", DecoratedSensorOperator),
        **kwargs,
    )


def stub_task(
    python_callable: Callable[..., Any] | None = None,
    queue: str | None = None,
    executor: str | None = None,
    **kwargs: Any,
) -> Any:
    """`@task.stub`: the function is empty, and a runtime that serves `queue` does the work."""
    where: dict[str, Any] = {"queue": queue, "executor": executor}
    where = {name: value for name, value in where.items() if value is not None}
    return task_decorator_factory(
        python_callable=python_callable, decorated_operator_class=_StubOperator, **where, **kwargs
    )


__all__ = [
    "bash_task",
    "branch_external_python_task",
    "branch_task",
    "branch_virtualenv_task",
    "external_python_task",
    "python_task",
    "sensor_task",
    "short_circuit_task",
    "stub_task",
    "virtualenv_task",
]
