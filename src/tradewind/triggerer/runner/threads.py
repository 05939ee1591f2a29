"""The threads that triggers have something done in: whose code runs in them is known to the supervisor as well."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from tradewind.triggerer.board import THREADS, Board
from tradewind.triggerer.runner.logs import CURRENT_TRIGGER


class NotedThreads(ThreadPoolExecutor):
    """What `asyncio.to_thread` and `run_in_executor` use."""

    def __init__(self, board: Board) -> None:
        super().__init__(thread_name_prefix="trigger")
        self._board = board
        self._places = list(range(1, 1 + THREADS))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor.submit`."""
        trigger = CURRENT_TRIGGER.get()
        if trigger is None:
            return super().submit(fn, *args, **kwargs)
        # As `asyncio.to_thread` does by itself: what the trigger asks there, it asks in its own name.
        return super().submit(copy_context().run, self._noted, trigger, fn, args, kwargs)

    def _noted(self, trigger: int, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        place = self._places.pop()  # there are more of them than threads
        self._board.enter(trigger, place)
        try:
            return fn(*args, **kwargs)
        finally:
            self._board.leave(place)
            self._places.append(place)
