"""The live changes of a server: who reads them, and for whom."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from tradewind.api.ui.live_events import LiveEvent, events_of
from tradewind.api.ui.live_reader import LiveReader, Source, names_for
from tradewind.api.ui.live_ring import LiveRing
from tradewind.storage.interface import Transaction

MOST_CLIENTS: Final = 300
_MOST_ROWS_MISSED: Final = 2_000
"""Who has missed more had better load everything anew."""
_IDLE_S: Final = 30.0
"""How long to read on for nobody. Whoever loads a page again is back within seconds."""
_BEGIN_PATIENCE_S: Final = 5.0


class LiveChanges:
    """One for a server process. Used by its event loop, except where it says otherwise."""

    def __init__(self, source: Source, most_clients: int = MOST_CLIENTS) -> None:
        self._source = source
        self._most_clients = most_clients
        self._clients = 0
        self._reader: LiveReader | None = None
        self._has_begun = asyncio.Event()
        self.ring = LiveRing()
        self.is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether no further client can be served. From any thread."""
        return self._clients >= self._most_clients

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While somebody watches."""
        self._clients += 1
        if self._reader is None and not self.is_closed:
            self._start(asyncio.get_running_loop())
        try:
            yield
        finally:
            self._clients -= 1
            if not self._clients:
                asyncio.get_running_loop().call_later(_IDLE_S, self._stop_if_idle)

    async def begun(self) -> None:
        """Until all changes from now on will come, or for as long as one can wait for that."""
        waiting = asyncio.ensure_future(self._has_begun.wait())
        await asyncio.wait([waiting], timeout=_BEGIN_PATIENCE_S)
        waiting.cancel()

    def missed_since(self, key: int) -> list[LiveEvent] | None:
        """What came after the change of this key. None: nobody knows. From any thread, but that of the event loop."""

        def work(tx: Transaction) -> list[LiveEvent] | None:
            rows = tx.live.after(key - 1, (), _MOST_ROWS_MISSED + 2)
            # That one is still there, so all after it are.
            if not rows or rows[0].key != key or len(rows) > _MOST_ROWS_MISSED + 1:
                return None
            return events_of(rows[1:], names_for(tx, rows[1:], {}))

        return self._source.store.read(work)

    def close(self) -> None:
        """End all streams: the server stops."""
        self.is_closed = True
        self._stop()
        self._has_begun.set()
        self.ring.wake()

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        begun = self._has_begun = asyncio.Event()

        def publish(events: Sequence[LiveEvent], mark: int) -> None:
            loop.call_soon_threadsafe(self.ring.add, events, mark)

        self._reader = LiveReader(self._source, publish, lambda: _call(loop, begun))
        self._reader.start()

    def _stop_if_idle(self) -> None:
        if not self._clients:
            self._stop()

    def _stop(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.stop()


def _call(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    loop.call_soon_threadsafe(event.set)
