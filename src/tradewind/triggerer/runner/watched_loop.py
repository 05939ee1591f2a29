"""The event loop of a runner and the threads beside it: outside it is known whose code runs, and who blocks others."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from tradewind.sdk.configuration import conf
from tradewind.sdk.task_clock import current_clock
from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import FrameKind
from tradewind.triggerer.runner.blocking import Timed
from tradewind.triggerer.runner.busy import Busy, Step
from tradewind.triggerer.runner.link import Link
from tradewind.triggerer.runner.threads import NotedThreads
from tradewind.triggerer.runner.watch import Watch


class WatchedLoop:
    """The same for triggers and for watchers, who are named by their numbers."""

    def __init__(self, link: Link, board: Board) -> None:
        """In the thread of the loop. `board` learns whose code runs."""
        self._link = link
        self._busy = Busy(board)
        self._longest_step_s = conf.getfloat("triggerer", "blocked_main_thread_warning_threshold", fallback=0.2)
        asyncio.get_running_loop().set_default_executor(NotedThreads(board))
        Watch(self._busy, self._longest_step_s, self._tell_blocks, current_clock()).start()

    def timed(self, inner: Coroutine[Any, Any, Any], number: int) -> Timed:
        """What it returns, with each of its steps noted as one of that trigger or watcher."""
        return self.timed_for(inner, lambda: number)

    def timed_for(self, inner: Coroutine[Any, Any, Any], whose: Callable[[], int]) -> Timed:
        """The same for what is done for several: `whose` names the one who answers for its next step."""
        return Timed(inner, self._longest_step_s, self._tell_blocked, busy=self._busy, whose=whose)

    def _tell_blocks(self, step: Step, took_s: float) -> None:
        """In the thread of the watch: the step goes on."""
        self._link.send(FrameKind.BLOCKED, step.blocked(took_s, is_over=False))

    def _tell_blocked(self, step: Step, took_s: float) -> None:
        self._link.send(FrameKind.BLOCKED, step.blocked(took_s, is_over=True))
