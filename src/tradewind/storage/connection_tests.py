"""Connections that are to be tried out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from tradewind.model.connection_test import ConnectionTest, ConnectionTestKey, ConnectionTestState
from tradewind.model.task_answers import ConnectionResult
from tradewind.storage.insert_new import insert_new
from tradewind.storage.interface.connection_test_store import NewConnectionTest
from tradewind.storage.interface.shared_stores import ConnectionRecord
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import connection_test_request as table
from tradewind.storage.types import AnyRow, Instant

_COLUMNS: Final = table.c
_FIELDS: Final = ("conn_type", "description", "host", "schema", "login", "password", "port", "extra")
_ALL: Final = sa.select(
    _COLUMNS.test_key,
    _COLUMNS.conn_id,
    _COLUMNS.state,
    _COLUMNS.executor,
    _COLUMNS.saves,
    _COLUMNS.message,
    _COLUMNS.created_at,
    _COLUMNS.updated_at,
).order_by(_COLUMNS.test_key)
_IS_UNFINISHED: Final = _COLUMNS.unfinished_conn_id.is_not(None)
_OF_TOKEN: Final = _ALL.where(_COLUMNS.token_hash == sa.bindparam("token_hash"))
_PENDING: Final = (
    sa.select(_COLUMNS.test_key).where(_IS_UNFINISHED, _COLUMNS.state == ConnectionTestState.PENDING).limit(1)
)
_UNFINISHED: Final = _ALL.where(_IS_UNFINISHED).with_for_update()
_STALE: Final = _ALL.where(_IS_UNFINISHED, _COLUMNS.updated_at < sa.bindparam("before", type_=Instant()))
_AMONG: Final = one_of(_COLUMNS.test_key, "keys")
_CONNECTIONS: Final = sa.select(
    _COLUMNS.test_key,
    _COLUMNS.conn_id,
    *(_COLUMNS[name] for name in _FIELDS),
    _COLUMNS.is_encrypted,
    _COLUMNS.is_extra_encrypted,
).where(_AMONG)
_IN_STATE: Final = _ALL.where(_AMONG, _COLUMNS.state == sa.bindparam("before")).with_for_update()
_MOVE: Final = (
    sa.update(table)
    .where(_AMONG, _COLUMNS.state == sa.bindparam("before"))
    .values(state=sa.bindparam("after"), updated_at=sa.bindparam("now", type_=Instant()))
)
_END: Final = (
    sa.update(table)
    .where(_COLUMNS.test_key == sa.bindparam("key"), _COLUMNS.state == sa.bindparam("before"))
    .values(
        state=sa.bindparam("after"),
        message=sa.bindparam("said"),
        updated_at=sa.bindparam("now", type_=Instant()),
        unfinished_conn_id=None,
        password=None,
        extra=None,
    )
)
_RESEAL: Final = (
    sa.update(table)
    .where(_COLUMNS.test_key == sa.bindparam("key"), _IS_UNFINISHED)
    .values(
        {
            name: sa.bindparam(f"new_{name}", type_=_COLUMNS[name].type)
            for name in ("password", "extra", "is_encrypted", "is_extra_encrypted")
        }
    )
)


def _to_test(row: AnyRow) -> ConnectionTest:
    return ConnectionTest(
        key=ConnectionTestKey(row.test_key),
        conn_id=row.conn_id,
        state=ConnectionTestState(row.state),
        executor=row.executor,
        saves=row.saves,
        message=row.message,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


class ConnectionTests:
    """Implements `interface.ConnectionTestStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, new: NewConnectionTest, now: datetime) -> ConnectionTest | None:
        row = {
            **asdict(new.connection.fields),
            "is_encrypted": new.connection.is_encrypted,
            "is_extra_encrypted": new.connection.is_extra_encrypted,
            "unfinished_conn_id": new.connection.fields.conn_id,
            "token_hash": new.token_hash,
            "state": ConnectionTestState.PENDING,
            "executor": new.executor,
            "queue": new.queue,
            "saves": new.saves,
            "created_at": now,
            "updated_at": now,
        }
        insert_new(self._connection, table, [row])
        return self.find(new.token_hash)

    def find(self, token_hash: str) -> ConnectionTest | None:
        row = self._connection.execute(_OF_TOKEN, {"token_hash": token_hash}).first()
        return None if row is None else _to_test(row)

    def has_pending(self) -> bool:
        return self._connection.execute(_PENDING).first() is not None

    def lock_unfinished(self) -> list[ConnectionTest]:
        return [_to_test(row) for row in self._connection.execute(_UNFINISHED)]

    def stale(self, before: datetime) -> list[ConnectionTest]:
        return [_to_test(row) for row in self._connection.execute(_STALE, {"before": before})]

    def connections(self, keys: Collection[ConnectionTestKey]) -> Mapping[ConnectionTestKey, ConnectionRecord]:
        rows = self._connection.execute(_CONNECTIONS, {"keys": list(keys)})
        return {ConnectionTestKey(row.test_key): _to_record(row) for row in rows}

    def move(
        self,
        keys: Collection[ConnectionTestKey],
        before: ConnectionTestState,
        after: ConnectionTestState,
        now: datetime,
    ) -> list[ConnectionTest]:
        among = {"keys": list(keys), "before": before}
        there = [row.test_key for row in self._connection.execute(_IN_STATE, among)]
        if not there:
            return []
        self._connection.execute(_MOVE, {**among, "keys": there, "after": after, "now": now})
        return [_to_test(row) for row in self._connection.execute(_ALL.where(_AMONG), {"keys": there})]

    def end(self, test: ConnectionTest, after: ConnectionTestState, message: str, now: datetime) -> bool:
        values = {"key": test.key, "before": test.state, "after": after, "said": message, "now": now}
        return self._connection.execute(_END, values).rowcount > 0

    def reseal(self, records: Sequence[tuple[ConnectionTestKey, ConnectionRecord]]) -> None:
        rows = [
            {
                "key": key,
                "new_password": record.fields.password,
                "new_extra": record.fields.extra,
                "new_is_encrypted": record.is_encrypted,
                "new_is_extra_encrypted": record.is_extra_encrypted,
            }
            for key, record in records
        ]
        if rows:
            self._connection.execute(_RESEAL, rows)


def _to_record(row: AnyRow) -> ConnectionRecord:
    fields = dict(zip(("conn_id", *_FIELDS), row[1:], strict=False))
    return ConnectionRecord(ConnectionResult(**fields), row.is_encrypted, row.is_extra_encrypted)
