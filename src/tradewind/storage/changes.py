"""What happened to runs since a scheduler last looked: the rows that make a run dirty."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from tradewind.model.ids import JobKey, RunKey, TaskKey
from tradewind.model.run import RunHead
from tradewind.storage.batch import Kind, Row, batch_parameters, batch_table
from tradewind.storage.guarded import GuardedUpdate
from tradewind.storage.interface import DagFlags, TakenChanges
from tradewind.storage.one_of import one_of
from tradewind.storage.rows import HEAD_COLUMNS, SNAPSHOT_COLUMNS, to_head, to_snapshot
from tradewind.storage.schema import dag, dag_run, run_change, task_instance
from tradewind.storage.schema import job as job_table
from tradewind.storage.tasks import Tasks
from tradewind.storage.types import Instant

_NEW_COLUMNS = (("run_key", Kind.INT), ("task_id", Kind.TEXT), ("map_index", Kind.INT))
_CHANGED_KEY = (task_instance.c.run_key, task_instance.c.task_id, task_instance.c.map_index)
_LOOK_AHEAD = 2_000
"""How many pending changes are looked at to find dirty runs. Bounds the cost of one look, not what gets done."""


def forget_changes(connection: sa.Connection, run_keys: Sequence[RunKey]) -> None:
    """Changes of runs that were just deleted. Nobody would ever take them, and they would hide those behind them.

    A foreign key would do it too, but each new change would then wait for whoever has locked its run.
    """
    if not run_keys:
        return
    columns = _NEW_COLUMNS[:1]
    batch = batch_table(connection.dialect.name, columns)
    statement = sa.delete(run_change).where(run_change.c.run_key.in_(sa.select(batch.c.run_key)))
    rows = [(run_key,) for run_key in run_keys]
    connection.execute(statement, batch_parameters(connection.dialect.name, columns, rows))


_OLDEST = (
    sa.select(run_change.c.run_key, run_change.c.created_at)
    .order_by(run_change.c.change_key)
    .limit(_LOOK_AHEAD)
    .subquery("oldest")
)
_OWNER_LIVES = sa.exists().where(job_table.c.job_key == dag_run.c.owner, job_table.c.stopped_at.is_(None))
_DIRTY_RUNS = (
    sa.select(_OLDEST.c.run_key)
    .join(dag_run, dag_run.c.run_key == _OLDEST.c.run_key)
    .where(
        sa.or_(
            dag_run.c.owner.is_(None),
            dag_run.c.owner == sa.bindparam("job"),
            # The date alone would not do: it is by the clock of whoever made the change, and that may be ahead.
            ~_OWNER_LIVES,
            _OLDEST.c.created_at <= sa.bindparam("foreign_before", type_=Instant()),
        )
    )
    .group_by(_OLDEST.c.run_key)
    .order_by(sa.func.min(_OLDEST.c.created_at), _OLDEST.c.run_key)
    .limit(sa.bindparam("limit"))
)
_DIRTY = _DIRTY_RUNS.subquery("dirty")
_LOCK_DIRTY = (
    sa.select(*HEAD_COLUMNS)
    .join(_DIRTY, _DIRTY.c.run_key == dag_run.c.run_key)
    .order_by(dag_run.c.run_key)
    .with_for_update(key_share=True, skip_locked=True, of=dag_run)
)
_LOCK_RUNS = (
    sa.select(*HEAD_COLUMNS)
    .where(one_of(dag_run.c.run_key, "run_keys"))
    .order_by(dag_run.c.run_key)
    .with_for_update(key_share=True, skip_locked=True)
)
_CHANGE = (run_change.c.run_key, run_change.c.task_id, run_change.c.map_index)
_OF_RUNS = one_of(run_change.c.run_key, "run_keys")
_TAKE = sa.delete(run_change).where(_OF_RUNS).returning(*_CHANGE)
_FLAGS = (dag.c.is_paused, dag.c.error, dag.c.version_key)
_FLAGS_OF_RUNS = (
    sa.select(dag_run.c.run_key, *_FLAGS)
    .join(dag, dag.c.dag_id == dag_run.c.dag_id)
    .where(one_of(dag_run.c.run_key, "run_keys"))
)
# On PostgreSQL all of it is one statement: each is a way to the server and back. Whatever a statement sees, it sees as
# of its beginning: the changes, and what they are about. Only the head of a run is what it was when it was locked;
# should somebody have decided about it in between, its change number is new, and all of the run is read again.
_LOCKED = _LOCK_DIRTY.cte("locked")
_OF_LOCKED = run_change.c.run_key == sa.any_(sa.func.array(sa.select(_LOCKED.c.run_key).scalar_subquery()))
_TAKEN = sa.delete(run_change).where(_OF_LOCKED).returning(*_CHANGE).cte("taken")
_TAKE_DIRTY = (
    sa.select(*_LOCKED.c, *_FLAGS, *_TAKEN.c, *SNAPSHOT_COLUMNS)
    .join_from(_LOCKED, dag, dag.c.dag_id == _LOCKED.c.dag_id)
    .outerjoin(_TAKEN, _TAKEN.c.run_key == _LOCKED.c.run_key)
    .outerjoin(
        task_instance,
        sa.and_(
            task_instance.c.run_key == _TAKEN.c.run_key,
            task_instance.c.task_id == _TAKEN.c.task_id,
            task_instance.c.map_index == _TAKEN.c.map_index,
        ),
    )
)
_OF_HEAD = slice(len(HEAD_COLUMNS))
_OF_FLAGS = slice(_OF_HEAD.stop, _OF_HEAD.stop + len(_FLAGS))
_OF_CHANGE = slice(_OF_FLAGS.stop, _OF_FLAGS.stop + len(_CHANGE))
_OF_SNAPSHOT = slice(_OF_CHANGE.stop, None)
_LOCK = sa.select(run_change.c.change_key, *_CHANGE).where(_OF_RUNS).with_for_update()
_DELETE = sa.delete(run_change).where(one_of(run_change.c.change_key, "change_keys"))


@cache
def _insert(dialect_name: str) -> sa.Insert:
    batch = batch_table(dialect_name, _NEW_COLUMNS)
    names = [name for name, _ in _NEW_COLUMNS]
    values = sa.select(*(batch.c[name] for name in names), sa.bindparam("now", type_=Instant()))
    return sa.insert(run_change).from_select([*names, "created_at"], values)


NOTIFY = sa.select(sa.func.pg_notify(sa.bindparam("channel"), ""))


@cache
def _insert_and_notify(dialect_name: str) -> sa.Executable:
    return _insert(dialect_name).returning(sa.func.pg_notify(sa.bindparam("channel"), ""))


@cache
def _update_and_record(update: GuardedUpdate, *, notifies: bool) -> sa.Executable:
    changed = update.part("changed", _CHANGED_KEY)
    names = [name for name, _ in _NEW_COLUMNS]
    rows = sa.select(*changed.c, sa.bindparam("now", type_=Instant()))
    recorded = sa.insert(run_change).from_select([*names, "created_at"], rows).cte("recorded")
    told = [NOTIFY.scalar_subquery()] if notifies else []
    return sa.select(*changed.c, *told).add_cte(recorded)


class Changes:
    """Implements `interface.ChangeStore`."""

    def __init__(self, connection: sa.Connection, channel: str | None = None) -> None:
        """`channel`: where PostgreSQL tells others, when it commits, that there are changes."""
        self._connection = connection
        self._dialect = connection.dialect.name
        self.channel = channel
        self.is_recorded = False

    @property
    def is_to_notify(self) -> bool:
        """Whether PostgreSQL is to tell others, which it has not been told to yet."""
        return self.channel is not None and not self.is_recorded

    def record(self, tasks: Iterable[TaskKey], now: datetime) -> None:
        self._insert([(key.run_key, key.task_id, key.map_index) for key in tasks], now)

    def record_runs(self, run_keys: Iterable[RunKey], now: datetime) -> None:
        self._insert([(run_key, None, None) for run_key in run_keys], now)

    def record_update(self, update: GuardedUpdate, rows: Sequence[Row], now: datetime) -> set[TaskKey]:
        """Update task instances, and record the change of those that were as expected."""
        if not rows:
            return set()
        if self._dialect != "postgresql":
            changed = update(self._connection, rows)
            self.record(changed, now)
            return changed
        notifies = self.is_to_notify
        parameters = {**update.parameters(rows), "now": now, **({"channel": self.channel} if notifies else {})}
        found = self._connection.execute(_update_and_record(update, notifies=notifies), parameters)
        changed = {TaskKey(RunKey(row[0]), row[1], row[2]) for row in found}
        self.is_recorded = self.is_recorded or bool(changed)
        return changed

    def lock_dirty(self, limit: int, *, job: JobKey, foreign_before: datetime) -> list[RunHead]:
        parameters: dict[str, object] = {"limit": limit, "job": job, "foreign_before": foreign_before}
        statement = _LOCK_DIRTY
        if self._dialect == "mysql":
            # In one step it would lock the changes as well, and whoever adds one would wait.
            found = self._connection.execute(_DIRTY_RUNS, parameters)
            statement, parameters = _LOCK_RUNS, {"run_keys": [row[0] for row in found]}
        return [to_head(row) for row in self._connection.execute(statement, parameters)]

    def take_dirty(self, limit: int, *, job: JobKey, foreign_before: datetime) -> tuple[list[RunHead], TakenChanges]:
        if self._dialect != "postgresql":
            heads = self.lock_dirty(limit, job=job, foreign_before=foreign_before)
            return heads, self.take([head.key for head in heads])
        parameters = {"limit": limit, "job": job, "foreign_before": foreign_before}
        rows = self._connection.execute(_TAKE_DIRTY, parameters).all()
        found = {RunKey(row[0]): row for row in rows}
        heads = [to_head(found[run_key][_OF_HEAD]) for run_key in sorted(found)]
        flags = {run_key: DagFlags(*row[_OF_FLAGS]) for run_key, row in found.items()}
        changes = [row[_OF_CHANGE] for row in rows]
        runs, tasks = _told_apart([change for change in changes if change[0] is not None])
        seen = [row[_OF_SNAPSHOT] for row in rows]
        snapshots = dict.fromkeys(to_snapshot(snapshot) for snapshot in seen if snapshot[0] is not None)
        return heads, TakenChanges(runs, tasks, flags, list(snapshots))

    def take(self, run_keys: Collection[RunKey]) -> TakenChanges:
        # Never look before taking, nor while locking: what happens in between would be taken without being seen.
        runs, tasks = _told_apart(self._take(run_keys)) if run_keys else (set(), set())
        return TakenChanges(runs, tasks, self._flags(run_keys), Tasks(self._connection).snapshots(tasks))

    def _take(self, run_keys: Collection[RunKey]) -> list[tuple[Any, ...]]:
        parameters = {"run_keys": list(run_keys)}
        if self._connection.dialect.delete_returning:
            return [tuple(row) for row in self._connection.execute(_TAKE, parameters)]
        locked = self._connection.execute(_LOCK, parameters).all()
        self._connection.execute(_DELETE, {"change_keys": [row[0] for row in locked]})
        return [tuple(row)[1:] for row in locked]

    def _flags(self, run_keys: Collection[RunKey]) -> dict[RunKey, DagFlags]:
        if not run_keys:
            return {}
        found = self._connection.execute(_FLAGS_OF_RUNS, {"run_keys": list(run_keys)})
        return {RunKey(row[0]): DagFlags(row[1], row[2], row[3]) for row in found}

    def is_any_pending(self) -> bool:
        return self._connection.execute(sa.select(run_change.c.change_key).limit(1)).first() is not None

    def tell(self) -> None:
        """Schedulers have something to do besides: the commit wakes them."""
        if self.channel is not None and not self.is_recorded:
            self._connection.execute(NOTIFY, {"channel": self.channel})
        self.is_recorded = True

    def _insert(self, rows: Sequence[tuple[RunKey, str | None, int | None]], now: datetime) -> None:
        if not rows:
            return
        parameters = {**batch_parameters(self._dialect, _NEW_COLUMNS, rows), "now": now}
        if not self.is_to_notify:
            self._connection.execute(_insert(self._dialect), parameters)
        elif len(rows) == 1:
            # By far the most common, and each statement less is a way to the server and back less.
            self._connection.execute(_insert_and_notify(self._dialect), {**parameters, "channel": self.channel})
        else:
            self._connection.execute(_insert(self._dialect), parameters)
            self._connection.execute(NOTIFY, {"channel": self.channel})
        self.is_recorded = True


def _told_apart(taken: Sequence[tuple[Any, ...]]) -> tuple[set[RunKey], set[TaskKey]]:
    """Runs to look at, and tasks that changed."""
    runs = {RunKey(run_key) for run_key, task_id, _ in taken if task_id is None}
    tasks = {TaskKey(RunKey(run_key), task_id, index) for run_key, task_id, index in taken if task_id is not None}
    return runs, tasks
