"""The life of an attempt: what executors and workers report, and what happens when they fall silent."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache

import sqlalchemy as sa

from tradewind.model.ids import AttemptKey, JobKey, RunKey, TaskKey
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_STATES, HANDED_OVER_STATES, HeldBy, TaskState
from tradewind.model.task import Started, TaskInstance
from tradewind.storage.batch import Columns, Kind, Row, batch_parameters, batch_table
from tradewind.storage.changes import Changes
from tradewind.storage.guarded import ATTEMPT_COLUMNS, KEY_COLUMNS, GuardedUpdate, same_attempt, same_task
from tradewind.storage.interface import AttemptEnd
from tradewind.storage.rows import INSTANCE_COLUMNS, encode_names, to_instance, to_run
from tradewind.storage.runs import Runs
from tradewind.storage.schema import (
    dag_run,
    state_in,
    task_has_timer,
    task_instance,
    task_is_active,
    task_try,
)
from tradewind.storage.types import AnySelect, Instant

_COLUMNS = task_instance.c
_NOW = sa.bindparam("now", type_=Instant())
_IS_FINISHED: list[sa.ColumnElement[str]] = [sa.literal_column(f"'{state}'") for state in sorted(FINISHED_STATES)]
_ENDS_A_TRY = [*_IS_FINISHED, sa.literal_column(f"'{TaskState.UP_FOR_RETRY}'")]
_HAS_PROCESS = state_in(TaskState.RUNNING, TaskState.RESTARTING)

_START = GuardedUpdate(
    (*ATTEMPT_COLUMNS, ("at", Kind.INSTANT), ("hostname", Kind.TEXT), ("pid", Kind.INT), ("worker", Kind.INT)),
    lambda batch: sa.and_(same_attempt(batch), state_in(TaskState.QUEUED)),
    lambda batch: {
        "state": TaskState.RUNNING.value,
        "started_at": sa.func.coalesce(_COLUMNS.started_at, batch.c.at),
        "heartbeat_at": _NOW,
        "hostname": batch.c.hostname,
        "pid": batch.c.pid,
        "worker": batch.c.worker,
        "requeues": 0,
    },
)
_END_COLUMNS: Columns = (
    *ATTEMPT_COLUMNS,
    ("to_state", Kind.TEXT),
    ("at", Kind.INSTANT),
    ("started_at", Kind.INSTANT),
    ("wake_at", Kind.INSTANT),
    ("map_length", Kind.INT),
    ("skips", Kind.LONG),
    ("reason", Kind.LONG),
    ("cpu_s", Kind.FLOAT),
    ("peak_memory_bytes", Kind.INT),
)


def _end_assignments(batch: sa.Subquery) -> dict[str, object]:
    is_rescheduled = batch.c.to_state == TaskState.UP_FOR_RESCHEDULE.value
    return {
        "state": batch.c.to_state,
        "started_at": sa.func.coalesce(_COLUMNS.started_at, batch.c.started_at, batch.c.at),
        "finished_at": sa.case((batch.c.to_state.in_(_ENDS_A_TRY), batch.c.at), else_=sa.null()),
        "wake_at": batch.c.wake_at,
        "map_length": batch.c.map_length,
        "skips": batch.c.skips,
        "reason": batch.c.reason,
        "cpu_s": batch.c.cpu_s,
        "peak_memory_bytes": batch.c.peak_memory_bytes,
        "requeues": 0,
        "reschedules": _COLUMNS.reschedules + sa.case((is_rescheduled, 1), else_=0),
    }


_END = GuardedUpdate(
    _END_COLUMNS, lambda batch: sa.and_(same_attempt(batch), state_in(*HANDED_OVER_STATES)), _end_assignments
)
_END_WAITING = GuardedUpdate(
    _END_COLUMNS,
    lambda batch: sa.and_(same_attempt(batch), state_in(TaskState.DEFERRED, TaskState.AWAITING_INPUT)),
    # Its process ended when it began to wait: what that one used stays.
    lambda batch: {
        name: value for name, value in _end_assignments(batch).items() if name not in ("cpu_s", "peak_memory_bytes")
    },
)
_STOPPED = GuardedUpdate(
    ATTEMPT_COLUMNS,
    lambda batch: sa.and_(same_attempt(batch), state_in(TaskState.RESTARTING)),
    lambda _: {
        "state": TaskState.NONE.value,
        "started_at": sa.null(),
        "finished_at": sa.null(),
        "wake_at": sa.null(),
    },
)
_HEARTBEAT = GuardedUpdate(
    ATTEMPT_COLUMNS,
    lambda batch: sa.and_(same_attempt(batch), state_in(TaskState.RUNNING)),
    lambda _: {"heartbeat_at": _NOW},
)
_WAKE = GuardedUpdate(
    KEY_COLUMNS, lambda batch: sa.and_(same_task(batch), task_has_timer), lambda _: {"wake_at": sa.null()}
)
_RESUME = GuardedUpdate(
    ATTEMPT_COLUMNS,
    lambda batch: sa.and_(same_attempt(batch), state_in(TaskState.DEFERRED, TaskState.AWAITING_INPUT)),
    lambda _: {
        "state": TaskState.SCHEDULED.value,
        "held_by": HeldBy.MAX_ACTIVE_TASKS.value,
        "scheduled_at": _NOW,
        "wake_at": sa.null(),
    },
)
_SILENT = sa.select(*INSTANCE_COLUMNS).where(
    task_is_active, _HAS_PROCESS, _COLUMNS.heartbeat_at < sa.bindparam("instant", type_=Instant())
)
_OF_WORKER = sa.select(*INSTANCE_COLUMNS).where(task_is_active, _HAS_PROCESS, _COLUMNS.worker == sa.bindparam("worker"))
_DUE = (
    sa.select(_COLUMNS.run_key, _COLUMNS.task_id, _COLUMNS.map_index)
    .where(task_has_timer, _COLUMNS.wake_at <= _NOW)
    .order_by(_COLUMNS.wake_at)
    .limit(sa.bindparam("limit"))
    .with_for_update(skip_locked=True)
)
_NEXT_WAKE = sa.select(_COLUMNS.wake_at).where(task_has_timer).order_by(_COLUMNS.wake_at).limit(1)
_ENDED_STATE = sa.case((_COLUMNS.state.in_(_IS_FINISHED), _COLUMNS.state), else_=TaskState.FAILED.value)
"""A try that left its task unfinished is one that failed, or was cut off."""
_TRY_COLUMNS = tuple(column.name for column in task_try.c)


@cache
def _locking(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, ATTEMPT_COLUMNS)
    return (
        sa.select(*INSTANCE_COLUMNS)
        .join(batch, same_attempt(batch))
        .order_by(_COLUMNS.run_key, _COLUMNS.task_id, _COLUMNS.map_index)
        .with_for_update(of=task_instance)
    )


@cache
def _current(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, ATTEMPT_COLUMNS)
    keys = (_COLUMNS.run_key, _COLUMNS.task_id, _COLUMNS.map_index, _COLUMNS.attempt)
    is_running = _COLUMNS.state == sa.literal_column(f"'{TaskState.RUNNING}'")
    # No index answers to a CASE: rows are found by their key, however few are running (see `guarded`).
    return sa.select(*keys).join(batch, same_attempt(batch)).where(sa.case((is_running, 1), else_=0) == 1)


@cache
def _begin() -> AnySelect:
    """The start, the instances, and their runs, in one statement. For PostgreSQL."""
    started = _START.part("started", INSTANCE_COLUMNS)
    return sa.select(*started.c, *dag_run.c).join_from(started, dag_run, dag_run.c.run_key == started.c.run_key)


class Attempts:
    """Implements `interface.AttemptStore`."""

    def __init__(self, connection: sa.Connection, changes: Changes) -> None:
        """`changes`: where it is recorded what became of attempts."""
        self._connection = connection
        self._dialect = connection.dialect.name
        self._changes = changes

    def start(self, reports: Sequence[Started], now: datetime) -> set[TaskKey]:
        return _START(self._connection, _start_rows(reports), {"now": now})

    def begin(self, reports: Sequence[Started], now: datetime) -> tuple[list[TaskInstance], list[Run]]:
        if not reports:
            return [], []
        run_keys = {report.attempt.run_key for report in reports}
        if self._dialect != "postgresql" or len(run_keys) < len(reports):
            # MySQL returns nothing. SQLite has nothing to gain by it, and SQLAlchemy names columns without their table
            # there, so that in the subquery for the run's id they would be those of the run. And with several attempts
            # of a run, all that there is of it would come as often.
            started = self.start(reports, now)
            instances = self.lock([report.attempt for report in reports if report.attempt.task in started])
            return instances, Runs(self._connection).read({task.run_key for task in instances})
        found = self._connection.execute(_begin(), {**_START.parameters(_start_rows(reports)), "now": now}).all()
        fields = len(INSTANCE_COLUMNS)
        instances = sorted((to_instance(row[:fields]) for row in found), key=lambda task: task.key)
        return instances, [to_run(row[fields:]) for row in found]

    def end(self, ends: Sequence[AttemptEnd], *, recorded_at: datetime | None = None) -> set[TaskKey]:
        if recorded_at is None:
            return _END(self._connection, _end_rows(ends))
        return self._changes.record_update(_END, _end_rows(ends), recorded_at)

    def end_waiting(self, ends: Sequence[AttemptEnd]) -> set[TaskKey]:
        return _END_WAITING(self._connection, _end_rows(ends))

    def stopped(self, attempts: Sequence[AttemptKey]) -> set[TaskKey]:
        return _STOPPED(self._connection, attempts)

    def heartbeat(self, attempts: Sequence[AttemptKey], now: datetime) -> set[TaskKey]:
        return _HEARTBEAT(self._connection, attempts, {"now": now})

    def resume(self, attempts: Sequence[AttemptKey], now: datetime) -> set[TaskKey]:
        return _RESUME(self._connection, attempts, {"now": now})

    def lock(self, attempts: Sequence[AttemptKey]) -> list[TaskInstance]:
        if not attempts:
            return []
        parameters = batch_parameters(self._dialect, ATTEMPT_COLUMNS, attempts)
        return [to_instance(row) for row in self._connection.execute(_locking(self._dialect), parameters)]

    def current(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        if not attempts:
            return set()
        parameters = batch_parameters(self._dialect, ATTEMPT_COLUMNS, sorted(attempts))
        found = self._connection.execute(_current(self._dialect), parameters)
        return {AttemptKey(RunKey(row[0]), row[1], row[2], row[3]) for row in found}

    def of_worker(self, worker: JobKey) -> list[TaskInstance]:
        return [to_instance(row) for row in self._connection.execute(_OF_WORKER, {"worker": worker})]

    def silent_since(self, instant: datetime) -> list[TaskInstance]:
        return [to_instance(row) for row in self._connection.execute(_SILENT, {"instant": instant})]

    def due(self, now: datetime, limit: int) -> list[TaskKey]:
        found = self._connection.execute(_DUE, {"now": now, "limit": limit})
        return [TaskKey(RunKey(row[0]), row[1], row[2]) for row in found]

    def wake(self, keys: Sequence[TaskKey]) -> set[TaskKey]:
        return _WAKE(self._connection, keys)

    def next_wake_at(self) -> datetime | None:
        found: datetime | None = self._connection.execute(_NEXT_WAKE).scalar()
        return found

    def archive(self, keys: Sequence[TaskKey]) -> None:
        if not keys:
            return
        batch = batch_table(self._dialect, KEY_COLUMNS)
        already = sa.exists().where(
            task_try.c.run_key == _COLUMNS.run_key,
            task_try.c.task_id == _COLUMNS.task_id,
            task_try.c.map_index == _COLUMNS.map_index,
            task_try.c.attempt == _COLUMNS.attempt,
        )
        chosen = (
            sa.select(*(_ENDED_STATE if name == "state" else _COLUMNS[name] for name in _TRY_COLUMNS))
            .join(batch, same_task(batch))
            .where(_COLUMNS.attempt > 0, ~already)
        )
        statement = sa.insert(task_try).from_select(list(_TRY_COLUMNS), chosen)
        self._connection.execute(statement, batch_parameters(self._dialect, KEY_COLUMNS, keys))


def _start_rows(reports: Sequence[Started]) -> list[Row]:
    return [(*report.attempt, report.at, report.hostname, report.pid, report.worker) for report in reports]


def _end_rows(ends: Sequence[AttemptEnd]) -> list[Row]:
    return [
        (
            *end.attempt,
            end.to_state.value,
            end.at,
            end.started_at,
            end.wake_at,
            end.map_length,
            encode_names(end.skips),
            end.reason,
            end.usage.cpu_s if end.usage else None,
            end.usage.peak_memory_bytes if end.usage else None,
        )
        for end in ends
    ]
