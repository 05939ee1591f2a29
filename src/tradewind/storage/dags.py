"""DAGs and their versions."""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from tradewind.model.dag_file import FileName
from tradewind.model.ids import RunKey, VersionKey
from tradewind.model.timetable import DataInterval, RunInfo
from tradewind.storage.batch import Columns, Kind, Row, batch_parameters, batch_table
from tradewind.storage.changes import forget_changes
from tradewind.storage.insert_new import insert_new
from tradewind.storage.interface import DagRecord
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import (
    asset_delivery,
    asset_listener,
    dag,
    dag_change,
    dag_is_awaited,
    dag_run,
    dag_version,
)
from tradewind.storage.types import AnyRow, AnySelect, Instant

_COLUMNS = dag.c
# Not what only lists show: schedulers read these by the hundred, each time a run is due.
RECORD = sa.select(
    _COLUMNS.dag_id,
    _COLUMNS.is_paused,
    _COLUMNS.version_key,
    _COLUMNS.next_run_after,
    _COLUMNS.next_interval_start,
    _COLUMNS.next_interval_end,
    _COLUMNS.is_at_run_limit,
    _COLUMNS.error,
    _COLUMNS.is_stale,
    _COLUMNS.bundle_name,
    _COLUMNS.path,
)

_OF_DAGS = one_of(_COLUMNS.dag_id, "dag_ids")
_LOCK = RECORD.where(_OF_DAGS).order_by(_COLUMNS.dag_id).with_for_update(key_share=True)
_LOCK_FREE = RECORD.where(_OF_DAGS).order_by(_COLUMNS.dag_id).with_for_update(key_share=True, skip_locked=True)

_DUE = (
    RECORD.where(dag_is_awaited, _COLUMNS.next_run_after <= sa.bindparam("now", type_=Instant()))
    .order_by(_COLUMNS.next_run_after)
    .limit(sa.bindparam("limit"))
    .with_for_update(key_share=True, skip_locked=True)
)
_BY_ID = _COLUMNS.dag_id == sa.bindparam("of_dag")
_NEXT: Columns = (
    ("dag_id", Kind.TEXT),
    ("run_after", Kind.INSTANT),
    ("interval_start", Kind.INSTANT),
    ("interval_end", Kind.INSTANT),
)
_ASSIGN = (
    sa.update(dag)
    .where(_BY_ID)
    .values(is_stale=sa.false(), bundle_name=sa.bindparam("bundle"), path=sa.bindparam("file_path"))
)
# Without a parameter, even for the limit: only such a statement does PostgreSQL plan once for all.
_NEXT_DUE = (
    sa.select(_COLUMNS.next_run_after)
    .where(dag_is_awaited)
    .order_by(_COLUMNS.next_run_after)
    .limit(sa.literal_column("1"))
)


class Dags:
    """Implements `interface.DagStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def create(self, dag_id: str, *, is_paused: bool, now: datetime) -> None:
        self._connection.execute(sa.insert(dag), _new_row(dag_id, is_paused, now))

    def create_missing(self, dags: Mapping[str, bool], now: datetime) -> None:
        insert_new(self._connection, dag, [_new_row(dag_id, paused, now) for dag_id, paused in sorted(dags.items())])

    def find(self, dag_id: str) -> DagRecord | None:
        found = self._read(RECORD.where(_COLUMNS.dag_id == dag_id))
        return found[0] if found else None

    def all(self) -> list[DagRecord]:
        return self._read(RECORD.order_by(_COLUMNS.dag_id))

    def lock(self, dag_ids: Collection[str], *, skip_locked: bool = False) -> list[DagRecord]:
        statement = _LOCK_FREE if skip_locked else _LOCK
        return [to_record(row) for row in self._connection.execute(statement, {"dag_ids": list(dag_ids)})]

    def due(self, now: datetime, limit: int) -> list[DagRecord]:
        return [to_record(row) for row in self._connection.execute(_DUE, {"now": now, "limit": limit})]

    def next_due_at(self) -> datetime | None:
        found: datetime | None = self._connection.execute(_NEXT_DUE).scalar()
        return found

    def version_data(self, version_keys: Collection[VersionKey]) -> dict[VersionKey, tuple[str, str]]:
        columns = (dag_version.c.version_key, dag_version.c.dag_id, dag_version.c.data)
        statement = sa.select(*columns).where(dag_version.c.version_key.in_(version_keys))
        return {VersionKey(row[0]): (row[1], row[2]) for row in self._connection.execute(statement)}

    def set_next_run(self, dag_id: str, info: RunInfo | None) -> None:
        self.set_next_runs({dag_id: info})

    def set_next_runs(self, infos: Mapping[str, RunInfo | None]) -> None:
        if infos:
            dialect = self._connection.dialect.name
            rows = [_next_row(*item) for item in sorted(infos.items())]
            self._connection.execute(_set_next(dialect), batch_parameters(dialect, _NEXT, rows))

    def assign(self, files: Mapping[str, FileName | None]) -> None:
        rows = [
            {"of_dag": dag_id, "bundle": name and name.bundle, "file_path": name and name.path}
            for dag_id, name in sorted(files.items())
        ]
        if rows:
            self._connection.execute(_ASSIGN, rows)

    def set_stale(self, dag_ids: Collection[str]) -> None:
        statement = sa.update(dag).where(_OF_DAGS)
        nothing = dict.fromkeys(("next_run_after", "next_interval_start", "next_interval_end"))
        self._connection.execute(statement.values(is_stale=True, **nothing), {"dag_ids": list(dag_ids)})

    def set_paused(self, dag_id: str, is_paused: bool) -> None:
        self._update(dag_id, is_paused=is_paused)

    def set_at_run_limit(self, dag_ids: Collection[str], is_at_limit: bool) -> None:
        statement = sa.update(dag).where(_OF_DAGS, _COLUMNS.is_at_run_limit != is_at_limit)
        self._connection.execute(statement.values(is_at_run_limit=is_at_limit), {"dag_ids": list(dag_ids)})

    def reset_run_limits(self) -> None:
        self._connection.execute(sa.update(dag).where(_COLUMNS.is_at_run_limit).values(is_at_run_limit=False))

    def set_error(self, dag_id: str, error: str | None) -> None:
        self._update(dag_id, error=error)

    def delete(self, dag_id: str) -> bool:
        runs = self._connection.execute(sa.select(dag_run.c.run_key).where(dag_run.c.dag_id == dag_id)).scalars()
        run_keys = [RunKey(run_key) for run_key in runs]
        is_deleted = self._connection.execute(sa.delete(dag).where(_COLUMNS.dag_id == dag_id)).rowcount > 0
        forget_changes(self._connection, run_keys)
        for table in (asset_delivery, asset_listener, dag_change):
            self._connection.execute(sa.delete(table).where(table.c.dag_id == dag_id))
        return is_deleted

    def _update(self, dag_id: str, **values: Any) -> None:
        self._connection.execute(sa.update(dag).where(_COLUMNS.dag_id == dag_id).values(**values))

    def _read(self, statement: AnySelect) -> list[DagRecord]:
        return [to_record(row) for row in self._connection.execute(statement)]


def _new_row(dag_id: str, is_paused: bool, now: datetime) -> dict[str, Any]:
    return {
        "dag_id": dag_id,
        "is_paused": is_paused,
        "is_at_run_limit": False,
        "is_stale": False,
        "created_at": now,
        "updated_at": now,
        "display_name": dag_id,
    }


@cache
def _set_next(dialect_name: str) -> sa.Update:
    batch = batch_table(dialect_name, _NEXT)
    values = {f"next_{name}": batch.c[name] for name, _ in _NEXT[1:]}
    return sa.update(dag).where(_COLUMNS.dag_id == batch.c.dag_id).values(values)


def _next_row(dag_id: str, info: RunInfo | None) -> Row:
    if info is None:
        return (dag_id, None, None, None)
    interval = info.data_interval
    return (dag_id, info.run_after, *((interval.start, interval.end) if interval else (None, None)))


def to_record(row: AnyRow) -> DagRecord:
    has_interval = row.next_interval_start is not None and row.next_interval_end is not None
    interval = DataInterval(row.next_interval_start, row.next_interval_end) if has_interval else None
    return DagRecord(
        dag_id=row.dag_id,
        is_paused=row.is_paused,
        version_key=None if row.version_key is None else VersionKey(row.version_key),
        next_run=None if row.next_run_after is None else RunInfo(row.next_run_after, interval),
        is_at_run_limit=row.is_at_run_limit,
        error=row.error,
        is_stale=row.is_stale,
        file=None if row.bundle_name is None else FileName(row.bundle_name, row.path),
    )
