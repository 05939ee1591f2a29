"""PostgreSQL's LISTEN as a wake-up signal: one direct connection per waiting service."""

import contextlib
import os
import select

import psycopg
import sqlalchemy as sa

from tradewind.storage.database import CHANNEL


class PostgresWakeup:
    """Implements `runtime.wakeup.Wakeup`. While the connection is gone, `wait` is a plain wait: then polling is all.

    LISTEN needs a session of its own, so not through a pooler in transaction mode; give the direct URL.
    """

    def __init__(self, url: str, channel: str = CHANNEL) -> None:
        self._channel = channel
        self._conninfo = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._connection: psycopg.Connection[tuple[object, ...]] | None = None
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)

    def wake(self) -> None:
        """From this process, also from a signal handler."""
        with contextlib.suppress(BlockingIOError):  # a full pipe wakes just as well
            os.write(self._waker, b"!")

    def wait(self, timeout_s: float) -> bool:
        """Until a NOTIFY, a `wake`, or the time is over. True: woken."""
        connection = self._connected()
        watched = [self._woken, *([connection.fileno()] if connection is not None else [])]
        ready, _, _ = select.select(watched, [], [], timeout_s)
        if not ready:
            return False
        with contextlib.suppress(BlockingIOError):
            while os.read(self._woken, 4096):
                pass
        self._drain()
        return True

    def close(self) -> None:
        """Stop listening."""
        if self._connection is not None:
            self._connection.close()
        os.close(self._woken)
        os.close(self._waker)

    def _connected(self) -> psycopg.Connection[tuple[object, ...]] | None:
        if self._connection is None:
            try:
                self._connection = psycopg.connect(self._conninfo, autocommit=True, connect_timeout=5)
                self._connection.execute(f"LISTEN {self._channel}")
            except psycopg.OperationalError:
                self._connection = None
        return self._connection

    def _drain(self) -> None:
        if self._connection is None:
            return
        try:
            for _ in self._connection.notifies(timeout=0):
                pass
        except psycopg.OperationalError:
            self._connection.close()
            self._connection = None
