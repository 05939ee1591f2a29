"""What task instances without a worker wait for."""

from collections.abc import Collection, Sequence
from functools import cache

import sqlalchemy as sa

from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.storage.batch import batch_parameters, batch_table
from tradewind.storage.guarded import KEY_COLUMNS
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.storage.json_text import from_optional_text, to_optional_text
from tradewind.storage.schema import deferral
from tradewind.storage.types import AnyRow, AnySelect
from tradewind.storage.upsert import upsert

_KEY = tuple(deferral.c[name] for name, _ in KEY_COLUMNS)


@cache
def _of_tasks(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, KEY_COLUMNS)
    return sa.select(deferral).join(batch, sa.and_(*(column == batch.c[column.name] for column in _KEY)))


@cache
def _drop(dialect_name: str) -> sa.Delete:
    batch = batch_table(dialect_name, KEY_COLUMNS)
    if dialect_name == "mysql":
        # MariaDB would look through the whole table for a row value in a subquery.
        return sa.delete(deferral).where(*(column == batch.c[column.name] for column in _KEY))
    named = sa.select(*(batch.c[column.name] for column in _KEY))
    return sa.delete(deferral).where(sa.tuple_(*_KEY).in_(named))


class Deferrals:
    """Implements `interface.DeferralStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._dialect = connection.dialect.name

    def put(self, deferrals: Sequence[StoredDeferral]) -> None:
        rows = [
            {
                **each.attempt._asdict(),
                "next_method": each.next_method,
                "next_kwargs": to_optional_text(each.next_kwargs),
                "resumed_by": each.resumed_by,
                "times_out_at": each.times_out_at,
                "created_at": each.created_at,
            }
            for each in sorted(deferrals, key=lambda each: each.attempt)
        ]
        upsert(self._connection, deferral, rows)

    def of_tasks(self, tasks: Collection[TaskKey]) -> dict[TaskKey, StoredDeferral]:
        if not tasks:
            return {}
        parameters = batch_parameters(self._dialect, KEY_COLUMNS, list(tasks))
        found = map(_to_deferral, self._connection.execute(_of_tasks(self._dialect), parameters))
        return {each.attempt.task: each for each in found}

    def drop(self, tasks: Collection[TaskKey]) -> None:
        if tasks:
            parameters = batch_parameters(self._dialect, KEY_COLUMNS, sorted(tasks))
            self._connection.execute(_drop(self._dialect), parameters)


def _to_deferral(row: AnyRow) -> StoredDeferral:
    return StoredDeferral(
        attempt=AttemptKey(RunKey(row.run_key), row.task_id, row.map_index, row.attempt),
        next_method=row.next_method,
        created_at=row.created_at,
        next_kwargs=from_optional_text(row.next_kwargs),
        resumed_by=row.resumed_by,
        times_out_at=row.times_out_at,
    )
