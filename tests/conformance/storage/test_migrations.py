"""Migrations lead to the very schema of `schema.py`, back to nothing, and once only (D7)."""

import multiprocessing
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from tests.databases import DatabaseKind
from tradewind.errors import DatabaseError, MigrationNeeded
from tradewind.storage import migrate, revision
from tradewind.storage.database import Database, create_engine
from tradewind.storage.schema import is_wanted, metadata


@contextmanager
def _connected(url: str) -> Iterator[sa.Connection]:
    engine = create_engine(url, pool_size=1)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _differences(connection: sa.Connection) -> list[Any]:
    def is_compared(item: object, _name: str | None, kind: str, is_reflected: bool, _other: object) -> bool:
        is_foreign = isinstance(item, sa.Index) and not is_reflected and not is_wanted(item, connection.dialect.name)
        return not is_foreign and not (kind == "table" and _name == "alembic_version")

    options = {"compare_type": True, "compare_server_default": True, "include_object": is_compared}
    found: list[Any] = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
    return found


def _indexes(connection: sa.Connection) -> dict[str, str]:
    """Each index with its columns, their order and its condition: what autogenerate cannot see."""
    match connection.dialect.name:
        case "sqlite":
            query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        case "postgresql":
            query = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
        case _:
            query = (
                "SELECT index_name, group_concat(column_name, ' ', coalesce(collation, '') ORDER BY seq_in_index) "
                "FROM information_schema.statistics WHERE table_schema = database() GROUP BY table_name, index_name"
            )
    rows = connection.execute(sa.text(query)).all()
    return {row[0]: re.sub(r"\s+", " ", row[1]) for row in rows if row[0].startswith("ix_")}


def _tables(connection: sa.Connection) -> dict[str, str]:
    """On SQLite the text of each table: how keys are counted and rows are kept is nowhere else to be seen."""
    if connection.dialect.name != "sqlite":
        return {}
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE%'"
    ignored = ("alembic_version", "sqlite_sequence")
    rows = connection.execute(sa.text(query)).all()
    traits = ("AUTOINCREMENT", "WITHOUT ROWID", "ON DELETE CASCADE")
    return {row[0]: str([trait in row[1] for trait in traits]) for row in rows if row[0] not in ignored}


def _triggers(connection: sa.Connection) -> dict[str, str]:
    """Each with what it does, but for spaces."""
    match connection.dialect.name:
        case "sqlite":
            query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        case "postgresql":
            query = (
                "SELECT tgname, pg_get_triggerdef(pg_trigger.oid) || prosrc FROM pg_trigger"
                " JOIN pg_proc ON pg_proc.oid = tgfoid WHERE NOT tgisinternal"
            )
        case _:
            query = "SELECT trigger_name, action_statement FROM information_schema.triggers"
    return {row[0]: re.sub(r"\s+", "", row[1]) for row in connection.execute(sa.text(query)).all()}


def _columns(connection: sa.Connection) -> dict[str, list[str]]:
    """Of each table, in their order: rows are read up to the last column that is asked for."""
    inspector = sa.inspect(connection)
    return {name: [column["name"] for column in inspector.get_columns(name)] for name in metadata.tables}


def _seen(connection: sa.Connection) -> tuple[object, ...]:
    return _indexes(connection), _tables(connection), _triggers(connection), _columns(connection)


def test_migrating_up_gives_the_schema_of_the_code(database_url: str, database_kind: DatabaseKind) -> None:
    migrate.upgrade(database_url)

    with _connected(database_url) as connection:
        assert _differences(connection) == []
        migrated = _seen(connection)
        connection.rollback()

        metadata.drop_all(connection)
        metadata.create_all(connection)
        assert migrated == _seen(connection)


def test_every_index_of_the_code_is_in_the_migrated_database(database_url: str) -> None:
    migrate.upgrade(database_url)

    with _connected(database_url) as connection:
        wanted = {
            str(index.name)
            for table in metadata.tables.values()
            for index in table.indexes
            if is_wanted(index, connection.dialect.name)
        }

        assert set(_indexes(connection)) == wanted


def test_migrating_down_leaves_no_table_and_up_again_works(database_url: str) -> None:
    migrate.upgrade(database_url)

    migrate.downgrade(database_url, "base")

    with _connected(database_url) as connection:
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
    assert revision.current_revision(database_url) is None

    migrate.upgrade(database_url)

    with _connected(database_url) as connection:
        assert _differences(connection) == []


def test_each_migration_goes_down_and_up_again(database_url: str) -> None:
    def tables() -> set[str]:
        with _connected(database_url) as connection:
            return set(sa.inspect(connection).get_table_names())

    for target in sorted(revision.known_revisions()):
        migrate.upgrade(database_url, target)
        there = tables()

        migrate.downgrade(database_url, "-1")
        assert tables() < there
        migrate.upgrade(database_url, "+1")

        assert (revision.current_revision(database_url), tables()) == (target, there)
    assert target == revision.needed_revision()
    with _connected(database_url) as connection:
        assert _differences(connection) == []


def test_migrating_makes_the_default_pool(database_url: str) -> None:
    migrate.upgrade(database_url)

    database = Database(database_url)
    with database.begin() as tx:
        (pool,) = tx.pools.all()
    database.close()

    assert (pool.name, pool.slots, pool.include_deferred, pool.served_turn) == ("default_pool", 128, False, 0)


def test_migrating_up_twice_changes_nothing(database_url: str) -> None:
    migrate.upgrade(database_url)
    migrate.upgrade(database_url)

    assert revision.current_revision(database_url) == revision.needed_revision()


def test_an_empty_database_is_refused_with_the_command_that_helps(database_url: str) -> None:
    assert revision.current_revision(database_url) is None

    with pytest.raises(MigrationNeeded, match="tradewind db migrate") as refused:
        revision.check_schema(database_url)

    assert (refused.value.found, refused.value.needed) == (None, revision.needed_revision())


def test_a_migrated_database_is_accepted(database_url: str) -> None:
    migrate.upgrade(database_url)

    revision.check_schema(database_url)


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database_url: str) -> None:
    migrate.upgrade(database_url)
    with _connected(database_url) as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
        connection.commit()

    for attempt in (revision.check_schema, migrate.upgrade):
        with pytest.raises(DatabaseError, match="9999, which this version of Tradewind does not know"):
            attempt(database_url)

    assert revision.current_revision(database_url) == "9999"


def test_an_unknown_revision_is_refused_by_name(database_url: str) -> None:
    with pytest.raises(DatabaseError, match="nonsense"):
        migrate.upgrade(database_url, "nonsense")


def test_two_processes_migrate_the_same_database_once(database_url: str) -> None:
    """Every service may be told to migrate when it starts (A2)."""
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawning) as processes:
        results = [processes.submit(migrate.upgrade, database_url) for _ in range(4)]
        for result in results:
            result.result(timeout=60)

    assert revision.current_revision(database_url) == revision.needed_revision()
    with _connected(database_url) as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM pool")).scalar_one() == 1


def test_two_threads_migrate_the_same_database_once(database_url: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        for result in [threads.submit(migrate.upgrade, database_url) for _ in range(2)]:
            result.result(timeout=60)

    assert revision.current_revision(database_url) == revision.needed_revision()


@pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)
def test_a_migration_that_fails_leaves_nothing_behind(database_url: str) -> None:
    """MySQL commits each change of the schema by itself, so the promise is for the two others."""
    with _connected(database_url) as connection:
        connection.execute(sa.text("CREATE TABLE job (job_key INTEGER)"))
        connection.commit()

    with pytest.raises(sa.exc.DBAPIError):
        migrate.upgrade(database_url)

    with _connected(database_url) as connection:
        assert sa.inspect(connection).get_table_names() == ["job"]
