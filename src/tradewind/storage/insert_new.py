"""Insert rows unless they are there already, also where somebody else inserts them at the same moment."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite

_DUPLICATE_IN_MYSQL: Final = 1062


def insert_new(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Rows whose key is taken are left as they are. The rows should be in the order of their keys: whoever inserts one
    waits for the transaction that has just inserted the same."""
    if not rows:
        return
    match connection.dialect.name:
        case "postgresql":
            connection.execute(postgresql.insert(table).on_conflict_do_nothing(), rows)
        case "mysql":
            # Not IGNORE, which would also let values through that do not fit.
            key = next(iter(table.primary_key.columns)).name
            statement = mysql.insert(table)
            unchanged = {key: table.c[key]}
            connection.execute(statement.on_duplicate_key_update(unchanged), rows)
        case _:
            connection.execute(sqlite.insert(table).on_conflict_do_nothing(), rows)


def insert_one_new(connection: sa.Connection, table: sa.Table, row: dict[str, Any]) -> bool:
    """Whether it was not there: of all who insert the same at once, one is told so."""
    key = next(iter(table.primary_key.columns))
    match connection.dialect.name:
        case "postgresql":
            new = connection.execute(postgresql.insert(table).on_conflict_do_nothing().returning(key), row)
            return new.first() is not None
        case "mysql":
            # Counts rows that stay as they are, too. Of a failure only the statement is undone.
            try:
                connection.execute(sa.insert(table), row)
            except sa.exc.IntegrityError as error:
                if error.orig is None or error.orig.args[0] != _DUPLICATE_IN_MYSQL:
                    raise
                return False
            return True
        case _:
            new = connection.execute(sqlite.insert(table).on_conflict_do_nothing().returning(key), row)
            return new.first() is not None
