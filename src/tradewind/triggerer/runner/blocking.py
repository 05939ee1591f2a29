"""Notices who keeps the event loop, and so all other triggers, waiting."""

from collections.abc import Callable, Coroutine, Generator
from typing import Any

from tradewind.sdk.task_clock import current_clock
from tradewind.triggerer.runner.busy import Busy, Step


class Timed:
    """Awaits a coroutine, and tells of each step of it that took too long. Nothing is done while it waits."""

    def __init__(
        self,
        inner: Coroutine[Any, Any, Any],
        longest_s: float,
        tell: Callable[[Step, float], object],
        *,
        busy: Busy,
        whose: Callable[[], int],
    ) -> None:
        """`busy` is told when the code runs, and whose it is: asked with each step."""
        self._inner = inner
        self._longest_s = longest_s
        self._tell = tell
        self._busy = busy
        self._whose = whose

    def __await__(self) -> Generator[Any, Any, Any]:
        step: Callable[[Any], Any] = self._inner.send
        given: Any = None
        while True:
            try:
                awaited = self._timed(step, given)
            except StopIteration as stop:
                return stop.value
            try:
                step, given = self._inner.send, (yield awaited)
            except BaseException as error:  # such as a cancellation: the coroutine has to hear of it
                step, given = self._inner.throw, error

    def _timed(self, step: Callable[[Any], Any], given: Any) -> Any:
        began_s = current_clock().monotonic()
        entered = self._busy.enter(self._whose(), began_s)
        try:
            return step(given)
        finally:
            self._busy.leave()
            took_s = current_clock().monotonic() - began_s
            if took_s > self._longest_s:
                self._tell(entered, took_s)
