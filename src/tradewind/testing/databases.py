"""Databases in memory, empty and ready in a fraction of a millisecond.

The tables are made once per process; each use begins with a copy of that empty database. A used database is kept: with
its engine it has all compiled statements, and making those anew would take longer than running a small DAG.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.storage.database import Database
from tradewind.storage.schema import metadata
from tradewind.telemetry.events import Event
from tradewind.telemetry.hub import Handler, Hub

_DEFAULT_POOL_SLOTS: Final = 128


class MemoryDatabase(Database):
    """A database whose events go to whoever uses it now."""

    def __init__(self) -> None:
        super().__init__("sqlite://", hub=Hub(self._pass_on))
        self.handler: Handler = _ignore

    def _pass_on(self, event: Event) -> None:
        self.handler(event)

    def connection(self) -> sqlite3.Connection:
        """The one connection there is."""
        driver: Any = self.engine.raw_connection().driver_connection
        assert isinstance(driver, sqlite3.Connection)
        return driver


def _ignore(_: Event) -> None:
    """Nobody uses it."""


@cache
def _empty() -> MemoryDatabase:
    database = MemoryDatabase()
    metadata.create_all(database.engine)
    with database.begin() as tx:
        tx.pools.create(Pool(DEFAULT_POOL, _DEFAULT_POOL_SLOTS))
    return database


_idle: Final[list[MemoryDatabase]] = []


@contextmanager
def empty_database(handler: Handler = _ignore) -> Iterator[MemoryDatabase]:
    """A database without DAGs. Its events go to `handler`."""
    database = _idle.pop() if _idle else MemoryDatabase()
    _empty().connection().backup(database.connection())
    database.handler = handler
    try:
        yield database
    finally:
        database.handler = _ignore
        _idle.append(database)
