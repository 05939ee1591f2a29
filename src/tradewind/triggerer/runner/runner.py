"""Starts triggers in the event loop, and stops them."""

import asyncio
from collections.abc import Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from tradewind.triggerer.protocol import Blocked, FrameKind, Start, Stop, decode_starts, decode_stops
from tradewind.triggerer.runner.busy import Busy
from tradewind.triggerer.runner.link import Link

if TYPE_CHECKING:
    from tradewind.triggerer.runner.lives import Lives

_LAST_WORDS_S: Final = 3.0
"""How long triggers may clean up before the process ends."""


class Runner:
    """Does what the supervisor says."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._lives: Lives | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._killed: set[int] = set()
        self._busy = Busy()

    async def run(self) -> None:
        """Until the supervisor is gone, or wants it to end. Triggers are stopped, and go on elsewhere."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        self._busy = Busy()

        def received(kind: int, content: bytes) -> None:
            if kind == FrameKind.PING:
                self._tell_who_blocks()
            loop.call_soon_threadsafe(self._obey, kind, content)

        self._link.listen(received, lambda: loop.call_soon_threadsafe(over.set))
        await over.wait()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_WORDS_S)

    def _tell_who_blocks(self) -> None:
        """In the thread that hears the supervisor. That a trigger's code runs just now means nothing by itself."""
        trigger = self._busy.trigger
        if trigger is not None:
            self._link.send(FrameKind.BLOCKED, Blocked(trigger, self._busy.stack()))

    def _obey(self, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.START:
                for start in decode_starts(content):
                    self._start(start)
            case FrameKind.STOP:
                for stop in decode_stops(content):
                    self._stop(stop)
            case FrameKind.PING:
                self._link.send(FrameKind.PONG)
            case _:
                raise ValueError(f"a frame of kind {kind}")

    def _start(self, start: Start) -> None:
        if start.trigger in self._tasks:
            return
        if self._lives is None:
            # The SDK is loaded with the first trigger: many deployments have none.
            self._lives = import_module("tradewind.triggerer.runner.lives").Lives(self._link, self._killed, self._busy)
        life: Coroutine[Any, Any, None] = self._lives.live(start)
        task = self._tasks[start.trigger] = asyncio.get_running_loop().create_task(life)
        task.add_done_callback(lambda _: self._tasks.pop(start.trigger, None))

    def _stop(self, stop: Stop) -> None:
        task = self._tasks.get(stop.trigger)
        if task is None:
            self._link.send(FrameKind.STOPPED, stop.trigger)
            return
        if stop.kills:
            self._killed.add(stop.trigger)
        task.cancel()
