"""What pages show of many runs at once."""

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from tradewind.model.ids import RunKey
from tradewind.model.states import RunState, TaskState
from tradewind.storage.interface.overview_store import (
    ANY_RUN,
    EndedRuns,
    FailedRuns,
    Place,
    RunAtAGlance,
    RunFilter,
    TaskStates,
)
from tradewind.storage.json_list import json_list
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import (
    dag,
    dag_run,
    run_has_ended,
    run_has_failed,
    run_is_queued,
    run_is_running,
    task_instance,
)
from tradewind.storage.span_of import begin_of, span_of
from tradewind.storage.types import AnySelect

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_SHOWN = (
    dag_run.c.run_key,
    dag_run.c.dag_id,
    dag_run.c.run_id,
    dag_run.c.run_type,
    dag_run.c.state,
    dag_run.c.version_key,
    dag_run.c.run_after,
    dag_run.c.ordering_at,
    dag_run.c.started_at,
    dag_run.c.finished_at,
)
_of_same_dag = dag_run.alias("of_same_dag")
_OLDEST_WANTED = (
    sa.select(_of_same_dag.c.ordering_at)
    .where(_of_same_dag.c.dag_id == dag.c.dag_id)
    .order_by(_of_same_dag.c.ordering_at.desc())
    .limit(1)
    .offset(sa.bindparam("passed_over"))
    .scalar_subquery()
)
# By the instant of the oldest: a window over all runs of the DAGs would read them all.
_LATEST = (
    sa.select(*_SHOWN)
    .join(dag, dag.c.dag_id == dag_run.c.dag_id)
    .where(
        one_of(dag.c.dag_id, "dag_ids"),
        dag_run.c.ordering_at >= sa.func.coalesce(_OLDEST_WANTED, sa.literal(_LONG_AGO, dag_run.c.ordering_at.type)),
    )
    .order_by(dag_run.c.dag_id, dag_run.c.ordering_at, dag_run.c.run_key)
)
_OF_ONE = sa.select(*_SHOWN).where(dag_run.c.dag_id == sa.bindparam("of_dag")).limit(sa.bindparam("most"))
_NEWEST_OF_ONE = _OF_ONE.order_by(dag_run.c.ordering_at.desc(), dag_run.c.run_key.desc())
_at = sa.bindparam("at", type_=dag_run.c.ordering_at.type)
# The instant is asked for by itself as well: the index of the order is entered by it.
_BEFORE = _NEWEST_OF_ONE.where(
    dag_run.c.ordering_at <= _at,
    sa.or_(dag_run.c.ordering_at < _at, dag_run.c.run_key < sa.bindparam("key")),
)
_FROM = _OF_ONE.where(
    dag_run.c.ordering_at >= _at,
    sa.or_(dag_run.c.ordering_at > _at, dag_run.c.run_key >= sa.bindparam("key")),
).order_by(dag_run.c.ordering_at, dag_run.c.run_key)
_STATES_OF_RUNS = (
    sa.select(task_instance.c.run_key, json_list(task_instance.c.task_id), json_list(task_instance.c.state))
    .where(one_of(task_instance.c.run_key, "run_keys"))
    .group_by(task_instance.c.run_key)
)
_names = msgspec.json.Decoder(list[str]).decode
_states = msgspec.json.Decoder(list[TaskState]).decode
_ENDED_SINCE = sa.and_(run_has_ended, dag_run.c.finished_at >= sa.bindparam("since"))
_FAILED = (
    sa.select(dag_run.c.dag_id, dag_run.c.run_id, dag_run.c.finished_at)
    .where(run_has_failed, _ENDED_SINCE)
    .order_by(dag_run.c.finished_at.desc(), dag_run.c.run_key.desc())
)
# One after the other: each has an index of its own, and for "or" databases take none of them.
_ACTIVE = (run_is_queued, run_is_running)
_ACTIVE_DAGS = {
    state: sa.select(dag_run.c.dag_id).where(which).distinct()
    for state, which in zip((RunState.QUEUED, RunState.RUNNING), _ACTIVE, strict=True)
}
_TASKS_OF_RUNS = (
    sa.select(task_instance.c.state, sa.func.count())
    .join_from(dag_run, task_instance, task_instance.c.run_key == dag_run.c.run_key)
    .group_by(task_instance.c.state)
)
_TASKS_COUNTED = tuple(_TASKS_OF_RUNS.where(which) for which in (_ENDED_SINCE, *_ACTIVE))
_ACTIVE_COUNTED = tuple(
    sa.select(dag_run.c.state, sa.func.count()).where(which).group_by(dag_run.c.state) for which in _ACTIVE
)


class Overview:
    """Implements `interface.OverviewStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def latest_runs(self, dag_ids: Collection[str], most: int) -> dict[str, list[RunAtAGlance]]:
        found: dict[str, list[RunAtAGlance]] = {dag_id: [] for dag_id in dag_ids}
        for row in self._connection.execute(_LATEST, {"dag_ids": list(dag_ids), "passed_over": most - 1}):
            found[row.dag_id].append(_run(row))
        return {dag_id: runs[-most:] for dag_id, runs in found.items()}  # several may share the oldest instant

    def runs_until(
        self, dag_id: str, most: int, before: Place | None = None, only: RunFilter = ANY_RUN
    ) -> list[RunAtAGlance]:
        statement = _NEWEST_OF_ONE if before is None else _BEFORE
        return self._of_one(statement, dag_id, most, before, only)[::-1]

    def runs_from(self, dag_id: str, most: int, first: Place, only: RunFilter = ANY_RUN) -> list[RunAtAGlance]:
        return self._of_one(_FROM, dag_id, most, first, only)

    def _of_one(
        self, statement: sa.Select[Any], dag_id: str, most: int, place: Place | None, only: RunFilter
    ) -> list[RunAtAGlance]:
        at, key = place or (None, None)
        values = {"of_dag": dag_id, "most": most, "at": at, "key": key}
        return [_run(row) for row in self._connection.execute(statement.where(*_conditions(only)), values)]

    def task_states(self, run_keys: Collection[RunKey]) -> dict[RunKey, TaskStates]:
        rows = self._connection.execute(_STATES_OF_RUNS, {"run_keys": list(run_keys)})
        return {RunKey(key): TaskStates(_names(tasks), _states(states)) for key, tasks, states in rows}

    def failed_since(self, instant: datetime, dag_ids: Collection[str] | None = None) -> list[FailedRuns]:
        # Counted here: those of a day are few, and which was the last would take a window over them.
        found: dict[str, FailedRuns] = {}
        for dag_id, run_id, finished_at in self._connection.execute(_FAILED, {"since": instant}):
            if dag_ids is not None and dag_id not in dag_ids:
                continue
            known = found.get(dag_id)
            found[dag_id] = (
                FailedRuns(dag_id, 1, run_id, finished_at) if known is None else known._replace(number=known.number + 1)
            )
        return list(found.values())

    def ended_since(self, instant: datetime, span_s: int, dag_ids: Collection[str] | None = None) -> list[EndedRuns]:
        span = span_of(dag_run.c.finished_at, span_s).label("span")
        counted = sa.select(span, dag_run.c.state, sa.func.count()).where(_ENDED_SINCE).group_by(span, dag_run.c.state)
        rows = self._connection.execute(*_within(counted, dag_ids, since=instant))
        return [EndedRuns(begin_of(number, span_s), RunState(state), count) for number, state, count in rows]

    def active_runs(self, dag_ids: Collection[str] | None = None) -> dict[RunState, int]:
        rows = [row for each in _ACTIVE_COUNTED for row in self._connection.execute(*_within(each, dag_ids))]
        return {RunState(state): count for state, count in rows}

    def active_dags(self, state: RunState) -> list[str]:
        return list(self._connection.scalars(_ACTIVE_DAGS[state]))

    def task_counts(self, since: datetime, dag_ids: Collection[str] | None = None) -> dict[TaskState, int]:
        found: Counter[TaskState] = Counter()
        for each in _TASKS_COUNTED:
            for state, count in self._connection.execute(*_within(each, dag_ids, since=since)):
                found[TaskState(state)] += count
        return dict(found)


def _within(
    statement: AnySelect, dag_ids: Collection[str] | None, **values: object
) -> tuple[AnySelect, dict[str, object]]:
    """Only of these DAGs; None: of all."""
    if dag_ids is None:
        return statement, values
    return statement.where(one_of(dag_run.c.dag_id, "dag_ids")), {**values, "dag_ids": list(dag_ids)}


def _conditions(only: RunFilter) -> Iterator[sa.ColumnElement[bool]]:
    columns = dag_run.c
    if only.state is not None:
        yield columns.state == only.state.value
    if only.run_type is not None:
        yield columns.run_type == only.run_type
    if only.triggered_by is not None:
        yield columns.triggering_user_name.icontains(only.triggered_by, autoescape=True)
    if only.run_after_gte is not None:
        yield columns.run_after >= only.run_after_gte
    if only.run_after_lt is not None:
        yield columns.run_after < only.run_after_lt


def _run(row: Any) -> RunAtAGlance:
    return RunAtAGlance._make(row)._replace(state=RunState(row.state))
