"""The database server itself: what it is, and how a person reaches it."""

from typing import NamedTuple

import sqlalchemy as sa

from tradewind.errors import DatabaseError
from tradewind.storage.database import create_engine
from tradewind.storage.failures import translated


class Shell(NamedTuple):
    """The program in which a person talks to a database."""

    command: list[str]
    environment: dict[str, str]
    """Also the password: other users of the machine see the words of a command."""


def server_version(url: str) -> str:
    """Its kind and version. Raises `DatabaseUnavailable` where it gives no answer."""
    engine = create_engine(url, pool_size=1)
    try:
        with translated(), engine.connect() as connection:
            version = ".".join(map(str, connection.dialect.server_version_info or ()))
            is_mariadb = getattr(connection.dialect, "is_mariadb", False)
            return f"{'mariadb' if is_mariadb else connection.dialect.name} {version}"
    finally:
        engine.dispose()


def shell_of(url: str) -> Shell:
    """Raises `DatabaseError` for a database that has no file or server to talk to."""
    given = sa.make_url(url)
    port = [] if given.port is None else ["--port", str(given.port)]
    match given.get_backend_name():
        case "sqlite" if given.database not in (None, "", ":memory:"):
            return Shell(["sqlite3", str(given.database)], {})
        case "postgresql":
            words = [*_word("--host", given.host or _text(given.query.get("host"))), *port]
            words += [*_word("--username", given.username), *_word("--dbname", given.database)]
            return Shell(["psql", *words], _secret("PGPASSWORD", given.password))
        case "mysql":
            words = [*_word("--host", given.host), *port, *_word("--user", given.username)]
            return Shell(
                ["mysql", *words, *([given.database] if given.database else [])], _secret("MYSQL_PWD", given.password)
            )
        case kind:
            raise DatabaseError(f"there is no shell for this database of the kind {kind!r}")


def _word(option: str, value: str | None) -> list[str]:
    return [option, value] if value else []


def _secret(name: str, value: object) -> dict[str, str]:
    return {name: str(value)} if value else {}


def _text(value: str | tuple[str, ...] | None) -> str | None:
    return value if isinstance(value, str) else None
