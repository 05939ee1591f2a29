"""DAG runs."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from tradewind.model.ids import BackfillKey, JobKey, RunKey, TaskKey
from tradewind.model.run import NewRun, Run, RunCounts, RunHead
from tradewind.model.states import DATED_RUN_TYPES, RunState, RunType
from tradewind.storage.batch import Columns, Kind, Value, batch_parameters, batch_table
from tradewind.storage.changes import forget_changes
from tradewind.storage.guarded import RUN_COLUMNS, GuardedRunUpdate, same_run
from tradewind.storage.interface import RunEnd, TaskAdvance
from tradewind.storage.one_of import one_of
from tradewind.storage.rows import HEAD_COLUMNS, encode_json, is_named_by_timetable, to_head, to_run
from tradewind.storage.schema import (
    dag,
    dag_bundle,
    dag_run,
    run_is_queued,
    run_is_running,
    run_times_out,
    task_instance,
)
from tradewind.storage.tasks import ADVANCE, Tasks
from tradewind.storage.types import AnyRow, Instant, LongText

_COLUMNS = dag_run.c
_ORDER = (_COLUMNS.ordering_at, _COLUMNS.run_key)
_REVERSE_ORDER = tuple(column.desc() for column in _ORDER)


_NOW = sa.bindparam("now", type_=Instant())

_START = GuardedRunUpdate(
    (*RUN_COLUMNS, ("times_out_at", Kind.INSTANT)),
    lambda batch: sa.and_(same_run(batch), run_is_queued),
    lambda batch: {
        "state": RunState.RUNNING.value,
        "started_at": _NOW,
        "times_out_at": batch.c.times_out_at,
        "updated_at": _NOW,
    },
)
_FINISH = GuardedRunUpdate(
    (*RUN_COLUMNS, ("to_state", Kind.TEXT), ("reason", Kind.LONG)),
    lambda batch: sa.and_(same_run(batch), run_is_running),
    lambda batch: {
        "state": batch.c.to_state,
        "finished_at": _NOW,
        "reason": batch.c.reason,
        "owner": sa.null(),
        "updated_at": _NOW,
    },
)
_OF_NO_BACKFILL = _COLUMNS.backfill_key.is_(None)
_OF_DAGS = one_of(_COLUMNS.dag_id, "dag_ids")
_COUNTED = (_COLUMNS.dag_id, _COLUMNS.state, _COLUMNS.backfill_key)
_COUNT = sa.select(*_COUNTED, sa.func.count().label("number")).group_by(*_COUNTED)
_COUNT_RUNNING = _COUNT.where(_OF_DAGS, _OF_NO_BACKFILL, run_is_running)
_COUNT_QUEUED = _COUNT.where(_OF_DAGS, run_is_queued)
_NAMES: Columns = (("dag_id", Kind.TEXT),)


@cache
def _count_each() -> sa.Select[Any]:
    """For PostgreSQL: DAG by DAG. It takes a list of DAGs for most of them while it has no statistics, or old ones, and
    would read all runs that wait: 1.7 s in the first minute in which 10,000 DAGs were due."""
    batch = batch_table("postgresql", _NAMES)
    of_dag = _COLUMNS.dag_id == batch.c.dag_id
    running = _COUNT.where(of_dag, _OF_NO_BACKFILL, run_is_running)
    queued = _COUNT.where(of_dag, run_is_queued)
    counted = sa.union_all(running.correlate(batch), queued.correlate(batch)).lateral("counted")
    return sa.select(*counted.c).join_from(batch, counted, sa.true())


_HEAD = sa.select(*HEAD_COLUMNS)
_LOCK_HEADS = (
    _HEAD.where(one_of(_COLUMNS.run_key, "run_keys"))
    .order_by(_COLUMNS.run_key)
    .with_for_update(key_share=True, skip_locked=True)
)
_CHANGED = (
    sa.update(dag_run).where(one_of(_COLUMNS.run_key, "run_keys")).values(change_number=_COLUMNS.change_number + 1)
)
_READ = sa.select(dag_run).where(one_of(_COLUMNS.run_key, "run_keys"))
_DECIDED = _CHANGED.values(owner=sa.bindparam("job", type_=sa.BigInteger()), decided_at=_NOW)
_STARTABLE = (
    _HEAD.where(run_is_queued, _OF_DAGS, _OF_NO_BACKFILL, _COLUMNS.run_after <= _NOW)
    .order_by(_COLUMNS.run_after, _COLUMNS.run_key)
    .limit(sa.bindparam("limit"))
    .with_for_update(key_share=True)
)

_DAGS_WITH_STARTABLE = (
    sa.select(_COLUMNS.dag_id)
    .join(dag, dag.c.dag_id == _COLUMNS.dag_id)
    .where(run_is_queued, _COLUMNS.run_after <= _NOW, ~dag.c.is_paused)
    .distinct()
)
_BUNDLE_VERSION = sa.select(dag_bundle.c.version).join(dag, dag.c.bundle_name == dag_bundle.c.name)
OF_BUNDLE = _BUNDLE_VERSION.where(dag.c.dag_id == sa.bindparam("of_dag")).scalar_subquery()
AT_FIRST: dict[str, sa.ColumnElement[Any]] = {
    "state": sa.literal_column(f"'{RunState.QUEUED}'"),
    "change_number": sa.literal_column("0"),
    "clear_number": sa.literal_column("0"),
}
"""What all new runs have."""
CREATE = sa.insert(dag_run).values(AT_FIRST)
_CREATE = CREATE.values(bundle_version=sa.func.coalesce(sa.bindparam("of_bundle_version"), OF_BUNDLE))
_OF_DAG = _COLUMNS.dag_id == sa.bindparam("dag_id")
_SAME_ID = _COLUMNS.run_id == sa.bindparam("run_id")
_SAME_DATE = _COLUMNS.logical_date == sa.bindparam("logical_date", type_=Instant())
_FIND = sa.select(dag_run).where(_OF_DAG, _SAME_ID)
_TAKEN_ID = sa.select(_COLUMNS.run_key).where(_OF_DAG, _SAME_ID).limit(1)
_TAKEN = sa.select(_COLUMNS.run_key).where(_OF_DAG, sa.or_(_SAME_ID, _SAME_DATE)).limit(1)
# A run that a backfill lets start over becomes one of that; its name still says whence it came.
_MADE_BY_TIMETABLE = sa.or_(
    _COLUMNS.run_type == RunType.SCHEDULED.value,
    sa.and_(_COLUMNS.run_type == RunType.BACKFILL.value, is_named_by_timetable(dag_run)),
)
_OVERDUE = sa.select(_COLUMNS.run_key).where(run_times_out, _COLUMNS.times_out_at <= _NOW)
_NEXT_TIMEOUT = sa.select(sa.func.min(_COLUMNS.times_out_at)).where(run_times_out)
_NEXT_START = sa.select(sa.func.min(_COLUMNS.run_after)).where(run_is_queued, _COLUMNS.run_after > _NOW)


@cache
def _advancing(decided: sa.Update) -> sa.Executable:
    """What was decided about runs and about their task instances in one statement. For PostgreSQL."""
    advanced = ADVANCE.part("advanced", tuple(task_instance.primary_key.columns))
    return sa.select(*advanced.c).add_cte(decided.cte("decided"))


def new_run_row(new: NewRun, now: datetime) -> dict[str, Value]:
    """What a run has when it is made, by column; but for what all have, and the version of its bundle."""
    interval = new.data_interval
    return {
        "dag_id": new.dag_id,
        "run_id": new.run_id,
        "run_type": new.run_type.value,
        "version_key": new.version_key,
        "logical_date": new.logical_date,
        "interval_start": interval.start if interval else None,
        "interval_end": interval.end if interval else None,
        "run_after": new.run_after,
        "ordering_at": new.ordering_at,
        "queued_at": now,
        "conf": encode_json(new.conf),
        "note": new.note,
        "triggered_by": new.triggered_by and new.triggered_by.value,
        "triggering_user_name": new.triggering_user_name,
        "backfill_key": new.backfill_key,
        "partition_key": new.partition_key,
        "partition_date": new.partition_date,
        "updated_at": now,
    }


def _creation(new: NewRun, now: datetime) -> dict[str, Any]:
    return {"of_dag": new.dag_id, "of_bundle_version": new.bundle_version, **new_run_row(new, now)}


@cache
def _insertion(dialect_name: str, columns: Columns, returns: bool, skips_taken: bool) -> sa.Insert:
    """As `_CREATE`, of a batch; with their keys where the database can tell them. To skip is for PostgreSQL only."""
    batch = batch_table(dialect_name, columns)
    version = _BUNDLE_VERSION.where(dag.c.dag_id == batch.c.dag_id).scalar_subquery()
    values: dict[str, sa.ColumnElement[Any]] = {
        "bundle_version": version,
        **{name: batch.c[name] for name, _ in columns},
    }
    if "bundle_version" in batch.c:
        values["bundle_version"] = sa.func.coalesce(batch.c.bundle_version, version)
    rows = sa.select(*values.values(), *AT_FIRST.values())
    names = [*values, *AT_FIRST]
    if skips_taken:
        free = postgresql.insert(dag_run).from_select(names, rows, include_defaults=False).on_conflict_do_nothing()
        return free.returning(_COLUMNS.run_key, _COLUMNS.dag_id)
    statement = sa.insert(dag_run).from_select(names, rows, include_defaults=False)
    return statement.returning(_COLUMNS.run_key, _COLUMNS.dag_id) if returns else statement


def insert_runs(
    connection: sa.Connection, news: Sequence[NewRun], now: datetime, *, skips_taken: bool = False
) -> dict[str, RunKey]:
    """Many in one statement, each of another DAG. By DAG, their keys; none, where the database does not tell them.
    `skips_taken`: those whose id or date another run has are left out, which only PostgreSQL can do."""
    made = [{**new_run_row(new, now), "bundle_version": new.bundle_version} for new in news]
    # What none of them has is not mentioned.
    names = [name for name in made[0] if any(row[name] is not None for row in made)]
    columns = tuple((name, _kind_of(_COLUMNS[name])) for name in names)
    dialect = connection.dialect
    returns = bool(dialect.insert_returning) and dialect.name != "mysql"
    rows = [[row[name] for name in names] for row in made]
    result = connection.execute(
        _insertion(dialect.name, columns, returns, skips_taken), batch_parameters(dialect.name, columns, rows)
    )
    return {dag_id: RunKey(run_key) for run_key, dag_id in result} if returns else {}


@cache
def _kind_of(column: sa.Column[Any]) -> Kind:
    match column.type:
        case Instant():
            return Kind.INSTANT
        case sa.Integer():
            return Kind.INT
        case LongText():
            return Kind.LONG
        case _:
            return Kind.TEXT


def _counts(connection: sa.Connection, dag_ids: Collection[str]) -> Iterable[AnyRow]:
    if connection.dialect.name == "postgresql":
        return connection.execute(_count_each(), batch_parameters("postgresql", _NAMES, [(name,) for name in dag_ids]))
    names = {"dag_ids": list(dag_ids)}
    return [*connection.execute(_COUNT_RUNNING, names), *connection.execute(_COUNT_QUEUED, names)]


class Runs:
    """Implements `interface.RunStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def create(self, new: NewRun, now: datetime) -> RunKey:
        result = self._connection.execute(_CREATE, _creation(new, now))
        assert result.inserted_primary_key is not None
        return RunKey(int(result.inserted_primary_key[0]))

    def is_taken(self, dag_id: str, run_id: str, logical_date: datetime | None) -> bool:
        names = {"dag_id": dag_id, "run_id": run_id}
        if logical_date is None:
            return self._connection.execute(_TAKEN_ID, names).first() is not None
        return self._connection.execute(_TAKEN, {**names, "logical_date": logical_date}).first() is not None

    def find(self, dag_id: str, run_id: str) -> Run | None:
        row = self._connection.execute(_FIND, {"dag_id": dag_id, "run_id": run_id}).first()
        return None if row is None else to_run(row)

    def read(self, run_keys: Collection[RunKey]) -> list[Run]:
        if not run_keys:
            return []
        return [to_run(row) for row in self._connection.execute(_READ, {"run_keys": list(run_keys)})]

    def last_scheduled(self, dag_id: str) -> Run | None:
        statement = sa.select(dag_run).where(_COLUMNS.dag_id == dag_id, _MADE_BY_TIMETABLE)
        found = self._read(statement.order_by(*_REVERSE_ORDER).limit(1))
        return found[0] if found else None

    def of_dag(self, dag_id: str) -> list[Run]:
        return self._read(sa.select(dag_run).where(_COLUMNS.dag_id == dag_id).order_by(*_ORDER))

    def lock(self, run_keys: Collection[RunKey], *, skip_locked: bool = False) -> list[Run]:
        statement = sa.select(dag_run).where(_COLUMNS.run_key.in_(run_keys)).order_by(_COLUMNS.run_key)
        return self._read(statement.with_for_update(key_share=True, skip_locked=skip_locked))

    def lock_heads(self, run_keys: Collection[RunKey]) -> list[RunHead]:
        return [to_head(row) for row in self._connection.execute(_LOCK_HEADS, {"run_keys": list(run_keys)})]

    def count_active(self, dag_ids: Collection[str]) -> dict[str, RunCounts]:
        running: dict[str, int] = {}
        queued: dict[str, int] = {}
        backfills: dict[str, list[BackfillKey]] = {}
        for dag_id, state, backfill_key, count in _counts(self._connection, dag_ids):
            if backfill_key is not None:
                if state == RunState.QUEUED:
                    backfills.setdefault(dag_id, []).append(BackfillKey(backfill_key))
            else:
                (running if state == RunState.RUNNING else queued)[dag_id] = count
        return {
            dag_id: RunCounts(running.get(dag_id, 0), queued.get(dag_id, 0), tuple(backfills.get(dag_id, ())))
            for dag_id in dag_ids
        }

    def startable(self, dag_ids: Collection[str], now: datetime, limit: int) -> list[RunHead]:
        names = {"dag_ids": list(dag_ids), "now": now, "limit": limit}
        return [to_head(row) for row in self._connection.execute(_STARTABLE, names)]

    def dags_with_startable(self, now: datetime) -> list[str]:
        return [row[0] for row in self._connection.execute(_DAGS_WITH_STARTABLE, {"now": now})]

    def start(self, starts: Sequence[tuple[RunKey, datetime | None]], now: datetime) -> set[RunKey]:
        return _START(self._connection, starts, {"now": now})

    def finish(self, ends: Sequence[RunEnd], now: datetime) -> set[RunKey]:
        rows = [(end.run_key, end.state.value, end.reason) for end in ends]
        return _FINISH(self._connection, rows, {"now": now})

    def set_state(self, run_key: RunKey, expected: RunState, state: RunState, now: datetime, **values: Any) -> bool:
        ended_at = now if state in (RunState.SUCCESS, RunState.FAILED) else None
        statement = (
            sa.update(dag_run)
            .where(_COLUMNS.run_key == run_key, _COLUMNS.state == expected.value)
            .values(state=state.value, finished_at=ended_at, updated_at=now, **values)
        )
        return self._connection.execute(statement).rowcount > 0

    def decided(
        self, run_keys: Collection[RunKey], job: JobKey | None, now: datetime, moves: Sequence[TaskAdvance] = ()
    ) -> set[TaskKey]:
        statement = _CHANGED if job is None else _DECIDED
        parameters: dict[str, object] = {"run_keys": list(run_keys), "job": job, "now": now}
        if moves and self._connection.dialect.name == "postgresql":
            found = self._connection.execute(_advancing(statement), {**parameters, **ADVANCE.parameters(moves)})
            return {TaskKey(RunKey(row[0]), row[1], row[2]) for row in found}
        if run_keys:
            self._connection.execute(statement, parameters)
        return Tasks(self._connection).advance(moves, now)

    def running_of_dag(self, dag_id: str) -> list[RunKey]:
        statement = sa.select(_COLUMNS.run_key).where(run_is_running, _COLUMNS.dag_id == dag_id)
        return [RunKey(row[0]) for row in self._connection.execute(statement)]

    def before(self, run: Run | RunHead, *, only_scheduled: bool) -> Run | None:
        return _neighbour(
            self._connection,
            run,
            sa.and_(
                _COLUMNS.ordering_at <= run.ordering_at,  # on its own, so that the index is entered here
                sa.or_(_COLUMNS.ordering_at < run.ordering_at, _COLUMNS.run_key < run.key),
            ),
            _REVERSE_ORDER,
            only_scheduled=only_scheduled,
        )

    def after(self, run: Run | RunHead, *, only_scheduled: bool) -> Run | None:
        return _neighbour(
            self._connection,
            run,
            sa.and_(
                _COLUMNS.ordering_at >= run.ordering_at,
                sa.or_(_COLUMNS.ordering_at > run.ordering_at, _COLUMNS.run_key > run.key),
            ),
            _ORDER,
            only_scheduled=only_scheduled,
        )

    def overdue(self, now: datetime) -> list[RunKey]:
        return [RunKey(row[0]) for row in self._connection.execute(_OVERDUE, {"now": now})]

    def next_timer(self, now: datetime) -> datetime | None:
        times_out = self._connection.execute(_NEXT_TIMEOUT).scalar()
        starts = self._connection.execute(_NEXT_START, {"now": now}).scalar()
        return min((instant for instant in (times_out, starts) if instant is not None), default=None)

    def failed_in_a_row(self, dag_id: str, limit: int) -> int:
        statement = (
            sa.select(_COLUMNS.state)
            .where(_COLUMNS.dag_id == dag_id, _COLUMNS.finished_at.is_not(None))
            .order_by(*_REVERSE_ORDER)
            .limit(limit)
        )
        count = 0
        for (state,) in self._connection.execute(statement):
            if state != RunState.FAILED.value:
                break
            count += 1
        return count

    def set_note(self, run_key: RunKey, note: str | None) -> None:
        self._connection.execute(sa.update(dag_run).where(_COLUMNS.run_key == run_key).values(note=note))

    def delete(self, run_key: RunKey) -> None:
        self._connection.execute(sa.delete(dag_run).where(_COLUMNS.run_key == run_key))
        forget_changes(self._connection, [run_key])

    def _read(self, statement: sa.Select[Any]) -> list[Run]:
        return [to_run(row) for row in self._connection.execute(statement)]


def _neighbour(
    connection: sa.Connection,
    run: Run | RunHead,
    where: sa.ColumnElement[bool],
    order: Sequence[Any],
    *,
    only_scheduled: bool,
) -> Run | None:
    statement = sa.select(dag_run).where(_COLUMNS.dag_id == run.dag_id, where).order_by(*order).limit(1)
    if only_scheduled:
        statement = statement.where(_COLUMNS.run_type.in_(sorted(DATED_RUN_TYPES)))
    found = [to_run(row) for row in connection.execute(statement)]
    return found[0] if found else None
