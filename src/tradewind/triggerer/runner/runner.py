"""Starts triggers in the event loop, and stops them."""

import asyncio
from collections.abc import Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import FrameKind, Start, Stop, decode_starts, decode_stops
from tradewind.triggerer.runner.last_words import LastWord, told_to_end
from tradewind.triggerer.runner.link import Link

if TYPE_CHECKING:
    from tradewind.triggerer.runner.lives import Lives

_LAST_WORDS_S: Final = 3.0
"""How long triggers may clean up before the process ends."""
_TOLD_AGAIN_S: Final = 60.0
"""So long they may take for `on_kill` and `cleanup` otherwise."""
_INSISTS_AFTER_S: Final = 3.0
"""Who has not even left `run` by then has not heard, or does not care."""


class Runner:
    """Does what the supervisor says."""

    def __init__(self, link: Link, board: Board) -> None:
        """`board` is where the supervisor sees whose code runs."""
        self._link = link
        self._board = board
        self._lives: Lives | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._killed: set[int] = set()
        self._insisting: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Until the supervisor is gone, or wants it to end. Triggers are stopped, and go on elsewhere."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def received(kind: int, content: bytes) -> None:
            loop.call_soon_threadsafe(self._obey, kind, content)

        self._link.listen(received, lambda: loop.call_soon_threadsafe(over.set))
        await over.wait()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_WORDS_S)

    def _obey(self, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.START:
                for start in decode_starts(content):
                    self._start(start)
            case FrameKind.STOP:
                for stop in decode_stops(content):
                    self._stop(stop)
            case FrameKind.PING:
                if self._lives is not None:
                    self._lives.tell_metrics()
                self._link.send(FrameKind.PONG)
            case _:
                raise ValueError(f"a frame of kind {kind}")

    def _start(self, start: Start) -> None:
        if start.trigger in self._tasks:
            if self._lives is not None and not start.order:
                self._lives.begin(start.trigger)
            return
        if self._lives is None:
            # The SDK is loaded with the first trigger: many deployments have none.
            self._lives = import_module("tradewind.triggerer.runner.lives").Lives(self._link, self._killed, self._board)
        life: Coroutine[Any, Any, LastWord] = self._lives.live(start)
        self._tasks[start.trigger] = asyncio.get_running_loop().create_task(self._let_live(start.trigger, life))

    async def _let_live(self, trigger: int, life: Coroutine[Any, Any, LastWord]) -> None:
        try:
            last_word = await life
        finally:
            # Before its end is told: who hears of it may have it started again, and must not be taken for the same.
            del self._tasks[trigger]
        self._link.send(*last_word)

    def _stop(self, stop: Stop) -> None:
        task = self._tasks.get(stop.trigger)
        if task is None:
            self._link.send(FrameKind.STOPPED, stop.trigger)
            return
        if stop.kills:
            self._killed.add(stop.trigger)
        told_to_end(task, _TOLD_AGAIN_S)
        asyncio.get_running_loop().call_later(_INSISTS_AFTER_S, self._insist, stop.trigger, task)

    def _insist(self, trigger: int, task: asyncio.Task[None]) -> None:
        if self._lives is None or self._tasks.get(trigger) is not task:
            return
        insisting = asyncio.get_running_loop().create_task(self._lives.insist(trigger))
        self._insisting.add(insisting)  # or it might be collected while it waits
        insisting.add_done_callback(self._insisting.discard)
