"""Runs that are about to be: with their task instances and the change that lets schedulers see them.

On PostgreSQL all of it is one statement: each is a way to the server and back, and who triggers many runs waits for
little else.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Final

import sqlalchemy as sa

from tradewind.model.ids import RunKey
from tradewind.model.listing import Condition, Query, Row, Test
from tradewind.model.run import NewRun
from tradewind.model.task import NewTask
from tradewind.storage.audit import Watch, entry_insertion, entry_parameter, entry_values
from tradewind.storage.batch import Columns, Kind, batch_parameters, batch_table
from tradewind.storage.changes import NOTIFY, Changes
from tradewind.storage.dags import RECORD, to_record
from tradewind.storage.interface import DagRecord
from tradewind.storage.listings.dag_runs import DAG_RUNS
from tradewind.storage.runs import AT_FIRST, CREATE, OF_BUNDLE, Runs, insert_runs, new_run_row
from tradewind.storage.schema import dag, dag_file, dag_run, run_change
from tradewind.storage.tasks import NEW_COLUMNS, Tasks, inserted
from tradewind.storage.types import AnyRow, Instant

_HAS_FILE_ERROR: Final = (
    sa.exists()
    .where(dag_file.c.bundle_name == dag.c.bundle_name, dag_file.c.path == dag.c.path, dag_file.c.error_at.is_not(None))
    .label("has_file_error")
)
_DAG: Final = RECORD.add_columns(_HAS_FILE_ERROR).where(dag.c.dag_id == sa.bindparam("of_dag"))
_LOCK_DAG: Final = _DAG.with_for_update(key_share=True)
_LOCK_DAG_WITH_OTHERS: Final = _DAG.with_for_update(read=True, of=dag)
_USABLE_DAG: Final = (
    sa.select(dag.c.dag_id)
    .where(
        dag.c.dag_id == sa.bindparam("of_dag"),
        dag.c.version_key == sa.bindparam("r_version_key"),
        ~dag.c.is_stale,
        ~_HAS_FILE_ERROR.element,
    )
    .with_for_update(read=True, of=dag)
)
_NOW: Final = sa.bindparam("now", type_=Instant())
_TASK_COLUMNS: Final = tuple(column for column in NEW_COLUMNS if column[0] not in ("run_key", "dag_id"))
"""What a new run itself does not say."""
_NAMES: Final = (("dag_id", Kind.TEXT), ("run_id", Kind.TEXT), ("logical_date", Kind.INSTANT))
_RARE: Final = frozenset({"max_active_per_dag", "executor", "task_type", "display_name", "executor_config"})
"""What most tasks do not have."""


_RETURNED: Final = tuple(column for column in dag_run.c if column in DAG_RUNS.columns | {dag_run.c.run_key})


def _of_run(name: str) -> str:
    """The name of a parameter. That of the column itself would be SQLAlchemy's own."""
    return f"r_{name}"


@cache
def _create(
    columns: tuple[str, ...],
    task_columns: Columns,
    entry_columns: tuple[str, ...],
    *,
    notifies: bool,
    shows: bool,
    locks: bool,
) -> sa.Executable:
    """For PostgreSQL. `columns` are those of the run; the last one of the result is its key. `entry_columns` are those
    of an entry of the audit log, if there is to be one. `locks`: the DAG as well, and there is a run, and all the rest,
    only if that can be used."""
    created = _created(columns, locks=locks).returning(*_RETURNED).cte("run")
    batch = batch_table("postgresql", task_columns)
    of_run = {name: created.c[name] for name in ("run_key", "dag_id")}
    tasks = inserted(batch, batch.join(created, sa.true()), **of_run)
    change = sa.select(created.c.run_key, _NOW)
    recorded = sa.insert(run_change).from_select(["run_key", "created_at"], change)
    shown, source = DAG_RUNS.of_created(created) if shows else ([], created)
    told = [NOTIFY.scalar_subquery()] if notifies else []
    statement = sa.select(*shown, *told, created.c.run_key.label("new_key")).select_from(source)
    if entry_columns:
        statement = statement.add_cte(entry_insertion(entry_columns, created).cte("audited"))
    return statement.add_cte(tasks.cte("tasks"), recorded.cte("recorded"))


def _created(columns: tuple[str, ...], *, locks: bool) -> sa.Insert:
    values = {name: sa.bindparam(_of_run(name), type_=dag_run.c[name].type) for name in columns}
    if not locks:
        return CREATE.values({"bundle_version": OF_BUNDLE, **values})
    usable = _USABLE_DAG.cte("usable")
    # Each value is said once: psycopg takes long statements apart each time that it is given one.
    once = {"dag_id": usable.c.dag_id, "queued_at": _NOW, "updated_at": _NOW}
    all_values = {"bundle_version": OF_BUNDLE, **values, **once, **AT_FIRST}
    rows = sa.select(*all_values.values()).select_from(usable)
    return sa.insert(dag_run).from_select(list(all_values), rows, include_defaults=False)


@cache
def _keys(dialect_name: str) -> sa.Select[Any]:
    batch = batch_table(dialect_name, _NAMES)
    is_same = sa.and_(dag_run.c.dag_id == batch.c.dag_id, dag_run.c.run_id == batch.c.run_id)
    return sa.select(dag_run.c.run_key, dag_run.c.dag_id).join(batch, is_same)


@cache
def _taken(dialect_name: str) -> sa.Select[Any]:
    """Each part finds its run by an index of its own. (PostgreSQL need not be asked: see `create_untaken`.)"""
    batch = batch_table(dialect_name, _NAMES)
    found = sa.select(dag_run.c.run_key).where(dag_run.c.dag_id == batch.c.dag_id).limit(1).correlate(batch)
    same_id = found.where(dag_run.c.run_id == batch.c.run_id).scalar_subquery()
    same_date = found.where(dag_run.c.logical_date == batch.c.logical_date).scalar_subquery()
    return sa.select(batch.c.dag_id).where(sa.func.coalesce(same_id, same_date).is_not(None))


class NewRuns:
    """Implements `interface.NewRunStore`."""

    def __init__(self, connection: sa.Connection, changes: Changes, watching: Watch | None = None) -> None:
        """`watching`: who wants to know of changes, and is told by the statement that makes them if it can."""
        self._connection = connection
        self._changes = changes
        self._watching = watching

    def lock_dag(self, dag_id: str, *, with_others: bool = False) -> tuple[DagRecord, bool] | None:
        statement = _LOCK_DAG_WITH_OTHERS if with_others else _LOCK_DAG
        row = self._connection.execute(statement, {"of_dag": dag_id}).first()
        return None if row is None else (to_record(row), bool(row.has_file_error))

    def create(self, new: NewRun, tasks: Sequence[NewTask], now: datetime) -> RunKey:
        if self._connection.dialect.name == "postgresql":
            (row,) = self._at_once(new, tasks, now, shows=False)
            return RunKey(row[-1])
        run_key = Runs(self._connection).create(new, now)
        Tasks(self._connection).create([task._replace(run_key=run_key) for task in tasks])
        self._changes.record_runs([run_key], now)
        return run_key

    def create_many(self, made: Sequence[tuple[NewRun, Sequence[NewTask]]], now: datetime) -> list[RunKey]:
        if not made:
            return []
        if len(made) == 1:
            return [self.create(*made[0], now)]
        dialect = self._connection.dialect.name
        keys = insert_runs(self._connection, [new for new, _ in made], now)
        if not keys:
            rows = [(new.dag_id, new.run_id, None) for new, _ in made]
            found = self._connection.execute(_keys(dialect), batch_parameters(dialect, _NAMES, rows))
            keys = {row.dag_id: RunKey(row.run_key) for row in found}
        self._complete(made, keys, now)
        return [keys[new.dag_id] for new, _ in made]

    def create_untaken(self, made: Sequence[tuple[NewRun, Sequence[NewTask]]], now: datetime) -> list[RunKey | None]:
        if not made:
            return []
        if self._connection.dialect.name == "postgresql":
            keys = insert_runs(self._connection, [new for new, _ in made], now, skips_taken=True)
            self._complete([each for each in made if each[0].dag_id in keys], keys, now)
        else:
            taken = self._taken([new for new, _ in made])
            free = [each for each in made if each[0].dag_id not in taken]
            keys = dict(zip((new.dag_id for new, _ in free), self.create_many(free, now), strict=True))
        return [keys.get(new.dag_id) for new, _ in made]

    def _complete(
        self, made: Sequence[tuple[NewRun, Sequence[NewTask]]], keys: Mapping[str, RunKey], now: datetime
    ) -> None:
        """The tasks of runs that were just made, and that they shall be looked at."""
        tasks = [task._replace(run_key=keys[new.dag_id]) for new, tasks in made for task in tasks]
        Tasks(self._connection).create(tasks)
        self._changes.record_runs([keys[new.dag_id] for new, _ in made], now)

    def _taken(self, news: Sequence[NewRun]) -> set[str]:
        """The DAGs that have a run of this id or logical date."""
        dialect = self._connection.dialect.name
        rows = [(new.dag_id, new.run_id, new.logical_date) for new in news]
        return {row[0] for row in self._connection.execute(_taken(dialect), batch_parameters(dialect, _NAMES, rows))}

    def create_shown(self, new: NewRun, tasks: Sequence[NewTask], now: datetime) -> tuple[RunKey, Row]:
        if self._connection.dialect.name == "postgresql":
            return _shown(self._at_once(new, tasks, now, shows=True))
        run_key = self.create(new, tasks, now)
        query = Query((Condition("id", Test.IS, run_key),), is_counted=False)
        return run_key, DAG_RUNS.page(self._connection, query).rows[0]

    def create_shown_of(self, new: NewRun, tasks: Sequence[NewTask], now: datetime) -> tuple[RunKey, Row] | None:
        if self._connection.dialect.name == "postgresql":
            found = self._at_once(new, tasks, now, shows=True, locks=True)
            return _shown(found) if found else None
        locked = self.lock_dag(new.dag_id, with_others=True)
        if locked is None:
            return None
        record, has_file_error = locked
        if record.version_key != new.version_key or record.is_stale or has_file_error:
            return None
        return self.create_shown(new, tasks, now)

    def _at_once(
        self, new: NewRun, tasks: Sequence[NewTask], now: datetime, *, shows: bool, locks: bool = False
    ) -> Sequence[AnyRow]:
        notifies = self._changes.is_to_notify
        # What it has not is not mentioned: psycopg takes long statements apart each time that it is given one.
        run = {**new_run_row(new, now), "bundle_version": new.bundle_version}
        run = {name: value for name, value in run.items() if value is not None}
        parameters: dict[str, Any] = {_of_run(name): value for name, value in run.items()}
        task_columns, of_tasks = (_remembered if isinstance(tasks, tuple) else _of_tasks)(tasks)
        parameters |= of_tasks
        parameters |= {"of_dag": new.dag_id, "now": now}
        if notifies:
            parameters["channel"] = self._changes.channel
        pending = None if self._watching is None else self._watching.unwritten
        entry = {} if pending is None else {k: v for k, v in entry_values(pending).items() if v is not None}
        parameters |= {entry_parameter(name): value for name, value in entry.items()}
        statement = _create(tuple(run), task_columns, tuple(entry), notifies=notifies, shows=shows, locks=locks)
        found = self._connection.execute(statement, parameters).all()
        if found:
            self._changes.is_recorded = True
            if self._watching is not None:
                self._watching.wrote()
        return found


def _of_tasks(tasks: Sequence[NewTask]) -> tuple[Columns, Mapping[str, object]]:
    """Which columns they have, and the parameters that carry those."""
    columns = tuple(column for column in _TASK_COLUMNS if _has(tasks, column[0]))
    of_task = attrgetter(*(name for name, _ in columns))
    return columns, batch_parameters("postgresql", columns, [of_task(task) for task in tasks])


@lru_cache(maxsize=64)
def _remembered(tasks: tuple[NewTask, ...]) -> tuple[Columns, Mapping[str, object]]:
    """As `_of_tasks`, of what is made again and again: who gives it as a tuple has it at hand."""
    return _of_tasks(tasks)


def _has(tasks: Sequence[NewTask], name: str) -> bool:
    """Whether one of the tasks has something there."""
    return name not in _RARE or any(getattr(task, name) is not None for task in tasks)


def _shown(found: Sequence[AnyRow]) -> tuple[RunKey, Row]:
    (row,) = found
    return RunKey(row[-1]), dict(zip(DAG_RUNS.shown, row, strict=False))
