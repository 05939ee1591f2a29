"""Connections."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.task_answers import ConnectionResult
from tradewind.storage.interface.shared_stores import ConnectionRecord
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import connection as table
from tradewind.storage.types import AnyRow
from tradewind.storage.upsert import upsert

_COLUMNS = table.c
_FIELDS = ("conn_id", "conn_type", "description", "host", "schema", "login", "password", "port", "extra")
_ALL = sa.select(*(_COLUMNS[name] for name in _FIELDS), _COLUMNS.is_encrypted, _COLUMNS.is_extra_encrypted).order_by(
    _COLUMNS.conn_id
)
_ONE = _ALL.where(_COLUMNS.conn_id == sa.bindparam("conn_id"))
_EXISTING = sa.select(_COLUMNS.conn_id).where(one_of(_COLUMNS.conn_id, "conn_ids"))
_DELETE = sa.delete(table).where(one_of(_COLUMNS.conn_id, "conn_ids"))


def _to_record(row: AnyRow) -> ConnectionRecord:
    fields = dict(zip(_FIELDS, row, strict=False))
    return ConnectionRecord(ConnectionResult(**fields), row.is_encrypted, row.is_extra_encrypted)


class Connections:
    """Implements `interface.ConnectionStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def put(self, records: Sequence[ConnectionRecord], now: datetime) -> None:
        rows = [
            {
                **asdict(record.fields),
                "is_encrypted": record.is_encrypted,
                "is_extra_encrypted": record.is_extra_encrypted,
                "updated_at": now,
            }
            for record in sorted(records, key=lambda record: record.fields.conn_id)
        ]
        upsert(self._connection, table, rows)

    def find(self, conn_id: str) -> ConnectionRecord | None:
        row = self._connection.execute(_ONE, {"conn_id": conn_id}).first()
        return None if row is None else _to_record(row)

    def existing(self, conn_ids: Collection[str]) -> set[str]:
        return set(self._connection.execute(_EXISTING, {"conn_ids": list(conn_ids)}).scalars())

    def all(self) -> list[ConnectionRecord]:
        return [_to_record(row) for row in self._connection.execute(_ALL)]

    def delete(self, conn_ids: Collection[str]) -> int:
        return self._connection.execute(_DELETE, {"conn_ids": list(conn_ids)}).rowcount
