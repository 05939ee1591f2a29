"""The database as one simulated process sees it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import sqlalchemy as sa

from tests.simulation.faults import Faults
from tests.simulation.kernel import Crashed, Process
from tradewind.errors import DatabaseUnavailable, TransactionConflict
from tradewind.storage.database import Database
from tradewind.storage.schema import metadata
from tradewind.storage.transaction import SqlTransaction
from tradewind.telemetry.hub import Hub


class Outage:
    """Until when the database gives no answer to anybody."""

    def __init__(self) -> None:
        self.until_s = 0.0


class Observer(Protocol):
    """Whoever looks at each transaction."""

    def begun(self) -> None:
        """A transaction begins."""

    def committed(self, process: Process) -> None:
        """It was committed, and nothing else has happened since."""

    def wake(self) -> None:
        """Schedulers have something to do."""

    def wake_triggerers(self) -> None:
        """Triggerers have."""


class SimulatedStore(Database):
    """Implements `storage.interface.Store` with the real `transact`, over a `begin` that switches and fails.

    All processes share one connection to one in-memory SQLite, so no fiber is ever switched away inside a
    transaction: one writer at a time, as SQLite has it.
    """

    def __init__(
        self, process: Process, shared: Database, faults: Faults, outage: Outage, observer: Observer, hub: Hub
    ) -> None:
        # Not `super().__init__`, which would make an engine of its own: all processes share one connection.
        self.__dict__.update(vars(shared))
        self._hub = hub
        self._pause = process.kernel.sleep
        self._wake = observer.wake
        self._wake_triggerers = observer.wake_triggerers
        self._process = process
        self._faults = faults
        self._outage = outage
        self._observer = observer
        self.can_crash = process.kind in ("scheduler", "triggerer")

    @contextmanager
    def begin(self) -> Iterator[SqlTransaction]:
        """See `interface.Store.begin`."""
        self._switch()
        self._refuse()
        self._observer.begun()
        with super().begin() as transaction:
            yield transaction
            if self.can_crash and self._faults.hit("crash before commit"):
                self._crash("before a commit")
            if self._faults.hit("conflict at commit"):
                raise TransactionConflict("simulated")
        self._observer.committed(self._process)
        if self.can_crash and self._faults.hit("crash after commit"):
            self._crash("after a commit")
        if self._faults.hit("commit without an answer"):
            raise DatabaseUnavailable("simulated: the answer to the commit was lost")
        if self._faults.hit("pause"):
            self._doze()

    def _switch(self) -> None:
        kernel = self._process.kernel
        kernel.sleep(kernel.latency_s())

    def _refuse(self) -> None:
        kernel = self._process.kernel
        if self._faults.hit("outage"):
            self._outage.until_s = kernel.now_s + kernel.rng.uniform(1, 20)
            kernel.say("database", f"away until {self._outage.until_s:.3f}")
        if self._outage.until_s > kernel.now_s:
            raise DatabaseUnavailable("simulated: no answer")
        if self._faults.hit("conflict"):
            raise TransactionConflict("simulated")

    def _crash(self, when: str) -> None:
        self._process.kernel.say(self._process.name, f"crashes {when}")
        self._process.kill()
        raise Crashed

    def _doze(self) -> None:
        """The whole process stands still, long enough for others to take it for dead."""
        kernel = self._process.kernel
        seconds = kernel.rng.choice((1, 8, 18, 40, 70))
        self._process.paused_until = kernel.now_s + seconds
        kernel.say(self._process.name, f"stands still for {seconds} s")
        self._switch()


class SharedDatabase:
    """One in-memory SQLite for all seeds of this process, emptied before each."""

    def __init__(self, *prepares: Callable[[sa.Connection], None]) -> None:
        self.database = Database("sqlite://")
        engine = self.database.engine
        metadata.create_all(engine)
        with engine.begin() as connection:
            for prepare in prepares:
                prepare(connection)
        pooled = engine.raw_connection()
        driver = pooled.driver_connection
        assert driver is not None
        self.raw = driver
        pooled.close()

    def clear(self) -> None:
        """As if it had just been made; also whatever an aborted seed left open."""
        if self.raw.in_transaction:
            self.raw.rollback()
        for table in reversed(metadata.sorted_tables):
            self.raw.execute(f"DELETE FROM {table.name}")
        # Those of whoever watches, which an aborted seed has left as they were.
        for (name,) in self.raw.execute("SELECT name FROM sqlite_temp_master WHERE type = 'table'").fetchall():
            self.raw.execute(f"DELETE FROM temp.{name}")
        self.raw.execute("DELETE FROM sqlite_sequence")
