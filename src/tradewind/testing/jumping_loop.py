"""An event loop in which waiting takes no time."""

import asyncio
import selectors
from asyncio import SelectorEventLoop
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple

from tradewind.sdk.task_clock import TaskClock

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


class JumpingSelector(selectors.BaseSelector):
    """Waits by letting the clock jump, except while something real is under way."""

    def __init__(self, clock: TaskClock) -> None:
        self._clock = clock
        self._real = selectors.DefaultSelector()
        self.pending = 0
        """Calls that run in threads of an executor."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready, at once or after the time has passed."""
        ready = self._real.select(0)
        if ready or timeout == 0:
            return ready
        # The loop itself watches one descriptor: others wake it through that.
        is_idle = self.pending == 0 and len(self._real.get_map()) <= 1
        if timeout is None or timeout < 0 or not is_idle:
            # Whatever is under way takes real time, and so does what waits beside it.
            ready = self._real.select(timeout)
        if not ready and timeout is not None:
            self._clock.sleep(timeout)
        return ready

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class JumpingLoop(SelectorEventLoop):
    """`asyncio.sleep` and timeouts follow the clock of the test."""

    def __init__(self, clock: TaskClock) -> None:
        self._clock_of_test = clock
        self._jumping = JumpingSelector(clock)
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds of the test's clock."""
        return self._clock_of_test.monotonic()

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Arguments], T], *args: *Arguments
    ) -> asyncio.Future[T]:
        """See `AbstractEventLoop.run_in_executor`. What runs in a thread takes real time."""
        future = super().run_in_executor(executor, func, *args)
        self._jumping.pending += 1
        future.add_done_callback(self._one_less)
        return future

    def _one_less(self, _: object) -> None:
        self._jumping.pending -= 1
