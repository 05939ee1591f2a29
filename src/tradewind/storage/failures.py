"""Which errors of which database mean what."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from tradewind.errors import DatabaseError, DatabaseUnavailable, TransactionConflict, ValueRefused

_POSTGRES_CONFLICTS = frozenset({"40001", "40P01", "55P03"})
"""serialization_failure, deadlock_detected, lock_not_available"""
_POSTGRES_GONE = ("08", "25P03", "57P", "53300")
"""connection exceptions, idle in a transaction for too long, operator intervention (shutdown, still starting), too many
connections"""
_MYSQL_CONFLICTS = frozenset({1020, 1205, 1213})
"""record changed since last read, lock wait timeout, deadlock"""
_MYSQL_GONE = frozenset(
    {1040, 1053, 1129, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2002, 2003, 2006, 2013, 2014, 2055, 4031}
)
"""too many connections, shutdown, and the many ways of a broken connection"""
_SQLITE_BUSY = ("database is locked", "database table is locked", "database is busy")


@contextmanager
def translated() -> Iterator[None]:
    """Raise our own errors in place of a driver's, where they are circumstances rather than mistakes."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        failure = translate(error)
        if failure is None:
            raise
        raise failure from error
    except sa.exc.StatementError as error:  # a value that did not even come as far as the driver: a naive datetime
        if not isinstance(error.orig, ValueError | OverflowError):
            raise
        raise _refusal(error.orig) from error
    except sa.exc.TimeoutError as error:
        raise DatabaseUnavailable(f"no connection became free: {error}") from error
    except (UnicodeEncodeError, OverflowError) as error:  # drivers that look at values before they send them
        raise _refusal(error) from error


def _refusal(error: ValueError | OverflowError) -> ValueRefused:
    """A driver speaks of its own types, which say nothing to who sent the value."""
    too_large = "a number is too large for the database"
    return ValueRefused(too_large if isinstance(error, OverflowError) else str(error))


def translate(error: sa.exc.DBAPIError) -> DatabaseError | None:
    """What to raise in place of a driver's error; None for those that are mistakes rather than circumstances."""
    message = str(error.orig)
    if _is_conflict(error, message):
        return TransactionConflict(message)
    if error.connection_invalidated or _is_gone(error):
        return DatabaseUnavailable(message)
    return ValueRefused(message) if isinstance(error, sa.exc.DataError) else None


def _is_conflict(error: sa.exc.DBAPIError, message: str) -> bool:
    if getattr(error.orig, "sqlstate", None) in _POSTGRES_CONFLICTS or _mysql_code(error) in _MYSQL_CONFLICTS:
        return True
    return any(words in message for words in _SQLITE_BUSY)


def _is_gone(error: sa.exc.DBAPIError) -> bool:
    if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.InternalError):
        return False
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_POSTGRES_GONE)
    if error.orig is not None and type(error.orig).__module__.startswith("psycopg"):
        return True  # psycopg has no code where there was no server to give one
    return _mysql_code(error) in _MYSQL_GONE or "unable to open database file" in str(error.orig)


def _mysql_code(error: sa.exc.DBAPIError) -> int | None:
    arguments = getattr(error.orig, "args", ())
    if arguments and isinstance(arguments[0], int):
        return arguments[0]
    return None
