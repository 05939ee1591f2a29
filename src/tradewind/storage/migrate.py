"""Bring a database to the schema that this version needs, and back. Alembic needs no file of its own for that."""

import hashlib
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError

from tradewind.errors import DatabaseError
from tradewind.model.pool import DEFAULT_POOL
from tradewind.storage.archives import Archives
from tradewind.storage.database import create_engine
from tradewind.storage.failures import translated
from tradewind.storage.revision import SCRIPTS, refuse_newer, revision_of
from tradewind.storage.schema import pool

_LOCK_WAIT_S = 600
"""How long one migration waits for another of the same database."""
_POSTGRES_LOCK = 7_238_401_973
"""Any number that no other program of the database uses for an advisory lock."""

# Alembic hands the context to its scripts through module globals.
_one_at_a_time = threading.Lock()


def upgrade(url: str, revision: str = "head", default_pool_slots: int | None = None) -> None:
    """Migrate up to a revision. Safe while others do the same: they wait, and find nothing left to do.

    `default_pool_slots` is for a database that is empty still: whoever has one has said how large the pool is.
    """
    before = _run(url, command.upgrade, revision)
    if before is None and default_pool_slots is not None:
        with _engine(url) as engine, translated(), engine.begin() as connection:
            connection.execute(sa.update(pool).where(pool.c.name == DEFAULT_POOL).values(slots=default_pool_slots))


def downgrade(url: str, revision: str) -> None:
    """Migrate down to a revision; "base" removes all tables."""
    _run(url, command.downgrade, revision)


def drop_archives(url: str) -> None:
    """Copies that `db clean` kept are in tables that no migration knows."""
    with _engine(url) as engine, translated(), engine.begin() as connection:
        archives = Archives(connection)
        archives.drop([each.name for each in archives.all()])


def migration_sql(url: str, start: str | None, end: str, *, is_upgrade: bool) -> str:
    """The statements that would bring a database of this kind from one revision to another. Nothing is run.

    SQLite changes tables by copying them, for which it has to look at them: only what creates tables can be told.
    """
    text = io.StringIO()
    config = _config(text)
    config.attributes["dialect"] = sa.make_url(url).get_backend_name()
    order = command.upgrade if is_upgrade else command.downgrade
    if ":" in f"{start}{end}":
        raise DatabaseError("a revision has no colon in its name")
    with _one_at_a_time:
        try:
            order(config, f"{start or 'base'}:{end}", sql=True)
        except CommandError as error:
            raise DatabaseError(f"cannot migrate to {end!r}: {error}") from error
    return text.getvalue()


def _run(url: str, order: Any, revision: str) -> str | None:
    """Returns the revision before."""
    with _one_at_a_time, _engine(url) as engine, translated(), engine.connect() as connection, _locked(connection):
        before = revision_of(connection)
        refuse_newer(before)
        config = _config()
        config.attributes["connection"] = connection
        try:
            order(config, revision)
        except CommandError as error:
            raise DatabaseError(f"cannot migrate to {revision!r}: {error}") from error
        if connection.dialect.name == "sqlite":
            _check_foreign_keys(connection)
    return before


def _config(output: TextIO | None = None) -> Config:
    config = Config() if output is None else Config(output_buffer=output)
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@contextmanager
def _engine(url: str) -> Iterator[sa.Engine]:
    engine = create_engine(url, pool_size=1)
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _relax_sqlite)
    try:
        yield engine
    finally:
        engine.dispose()


def _relax_sqlite(connection: Any, _record: object) -> None:
    # SQLite changes a table by making a copy and dropping the original; with foreign keys on, dropping a table first
    # deletes its rows, and with them all that refers to them. The keys are checked at the end instead.
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute(f"PRAGMA busy_timeout={_LOCK_WAIT_S * 1000}")


def _check_foreign_keys(connection: sa.Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        raise DatabaseError(f"the migration would leave rows that refer to nothing, first {tuple(broken[0])!r}")


@contextmanager
def _locked(connection: sa.Connection) -> Iterator[None]:
    """A transaction in which nobody else migrates this database."""
    match connection.dialect.name:
        case "postgresql":
            with connection.begin():
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRES_LOCK})
                yield
        case "mysql":
            with connection.begin(), _mysql_lock(connection):
                yield
        case _:
            with connection.begin():  # BEGIN IMMEDIATE: the one writer
                yield


@contextmanager
def _mysql_lock(connection: sa.Connection) -> Iterator[None]:
    # MySQL ends transactions by itself at each change of the schema, so the lock belongs to the connection. Its name is
    # the server's, not the database's, and at most 64 characters long.
    database = str(connection.execute(sa.text("SELECT DATABASE()")).scalar_one())
    name = "tradewind_migration_" + hashlib.sha256(database.encode()).hexdigest()[:40]
    got = connection.execute(sa.text("SELECT GET_LOCK(:name, :wait)"), {"name": name, "wait": _LOCK_WAIT_S}).scalar()
    if got != 1:
        raise DatabaseError(f"another migration of the database {database!r} does not end")
    try:
        yield
    finally:
        connection.execute(sa.text("SELECT RELEASE_LOCK(:name)"), {"name": name})
