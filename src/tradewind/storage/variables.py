"""Variables."""

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa

from tradewind.storage.interface.shared_stores import VariableRecord
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import variable
from tradewind.storage.types import AnyRow
from tradewind.storage.upsert import upsert

_COLUMNS = variable.c
_ALL = sa.select(_COLUMNS.key, _COLUMNS.value, _COLUMNS.is_encrypted, _COLUMNS.description).order_by(_COLUMNS.key)
_ONE = _ALL.where(_COLUMNS.key == sa.bindparam("key"))
_KEYS = (
    sa.select(_COLUMNS.key)
    .where(sa.func.substr(_COLUMNS.key, 1, sa.bindparam("length", type_=sa.Integer())) == sa.bindparam("prefix"))
    .order_by(_COLUMNS.key)
)
_EXISTING = sa.select(_COLUMNS.key).where(one_of(_COLUMNS.key, "keys"))
_DELETE = sa.delete(variable).where(one_of(_COLUMNS.key, "keys"))


def _to_record(row: AnyRow) -> VariableRecord:
    return VariableRecord(row.key, row.value, row.is_encrypted, row.description)


class Variables:
    """Implements `interface.VariableStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def put(self, records: Sequence[VariableRecord], now: datetime) -> None:
        rows = [
            {
                "key": record.key,
                "value": record.value,
                "is_encrypted": record.is_encrypted,
                "description": record.description,
                "updated_at": now,
            }
            for record in sorted(records, key=lambda record: record.key)
        ]
        upsert(self._connection, variable, rows)

    def find(self, key: str) -> VariableRecord | None:
        row = self._connection.execute(_ONE, {"key": key}).first()
        return None if row is None else _to_record(row)

    def existing(self, keys: Collection[str]) -> set[str]:
        return set(self._connection.execute(_EXISTING, {"keys": list(keys)}).scalars())

    def all(self) -> list[VariableRecord]:
        return [_to_record(row) for row in self._connection.execute(_ALL)]

    def keys(self, prefix: str = "") -> list[str]:
        # Not LIKE: its wildcards may stand in a key, and SQLite's does not tell upper from lower case.
        found = self._connection.execute(_KEYS, {"prefix": prefix, "length": len(prefix)})
        return sorted(found.scalars())

    def delete(self, keys: Collection[str]) -> int:
        return self._connection.execute(_DELETE, {"keys": list(keys)}).rowcount
