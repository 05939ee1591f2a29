"""Runs, their task instances, and what happened to them."""

import sqlalchemy as sa

from tradewind.model.states import OCCUPYING_STATES, HeldBy, RunState, TaskState
from tradewind.storage.schema.conventions import NOT_PARTIAL, PARTIAL, STATE, add_index, metadata
from tradewind.storage.types import PATH_LENGTH, Instant, LongText, big_key, identifier

dag_run = sa.Table(
    "dag_run",
    metadata,
    sa.Column("run_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), nullable=False),
    sa.Column("run_id", identifier(), nullable=False),
    sa.Column("run_type", sa.String(30), nullable=False),
    sa.Column("state", STATE, nullable=False),
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
    sa.Column("forced_state", STATE, nullable=True),
    sa.Column("conf", LongText, nullable=True),
    sa.Column("note", LongText, nullable=True),
    sa.Column("triggered_by", STATE, nullable=True),
    sa.Column("triggering_user_name", identifier(), nullable=True),
    sa.Column("backfill_key", sa.BigInteger, nullable=True),
    sa.Column("reason", LongText, nullable=True),
    sa.Column("decided_at", Instant, nullable=True),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column("partition_key", identifier(), nullable=True),
    sa.Column("partition_date", Instant, nullable=True),
    sa.UniqueConstraint("dag_id", "run_id"),
    sa.UniqueConstraint("dag_id", "logical_date"),
    sqlite_autoincrement=True,
)
run_is_queued = dag_run.c.state == sa.literal_column(f"'{RunState.QUEUED}'")
run_is_running = dag_run.c.state == sa.literal_column(f"'{RunState.RUNNING}'")
run_has_failed = dag_run.c.state == sa.literal_column(f"'{RunState.FAILED}'")
run_has_ended = dag_run.c.finished_at.is_not(None)
run_times_out = sa.and_(run_is_running, dag_run.c.times_out_at.is_not(None))
# The state, always the same there, is a column as well: SQLite takes the index of which more columns are given, and
# would else read all runs of a DAG by the index of their order.
add_index(
    "ix_dag_run_queued", dag_run.c.dag_id, dag_run.c.state, dag_run.c.run_after, where=run_is_queued, only=PARTIAL
)
add_index("ix_dag_run_running", dag_run.c.dag_id, dag_run.c.state, where=run_is_running, only=PARTIAL)
add_index("ix_dag_run_state", dag_run.c.state, dag_run.c.dag_id, dag_run.c.run_after, only=NOT_PARTIAL)
add_index("ix_dag_run_timeout", dag_run.c.times_out_at, where=run_times_out)
# Runs that ended lately, by how: written once for each run, and enough to count them without a look at the runs.
add_index("ix_dag_run_ended", dag_run.c.finished_at, dag_run.c.state, where=run_has_ended)
add_index("ix_dag_run_order", dag_run.c.dag_id, dag_run.c.ordering_at)
# By DAG and key: SQLite adds the key to every index. Task instances of a DAG are read by it in their own order.
add_index("ix_dag_run_dag", dag_run.c.dag_id, only=("sqlite",))
add_index("ix_dag_run_partition", dag_run.c.dag_id, dag_run.c.partition_key, where=dag_run.c.partition_key.is_not(None))
add_index(
    "ix_dag_run_backfill",
    dag_run.c.backfill_key,
    dag_run.c.state,
    dag_run.c.ordering_at,
    where=dag_run.c.backfill_key.is_not(None),
)

task_instance = sa.Table(
    "task_instance",
    metadata,
    sa.Column("run_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("task_id", identifier(), primary_key=True),
    sa.Column("map_index", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("dag_id", identifier(), nullable=False),
    sa.Column("state", STATE, nullable=False),
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
    # Only lists show these. Absent: it is called like `operator`, like the task, and there is no configuration.
    sa.Column("task_type", identifier(), nullable=True),
    sa.Column("display_name", LongText, nullable=True),
    sa.Column("executor_config", LongText, nullable=True),
    sa.Column("wake_at", Instant, nullable=True),
    sa.Column("scheduled_at", Instant, nullable=True),
    sa.Column("queued_at", Instant, nullable=True),
    sa.Column("queued_by", sa.BigInteger, nullable=True),
    sa.Column("started_at", Instant, nullable=True),
    sa.Column("finished_at", Instant, nullable=True),
    sa.Column("heartbeat_at", Instant, nullable=True),
    sa.Column("hostname", identifier(), nullable=True),
    sa.Column("pid", sa.Integer, nullable=True),
    sa.Column("worker", sa.BigInteger, nullable=True),
    sa.Column("map_length", sa.Integer, nullable=True),
    sa.Column("skips", LongText, nullable=True),
    sa.Column("requeues", sa.Integer, nullable=False),
    sa.Column("reschedules", sa.Integer, nullable=False),
    sa.Column("rendered_map_index", LongText, nullable=True),
    sa.Column("cpu_s", sa.Double, nullable=True),
    sa.Column("peak_memory_bytes", sa.BigInteger, nullable=True),
    sa.Column("reason", LongText, nullable=True),
    sa.Column("note", LongText, nullable=True),
    # When a person last changed its state. All other changes leave an instant of their own.
    sa.Column("intervened_at", Instant, nullable=True),
    sa.ForeignKeyConstraint(["run_key"], ["dag_run.run_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)


def state_in(*states: TaskState) -> sa.ColumnElement[bool]:
    """A condition on a task instance's state with literals rather than parameters."""
    return task_instance.c.state.in_([sa.literal_column(f"'{state}'") for state in sorted(states)])


task_is_waiting = sa.and_(
    task_instance.c.state == sa.literal_column(f"'{TaskState.SCHEDULED}'"), task_instance.c.held_by.is_(None)
)
task_is_starting = sa.and_(
    task_instance.c.state == sa.literal_column(f"'{TaskState.SCHEDULED}'"),
    task_instance.c.held_by == sa.literal_column(f"'{HeldBy.START_FROM_TRIGGER}'"),
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
add_index("ix_task_instance_waiting", *_queue_order, where=task_is_waiting, only=PARTIAL)
add_index("ix_task_instance_starting", *_queue_order, where=task_is_starting, only=PARTIAL)
add_index("ix_task_instance_active", task_instance.c.pool, where=task_is_active, only=PARTIAL)
add_index("ix_task_instance_timer", task_instance.c.wake_at, where=task_has_timer)
add_index("ix_task_instance_queue", task_instance.c.state, *_queue_order, only=NOT_PARTIAL)

task_try = sa.Table(
    "task_try",
    metadata,
    sa.Column("run_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("task_id", identifier(), primary_key=True),
    sa.Column("map_index", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.Column("state", STATE, nullable=False),
    sa.Column("scheduled_at", Instant, nullable=True),
    sa.Column("queued_at", Instant, nullable=True),
    sa.Column("started_at", Instant, nullable=True),
    sa.Column("finished_at", Instant, nullable=True),
    sa.Column("hostname", identifier(), nullable=True),
    sa.Column("pid", sa.Integer, nullable=True),
    sa.Column("cpu_s", sa.Double, nullable=True),
    sa.Column("peak_memory_bytes", sa.BigInteger, nullable=True),
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
add_index("ix_run_change_run", run_change.c.run_key)

callback_request = sa.Table(
    "callback_request",
    metadata,
    sa.Column("callback_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("bundle_name", identifier(), nullable=False),
    sa.Column("path", identifier(PATH_LENGTH), nullable=False),
    sa.Column("dag_id", identifier(), nullable=False),
    sa.Column("run_key", big_key(), nullable=False),
    sa.Column("version_key", big_key(), nullable=False),
    sa.Column("event", STATE, nullable=False),
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
add_index("ix_callback_request_bundle", callback_request.c.bundle_name, callback_request.c.callback_key)
add_index("ix_callback_request_run", callback_request.c.run_key, callback_request.c.callback_key)
