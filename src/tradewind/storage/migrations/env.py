"""What Alembic runs for every command. The connection, with its lock, comes from `tradewind.storage.migrate`."""

from typing import Any

import sqlalchemy as sa
from alembic import context

from tradewind.storage.schema import is_wanted, metadata


def _is_compared(item: object, _name: str | None, kind: str, is_reflected: bool, _other: object) -> bool:
    """Autogenerate does not know that some indexes are for some databases only."""
    if kind == "index" and isinstance(item, sa.Index) and not is_reflected:
        return is_wanted(item, context.get_context().dialect.name)
    return True


def _migrate(connection: sa.Connection) -> None:
    options: dict[str, Any] = {"render_as_batch": True}  # SQLite changes a table by copying it
    context.configure(connection=connection, target_metadata=metadata, include_object=_is_compared, **options)
    with context.begin_transaction():
        context.run_migrations()


def _write_down(dialect: str) -> None:
    context.configure(dialect_name=dialect, target_metadata=metadata, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    _write_down(context.config.attributes["dialect"])
else:
    _migrate(context.config.attributes["connection"])
