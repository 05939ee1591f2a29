"""A connection that the server has closed meanwhile fails no request (D6, D7)."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from tradewind.errors import DatabaseUnavailable
from tradewind.storage.database import Database
from tradewind.storage.transaction import SqlTransaction
from tradewind.storage.upkeep import Upkeep
from tradewind.testing.clock import FakeClock

WHICH = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}
CLOSE = {"postgresql": "SELECT pg_terminate_backend({})", "mysql": "KILL {}"}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@contextmanager
def opened(url: str, upkeep: Upkeep) -> Iterator[Database]:
    database = Database(url, upkeep=upkeep)
    if database.dialect_name not in WHICH:
        pytest.skip("a file closes nothing")
    try:
        yield database
    finally:
        database.close()


def connection_of(database: Database) -> int:
    """What the server calls the connection that is used now."""

    def ask(tx: SqlTransaction) -> int:
        return int(tx.connection.execute(sa.text(WHICH[database.dialect_name])).scalar_one())

    return database.read(ask)


def close(url: str, number: int) -> None:
    """As an administrator, a timeout or a restart of the server does."""
    other = Database(url)
    with contextlib.closing(other), other.engine.connect() as connection:
        connection.execute(sa.text(CLOSE[other.dialect_name].format(number)))


def test_a_connection_that_lay_about_is_replaced_if_it_is_gone(database_url: str, clock: FakeClock) -> None:
    with opened(database_url, Upkeep(clock.monotonic)) as database:
        first = connection_of(database)
        clock.advance(2)
        kept = connection_of(database)
        close(database_url, first)
        clock.advance(2)

        replaced = connection_of(database)

    assert kept == first
    assert replaced != first


def test_who_used_it_a_moment_ago_is_not_made_to_ask(database_url: str, clock: FakeClock) -> None:
    with opened(database_url, Upkeep(clock.monotonic)) as database:
        close(database_url, connection_of(database))

        with pytest.raises(DatabaseUnavailable):
            connection_of(database)


def test_nobody_asks_who_is_told_not_to(database_url: str, clock: FakeClock) -> None:
    with opened(database_url, Upkeep(clock.monotonic, asks=False)) as database:
        close(database_url, connection_of(database))
        clock.advance(60)

        with pytest.raises(DatabaseUnavailable):
            connection_of(database)


def test_an_old_connection_is_replaced_though_it_works(database_url: str, clock: FakeClock) -> None:
    with opened(database_url, Upkeep(clock.monotonic, oldest_s=100)) as database:
        first = connection_of(database)
        clock.advance(99)
        before = connection_of(database)
        clock.advance(2)

        after = connection_of(database)

    assert before == first
    assert after != first
