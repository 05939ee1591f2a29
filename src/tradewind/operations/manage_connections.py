"""Create, change, list and delete connections."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from tradewind.errors import ConnectionExists, InvalidRequest, UnknownConnection
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import Cipher, opened_connection, sealed_connection
from tradewind.storage.interface import Transaction

# Airflow's: what may stand in a path, an environment variable or a log without doing harm there.
_ID: Final = re.compile(r"[\w#!()\-.:/\\]{1,250}")


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
        _check(connection)
    existing = set() if overwrites else {record.fields.conn_id for record in tx.connections.all()}
    written = {each.conn_id: each for each in connections if each.conn_id not in existing}
    tx.connections.put([sealed_connection(each, cipher) for each in written.values()], now)
    return list(written)


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


def _check(connection: ConnectionResult) -> None:
    if not _ID.fullmatch(connection.conn_id):
        raise InvalidRequest(
            f"{connection.conn_id!r} is no id of a connection: it has 1 to 250 letters, digits and _#!()-.:/\\"
        )
    if not connection.conn_type:
        raise InvalidRequest(f"connection {connection.conn_id!r} needs a type")
