"""Create, change, list and delete connections."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, TypedDict

from tradewind.errors import ConnectionExists, InvalidRequest, UnknownConnection
from tradewind.model.masking import REPLACEMENT, MaskingRules
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import Cipher, opened_connection, opened_extra, sealed_connection, sealed_text
from tradewind.operations.shown_secrets import meant_extra
from tradewind.storage.interface import Transaction

# Airflow's: what may stand in a path, an environment variable or a log without doing harm there.
_ID: Final = re.compile(r"[\w#!()\-.:/\\]{1,250}")


class ConnectionChanges(TypedDict, total=False):
    """What is to change about a connection; what is missing stays as it is."""

    conn_type: str
    description: str | None
    host: str | None
    schema: str | None
    login: str | None
    password: str | None
    port: int | None
    extra: str | None


def add_connection(tx: Transaction, connection: ConnectionResult, *, cipher: Cipher, now: datetime) -> None:
    """Raises `ConnectionExists`, `InvalidRequest`."""
    if tx.connections.find(connection.conn_id) is not None:
        raise ConnectionExists(connection.conn_id)
    put_connections(tx, [connection], cipher=cipher, now=now)


def put_connections(
    tx: Transaction,
    connections: Sequence[ConnectionResult],
    *,
    cipher: Cipher,
    now: datetime,
    overwrites: bool = True,
) -> list[str]:
    """Create or replace many: all, or none where one is refused. Returns the ids that were written.

    Raises:
        InvalidRequest: an id cannot be one, or there is no type.
    """
    for connection in connections:
        check_connection(connection)
    existing = set() if overwrites else {record.fields.conn_id for record in tx.connections.all()}
    written = {each.conn_id: each for each in connections if each.conn_id not in existing}
    tx.connections.put([sealed_connection(each, cipher) for each in written.values()], now)
    return list(written)


def update_connection(
    tx: Transaction, conn_id: str, changes: ConnectionChanges, *, cipher: Cipher, rules: MaskingRules, now: datetime
) -> None:
    """Change one. What stood in place of a secret when it was shown leaves it as it is, as does no password at all:
    an empty one removes it.

    Raises `UnknownConnection`, `InvalidRequest`.
    """
    record = tx.connections.find(conn_id)
    if record is None:
        raise UnknownConnection(conn_id)
    stored, kept = record.fields, changes.copy()
    password, is_encrypted = stored.password, record.is_encrypted
    extra, is_extra_encrypted = stored.extra, record.is_extra_encrypted
    new_password = kept.pop("password", None)
    if new_password not in (None, REPLACEMENT):
        password, is_encrypted = sealed_text(new_password or None, cipher)
    if "extra" in kept:
        meant = meant_extra(kept.pop("extra"), lambda: opened_extra(record, cipher), rules)
        extra, is_extra_encrypted = sealed_text(meant, cipher)
    fields = replace(replace(stored, **kept), password=password, extra=extra)
    check_connection(fields)
    tx.connections.put(
        [replace(record, fields=fields, is_encrypted=is_encrypted, is_extra_encrypted=is_extra_encrypted)], now
    )


def find_connection(tx: Transaction, conn_id: str, cipher: Cipher) -> ConnectionResult | None:
    """The stored connection. Raises `UndecipherableSecret`."""
    record = tx.connections.find(conn_id)
    return None if record is None else opened_connection(record, cipher)


def list_connections(tx: Transaction, cipher: Cipher) -> list[ConnectionResult]:
    """All, by id. Raises `UndecipherableSecret`."""
    return [opened_connection(record, cipher) for record in tx.connections.all()]


def delete_connection(tx: Transaction, conn_id: str) -> None:
    """Raises `UnknownConnection`."""
    if not tx.connections.delete([conn_id]):
        raise UnknownConnection(conn_id)


def check_connection(connection: ConnectionResult) -> None:
    """Raises `InvalidRequest` for one that cannot be stored."""
    if not _ID.fullmatch(connection.conn_id):
        raise InvalidRequest(
            f"{connection.conn_id!r} is no id of a connection: it has 1 to 250 letters, digits and _#!()-.:/\\"
        )
    if not connection.conn_type:
        raise InvalidRequest(f"connection {connection.conn_id!r} needs a type")
