"""Deadlines of runs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from tradewind.model.dag_file import FileName
from tradewind.model.deadline import Deadline, DeadlineKey, DeadlineState, NewDeadline
from tradewind.model.ids import JobKey, RunKey, VersionKey
from tradewind.model.states import RunState
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_run, dag_version, deadline, deadline_is_ahead, deadline_is_for_author
from tradewind.storage.types import AnyRow, Instant

_COLUMNS: Final = deadline.c
_NOW: Final = sa.bindparam("now", type_=Instant())
_UNTIL: Final = sa.bindparam("until", type_=Instant())
_AMONG: Final = one_of(_COLUMNS.deadline_key, "keys")
_OF_RUN: Final = sa.select(deadline).where(_COLUMNS.run_key == sa.bindparam("run_key")).order_by(_COLUMNS.number)
_FILE: Final = sa.select(dag_version.c.bundle_name, dag_version.c.path).where(
    dag_version.c.version_key == sa.bindparam("version_key")
)
_ENDED: Final = (
    sa.select(dag_run.c.started_at, dag_run.c.finished_at)
    .where(
        dag_run.c.dag_id == sa.bindparam("of_dag"),
        dag_run.c.state == RunState.SUCCESS,
        dag_run.c.started_at.is_not(None),
        dag_run.c.finished_at.is_not(None),
    )
    .order_by(dag_run.c.ordering_at.desc())
    .limit(sa.bindparam("most"))
)
_NEXT_DUE: Final = sa.select(_COLUMNS.due_at).where(deadline_is_ahead).order_by(_COLUMNS.due_at).limit(1)
_DUE: Final = (
    sa.select(deadline)
    .where(deadline_is_ahead, _COLUMNS.due_at <= _NOW)
    .order_by(_COLUMNS.due_at)
    .limit(sa.bindparam("limit"))
    .with_for_update(skip_locked=True)
)
_MISS: Final = (
    sa.update(deadline).where(_AMONG, deadline_is_ahead).values(state=DeadlineState.PENDING.value, missed_at=_NOW)
)
_AHEAD_OF_RUN: Final = _OF_RUN.where(deadline_is_ahead).with_for_update()
_MOVE: Final = (
    sa.update(deadline)
    .where(_COLUMNS.deadline_key == sa.bindparam("key"), deadline_is_ahead)
    .values(due_at=sa.bindparam("due", type_=Instant()))
)
_FREE: Final = (
    sa.select(deadline)
    .where(
        deadline_is_for_author,
        _COLUMNS.state == DeadlineState.ASKED.value,
        one_of(_COLUMNS.bundle_name, "bundles"),
        sa.or_(_COLUMNS.claimed_until.is_(None), _COLUMNS.claimed_until <= _NOW),
    )
    .order_by(_COLUMNS.deadline_key)
    .limit(sa.bindparam("limit"))
    .with_for_update(skip_locked=True)
)
_CLAIM: Final = (
    sa.update(deadline)
    .where(_AMONG)
    .values(claimed_by=sa.bindparam("job"), claimed_until=_UNTIL, attempts=_COLUMNS.attempts + 1)
)
_RENEW: Final = (
    sa.update(deadline).where(_AMONG, _COLUMNS.claimed_by == sa.bindparam("job")).values(claimed_until=_UNTIL)
)
_IS: Final = sa.and_(
    _COLUMNS.deadline_key == sa.bindparam("key"),
    _COLUMNS.state == sa.bindparam("before"),
    _COLUMNS.claimed_by == sa.bindparam("job"),
)
_WITHDRAW: Final = sa.delete(deadline).where(_IS)
_FREED: Final = {"claimed_by": None, "claimed_until": None, "attempts": 0}
_RESOLVE: Final = (
    sa.update(deadline)
    .where(_IS)
    .values(state=DeadlineState.AHEAD.value, due_at=sa.bindparam("due", type_=Instant()), **_FREED)
)
_END: Final = sa.update(deadline).where(_IS).values(state=sa.bindparam("after"), message=sa.bindparam("said"), **_FREED)


class Deadlines:
    """Implements `interface.DeadlineStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, new: Sequence[NewDeadline], version_key: VersionKey, now: datetime) -> None:
        file = self._connection.execute(_FILE, {"version_key": version_key}).first()
        rows = [
            {
                "run_key": each.run_key,
                "dag_id": each.dag_id,
                "number": each.rule.number,
                "name": each.rule.name,
                "due_at": each.due_at,
                "state": (DeadlineState.ASKED if each.due_at is None else DeadlineState.AHEAD).value,
                "bundle_name": None if file is None else file.bundle_name,
                "path": None if file is None else file.path,
                "attempts": 0,
                "is_async": each.rule.is_async,
                "created_at": now,
            }
            for each in new
        ]
        self._connection.execute(sa.insert(deadline), rows)

    def of_run(self, run_key: RunKey) -> list[Deadline]:
        return [to_deadline(row) for row in self._connection.execute(_OF_RUN, {"run_key": run_key})]

    def recent_durations(self, dag_id: str, most: int) -> list[float]:
        rows = self._connection.execute(_ENDED, {"of_dag": dag_id, "most": most})
        return [(row.finished_at - row.started_at).total_seconds() for row in rows]

    def next_due_at(self) -> datetime | None:
        found: datetime | None = self._connection.execute(_NEXT_DUE).scalar()
        return found

    def due(self, now: datetime, limit: int) -> list[Deadline]:
        return [to_deadline(row) for row in self._connection.execute(_DUE, {"now": now, "limit": limit})]

    def lock_ahead(self, run_key: RunKey) -> list[Deadline]:
        return [to_deadline(row) for row in self._connection.execute(_AHEAD_OF_RUN, {"run_key": run_key})]

    def move(self, key: DeadlineKey, due_at: datetime) -> None:
        self._connection.execute(_MOVE, {"key": key, "due": due_at})

    def miss(self, keys: Collection[DeadlineKey], now: datetime) -> None:
        self._connection.execute(_MISS, {"keys": list(keys), "now": now})

    def delete(self, keys: Collection[DeadlineKey]) -> None:
        self._connection.execute(sa.delete(deadline).where(_AMONG), {"keys": list(keys)})

    def claim(
        self, bundles: Collection[str], limit: int, job: JobKey, *, now: datetime, until: datetime
    ) -> list[tuple[Deadline, FileName]]:
        found = self._connection.execute(_FREE, {"bundles": list(bundles), "now": now, "limit": limit}).all()
        if found:
            keys = [row.deadline_key for row in found]
            self._connection.execute(_CLAIM, {"keys": keys, "job": job, "until": until})
        return [(to_deadline(row), FileName(row.bundle_name, row.path)) for row in found]

    def renew(self, keys: Collection[DeadlineKey], job: JobKey, until: datetime) -> None:
        self._connection.execute(_RENEW, {"keys": list(keys), "job": job, "until": until})

    def resolve(self, key: DeadlineKey, due_at: datetime, job: JobKey) -> None:
        values = {"key": key, "before": DeadlineState.ASKED.value, "job": job, "due": due_at}
        self._connection.execute(_RESOLVE, values)

    def withdraw(self, key: DeadlineKey, job: JobKey) -> None:
        self._connection.execute(_WITHDRAW, {"key": key, "before": DeadlineState.ASKED.value, "job": job})

    def end(
        self, key: DeadlineKey, before: DeadlineState, after: DeadlineState, message: str | None, job: JobKey
    ) -> bool:
        values = {"key": key, "before": before.value, "job": job, "after": after.value, "said": message}
        return self._connection.execute(_END, values).rowcount > 0


def to_deadline(row: AnyRow) -> Deadline:
    """What a row says."""
    return Deadline(
        key=DeadlineKey(row.deadline_key),
        run_key=RunKey(row.run_key),
        dag_id=row.dag_id,
        number=row.number,
        name=row.name,
        due_at=row.due_at,
        state=DeadlineState(row.state),
        created_at=row.created_at,
        missed_at=row.missed_at,
        message=row.message,
        attempts=row.attempts,
        is_async=bool(row.is_async),
        output=row.output,
        file=None if row.bundle_name is None else FileName(row.bundle_name, row.path),
    )
