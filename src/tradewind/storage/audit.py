"""Who changed what."""

import dataclasses
from typing import Any

import sqlalchemy as sa

from tradewind.model.audit import AuditEntry
from tradewind.storage.interface.access_stores import PENDING_ENTRY, PendingEntry
from tradewind.storage.schema import audit_log
from tradewind.storage.types import ID_LENGTH

_CHANGES = ("INSERT", "UPDATE", "DELETE")
_IDS = ("event", "owner", "dag_id", "task_id", "run_id")


class AuditLog:
    """Implements `interface.AuditStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, entry: AuditEntry) -> None:
        values = dataclasses.asdict(entry)
        # They come from outside: what nothing can be called must not keep the rest from being written.
        cut = {name: values[name] and values[name][:ID_LENGTH] for name in _IDS}
        self._connection.execute(sa.insert(audit_log).values({**values, **cut}))


class Watch:
    """Sees whether a transaction changes something, and then says who does, in the same transaction.

    Only once for each request or command, and only if it did change something: to ask for what there is already, or
    only to look, is no change.
    """

    def __init__(self, connection: sa.Connection, pending: PendingEntry) -> None:
        self._connection = connection
        self._pending = pending
        self._has_changed = False
        sa.event.listen(connection, "before_cursor_execute", self._look)

    def before_commit(self) -> None:
        """Write the entry."""
        if self._has_changed:
            AuditLog(self._connection).add(self._pending.entry)

    def after_commit(self) -> None:
        """Now it is certain. Before, the whole transaction might have had to be tried again."""
        self._pending.is_written = self._has_changed

    def _look(self, _connection: object, _cursor: object, statement: str, *_: Any) -> None:
        self._has_changed = self._has_changed or statement.lstrip().upper().startswith(_CHANGES)


def watch(connection: sa.Connection) -> Watch | None:
    """Nobody watches the engine itself: what it does is no change by a person."""
    pending = PENDING_ENTRY.get()
    return None if pending is None or pending.is_written else Watch(connection, pending)
