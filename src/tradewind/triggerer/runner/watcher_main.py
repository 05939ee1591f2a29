"""The process that runs watchers of assets: as that of triggers, but for what never ends by itself.

It is another process than theirs: a source with much to say keeps no task waiting. It is started with the first
watcher, so whoever has none pays nothing for it.
"""

import asyncio
import os
import signal
import socket
import sys
from typing import Final

import setproctitle
import uvloop

from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import FrameKind, Stop, Watch, decode_kept, decode_stops, decode_watch
from tradewind.triggerer.runner.last_words import told_to_end
from tradewind.triggerer.runner.link import Link
from tradewind.triggerer.runner.watcher_lives import WatcherLives

_LAST_WORDS_S: Final = 3.0
_TOLD_AGAIN_S: Final = 30.0
"""So long they may take to clean up."""


class WatcherRunner:
    """Does what the supervisor says."""

    def __init__(self, link: Link, board: Board) -> None:
        self._link = link
        self._lives = WatcherLives(link, board)
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Until the supervisor is gone, or wants it to end."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        self._link.listen(
            lambda kind, content: loop.call_soon_threadsafe(self._obey, kind, content),
            lambda: loop.call_soon_threadsafe(over.set),
        )
        await over.wait()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_WORDS_S)

    def _obey(self, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.WATCH:
                self._start(decode_watch(content))
            case FrameKind.STOP:
                for stop in decode_stops(content):
                    self._stop(stop)
            case FrameKind.KEPT:
                self._lives.kept(decode_kept(content))
            case FrameKind.PING:
                self._lives.tell_metrics()
                self._link.send(FrameKind.PONG)
            case _:
                raise ValueError(f"a frame of kind {kind}")

    def _start(self, watch: Watch) -> None:
        if watch.watcher not in self._tasks:
            self._tasks[watch.watcher] = asyncio.get_running_loop().create_task(self._let_live(watch))

    async def _let_live(self, watch: Watch) -> None:
        try:
            last_word = await self._lives.live(watch)
        finally:
            # Before its end is told, as in `runner.Runner`.
            del self._tasks[watch.watcher]
        self._link.send(*last_word)

    def _stop(self, stop: Stop) -> None:
        task = self._tasks.get(stop.trigger)
        if task is None:
            self._link.send(FrameKind.STOPPED, stop.trigger)
        else:
            told_to_end(task, _TOLD_AGAIN_S)


async def _run(socket_number: int, board_number: int) -> None:
    await WatcherRunner(Link(socket.socket(fileno=socket_number)), Board(board_number)).run()
    os._exit(0)  # threads in which watchers have something done may never end


def main() -> None:
    """Until the other end of the socket is closed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # whoever stops the triggerer means the supervisor, which ends this too
    setproctitle.setproctitle("tradewind: watchers of assets")
    uvloop.run(_run(int(sys.argv[1]), int(sys.argv[2])))


if __name__ == "__main__":
    main()
