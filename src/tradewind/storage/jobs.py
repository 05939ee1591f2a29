"""Jobs: the lives of service processes, and their leases."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.ids import JobKey
from tradewind.storage.interface.job_store import Heartbeats, JobRecord
from tradewind.storage.schema import job
from tradewind.storage.types import AnyRow, Instant

_COLUMNS = job.c

_HEARTBEAT = (
    sa.update(job)
    .where(_COLUMNS.job_key == sa.bindparam("key"), _COLUMNS.stopped_at.is_(None))
    .values(heartbeat_at=sa.bindparam("now", type_=Instant()))
)
_DECLARE_DEAD = (
    sa.update(job)
    .where(
        _COLUMNS.job_key == sa.bindparam("key"),
        _COLUMNS.stopped_at.is_(None),
        _COLUMNS.heartbeat_at == sa.bindparam("heard_at", type_=Instant()),
    )
    .values(stopped_at=sa.bindparam("now", type_=Instant()), is_dead=True)
)
_ALL_LIVE = sa.select(job).where(_COLUMNS.stopped_at.is_(None))
_LIVE = _ALL_LIVE.where(_COLUMNS.kind == sa.bindparam("of_kind"))

# A row for each life of a service: so few that no index would help.
_HEARTBEATS = sa.select(
    _COLUMNS.kind,
    sa.func.max(_COLUMNS.heartbeat_at).label("at"),
    sa.func.max(sa.case((_COLUMNS.stopped_at.is_(None), _COLUMNS.heartbeat_at))).label("of_running_at"),
).group_by(_COLUMNS.kind)


class Jobs:
    """Implements `interface.JobStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def start(self, kind: str, *, hostname: str, pid: int, now: datetime) -> JobKey:
        statement = sa.insert(job).values(
            kind=kind, hostname=hostname, pid=pid, started_at=now, heartbeat_at=now, is_dead=False
        )
        result = self._connection.execute(statement)
        assert result.inserted_primary_key is not None
        return JobKey(int(result.inserted_primary_key[0]))

    def heartbeat(self, job_key: JobKey, now: datetime) -> bool:
        return self._connection.execute(_HEARTBEAT, {"key": job_key, "now": now}).rowcount > 0

    def stop(self, job_key: JobKey, now: datetime) -> None:
        statement = sa.update(job).where(_COLUMNS.job_key == job_key, _COLUMNS.stopped_at.is_(None))
        self._connection.execute(statement.values(stopped_at=now))

    def live(self, kind: str) -> list[JobRecord]:
        return [_record(row) for row in self._connection.execute(_LIVE, {"of_kind": kind})]

    def all_live(self) -> list[JobRecord]:
        return [_record(row) for row in self._connection.execute(_ALL_LIVE)]

    def heartbeats(self) -> dict[str, Heartbeats]:
        return {row.kind: Heartbeats(row.at, row.of_running_at) for row in self._connection.execute(_HEARTBEATS)}

    def declare_dead(self, silent: Collection[JobRecord], now: datetime) -> set[JobKey]:
        declared = set()
        for each in sorted(silent, key=lambda record: record.job_key):
            parameters = {"key": each.job_key, "heard_at": each.heartbeat_at, "now": now}
            if self._connection.execute(_DECLARE_DEAD, parameters).rowcount:
                declared.add(each.job_key)
        return declared


def _record(row: AnyRow) -> JobRecord:
    return JobRecord(JobKey(row.job_key), row.kind, row.hostname, row.pid, row.started_at, row.heartbeat_at)
