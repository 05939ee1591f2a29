"""Metrics of operators, hooks and plugins. They go to a sink that the process sets up; without one, nowhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import wraps
from time import perf_counter
from types import TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Tags = Mapping[str, Any] | None


class StatsSink(Protocol):
    """Where metrics go."""

    def incr(self, stat: str, count: int, rate: float, tags: Tags) -> None:
        """A counter went up, or down."""

    def gauge(self, stat: str, value: float, rate: float, delta: bool, tags: Tags) -> None:
        """A value is now this, or changed by this."""

    def timing(self, stat: str, milliseconds: float, tags: Tags) -> None:
        """Something took this long."""


class Timer:
    """Measures a block, or every call of a function. `duration` is in milliseconds."""

    def __init__(self, stat: str | None = None, tags: Tags = None) -> None:
        self.stat = stat
        self.tags = tags
        self.duration: float | None = None
        self._started: float | None = None

    def start(self) -> Timer:
        """Begin to measure."""
        self._started, self.duration = perf_counter(), None
        return self

    def stop(self, send: bool = True) -> None:
        """End measuring, and send the result if it has a name."""
        if self._started is None:
            raise RuntimeError("a timer has to be started before it is stopped")
        self.duration, self._started = (perf_counter() - self._started) * 1000, None
        if send and self.stat:
            Stats.timing(self.stat, self.duration, tags=self.tags)

    def __enter__(self) -> Timer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """As a decorator."""

        @wraps(function)
        def timed(*args: P.args, **kwargs: P.kwargs) -> R:
            # Not this timer: calls may overlap.
            with Timer(self.stat, self.tags):
                return function(*args, **kwargs)

        return timed


class Stats:
    """`Stats.incr("rows", 5)` and so on."""

    _sink: StatsSink | None = None

    @classmethod
    def set_sink(cls, sink: StatsSink | None) -> StatsSink | None:
        """Send metrics somewhere; returns where they went before."""
        before, cls._sink = cls._sink, sink
        return before

    @classmethod
    def incr(cls, stat: str, count: int = 1, rate: float = 1, *, tags: Tags = None) -> None:
        """A counter goes up."""
        if cls._sink is not None:
            cls._sink.incr(stat, count, rate, tags)

    @classmethod
    def decr(cls, stat: str, count: int = 1, rate: float = 1, *, tags: Tags = None) -> None:
        """A counter goes down."""
        cls.incr(stat, -count, rate, tags=tags)

    @classmethod
    def gauge(cls, stat: str, value: float, rate: float = 1, delta: bool = False, *, tags: Tags = None) -> None:
        """A value is now this; with `delta`, it changes by this."""
        if cls._sink is not None:
            cls._sink.gauge(stat, value, rate, delta, tags)

    @classmethod
    def timing(cls, stat: str, dt: float | timedelta, *, tags: Tags = None) -> None:
        """Something took this long: a timedelta, or milliseconds."""
        if cls._sink is not None:
            milliseconds = dt.total_seconds() * 1000 if isinstance(dt, timedelta) else dt
            cls._sink.timing(stat, milliseconds, tags)

    @staticmethod
    def timer(stat: str | None = None, *, tags: Tags = None) -> Timer:
        """Measures a `with` block or, as a decorator, a function."""
        return Timer(stat, tags)


__all__ = ["Stats", "StatsSink", "Timer"]
