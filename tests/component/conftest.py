"""A `World` for each test: SQLite in memory for most, each kind of database for some."""

from collections.abc import Callable, Iterator

import pytest

from tests.component.world import World
from tests.tables import empty_tables, make_tables
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.storage import migrate
from tradewind.storage.database import Database
from tradewind.telemetry.events import Event
from tradewind.telemetry.hub import Hub
from tradewind.testing.clock import FakeClock

DEFAULT_POOL_SLOTS = 128


@pytest.fixture
def clock() -> FakeClock:
    """Midnight of 1 January 2026, until the test says otherwise."""
    return FakeClock()


def _world(database: Database, clock: FakeClock, events: list[Event]) -> World:
    with database.begin() as tx:
        if tx.pools.find(DEFAULT_POOL) is None:
            tx.pools.create(Pool(DEFAULT_POOL, DEFAULT_POOL_SLOTS))
    return World(database, clock, events)


class Opened:
    """The databases of this worker, each opened once: what SQLAlchemy compiles it keeps for one engine, and to compile
    it again took a third of the time of most tests."""

    def __init__(self) -> None:
        self._databases: dict[str, Database] = {}
        self.events: list[Event] = []
        """What the test that runs now is told."""

    def at(self, url: str, prepare: Callable[[Database], None] = lambda _: None) -> Database:
        """One that nobody uses; the first time it is prepared."""
        database = self._databases.get(url)
        if database is None:
            database = self._databases[url] = Database(url, hub=Hub(self._tell))
            prepare(database)
        self.events = []
        return database

    def close(self) -> None:
        for database in self._databases.values():
            database.close()

    def _tell(self, event: Event) -> None:
        self.events.append(event)


@pytest.fixture(scope="session")
def opened() -> Iterator[Opened]:
    """For `world` and `any_world`."""
    databases = Opened()
    yield databases
    databases.close()


@pytest.fixture
def world(opened: Opened, clock: FakeClock) -> World:
    """On SQLite in memory."""
    database = opened.at("sqlite://")
    make_tables(database)
    return _world(database, clock, opened.events)


@pytest.fixture
def any_world(shared_database_url: str, opened: Opened, clock: FakeClock) -> World:
    """On a migrated database without a single row; the test runs once for each kind."""
    database = opened.at(shared_database_url, lambda _: migrate.upgrade(shared_database_url))
    with database.engine.begin() as connection:
        empty_tables(connection)
    return _world(database, clock, opened.events)
