"""Task instances as parts of their run: created, read, moved by the run's own rules or by a person."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.states import FINISHED_STATES, HeldBy, TaskState
from tradewind.model.task import NewTask, TaskInstance, TaskSnapshot
from tradewind.storage.batch import Columns, Kind, batch_parameters, batch_table
from tradewind.storage.guarded import ATTEMPT_COLUMNS, KEY_COLUMNS, GuardedUpdate, same_attempt, same_task
from tradewind.storage.interface import TaskAdvance
from tradewind.storage.one_of import one_of
from tradewind.storage.rows import INSTANCE_COLUMNS, SNAPSHOT_COLUMNS, to_instance, to_snapshot
from tradewind.storage.schema import dag_run, state_in, task_instance, task_is_waiting
from tradewind.storage.types import AnySelect, Instant, LongText

_NOW = sa.bindparam("now", type_=Instant())
_COLUMNS = task_instance.c
_IS_FINISHED: list[sa.ColumnElement[str]] = [sa.literal_column(f"'{state}'") for state in sorted(FINISHED_STATES)]
_IS_UNFINISHED = _COLUMNS.state.not_in(_IS_FINISHED)

NEW_COLUMNS: Columns = (
    ("run_key", Kind.INT),
    ("dag_id", Kind.TEXT),
    ("task_id", Kind.TEXT),
    ("map_index", Kind.INT),
    ("max_tries", Kind.INT),
    ("pool", Kind.TEXT),
    ("pool_slots", Kind.INT),
    ("priority_weight", Kind.INT),
    ("max_active_per_dag", Kind.INT),
    ("queue", Kind.TEXT),
    ("executor", Kind.TEXT),
    ("operator", Kind.TEXT),
    ("task_type", Kind.TEXT),
    ("display_name", Kind.LONG),
    ("executor_config", Kind.LONG),
)


def _advance_assignments(batch: sa.Subquery) -> dict[str, object]:
    becomes = batch.c.to_state
    has_ended = becomes.in_(_IS_FINISHED)
    newly_scheduled = sa.and_(becomes == TaskState.SCHEDULED.value, batch.c.from_state != TaskState.SCHEDULED.value)
    # Only the batch is asked, never the row: MySQL would answer with values that this very statement has set.
    is_new_try = sa.and_(newly_scheduled, batch.c.from_state != TaskState.UP_FOR_RESCHEDULE.value)
    fresh_start = sa.case(
        (becomes == TaskState.SUCCESS.value, _NOW), (is_new_try, sa.null()), else_=_COLUMNS.started_at
    )
    return {
        "scheduled_at": sa.case((newly_scheduled, _NOW), else_=_COLUMNS.scheduled_at),
        "started_at": fresh_start,
        "finished_at": sa.case((has_ended, _NOW), else_=sa.null()),
        "try_number": batch.c.try_number,
        "held_by": batch.c.held_by,
        "queue_turn": batch.c.queue_turn,
        "wake_at": sa.null(),
        "reschedules": sa.case((is_new_try, 0), else_=_COLUMNS.reschedules),
        "state": becomes,
    }


ADVANCE = GuardedUpdate(
    (
        *ATTEMPT_COLUMNS,
        ("from_state", Kind.TEXT),
        ("to_state", Kind.TEXT),
        ("try_number", Kind.INT),
        ("held_by", Kind.TEXT),
        ("queue_turn", Kind.INT),
    ),
    lambda batch: sa.and_(same_attempt(batch), _COLUMNS.state == batch.c.from_state),
    _advance_assignments,
)
_HOLD = GuardedUpdate(
    KEY_COLUMNS,
    lambda batch: sa.and_(same_task(batch), task_is_waiting),
    lambda _: {"held_by": HeldBy.MAX_ACTIVE_TASKS.value},
)
_SET_COLUMNS = (*ATTEMPT_COLUMNS, ("from_state", Kind.TEXT), ("to_state", Kind.TEXT), ("max_tries", Kind.INT))


def _set_assignments(batch: sa.Subquery) -> dict[str, object]:
    has_ended = batch.c.to_state.in_(_IS_FINISHED)
    return {
        "state": batch.c.to_state,
        "max_tries": batch.c.max_tries,
        "finished_at": sa.case((has_ended, _NOW), else_=sa.null()),
        "held_by": sa.null(),
        "wake_at": sa.null(),
        "reason": sa.bindparam("reason", type_=LongText()),
        "skips": sa.null(),
        "map_length": sa.case((has_ended, _COLUMNS.map_length), else_=sa.null()),
        "requeues": 0,
        "intervened_at": _NOW,
    }


_SET_STATE = GuardedUpdate(
    _SET_COLUMNS,
    lambda batch: sa.and_(same_attempt(batch), _COLUMNS.state == batch.c.from_state),
    _set_assignments,
)

_FROM_DAG = tuple(name for name, _ in NEW_COLUMNS if name not in ("run_key", "dag_id", "task_id", "map_index"))
_REFIT = GuardedUpdate(
    NEW_COLUMNS,
    lambda batch: sa.and_(same_task(batch), state_in(TaskState.NONE)),
    # The tries that it had stay counted.
    lambda batch: {name: batch.c[name] for name in _FROM_DAG if name != "max_tries"},
)
_NOTE = GuardedUpdate(KEY_COLUMNS, same_task, lambda _: {"note": sa.bindparam("note", type_=LongText())})


def _instances_of(run_key: RunKey) -> AnySelect:
    statement = sa.select(*INSTANCE_COLUMNS).where(_COLUMNS.run_key == run_key)
    return statement.order_by(_COLUMNS.task_id, _COLUMNS.map_index)


_OF_RUNS = sa.select(*SNAPSHOT_COLUMNS).where(one_of(_COLUMNS.run_key, "run_keys"))

_COUNT_STATES = (
    sa.select(_COLUMNS.task_id, _COLUMNS.state, sa.func.count())
    .where(_COLUMNS.run_key == sa.bindparam("run_key"), one_of(_COLUMNS.task_id, "task_ids"))
    .group_by(_COLUMNS.task_id, _COLUMNS.state)
)


@cache
def _snapshots(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, KEY_COLUMNS)
    return sa.select(*SNAPSHOT_COLUMNS).join(batch, same_task(batch))


@cache
def _create(dialect_name: str) -> sa.Insert:
    return inserted(batch_table(dialect_name, NEW_COLUMNS))


def inserted(batch: sa.Subquery, source: sa.FromClause | None = None, **others: sa.ColumnElement[Any]) -> sa.Insert:
    """New task instances, of the batch and what it has not, all in the state that they have before any decision.
    `source`: where to find them, if not in the batch alone."""
    counts = dict.fromkeys(("attempt", "try_number", "queue_turn", "requeues", "reschedules"), "0")
    start = {"state": f"'{TaskState.NONE}'", **counts}
    columns = {**others, **{column.key: column for column in batch.c}}
    values = sa.select(*columns.values(), *map(sa.literal_column, start.values())).select_from(
        batch if source is None else source
    )
    return sa.insert(task_instance).from_select([*columns, *start], values, include_defaults=False)


@cache
def _deletion(dialect_name: str) -> sa.Delete:
    batch = batch_table(dialect_name, KEY_COLUMNS)
    if dialect_name == "mysql":
        # MariaDB would look through the whole table for a row value in a subquery.
        return sa.delete(task_instance).where(same_task(batch))
    named = sa.select(batch.c.run_key, batch.c.task_id, batch.c.map_index)
    return sa.delete(task_instance).where(sa.tuple_(_COLUMNS.run_key, _COLUMNS.task_id, _COLUMNS.map_index).in_(named))


class Tasks:
    """Implements `interface.TaskStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._dialect = connection.dialect.name

    def create(self, tasks: Sequence[NewTask]) -> None:
        if tasks:
            self._connection.execute(_create(self._dialect), batch_parameters(self._dialect, NEW_COLUMNS, tasks))

    def drop_unexpanded(self, keys: Sequence[TaskKey]) -> None:
        statement = _deletion(self._dialect).where(_COLUMNS.state == TaskState.NONE.value)
        self._connection.execute(statement, batch_parameters(self._dialect, KEY_COLUMNS, keys))

    def of_runs(self, run_keys: Collection[RunKey]) -> list[TaskSnapshot]:
        return [to_snapshot(row) for row in self._connection.execute(_OF_RUNS, {"run_keys": list(run_keys)})]

    def snapshots(self, keys: Collection[TaskKey]) -> list[TaskSnapshot]:
        if not keys:
            return []
        parameters = batch_parameters(self._dialect, KEY_COLUMNS, list(keys))
        return [to_snapshot(row) for row in self._connection.execute(_snapshots(self._dialect), parameters)]

    def instances(self, run_key: RunKey, task_ids: Collection[str] | None = None) -> list[TaskInstance]:
        statement = _instances_of(run_key)
        if task_ids is not None:
            statement = statement.where(_COLUMNS.task_id.in_(task_ids))
        return [to_instance(row) for row in self._connection.execute(statement)]

    def advance(self, moves: Sequence[TaskAdvance], now: datetime) -> set[TaskKey]:
        return ADVANCE(self._connection, moves, {"now": now})

    def hold(self, keys: Sequence[TaskKey]) -> set[TaskKey]:
        return _HOLD(self._connection, keys)

    def hold_paused(self, dag_id: str, *, is_paused: bool) -> None:
        of_dag = sa.select(dag_run.c.run_key).where(dag_run.c.dag_id == dag_id, dag_run.c.state == "running")
        was, becomes = (None, HeldBy.DAG_PAUSED) if is_paused else (HeldBy.DAG_PAUSED, HeldBy.MAX_ACTIVE_TASKS)
        statement = (
            sa.update(task_instance)
            .where(
                _COLUMNS.run_key.in_(of_dag),
                state_in(TaskState.SCHEDULED),
                _COLUMNS.held_by.is_not_distinct_from(was),
            )
            .values(held_by=becomes.value)
        )
        self._connection.execute(statement)

    def set_state(
        self,
        instances: Sequence[TaskInstance],
        state: TaskState,
        now: datetime,
        *,
        max_tries: Sequence[int],
        reason: str,
    ) -> set[TaskKey]:
        rows = [
            (task.run_key, task.task_id, task.map_index, task.attempt, task.state.value, state.value, tries)
            for task, tries in zip(instances, max_tries, strict=True)
        ]
        return _SET_STATE(self._connection, rows, {"now": now, "reason": reason or None})

    def stop_unfinished(
        self, run_key: RunKey, now: datetime, *, spare: Collection[str], reason: str, fails_running: bool
    ) -> list[TaskSnapshot]:
        # Locked: a task that was reported started in between would no longer be as expected, and live on.
        locked = self._connection.execute(_instances_of(run_key).where(_IS_UNFINISHED).with_for_update())
        unfinished = [task for task in map(to_instance, locked) if task.task_id not in spare]
        failing: list[TaskInstance] = []
        skipping: list[TaskInstance] = []
        for task in unfinished:
            has_process = task.state in (TaskState.RUNNING, TaskState.RESTARTING)
            (failing if fails_running and has_process else skipping).append(task)
        changed: set[TaskKey] = set()
        for tasks, state in ((failing, TaskState.FAILED), (skipping, TaskState.SKIPPED)):
            tries = [task.max_tries for task in tasks]
            changed |= self.set_state(tasks, state, now, max_tries=tries, reason=reason)
        return self.snapshots(changed)

    def refit(self, tasks: Sequence[NewTask]) -> None:
        _REFIT(self._connection, tasks)

    def set_notes(self, keys: Sequence[TaskKey], note: str | None) -> set[TaskKey]:
        return _NOTE(self._connection, keys, {"note": note})

    def delete(self, keys: Sequence[TaskKey]) -> None:
        self._connection.execute(_deletion(self._dialect), batch_parameters(self._dialect, KEY_COLUMNS, keys))

    def count_states(self, run_key: RunKey, task_ids: Collection[str]) -> dict[str, dict[TaskState, int]]:
        counts: dict[str, dict[TaskState, int]] = {}
        for task_id, state, count in self._connection.execute(
            _COUNT_STATES, {"run_key": run_key, "task_ids": sorted(task_ids)}
        ):
            counts.setdefault(task_id, {})[TaskState(state)] = count
        return counts
