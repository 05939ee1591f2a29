"""Backfills, and what is special about their runs."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from tradewind.model.backfill import Backfill, BackfillPlan, BackfillRuns, ReprocessBehavior
from tradewind.model.ids import BackfillKey, RunKey, VersionKey
from tradewind.model.run import RunHead
from tradewind.model.states import FINISHED_RUN_STATES, RunState, RunType, TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.storage.interface.backfill_store import ExistingRun, OpenBackfill
from tradewind.storage.listings.duration import SecondsBetween
from tradewind.storage.rows import HEAD_COLUMNS, encode_json, to_head
from tradewind.storage.schema import backfill, backfill_is_open, dag_run, run_is_queued, run_is_running
from tradewind.storage.types import AnyRow, Instant

_COLUMNS: Final = backfill.c
_RUN: Final = dag_run.c
_IS_IT: Final = _COLUMNS.backfill_key == sa.bindparam("key")
_OF_IT: Final = _RUN.backfill_key == sa.bindparam("key")
_NOW: Final = sa.bindparam("now", type_=Instant())
_FIND: Final = sa.select(backfill).where(_IS_IT)
_OPEN: Final = sa.select(_COLUMNS.backfill_key, _COLUMNS.dag_id).where(backfill_is_open).order_by(_COLUMNS.backfill_key)
_OPEN_OF_DAG: Final = (
    sa.select(_COLUMNS.backfill_key)
    .where(_COLUMNS.dag_id == sa.bindparam("dag_id"), backfill_is_open)
    .order_by(_COLUMNS.backfill_key.desc())
    .limit(1)
)
_COUNT: Final = sa.select(sa.func.count()).select_from(dag_run).where(_OF_IT)
_COUNT_RUNNING: Final = _COUNT.where(run_is_running)
_COUNT_QUEUED: Final = _COUNT.where(run_is_queued)
_COUNT_STATES: Final = sa.select(_RUN.state, sa.func.count()).where(_OF_IT).group_by(_RUN.state)
_MEAN_DURATION: Final = sa.select(sa.func.avg(SecondsBetween(_RUN.started_at, _RUN.finished_at))).where(
    _OF_IT, _RUN.state.in_(sorted(FINISHED_RUN_STATES))
)
_QUEUED: Final = sa.select(_RUN.run_key).where(_OF_IT, run_is_queued).order_by(_RUN.run_key)
_STARTABLE: Final = (
    sa.select(*HEAD_COLUMNS)
    .where(_OF_IT, run_is_queued, _RUN.run_after <= _NOW)
    .limit(sa.bindparam("limit"))
    .with_for_update(key_share=True)
)
_IN_ORDER: Final = {
    False: _STARTABLE.order_by(_RUN.ordering_at, _RUN.run_key),
    True: _STARTABLE.order_by(_RUN.ordering_at.desc(), _RUN.run_key.desc()),
}


class Backfills:
    """Implements `interface.BackfillStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def create(self, plan: BackfillPlan, now: datetime) -> BackfillKey:
        row = {
            "dag_id": plan.dag_id,
            "version_key": plan.version_key,
            "from_date": plan.from_date,
            "to_date": plan.to_date,
            "until": plan.until,
            "is_backward": plan.is_backward,
            "reprocess": plan.reprocess.value,
            "max_active_runs": plan.max_active_runs,
            "conf": encode_json(plan.conf),
            "uses_latest_version": plan.uses_latest_version,
            "total": plan.total,
            "marks": _encode_marks(plan),
            "triggering_user_name": plan.triggering_user_name,
            "is_paused": False,
            "looked_at": 0,
            "passed_over": 0,
            "created_at": now,
            "updated_at": now,
        }
        result = self._connection.execute(sa.insert(backfill), row)
        assert result.inserted_primary_key is not None
        return BackfillKey(int(result.inserted_primary_key[0]))

    def find(self, key: BackfillKey) -> Backfill | None:
        row = self._connection.execute(_FIND, {"key": key}).first()
        return None if row is None else _to_backfill(row)

    def read(self, keys: Collection[BackfillKey]) -> list[Backfill]:
        statement = sa.select(backfill).where(_COLUMNS.backfill_key.in_(keys)).order_by(_COLUMNS.backfill_key)
        return [_to_backfill(row) for row in self._connection.execute(statement)]

    def open(self) -> list[OpenBackfill]:
        return [OpenBackfill(BackfillKey(row[0]), row[1]) for row in self._connection.execute(_OPEN)]

    def open_of_dag(self, dag_id: str) -> BackfillKey | None:
        found = self._connection.execute(_OPEN_OF_DAG, {"dag_id": dag_id}).scalar()
        return None if found is None else BackfillKey(found)

    def advance(self, key: BackfillKey, *, since: int, looked_at: int, passed_over: int, now: datetime) -> bool:
        return self._update(
            key,
            _COLUMNS.looked_at == since,
            looked_at=_COLUMNS.looked_at + looked_at,
            passed_over=_COLUMNS.passed_over + passed_over,
            updated_at=now,
        )

    def set_paused(self, key: BackfillKey, is_paused: bool, now: datetime) -> bool:
        return self._update(key, is_paused=is_paused, updated_at=now)

    def complete(self, key: BackfillKey, now: datetime) -> bool:
        return self._update(key, completed_at=now, updated_at=now)

    def existing_runs(self, dag_id: str, logical_dates: Collection[datetime]) -> dict[datetime, ExistingRun]:
        statement = sa.select(_RUN.logical_date, _RUN.run_key, _RUN.run_id, _RUN.state).where(
            _RUN.dag_id == dag_id, _RUN.logical_date.in_(logical_dates)
        )
        return self._existing(statement)

    def existing_partitions(self, dag_id: str, partition_dates: Collection[datetime]) -> dict[datetime, ExistingRun]:
        # By the date and not by the key, whose format may have changed; the index has the runs with keys.
        statement = sa.select(_RUN.partition_date, _RUN.run_key, _RUN.run_id, _RUN.state).where(
            _RUN.dag_id == dag_id, _RUN.partition_key.is_not(None), _RUN.partition_date.in_(partition_dates)
        )
        return self._existing(statement.order_by(_RUN.run_key))

    def _existing(self, statement: sa.Select[Any]) -> dict[datetime, ExistingRun]:
        """By date; of several, the last."""
        found = self._connection.execute(statement)
        return {row[0]: ExistingRun(RunKey(row[1]), row[2], RunState(row[3])) for row in found}

    def take_over(self, run_key: RunKey, backfill: Backfill, now: datetime) -> bool:
        values: dict[str, object] = {
            "backfill_key": backfill.key,
            "run_type": RunType.BACKFILL.value,
            "triggered_by": TriggeredBy.BACKFILL.value,
            "updated_at": now,
        }
        if backfill.plan.conf is not None:
            values["conf"] = encode_json(backfill.plan.conf)
        statement = sa.update(dag_run).where(_RUN.run_key == run_key, run_is_queued).values(values)
        return self._connection.execute(statement).rowcount > 0

    def count_runs(self, key: BackfillKey) -> BackfillRuns:
        counts = {row[0]: row[1] for row in self._connection.execute(_COUNT_STATES, {"key": key})}
        mean = self._connection.execute(_MEAN_DURATION, {"key": key}).scalar()
        return BackfillRuns(
            counts.get(RunState.QUEUED.value, 0),
            counts.get(RunState.RUNNING.value, 0),
            counts.get(RunState.SUCCESS.value, 0),
            counts.get(RunState.FAILED.value, 0),
            None if mean is None else float(mean),
        )

    def count_active(self, key: BackfillKey) -> tuple[int, int]:
        running, queued = (
            int(self._connection.execute(statement, {"key": key}).scalar_one())
            for statement in (_COUNT_RUNNING, _COUNT_QUEUED)
        )
        return running, queued

    def queued_runs(self, key: BackfillKey) -> list[RunKey]:
        return [RunKey(row[0]) for row in self._connection.execute(_QUEUED, {"key": key})]

    def startable(self, backfill: Backfill, now: datetime, limit: int) -> list[RunHead]:
        names = {"key": backfill.key, "now": now, "limit": limit}
        return [to_head(row) for row in self._connection.execute(_IN_ORDER[backfill.plan.is_backward], names)]

    def _update(self, key: BackfillKey, *guards: sa.ColumnElement[bool], **values: Any) -> bool:
        """Of one that is not complete."""
        statement = sa.update(backfill).where(_COLUMNS.backfill_key == key, backfill_is_open, *guards).values(**values)
        return self._connection.execute(statement).rowcount > 0


def _encode_marks(plan: BackfillPlan) -> str | None:
    """Of each, where it begins and ends; the key of its partition and the id of its run, or empty texts."""
    nothing = [""] * len(plan.marks)
    named = zip(plan.marks, plan.partition_keys or nothing, plan.run_ids or nothing, strict=True)
    texts = [
        (mark.start.astimezone(UTC).isoformat(), mark.end.astimezone(UTC).isoformat(), *names) for mark, *names in named
    ]
    return msgspec.json.encode(texts).decode() if texts else None


def _decode_marks(text: str | None) -> tuple[tuple[DataInterval, ...], tuple[str, ...], tuple[str, ...]]:
    """The marks, the keys of their partitions, the ids of their runs."""
    texts = msgspec.json.decode(text, type=list[tuple[str, str, str, str]]) if text else []
    marks = tuple(DataInterval(datetime.fromisoformat(each[0]), datetime.fromisoformat(each[1])) for each in texts)
    return marks, tuple(each[2] for each in texts if each[2]), tuple(each[3] for each in texts if each[3])


def _to_backfill(row: AnyRow) -> Backfill:
    marks, keys, run_ids = _decode_marks(row.marks)
    plan = BackfillPlan(
        dag_id=row.dag_id,
        version_key=VersionKey(row.version_key),
        from_date=row.from_date,
        to_date=row.to_date,
        until=row.until,
        is_backward=row.is_backward,
        reprocess=ReprocessBehavior(row.reprocess),
        max_active_runs=row.max_active_runs,
        conf=msgspec.json.decode(row.conf) if row.conf else None,
        uses_latest_version=row.uses_latest_version,
        total=row.total,
        marks=marks,
        partition_keys=keys,
        run_ids=run_ids,
        triggering_user_name=row.triggering_user_name,
    )
    return Backfill(
        key=BackfillKey(row.backfill_key),
        plan=plan,
        is_paused=row.is_paused,
        looked_at=row.looked_at,
        passed_over=row.passed_over,
        created_at=row.created_at,
        updated_at=row.updated_at,
        completed_at=row.completed_at,
    )
