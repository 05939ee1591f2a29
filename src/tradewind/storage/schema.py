"""The tables. A change here needs a migration in `migrations/`; a test compares the two."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from tradewind.model.states import OCCUPYING_STATES, RunState, TaskState
from tradewind.storage.types import PATH_LENGTH, Instant, LongText, big_key, identifier

# A partial index is used only where the query states the index's own condition, with the same literals. So each
# such condition is written once, as a name in this module, and queries use the name. MySQL has no partial indexes:
# there the state leads the index instead.
#
# No key may ever name two things: a late report would reach a task of a newer run, a cache would answer with another
# DAG's version. SQLite hands the highest key out again after a deletion unless told `sqlite_autoincrement`.
#
# Rows of `dag` and `dag_run` are locked with `key_share`. On PostgreSQL each check of a foreign key locks the key of
# the row referred to, and a plain FOR UPDATE would keep it waiting: a worker that reports a task started and ended in
# one transaction would wait for whoever has locked the run.

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_STATE = sa.String(20)
_PARTIAL = ("sqlite", "postgresql")
_NOT_PARTIAL = ("mysql",)


def is_wanted(index: sa.Index, dialect_name: str) -> bool:
    """Whether databases of this kind have the index at all."""
    dialects: Sequence[str] = index.info["dialects"]
    return dialect_name in dialects


def _index(
    name: str,
    *columns: sa.ColumnElement[object] | sa.Column[object],
    where: sa.ColumnElement[bool] | None = None,
    only: Sequence[str] = (*_PARTIAL, *_NOT_PARTIAL),
) -> None:
    index = sa.Index(name, *columns, postgresql_where=where, sqlite_where=where, info={"dialects": only})

    def is_here(*_: Any, dialect: sa.Dialect, **__: Any) -> bool:
        return is_wanted(index, dialect.name)

    index.ddl_if(callable_=is_here)


dag = sa.Table(
    "dag",
    metadata,
    sa.Column("dag_id", identifier(), primary_key=True),
    sa.Column("is_paused", sa.Boolean, nullable=False),
    sa.Column("version_key", big_key(), nullable=True),
    sa.Column("next_run_after", Instant, nullable=True),
    sa.Column("next_interval_start", Instant, nullable=True),
    sa.Column("next_interval_end", Instant, nullable=True),
    sa.Column("is_at_run_limit", sa.Boolean, nullable=False, default=False),
    sa.Column("error", LongText, nullable=True),
    sa.Column("is_stale", sa.Boolean, nullable=False, default=False),
    sa.Column("bundle_name", identifier(), nullable=True),
    sa.Column("path", identifier(PATH_LENGTH), nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
)
# A stale DAG has no next run, so that the condition need not name it.
dag_is_awaited = sa.and_(
    dag.c.next_run_after.is_not(None), ~dag.c.is_paused, ~dag.c.is_at_run_limit, dag.c.error.is_(None)
)
_index("ix_dag_due", dag.c.next_run_after, where=dag_is_awaited)

dag_version = sa.Table(
    "dag_version",
    metadata,
    sa.Column("version_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), nullable=False),
    sa.Column("version_number", sa.Integer, nullable=False),
    sa.Column("structure_hash", sa.String(64), nullable=False),
    sa.Column("data", LongText, nullable=False),
    sa.Column("bundle_name", identifier(), nullable=True),
    sa.Column("bundle_version", identifier(), nullable=True),
    sa.Column("path", identifier(PATH_LENGTH), nullable=True),
    sa.Column("source_hash", sa.String(64), nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("dag_id", "version_number"),
    sqlite_autoincrement=True,
)
_index("ix_dag_version_source", dag_version.c.source_hash)

dag_source = sa.Table(
    "dag_source",
    metadata,
    sa.Column("source_hash", sa.String(64), primary_key=True),
    sa.Column("text", LongText, nullable=False),
)

dag_bundle = sa.Table(
    "dag_bundle",
    metadata,
    sa.Column("name", identifier(), primary_key=True),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("version", identifier(), nullable=True),
    sa.Column("refreshed_at", Instant, nullable=True),
    sa.Column("error", LongText, nullable=True),
)

dag_file = sa.Table(
    "dag_file",
    metadata,
    sa.Column("file_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("bundle_name", identifier(), nullable=False),
    sa.Column("path", identifier(PATH_LENGTH), nullable=False),
    sa.Column("content_hash", sa.String(64), nullable=True),
    sa.Column("environment", sa.String(64), nullable=True),
    sa.Column("dependencies", LongText, nullable=True),
    sa.Column("is_volatile", sa.Boolean, nullable=False),
    sa.Column("parsed_at", Instant, nullable=True),
    sa.Column("duration_ms", sa.Integer, nullable=True),
    sa.Column("error", LongText, nullable=True),
    sa.Column("error_at", Instant, nullable=True),
    sa.Column("claimed_by", sa.BigInteger, nullable=True),
    sa.Column("claimed_until", Instant, nullable=True),
    sa.Column("is_requested", sa.Boolean, nullable=False),
    sa.UniqueConstraint("bundle_name", "path"),
    sqlite_autoincrement=True,
)
file_is_requested = dag_file.c.is_requested == sa.true()
_index("ix_dag_file_requested", dag_file.c.bundle_name, where=file_is_requested, only=_PARTIAL)
_index("ix_dag_file_is_requested", dag_file.c.is_requested, dag_file.c.bundle_name, only=_NOT_PARTIAL)

dag_declaration = sa.Table(
    "dag_declaration",
    metadata,
    sa.Column("file_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("dag_id", identifier(), primary_key=True),
    sa.ForeignKeyConstraint(["file_key"], ["dag_file.file_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
_index("ix_dag_declaration_dag", dag_declaration.c.dag_id)

dag_warning = sa.Table(
    "dag_warning",
    metadata,
    sa.Column("warning_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("file_key", big_key(), nullable=False),
    sa.Column("dag_id", identifier(), nullable=True),
    sa.Column("kind", sa.String(50), nullable=False),
    sa.Column("line", sa.Integer, nullable=True),
    sa.Column("message", LongText, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.ForeignKeyConstraint(["file_key"], ["dag_file.file_key"], ondelete="CASCADE"),
)
_index("ix_dag_warning_file", dag_warning.c.file_key)

dag_run = sa.Table(
    "dag_run",
    metadata,
    sa.Column("run_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), nullable=False),
    sa.Column("run_id", identifier(), nullable=False),
    sa.Column("run_type", sa.String(30), nullable=False),
    sa.Column("state", _STATE, nullable=False),
    sa.Column("version_key", big_key(), nullable=False),
    sa.Column("bundle_version", identifier(), nullable=True),
    sa.Column("change_number", sa.BigInteger, nullable=False, default=0),
    sa.Column("owner", sa.BigInteger, nullable=True),
    sa.Column("logical_date", Instant, nullable=True),
    sa.Column("interval_start", Instant, nullable=True),
    sa.Column("interval_end", Instant, nullable=True),
    sa.Column("run_after", Instant, nullable=False),
    sa.Column("ordering_at", Instant, nullable=False),
    sa.Column("queued_at", Instant, nullable=True),
    sa.Column("started_at", Instant, nullable=True),
    sa.Column("finished_at", Instant, nullable=True),
    sa.Column("times_out_at", Instant, nullable=True),
    sa.Column("clear_number", sa.Integer, nullable=False, default=0),
    sa.Column("forced_state", _STATE, nullable=True),
    sa.Column("conf", LongText, nullable=True),
    sa.Column("note", LongText, nullable=True),
    sa.Column("triggered_by", identifier(), nullable=True),
    sa.Column("reason", LongText, nullable=True),
    sa.UniqueConstraint("dag_id", "run_id"),
    sa.UniqueConstraint("dag_id", "logical_date"),
    sqlite_autoincrement=True,
)
run_is_queued = dag_run.c.state == sa.literal_column(f"'{RunState.QUEUED}'")
run_is_running = dag_run.c.state == sa.literal_column(f"'{RunState.RUNNING}'")
run_times_out = sa.and_(run_is_running, dag_run.c.times_out_at.is_not(None))
# The state, always the same there, is a column as well: SQLite takes the index of which more columns are given, and
# would else read all runs of a DAG by the index of their order.
_index("ix_dag_run_queued", dag_run.c.dag_id, dag_run.c.state, dag_run.c.run_after, where=run_is_queued, only=_PARTIAL)
_index("ix_dag_run_running", dag_run.c.dag_id, dag_run.c.state, where=run_is_running, only=_PARTIAL)
_index("ix_dag_run_state", dag_run.c.state, dag_run.c.dag_id, dag_run.c.run_after, only=_NOT_PARTIAL)
_index("ix_dag_run_timeout", dag_run.c.times_out_at, where=run_times_out)
_index("ix_dag_run_order", dag_run.c.dag_id, dag_run.c.ordering_at)

task_instance = sa.Table(
    "task_instance",
    metadata,
    sa.Column("run_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("task_id", identifier(), primary_key=True),
    sa.Column("map_index", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("dag_id", identifier(), nullable=False),
    sa.Column("state", _STATE, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.Column("max_tries", sa.Integer, nullable=False),
    sa.Column("held_by", sa.String(30), nullable=True),
    sa.Column("queue_turn", sa.BigInteger, nullable=False),
    sa.Column("pool", identifier(), nullable=False),
    sa.Column("pool_slots", sa.Integer, nullable=False),
    sa.Column("priority_weight", sa.Integer, nullable=False),
    sa.Column("max_active_per_dag", sa.Integer, nullable=True),
    sa.Column("queue", identifier(), nullable=False),
    sa.Column("executor", identifier(), nullable=True),
    sa.Column("operator", identifier(), nullable=False),
    sa.Column("wake_at", Instant, nullable=True),
    sa.Column("scheduled_at", Instant, nullable=True),
    sa.Column("queued_at", Instant, nullable=True),
    sa.Column("queued_by", sa.BigInteger, nullable=True),
    sa.Column("started_at", Instant, nullable=True),
    sa.Column("finished_at", Instant, nullable=True),
    sa.Column("heartbeat_at", Instant, nullable=True),
    sa.Column("hostname", identifier(), nullable=True),
    sa.Column("pid", sa.Integer, nullable=True),
    sa.Column("map_length", sa.Integer, nullable=True),
    sa.Column("skips", LongText, nullable=True),
    sa.Column("requeues", sa.Integer, nullable=False),
    sa.Column("reason", LongText, nullable=True),
    sa.Column("note", LongText, nullable=True),
    sa.ForeignKeyConstraint(["run_key"], ["dag_run.run_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)


def state_in(*states: TaskState) -> sa.ColumnElement[bool]:
    """A condition on a task instance's state with literals rather than parameters."""
    return task_instance.c.state.in_([sa.literal_column(f"'{state}'") for state in sorted(states)])


task_is_waiting = sa.and_(
    task_instance.c.state == sa.literal_column(f"'{TaskState.SCHEDULED}'"), task_instance.c.held_by.is_(None)
)
task_is_active = state_in(*OCCUPYING_STATES, TaskState.DEFERRED)
task_has_timer = task_instance.c.wake_at.is_not(None)

_queue_order = (
    task_instance.c.pool,
    task_instance.c.priority_weight.desc(),
    task_instance.c.queue_turn,
    task_instance.c.run_key,
    task_instance.c.map_index,
)
_index("ix_task_instance_waiting", *_queue_order, where=task_is_waiting, only=_PARTIAL)
_index("ix_task_instance_active", task_instance.c.pool, where=task_is_active, only=_PARTIAL)
_index("ix_task_instance_timer", task_instance.c.wake_at, where=task_has_timer)
_index("ix_task_instance_queue", task_instance.c.state, *_queue_order, only=_NOT_PARTIAL)

task_try = sa.Table(
    "task_try",
    metadata,
    sa.Column("run_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("task_id", identifier(), primary_key=True),
    sa.Column("map_index", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.Column("state", _STATE, nullable=False),
    sa.Column("scheduled_at", Instant, nullable=True),
    sa.Column("queued_at", Instant, nullable=True),
    sa.Column("started_at", Instant, nullable=True),
    sa.Column("finished_at", Instant, nullable=True),
    sa.Column("hostname", identifier(), nullable=True),
    sa.Column("pid", sa.Integer, nullable=True),
    sa.Column("reason", LongText, nullable=True),
    # Not to the run: who adds a row would then wait for the scheduler that has locked the run to decide about it.
    sa.ForeignKeyConstraint(
        ["run_key", "task_id", "map_index"],
        ["task_instance.run_key", "task_instance.task_id", "task_instance.map_index"],
        ondelete="CASCADE",
    ),
    sqlite_with_rowid=False,
)

run_change = sa.Table(
    "run_change",
    metadata,
    sa.Column("change_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("run_key", big_key(), nullable=False),
    sa.Column("task_id", identifier(), nullable=True),
    sa.Column("map_index", sa.Integer, nullable=True),
    sa.Column("created_at", Instant, nullable=False),
)
_index("ix_run_change_run", run_change.c.run_key)

callback_request = sa.Table(
    "callback_request",
    metadata,
    sa.Column("callback_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("bundle_name", identifier(), nullable=False),
    sa.Column("path", identifier(PATH_LENGTH), nullable=False),
    sa.Column("dag_id", identifier(), nullable=False),
    sa.Column("run_key", big_key(), nullable=False),
    sa.Column("version_key", big_key(), nullable=False),
    sa.Column("event", _STATE, nullable=False),
    sa.Column("reason", LongText, nullable=True),
    sa.Column("is_of_task", sa.Boolean, nullable=False),
    sa.Column("task_id", identifier(), nullable=True),
    sa.Column("map_index", sa.Integer, nullable=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("claimed_by", sa.BigInteger, nullable=True),
    sa.Column("claimed_until", Instant, nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    sqlite_autoincrement=True,
)
_index("ix_callback_request_bundle", callback_request.c.bundle_name, callback_request.c.callback_key)

pool = sa.Table(
    "pool",
    metadata,
    sa.Column("name", identifier(), primary_key=True),
    sa.Column("slots", sa.Integer, nullable=False),
    sa.Column("include_deferred", sa.Boolean, nullable=False),
    sa.Column("description", LongText, nullable=True),
    sa.Column("served_turn", sa.BigInteger, nullable=False, default=0),
)

job = sa.Table(
    "job",
    metadata,
    sa.Column("job_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("hostname", identifier(), nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("heartbeat_at", Instant, nullable=False),
    sa.Column("stopped_at", Instant, nullable=True),
    sa.Column("is_dead", sa.Boolean, nullable=False, default=False),
    sqlite_autoincrement=True,
)
_job_is_live = job.c.stopped_at.is_(None)
_index("ix_job_live", job.c.kind, job.c.heartbeat_at, where=_job_is_live)
