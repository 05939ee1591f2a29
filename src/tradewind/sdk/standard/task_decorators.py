"""`task`: one decorator for each way to run a function.

`@task` is `@task.python`. Others are looked up when they are first used, ours in a table, those of provider packages by
whoever registered as a source of decorators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, overload

from tradewind.sdk.run_conditions import run_if, skip_if
from tradewind.sdk.standard.python_decorator import python_task
from tradewind.sdk.taskflow import TaskDecorator

_STANDARD: Final = "tradewind.sdk.standard.decorators"
_OWN: Final[Mapping[str, str]] = {
    "bash": "bash_task",
    "branch": "branch_task",
    "branch_external_python": "branch_external_python_task",
    "branch_virtualenv": "branch_virtualenv_task",
    "external_python": "external_python_task",
    "sensor": "sensor_task",
    "short_circuit": "short_circuit_task",
    "stub": "stub_task",
    "virtualenv": "virtualenv_task",
}

DecoratorSource = Callable[[], Mapping[str, Callable[..., Any]]]
_sources: list[DecoratorSource] = []


def register_decorator_source(source: DecoratorSource) -> None:
    """`source` tells the decorators of provider packages, by name. It is asked when an unknown name is used."""
    if source not in _sources:
        _sources.append(source)


class TaskDecoratorCollection:
    """The decorators, as attributes."""

    run_if = staticmethod(run_if)
    skip_if = staticmethod(skip_if)
    python = staticmethod(python_task)

    @overload
    def __call__(self, python_callable: Callable[..., Any], /) -> TaskDecorator: ...
    @overload
    def __call__(self, **kwargs: Any) -> Callable[[Callable[..., Any]], TaskDecorator]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`@task` and `@task(...)`."""
        return python_task(*args, **kwargs)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """`@task.bash`, `@task.docker`, …"""
        if name.startswith("__"):
            raise AttributeError(name)
        decorator: Callable[..., Any] | None = None
        if name in _OWN:
            decorator = getattr(import_module(_STANDARD), _OWN[name])
        else:
            decorator = next((found for source in _sources if (found := source().get(name)) is not None), None)
        if decorator is None:
            raise AttributeError(f"there is no @task.{name}: install the provider package that brings it")
        setattr(self, name, decorator)
        return decorator

    def __dir__(self) -> list[str]:
        provided = [name for source in _sources for name in source()]
        return sorted({*super().__dir__(), *_OWN, *provided})


task: Final = TaskDecoratorCollection()
