"""What pages show of the inside of runs."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from tradewind.model.ids import RunKey
from tradewind.model.states import RunState, TaskState
from tradewind.model.usual_task import UsualTask
from tradewind.storage.interface.run_view_store import AttemptInTime, RunsOfQuarter, TaskSummary
from tradewind.storage.listings.duration import SecondsBetween
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_run, dag_version, deferral, task_instance, task_try
from tradewind.storage.span_of import begin_of, span_of
from tradewind.storage.types import Instant

_QUARTER_S: Final = 900


_INSTANCE: Final = task_instance.c
_TRY: Final = task_try.c
_OF_RUN: Final = sa.bindparam("of_run", type_=sa.BigInteger())
_CURRENT = (
    sa.select(
        _INSTANCE.task_id,
        _INSTANCE.map_index,
        _INSTANCE.attempt,
        _INSTANCE.try_number,
        _INSTANCE.state,
        _INSTANCE.scheduled_at,
        _INSTANCE.queued_at,
        _INSTANCE.started_at,
        _INSTANCE.finished_at,
        # What a former try waited for stays until the next one begins.
        sa.case(
            (
                deferral.c.created_at >= sa.func.coalesce(_INSTANCE.started_at, _INSTANCE.scheduled_at),
                deferral.c.created_at,
            )
        ).label("waited_since"),
    )
    .outerjoin_from(
        task_instance,
        deferral,
        sa.and_(
            deferral.c.run_key == _INSTANCE.run_key,
            deferral.c.task_id == _INSTANCE.task_id,
            deferral.c.map_index == _INSTANCE.map_index,
        ),
    )
    .where(_INSTANCE.run_key == _OF_RUN)
)
_PAST = sa.select(
    _TRY.task_id,
    _TRY.map_index,
    _TRY.attempt,
    _TRY.try_number,
    _TRY.state,
    _TRY.scheduled_at,
    _TRY.queued_at,
    _TRY.started_at,
    _TRY.finished_at,
    sa.null().label("waited_since"),
).where(_TRY.run_key == _OF_RUN)
_SUMMARIES = (
    sa.select(
        _INSTANCE.run_key,
        _INSTANCE.task_id,
        _INSTANCE.state,
        sa.func.count(),
        sa.func.min(_INSTANCE.started_at, type_=Instant()),
        sa.func.max(_INSTANCE.finished_at, type_=Instant()),
        sa.func.max(_INSTANCE.try_number),
    )
    .where(one_of(_INSTANCE.run_key, "run_keys"))
    .group_by(_INSTANCE.run_key, _INSTANCE.task_id, _INSTANCE.state)
)
_SUMMARIES_OF_TASKS = _SUMMARIES.where(one_of(_INSTANCE.task_id, "task_ids"))
_quarter = span_of(dag_run.c.run_after, _QUARTER_S).label("quarter")
_QUARTERS = (
    sa.select(_quarter, dag_run.c.state, sa.func.count())
    .where(
        dag_run.c.dag_id == sa.bindparam("of_dag"),
        dag_run.c.run_after >= sa.bindparam("start"),
        dag_run.c.run_after < sa.bindparam("end"),
    )
    .group_by(_quarter, dag_run.c.state)
)
_VERSIONS = sa.select(dag_version.c.version_key, dag_version.c.version_number).where(
    one_of(dag_version.c.version_key, "version_keys")
)
_LAST_RUNS = (
    sa.select(dag_run.c.run_key)
    .where(dag_run.c.dag_id == sa.bindparam("of_dag"), dag_run.c.state == RunState.SUCCESS)
    .order_by(dag_run.c.ordering_at.desc())
    .limit(sa.bindparam("most"))
)
_USUAL_TASKS = (
    sa.select(
        _INSTANCE.task_id,
        sa.func.avg(SecondsBetween(_INSTANCE.started_at, _INSTANCE.finished_at)),
        sa.func.avg(_INSTANCE.map_length),
    )
    .where(one_of(_INSTANCE.run_key, "run_keys"), _INSTANCE.state == TaskState.SUCCESS)
    .group_by(_INSTANCE.task_id)
)


class RunViews:
    """Implements `interface.RunViewStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def attempts(self, run_key: RunKey) -> list[AttemptInTime]:
        current = [_attempt(row) for row in self._connection.execute(_CURRENT, {"of_run": run_key})]
        known = {each[:3] for each in current}
        past = [_attempt(row) for row in self._connection.execute(_PAST, {"of_run": run_key})]
        # An attempt that is over and about to be tried again is in both.
        return sorted([*current, *(each for each in past if each[:3] not in known)], key=lambda each: each[:3])

    def summaries(self, run_keys: Collection[RunKey], task_ids: Collection[str] | None = None) -> list[TaskSummary]:
        statement, values = _SUMMARIES, {"run_keys": list[object](run_keys)}
        if task_ids is not None:
            statement, values = _SUMMARIES_OF_TASKS, values | {"task_ids": list(task_ids)}
        rows = self._connection.execute(statement, values)
        return [TaskSummary(RunKey(key), task_id, TaskState(state), *rest) for key, task_id, state, *rest in rows]

    def quarters(self, dag_id: str, start: datetime, end: datetime) -> list[RunsOfQuarter]:
        rows = self._connection.execute(_QUARTERS, {"of_dag": dag_id, "start": start, "end": end})
        return [
            RunsOfQuarter(begin_of(quarter, _QUARTER_S), RunState(state), number) for quarter, state, number in rows
        ]

    def version_numbers(self, version_keys: Collection[int]) -> dict[int, int]:
        rows = self._connection.execute(_VERSIONS, {"version_keys": list(version_keys)})
        return {row.version_key: row.version_number for row in rows}

    def usual_tasks(self, dag_id: str, most: int) -> dict[str, UsualTask]:
        keys = self._connection.execute(_LAST_RUNS, {"of_dag": dag_id, "most": most}).scalars().all()
        rows = self._connection.execute(_USUAL_TASKS, {"run_keys": keys}) if keys else ()
        return {
            task_id: UsualTask(float(seconds or 0), None if length is None else round(length))
            for task_id, seconds, length in rows
        }


def _attempt(row: Any) -> AttemptInTime:
    return AttemptInTime._make(row)._replace(state=TaskState(row.state))
