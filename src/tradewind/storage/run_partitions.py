"""The partitions that runs are about."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.ids import RunKey
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_run

_COLUMNS = dag_run.c
_HAS_PARTITION = sa.or_(_COLUMNS.partition_key.is_not(None), _COLUMNS.partition_date.is_not(None))


class RunPartitions:
    """Implements `interface.schedule_stores.RunPartitionStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def choose(
        self, dag_id: str, *, key: str | None = None, start: datetime | None = None, end: datetime | None = None
    ) -> list[str]:
        wanted = sa.select(_COLUMNS.run_id).where(_COLUMNS.dag_id == dag_id, _HAS_PARTITION)
        if key is not None:
            wanted = wanted.where(_COLUMNS.partition_key == key)
        if start is not None:
            wanted = wanted.where(_COLUMNS.partition_date >= start)
        if end is not None:
            wanted = wanted.where(_COLUMNS.partition_date <= end)
        return list(self._connection.execute(wanted.order_by(_COLUMNS.run_key)).scalars())

    def forget(self, run_keys: Collection[RunKey], now: datetime) -> int:
        statement = (
            sa.update(dag_run)
            .where(one_of(_COLUMNS.run_key, "run_keys"), _HAS_PARTITION)
            .values(partition_key=None, partition_date=None, updated_at=now)
        )
        return self._connection.execute(statement, {"run_keys": list(run_keys)}).rowcount
