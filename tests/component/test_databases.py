"""The database fixtures: each kind gives an empty database of its own and leaves nothing behind (D7)."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tests.databases import DatabaseKind, Databases, DatabaseUnavailable, DatabaseUrls

DRIVERS = {"sqlite": "sqlite", "postgres": "postgresql+psycopg", "mysql": "mysql+pymysql"}


def test_database_url_is_an_empty_database_of_the_kind(database_url: str, database_kind: DatabaseKind) -> None:
    engine = create_engine(database_url, poolclass=NullPool)

    assert engine.url.drivername == DRIVERS[database_kind]
    assert inspect(engine).get_table_names() == []


def test_database_keeps_every_character(database_url: str) -> None:
    engine = create_engine(database_url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE note (body VARCHAR(20))"))
        connection.execute(text("INSERT INTO note VALUES (:body)"), {"body": "日本 🌊 é"})

        assert connection.execute(text("SELECT body FROM note")).scalar_one() == "日本 🌊 é"


def test_shared_database_is_the_same_for_the_whole_run(
    shared_database_url: str, databases: Databases, database_kind: DatabaseKind
) -> None:
    assert databases.shared(database_kind) == shared_database_url


def test_every_request_makes_another_database(database_urls: DatabaseUrls, database_kind: DatabaseKind) -> None:
    assert database_urls(database_kind) != database_urls(database_kind)


def test_database_is_dropped_although_a_transaction_is_still_open(
    databases: Databases, database_kind: DatabaseKind, shared_database_url: str
) -> None:
    with databases.temporary(database_kind) as url:
        connection = create_engine(url).connect()
        connection.execute(text("CREATE TABLE left_behind (id INTEGER)"))
        connection.execute(text("INSERT INTO left_behind VALUES (1)"))

    if database_kind == "sqlite":
        assert not Path(make_url(url).database or "").exists()
    else:
        with pytest.raises(DBAPIError), create_engine(url, poolclass=NullPool).connect():
            pass
    connection.invalidate()


def test_missing_server_is_named_with_its_reason(tmp_path: Path) -> None:
    nobody = {"TRADEWIND_TEST_MYSQL_URL": "mysql://root@127.0.0.1:1/test"}
    with (
        Databases(tmp_path, nobody) as databases,
        pytest.raises(DatabaseUnavailable, match="TRADEWIND_TEST_MYSQL_URL") as caught,
    ):
        databases.fresh("mysql")

    assert caught.value.kind == "mysql"
