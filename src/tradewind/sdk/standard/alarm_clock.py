"""One timer for all who wait for an instant in the same event loop: ten thousand cost no more than one."""

import asyncio
import heapq
from datetime import datetime
from itertools import count
from typing import Final
from weakref import WeakKeyDictionary

from tradewind.sdk import timezone

_LONGEST_S: Final = 60.0
"""Looking at the clock this often costs nothing and copes with a clock that is set meanwhile."""
_SHORTEST_S: Final = 0.001


async def wait_until(moment: datetime) -> None:
    """Return at that instant, or at once if it is past."""
    if moment > timezone.utcnow():
        loop = asyncio.get_running_loop()
        clock = _clocks.get(loop)
        if clock is None:
            clock = _clocks[loop] = _AlarmClock(loop)
        await clock.add(moment)


class _AlarmClock:
    """Those who wait, the next one first."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._timer: asyncio.TimerHandle | None = None
        self._rings_for: datetime | None = None

    def add(self, moment: datetime) -> asyncio.Future[None]:
        future: asyncio.Future[None] = self._loop.create_future()
        heapq.heappush(self._waiting, (moment, next(self._numbers), future))
        if self._rings_for is None or moment < self._rings_for:
            self._set()
        return future

    def _set(self) -> None:
        """For the first who waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self._rings_for = None
        if self._waiting:
            self._rings_for = self._waiting[0][0]
            left_s = (self._rings_for - timezone.utcnow()).total_seconds()
            self._timer = self._loop.call_later(min(max(left_s, _SHORTEST_S), _LONGEST_S), self._ring)

    def _ring(self) -> None:
        now = timezone.utcnow()
        # Who was cancelled meanwhile need not be looked for: its turn comes.
        while self._waiting and (self._waiting[0][0] <= now or self._waiting[0][2].done()):
            _, _, future = heapq.heappop(self._waiting)
            if not future.done():
                future.set_result(None)
        self._set()


_clocks: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _AlarmClock]] = WeakKeyDictionary()
