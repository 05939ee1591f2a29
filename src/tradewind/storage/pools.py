"""Pools."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from tradewind.model.pool import Pool
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import pool
from tradewind.storage.types import AnyRow

_NAMED = sa.select(pool).where(one_of(pool.c.name, "names")).order_by(pool.c.name)
_LOCK = _NAMED.with_for_update()
_LOCK_FREE = _NAMED.with_for_update(skip_locked=True)


def _to_pool(row: AnyRow) -> Pool:
    return Pool(row.name, row.slots, row.include_deferred, row.description, row.served_turn)


class Pools:
    """Implements `interface.pool_store.PoolStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def create(self, new: Pool) -> None:
        self._connection.execute(
            sa.insert(pool).values(
                name=new.name,
                slots=new.slots,
                include_deferred=new.include_deferred,
                description=new.description,
                served_turn=new.served_turn,
            )
        )

    def all(self) -> list[Pool]:
        return self._read(sa.select(pool).order_by(pool.c.name))

    def find(self, name: str) -> Pool | None:
        found = self._read(sa.select(pool).where(pool.c.name == name))
        return found[0] if found else None

    def lock(self, names: Collection[str], *, skip_locked: bool = False) -> list[Pool]:
        found = self._connection.execute(_LOCK_FREE if skip_locked else _LOCK, {"names": list(names)})
        return [_to_pool(row) for row in found]

    def served(self, name: str, turn: int) -> None:
        statement = sa.update(pool).where(pool.c.name == name, pool.c.served_turn < turn)
        self._connection.execute(statement.values(served_turn=turn))

    def update(self, changed: Pool) -> bool:
        statement = sa.update(pool).where(pool.c.name == changed.name)
        values = {"slots": changed.slots, "include_deferred": changed.include_deferred}
        return self._connection.execute(statement.values(**values, description=changed.description)).rowcount > 0

    def delete(self, name: str) -> bool:
        return self._connection.execute(sa.delete(pool).where(pool.c.name == name)).rowcount > 0

    def _read(self, statement: sa.Select[Any]) -> list[Pool]:
        return [_to_pool(row) for row in self._connection.execute(statement)]
