"""A migrated database of each kind, shared by the tests of a worker and emptied before each."""

from collections.abc import Iterator

import pytest

from tests.conformance.storage.worlds import World
from tests.databases import DatabaseKind
from tests.tables import empty_tables
from tradewind.storage import migrate
from tradewind.storage.database import Database


@pytest.fixture(scope="session")
def opened_databases() -> Iterator[dict[DatabaseKind, Database]]:
    """Random order changes the kind all the time; each database is migrated and opened once only."""
    opened: dict[DatabaseKind, Database] = {}
    yield opened
    for database in opened.values():
        database.close()


@pytest.fixture
def store(
    database_kind: DatabaseKind, shared_database_url: str, opened_databases: dict[DatabaseKind, Database]
) -> Database:
    """A migrated database without a single row."""
    if database_kind not in opened_databases:
        migrate.upgrade(shared_database_url)
        opened_databases[database_kind] = Database(shared_database_url)
    database = opened_databases[database_kind]
    with database.engine.begin() as connection:
        empty_tables(connection)
    return database


@pytest.fixture
def world(store: Database) -> World:
    """What tests need before they can begin."""
    return World(store)
