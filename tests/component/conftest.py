"""A `World` for each test: SQLite in memory for most, each kind of database for some."""

from collections.abc import Iterator

import pytest

from tests.component.world import World
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.storage import migrate
from tradewind.storage.database import Database
from tradewind.storage.schema import metadata
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


@pytest.fixture
def world(clock: FakeClock) -> Iterator[World]:
    """On SQLite in memory. The tables are made at once: that migrations make the same is tested elsewhere."""
    events: list[Event] = []
    database = Database("sqlite://", hub=Hub(events.append))
    metadata.create_all(database.engine)
    yield _world(database, clock, events)
    database.close()


@pytest.fixture(scope="session")
def migrated() -> set[str]:
    """The databases of this worker that are at the newest schema: to bring one there takes longer than most tests."""
    return set()


@pytest.fixture
def any_world(shared_database_url: str, migrated: set[str], clock: FakeClock) -> Iterator[World]:
    """On a migrated database without a single row; the test runs once for each kind."""
    if shared_database_url not in migrated:
        migrate.upgrade(shared_database_url)
        migrated.add(shared_database_url)
    events: list[Event] = []
    database = Database(shared_database_url, hub=Hub(events.append))
    with database.engine.begin() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    yield _world(database, clock, events)
    database.close()
