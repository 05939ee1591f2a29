"""Messages that a watcher failed on are handed out again after a while, and given up after some times."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Hashable
from typing import Any, Final

log = logging.getLogger(__name__)

PAUSE_S: Final = 5.0
MOST_DELIVERIES: Final = 5
_CANCEL_AGAIN_S: Final = 0.1


class Redelivery:
    """Which messages are to be handed out again."""

    def __init__(self, pause_s: float = PAUSE_S) -> None:
        self._pause_s = pause_s
        self._failures: defaultdict[Hashable, int] = defaultdict(int)
        self._due: asyncio.Queue[tuple[Any, Any]] = asyncio.Queue()

    def failed(self, key: Hashable, content: Any, payload: Any) -> bool:
        """Somebody failed on it. False: it happened too often, so that it is given up."""
        self._failures[key] += 1
        if self._failures[key] >= MOST_DELIVERIES:
            del self._failures[key]
            log.error("A message was handed out %s times, and is given up: %r", MOST_DELIVERIES, key)
            return False
        asyncio.get_running_loop().call_later(self._pause_s, self._due.put_nowait, (content, payload))
        return True

    def done(self, key: Hashable) -> None:
        """Nobody failed on it this time."""
        self._failures.pop(key, None)

    async def merged(self, source: AsyncIterator[tuple[Any, Any]]) -> AsyncIterator[tuple[Any, Any]]:
        """What comes from the source, and what is due again."""
        new: asyncio.Future[Any] = asyncio.ensure_future(_next(source))
        again: asyncio.Future[Any] = asyncio.ensure_future(self._due.get())
        try:
            while True:
                await asyncio.wait([new, again], return_when=asyncio.FIRST_COMPLETED)
                if again.done():
                    yield again.result()
                    again = asyncio.ensure_future(self._due.get())
                if new.done():
                    try:
                        message = new.result()
                    except StopAsyncIteration:
                        return
                    yield message
                    new = asyncio.ensure_future(_next(source))
        finally:
            # Again and again: the client of Redis may lose a cancellation while it connects.
            while not (new.done() and again.done()):
                new.cancel()
                again.cancel()
                await asyncio.wait([new, again], timeout=_CANCEL_AGAIN_S)


async def _next(source: AsyncIterator[tuple[Any, Any]]) -> tuple[Any, Any]:
    return await anext(source)
