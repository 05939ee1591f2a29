"""What all tables have in common: how constraints are named, and indexes that some databases have only."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

# A partial index is used only where the query states the index's own condition, with the same literals. So each
# such condition is written once, as a name beside its table, and queries use the name. MySQL has no partial indexes:
# there the state leads the index instead.
#
# No key may ever name two things: a late report would reach a task of a newer run, a cache would answer with another
# DAG's version. SQLite hands the highest key out again after a deletion unless told `sqlite_autoincrement`.
#
# Rows of `dag` and `dag_run` are locked with `key_share`. On PostgreSQL each check of a foreign key locks the key of
# the row referred to, and a plain FOR UPDATE would keep it waiting: a worker that reports a task started and ended in
# one transaction would wait for whoever has locked the run.

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

STATE = sa.String(20)
PARTIAL = ("sqlite", "postgresql")
NOT_PARTIAL = ("mysql",)


def is_wanted(index: sa.Index, dialect_name: str) -> bool:
    """Whether databases of this kind have the index at all."""
    dialects: Sequence[str] = index.info["dialects"]
    return dialect_name in dialects


def add_index(
    name: str,
    *columns: sa.ColumnElement[object] | sa.Column[object],
    where: sa.ColumnElement[bool] | None = None,
    only: Sequence[str] = (*PARTIAL, *NOT_PARTIAL),
) -> None:
    """An index of the table of these columns, of some rows if a condition is given."""
    index = sa.Index(name, *columns, postgresql_where=where, sqlite_where=where, info={"dialects": only})

    def is_here(*_: Any, dialect: sa.Dialect, **__: Any) -> bool:
        return is_wanted(index, dialect.name)

    index.ddl_if(callable_=is_here)
