"""How the end of a trigger or of a watcher is told."""

import asyncio
from typing import Any

from tradewind.triggerer.protocol import FrameKind

LastWord = tuple[FrameKind, object]
"""A frame for the supervisor, sent when nothing of it is left."""


def told_to_end(task: asyncio.Task[None], again_s: float) -> None:
    """Have it end: after its first step, since one that is cancelled before it never learns of it, and says nothing.

    Who is still there after so long is told again: clients of brokers, among others, may lose a cancellation while they
    connect, and nobody would hear of its end.
    """
    loop = asyncio.get_running_loop()

    def tell() -> None:
        if not task.done():
            task.cancel()
            loop.call_later(again_s, tell)

    loop.call_soon(tell)


def took_back(task: asyncio.Task[Any]) -> bool:
    """Take back one cancellation of a task that was interrupted. False: it was told to end besides, so it must."""
    return task.uncancel() == 0


def is_stopped(error: BaseException) -> bool:
    """Whether it ended because it was told to, and not because something that it waited for was cancelled: that is a
    failure as any other, and nobody but its author can mend it."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0
