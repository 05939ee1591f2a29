"""Insert rows unless they are there already, also where somebody else inserts them at the same moment."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite


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
