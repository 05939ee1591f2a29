"""Insert rows, or replace what is there under the same key."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite


def upsert(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Each row has all columns of the table. The rows should be in the order of their keys: whoever writes one waits
    for the transaction that has just written the same."""
    if rows:
        connection.execute(_statement(table, connection.dialect.name), rows)


@cache
def _statement(table: sa.Table, dialect_name: str) -> sa.Insert:
    names = [column.name for column in table.columns if not column.primary_key]
    match dialect_name:
        case "mysql":
            on_mysql = mysql.insert(table)
            return on_mysql.on_duplicate_key_update({name: on_mysql.inserted[name] for name in names})
        case "postgresql":
            on_postgres = postgresql.insert(table)
            taken = {name: on_postgres.excluded[name] for name in names}
            return on_postgres.on_conflict_do_update(index_elements=table.primary_key, set_=taken)
        case _:
            on_sqlite = sqlite.insert(table)
            taken = {name: on_sqlite.excluded[name] for name in names}
            return on_sqlite.on_conflict_do_update(index_elements=table.primary_key, set_=taken)
