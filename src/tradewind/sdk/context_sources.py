"""Who adds keys to the context of every task. Apart from `task_context`, which loads what registering does not need."""

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

ContextSource = Callable[[Mapping[str, Any]], Mapping[str, Any]]
_sources: list[ContextSource] = []


def register_context_source(source: ContextSource) -> None:
    """`source` is shown each new context and tells what else belongs into it."""
    if source not in _sources:
        _sources.append(source)


def extend_context(context: MutableMapping[str, Any]) -> None:
    """Add what the sources know. What is there stays as it is."""
    for source in _sources:
        for key, value in source(context).items():
            context.setdefault(key, value)
