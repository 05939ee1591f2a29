"""The latest events of a server, for all its clients. Used by the event loop only."""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Final

from tradewind.api.ui.live_events import LiveEvent

MOST_KEPT: Final = 5_000
"""Who is further behind has missed something. No client has a queue of its own, so a slow one costs nothing."""
_AT_ONCE: Final = 500


class LiveRing:
    """Numbered from the first that ever was. Clients read on from the number at which they are."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._kept: deque[LiveEvent] = deque(maxlen=most)
        self._news = asyncio.Event()
        self.end = 0
        """The number of the next one."""
        self.mark = 0
        """The key of the last change before which none is missing: where a client that comes back goes on. 0: nobody
        knows yet. That changes have been missed is told when it is known."""

    def add(self, events: Sequence[LiveEvent], mark: int) -> None:
        """And wake all who wait."""
        self._kept.extend(events)
        self.end += len(events)
        self.mark = mark
        if events:
            self.wake()

    def wake(self) -> None:
        """Let everybody look who waits."""
        self._news.set()
        self._news = asyncio.Event()

    def since(self, position: int) -> list[LiveEvent] | None:
        """Some of those from this number on, in order. None: some of them are no longer there."""
        first = self.end - len(self._kept)
        if position < first:
            return None
        return list(islice(self._kept, position - first, position - first + _AT_ONCE))

    async def news(self, timeout_s: float) -> bool:
        """Wait for more. False: none came in time."""
        try:
            await asyncio.wait_for(self._news.wait(), timeout_s)
        except TimeoutError:
            return False
        return True
