"""The decorators of provider packages: `@task.docker` and the like."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from tradewind.providers.metadata import installed_providers
from tradewind.sdk.module_loading import import_string


class TaskDecorators(Mapping[str, Callable[..., Any]]):
    """By name. A decorator's package is imported when the decorator is taken out, not before."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths

    def __getitem__(self, name: str) -> Callable[..., Any]:
        decorator: Callable[..., Any] = import_string(self._paths[name])
        return decorator

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, name: object) -> bool:
        return name in self._paths


@cache
def task_decorators() -> TaskDecorators:
    """The decorators of all installed packages, read once. Those of `standard` are the SDK's own business."""
    return TaskDecorators(
        {
            decorator.name: decorator.path
            for provider in installed_providers()
            if provider.name != "standard"
            for decorator in provider.task_decorators
        }
    )
