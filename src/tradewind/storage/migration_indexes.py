"""Indexes, as migrations create them: some are for some databases only, and some of some rows.

What is here is never changed, only added to: what a migration does must not change when the code does.
"""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from alembic import op

PARTIAL: Final = ("sqlite", "postgresql")
NOT_PARTIAL: Final = ("mysql",)
"""MySQL has no indexes of some rows. Where one is for a state, the state leads the index instead."""


def create_index(
    name: str,
    table: str,
    columns: Sequence[str | sa.TextClause],
    *,
    where: str | sa.ColumnElement[bool] | None = None,
    only: Sequence[str] = (*PARTIAL, *NOT_PARTIAL),
) -> None:
    """An index of the rows that meet the condition, which must be the one that queries state; of all rows on MySQL.

    A condition on booleans is given as an expression rather than as text: SQLite has none, and compares with 0 and 1.
    """
    if op.get_context().dialect.name in only:
        condition = sa.text(where) if isinstance(where, str) else where
        op.create_index(name, table, [*columns], postgresql_where=condition, sqlite_where=condition)
