"""The tables of databases that tests use: made and emptied with little work, because thousands of tests ask for it."""

import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tradewind.storage.database import Database
from tradewind.storage.migrate import upgrade
from tradewind.storage.schema import metadata


@cache
def _which_have_rows() -> sa.Select[Any]:
    columns: list[Any] = [sa.exists(sa.select(sa.literal(1)).select_from(table)) for table in metadata.sorted_tables]
    return sa.select(*columns)


def empty_tables(connection: sa.Connection) -> None:
    """Delete the rows of those tables that have any: one question is much cheaper than to tell each of some fifty."""
    have_rows = connection.execute(_which_have_rows()).one()
    for table, has_rows in reversed([*zip(metadata.sorted_tables, have_rows, strict=True)]):
        if has_rows:
            connection.execute(table.delete())


@cache
def _made() -> sqlite3.Connection:
    database = Database("sqlite://")
    metadata.create_all(database.engine)
    return _driver_connection(database)


def _driver_connection(database: Database) -> sqlite3.Connection:
    pooled = database.engine.raw_connection()
    driver = pooled.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    pooled.close()
    return driver


def make_tables(database: Database) -> None:
    """In an SQLite in memory, as a copy. That migrations make the same is tested elsewhere."""
    _made().backup(_driver_connection(database))


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory(prefix="tradewind-") as folder:
        file = Path(folder) / "tradewind.db"
        upgrade(f"sqlite:///{file}")
        return file.read_bytes()


def copy_migrated(url: str) -> None:
    """A new SQLite file as `tradewind db migrate` leaves it."""
    name = sa.make_url(url).database
    assert name is not None
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(_migrated())
