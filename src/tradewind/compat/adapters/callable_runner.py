"""Calling a function of an author with the arguments that it takes, and hearing of the metadata that it yields."""

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

from tradewind.sdk.assets import Metadata
from tradewind.sdk.taskflow import determine_kwargs


def make_kwargs_callable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes any arguments and hands on those that `func` takes."""

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **determine_kwargs(func, args, kwargs))

    return call


class ExecutionCallableRunner:
    """Runs a function; one that yields has its `Metadata` written to the events of the task's outlets."""

    def __init__(self, func: Callable[..., Any], outlet_events: Any, *, logger: logging.Logger | None = None) -> None:
        self.func = func
        self.outlet_events = outlet_events
        self.logger = logger

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function and return its value."""
        if not inspect.isgeneratorfunction(self.func):
            return self.func(*args, **kwargs)
        generator = self.func(*args, **kwargs)
        while True:
            try:
                yielded = next(generator)
            except StopIteration as stop:
                return stop.value
            self._take(yielded)

    def _take(self, yielded: Any) -> None:
        if not isinstance(yielded, Metadata):
            raise TypeError(f"{self.func.__name__} yielded {yielded!r}; a task may only yield Metadata")
        self.outlet_events[yielded.asset].extra.update(yielded.extra)
        if yielded.alias is not None:
            self.outlet_events[yielded.alias].add(yielded.asset, extra=yielded.extra)


class AsyncExecutionCallableRunner(ExecutionCallableRunner):
    """The same for coroutines and asynchronous generators."""

    async def run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function and return its value."""
        if not inspect.isasyncgenfunction(self.func):
            return await self.func(*args, **kwargs)
        async for yielded in self.func(*args, **kwargs):
            self._take(yielded)
        return None


def create_executable_runner(
    func: Callable[..., Any], outlet_events: Any, *, logger: logging.Logger | None = None
) -> ExecutionCallableRunner:
    """A runner of the function."""
    return ExecutionCallableRunner(func, outlet_events, logger=logger)


def create_async_executable_runner(
    func: Callable[..., Any], outlet_events: Any, *, logger: logging.Logger | None = None
) -> AsyncExecutionCallableRunner:
    """A runner of the asynchronous function."""
    return AsyncExecutionCallableRunner(func, outlet_events, logger=logger)
