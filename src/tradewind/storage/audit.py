"""Who changed what."""

import dataclasses
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from tradewind.model.audit import AuditEntry
from tradewind.storage.interface.access_stores import PENDING_ENTRY, PendingEntry
from tradewind.storage.schema import audit_log
from tradewind.storage.types import ID_LENGTH

_CHANGE = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|DROP)\b|\s*WITH\b.*?\(\s*(?:INSERT|UPDATE|DELETE)\b", re.IGNORECASE | re.DOTALL
)
"""A statement that changes something, itself or by one of those that it is made of."""
_FIELDS = tuple(field.name for field in dataclasses.fields(AuditEntry))
_INSERT = sa.insert(audit_log)
_IDS = ("event", "owner", "dag_id", "task_id", "run_id")


class AuditLog:
    """Implements `interface.AuditStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, entry: AuditEntry) -> None:
        self._connection.execute(_INSERT, entry_values(entry))


def entry_values(entry: AuditEntry) -> dict[str, Any]:
    """By column."""
    values = {name: getattr(entry, name) for name in _FIELDS}
    # They come from outside: what nothing can be called must not keep the rest from being written.
    cut = {name: values[name] and values[name][:ID_LENGTH] for name in _IDS}
    return {**values, **cut}


def entry_parameter(name: str) -> str:
    """Of a statement with `entry_insertion`, the parameter for this column."""
    return f"e_{name}"


def entry_insertion(columns: Sequence[str], source: sa.FromClause) -> sa.Insert:
    """An entry of which this much is known, for each row of the source: a part of the statement that makes those."""
    values = (sa.bindparam(entry_parameter(name), type_=audit_log.c[name].type) for name in columns)
    return sa.insert(audit_log).from_select(columns, sa.select(*values).select_from(source))


class Watch:
    """Sees whether a transaction changes something, and then says who does, in the same transaction.

    Only once for each request or command, and only if it did change something: to ask for what there is already, or
    only to look, is no change.
    """

    def __init__(self, connection: sa.Connection, pending: PendingEntry) -> None:
        self._connection = connection
        self._pending = pending
        self._has_changed = False
        self._is_written = False
        sa.event.listen(connection, "before_cursor_execute", self._look)

    @property
    def unwritten(self) -> AuditEntry | None:
        """The entry, for a statement that writes it together with what it changes."""
        return None if self._is_written else self._pending.entry

    def wrote(self) -> None:
        """The statement has done so."""
        self._is_written = True

    def before_commit(self) -> None:
        """Write the entry."""
        if self._has_changed and not self._is_written:
            AuditLog(self._connection).add(self._pending.entry)

    def after_commit(self) -> None:
        """Now it is certain. Before, the whole transaction might have had to be tried again."""
        self._pending.is_written = self._has_changed

    def _look(self, _connection: object, _cursor: object, statement: str, *_: Any) -> None:
        self._has_changed = self._has_changed or _is_change(statement)


@lru_cache(maxsize=500)
def _is_change(statement: str) -> bool:
    return _CHANGE.match(statement) is not None


def watch(connection: sa.Connection) -> Watch | None:
    """Nobody watches the engine itself: what it does is no change by a person."""
    pending = PENDING_ENTRY.get()
    return None if pending is None or pending.is_written else Watch(connection, pending)
