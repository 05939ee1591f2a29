"""Runs, their task instances, what happened to them, and until when they have to be over."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types
from tradewind.storage.migration_indexes import NOT_PARTIAL, PARTIAL, create_index

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_QUEUE_ORDER: list[str | sa.TextClause] = [
    "pool",
    sa.text("priority_weight DESC"),
    "queue_turn",
    "run_key",
    "map_index",
]


def upgrade() -> None:
    _create_runs()
    _index_runs()
    _create_task_instances()
    _index_task_instances()
    _create_tries_and_changes()
    _create_callbacks()
    _create_backfills()
    _create_deadlines()
    _create_interval_questions()


def downgrade() -> None:
    for table in (
        "interval_question",
        "deadline",
        "backfill",
        "callback_request",
        "run_change",
        "task_try",
        "task_instance",
        "dag_run",
    ):
        op.drop_table(table)


def _create_runs() -> None:
    op.create_table(
        "dag_run",
        sa.Column("run_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("run_id", types.id_text(), nullable=False),
        sa.Column("run_type", sa.String(30), nullable=False),
        sa.Column("state", types.STATE, nullable=False),
        sa.Column("version_key", types.key(), nullable=False),
        sa.Column("bundle_version", types.id_text(), nullable=True),
        sa.Column("change_number", sa.BigInteger, nullable=False),
        sa.Column("owner", sa.BigInteger, nullable=True),
        sa.Column("logical_date", types.instant(), nullable=True),
        sa.Column("interval_start", types.instant(), nullable=True),
        sa.Column("interval_end", types.instant(), nullable=True),
        sa.Column("run_after", types.instant(), nullable=False),
        sa.Column("ordering_at", types.instant(), nullable=False),
        sa.Column("queued_at", types.instant(), nullable=True),
        sa.Column("started_at", types.instant(), nullable=True),
        sa.Column("finished_at", types.instant(), nullable=True),
        sa.Column("times_out_at", types.instant(), nullable=True),
        sa.Column("clear_number", sa.Integer, nullable=False),
        sa.Column("forced_state", types.STATE, nullable=True),
        sa.Column("conf", types.long_text(), nullable=True),
        sa.Column("note", types.long_text(), nullable=True),
        sa.Column("triggered_by", types.STATE, nullable=True),
        sa.Column("triggering_user_name", types.id_text(), nullable=True),
        sa.Column("backfill_key", sa.BigInteger, nullable=True),
        sa.Column("reason", types.long_text(), nullable=True),
        sa.Column("decided_at", types.instant(), nullable=True),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.Column("partition_key", types.id_text(), nullable=True),
        sa.Column("partition_date", types.instant(), nullable=True),
        sa.PrimaryKeyConstraint("run_key", name="pk_dag_run"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_run_dag_id", ondelete="CASCADE"),
        sa.UniqueConstraint("dag_id", "run_id", name="uq_dag_run_dag_id_run_id"),
        sa.UniqueConstraint("dag_id", "logical_date", name="uq_dag_run_dag_id_logical_date"),
        sqlite_autoincrement=True,
    )


def _index_runs() -> None:
    create_index(
        "ix_dag_run_queued", "dag_run", ["dag_id", "state", "run_after"], where="state = 'queued'", only=PARTIAL
    )
    create_index("ix_dag_run_running", "dag_run", ["dag_id", "state"], where="state = 'running'", only=PARTIAL)
    create_index("ix_dag_run_state", "dag_run", ["state", "dag_id", "run_after"], only=NOT_PARTIAL)
    create_index(
        "ix_dag_run_timeout", "dag_run", ["times_out_at"], where="state = 'running' AND times_out_at IS NOT NULL"
    )
    create_index("ix_dag_run_ended", "dag_run", ["finished_at", "state"], where="finished_at IS NOT NULL")
    create_index("ix_dag_run_order", "dag_run", ["dag_id", "ordering_at"])
    create_index("ix_dag_run_dag", "dag_run", ["dag_id"], only=("sqlite",))
    create_index("ix_dag_run_partition", "dag_run", ["dag_id", "partition_key"], where="partition_key IS NOT NULL")
    create_index(
        "ix_dag_run_backfill", "dag_run", ["backfill_key", "state", "ordering_at"], where="backfill_key IS NOT NULL"
    )


def _create_task_instances() -> None:
    op.create_table(
        "task_instance",
        sa.Column("run_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.Column("map_index", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("state", types.STATE, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("try_number", sa.Integer, nullable=False),
        sa.Column("max_tries", sa.Integer, nullable=False),
        sa.Column("held_by", sa.String(30), nullable=True),
        sa.Column("queue_turn", sa.BigInteger, nullable=False),
        sa.Column("pool", types.id_text(), nullable=False),
        sa.Column("pool_slots", sa.Integer, nullable=False),
        sa.Column("priority_weight", sa.Integer, nullable=False),
        sa.Column("max_active_per_dag", sa.Integer, nullable=True),
        sa.Column("queue", types.id_text(), nullable=False),
        sa.Column("executor", types.id_text(), nullable=True),
        sa.Column("operator", types.id_text(), nullable=False),
        sa.Column("task_type", types.id_text(), nullable=True),
        sa.Column("display_name", types.long_text(), nullable=True),
        sa.Column("executor_config", types.long_text(), nullable=True),
        sa.Column("wake_at", types.instant(), nullable=True),
        sa.Column("scheduled_at", types.instant(), nullable=True),
        sa.Column("queued_at", types.instant(), nullable=True),
        sa.Column("queued_by", sa.BigInteger, nullable=True),
        sa.Column("started_at", types.instant(), nullable=True),
        sa.Column("finished_at", types.instant(), nullable=True),
        sa.Column("heartbeat_at", types.instant(), nullable=True),
        sa.Column("hostname", types.id_text(), nullable=True),
        sa.Column("pid", sa.Integer, nullable=True),
        sa.Column("worker", sa.BigInteger, nullable=True),
        sa.Column("map_length", sa.Integer, nullable=True),
        sa.Column("skips", types.long_text(), nullable=True),
        sa.Column("requeues", sa.Integer, nullable=False),
        sa.Column("reschedules", sa.Integer, nullable=False),
        sa.Column("rendered_map_index", types.long_text(), nullable=True),
        sa.Column("cpu_s", sa.Double, nullable=True),
        sa.Column("peak_memory_bytes", sa.BigInteger, nullable=True),
        sa.Column("reason", types.long_text(), nullable=True),
        sa.Column("note", types.long_text(), nullable=True),
        sa.Column("intervened_at", types.instant(), nullable=True),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", name="pk_task_instance"),
        sa.ForeignKeyConstraint(["run_key"], ["dag_run.run_key"], name="fk_task_instance_run_key", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )


def _index_task_instances() -> None:
    create_index(
        "ix_task_instance_waiting",
        "task_instance",
        _QUEUE_ORDER,
        where="state = 'scheduled' AND held_by IS NULL",
        only=PARTIAL,
    )
    create_index(
        "ix_task_instance_starting",
        "task_instance",
        _QUEUE_ORDER,
        where="state = 'scheduled' AND held_by = 'start_from_trigger'",
        only=PARTIAL,
    )
    create_index(
        "ix_task_instance_active",
        "task_instance",
        ["pool"],
        where="state IN ('deferred', 'queued', 'restarting', 'running')",
        only=PARTIAL,
    )
    create_index("ix_task_instance_timer", "task_instance", ["wake_at"], where="wake_at IS NOT NULL")
    create_index("ix_task_instance_queue", "task_instance", ["state", *_QUEUE_ORDER], only=NOT_PARTIAL)


def _create_tries_and_changes() -> None:
    op.create_table(
        "task_try",
        sa.Column("run_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.Column("map_index", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("try_number", sa.Integer, nullable=False),
        sa.Column("state", types.STATE, nullable=False),
        sa.Column("scheduled_at", types.instant(), nullable=True),
        sa.Column("queued_at", types.instant(), nullable=True),
        sa.Column("started_at", types.instant(), nullable=True),
        sa.Column("finished_at", types.instant(), nullable=True),
        sa.Column("hostname", types.id_text(), nullable=True),
        sa.Column("pid", sa.Integer, nullable=True),
        sa.Column("cpu_s", sa.Double, nullable=True),
        sa.Column("peak_memory_bytes", sa.BigInteger, nullable=True),
        sa.Column("reason", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", "attempt", name="pk_task_try"),
        sa.ForeignKeyConstraint(
            ["run_key", "task_id", "map_index"],
            ["task_instance.run_key", "task_instance.task_id", "task_instance.map_index"],
            name="fk_task_try_run_key",
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "run_change",
        sa.Column("change_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("run_key", types.key(), nullable=False),
        sa.Column("task_id", types.id_text(), nullable=True),
        sa.Column("map_index", sa.Integer, nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("change_key", name="pk_run_change"),
    )
    create_index("ix_run_change_run", "run_change", ["run_key"])


def _create_callbacks() -> None:
    op.create_table(
        "callback_request",
        sa.Column("callback_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("bundle_name", types.id_text(), nullable=False),
        sa.Column("path", types.id_text(500), nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("run_key", types.key(), nullable=False),
        sa.Column("version_key", types.key(), nullable=False),
        sa.Column("event", types.STATE, nullable=False),
        sa.Column("reason", types.long_text(), nullable=True),
        sa.Column("is_of_task", sa.Boolean, nullable=False),
        sa.Column("task_id", types.id_text(), nullable=True),
        sa.Column("map_index", sa.Integer, nullable=False),
        sa.Column("try_number", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("claimed_by", sa.BigInteger, nullable=True),
        sa.Column("claimed_until", types.instant(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("callback_key", name="pk_callback_request"),
        sqlite_autoincrement=True,
    )
    create_index("ix_callback_request_bundle", "callback_request", ["bundle_name", "callback_key"])
    create_index("ix_callback_request_run", "callback_request", ["run_key", "callback_key"])


def _create_backfills() -> None:
    op.create_table(
        "backfill",
        sa.Column("backfill_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("version_key", types.key(), nullable=False),
        sa.Column("from_date", types.instant(), nullable=False),
        sa.Column("to_date", types.instant(), nullable=False),
        sa.Column("until", types.instant(), nullable=False),
        sa.Column("is_backward", sa.Boolean, nullable=False),
        sa.Column("reprocess", types.STATE, nullable=False),
        sa.Column("max_active_runs", sa.Integer, nullable=False),
        sa.Column("conf", types.long_text(), nullable=True),
        sa.Column("uses_latest_version", sa.Boolean, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("marks", types.long_text(), nullable=True),
        sa.Column("triggering_user_name", types.id_text(), nullable=True),
        sa.Column("is_paused", sa.Boolean, nullable=False),
        sa.Column("looked_at", sa.Integer, nullable=False),
        sa.Column("passed_over", sa.Integer, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.Column("completed_at", types.instant(), nullable=True),
        sa.PrimaryKeyConstraint("backfill_key", name="pk_backfill"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_backfill_dag_id", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    create_index("ix_backfill_dag", "backfill", ["dag_id", "backfill_key"])
    create_index("ix_backfill_open", "backfill", ["completed_at"], where="completed_at IS NULL")


def _create_deadlines() -> None:
    op.create_table(
        "deadline",
        sa.Column("deadline_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("run_key", types.key(), nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", types.long_text(), nullable=True),
        sa.Column("due_at", types.instant(), nullable=True),
        sa.Column("state", types.STATE, nullable=False),
        sa.Column("missed_at", types.instant(), nullable=True),
        sa.Column("bundle_name", types.id_text(), nullable=True),
        sa.Column("path", types.id_text(500), nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("claimed_by", sa.BigInteger, nullable=True),
        sa.Column("claimed_until", types.instant(), nullable=True),
        sa.Column("message", types.long_text(), nullable=True),
        sa.Column("is_async", sa.Boolean, nullable=True),
        sa.Column("output", types.long_text(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("deadline_key", name="pk_deadline"),
        sa.ForeignKeyConstraint(["run_key"], ["dag_run.run_key"], name="fk_deadline_run_key", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    create_index("ix_deadline_due", "deadline", ["due_at"], where="state = 'ahead'", only=PARTIAL)
    create_index("ix_deadline_author", "deadline", ["bundle_name"], where="state IN ('asked', 'pending')", only=PARTIAL)
    create_index("ix_deadline_missed", "deadline", ["missed_at"], where="state = 'pending'", only=PARTIAL)
    create_index(
        "ix_deadline_called", "deadline", ["claimed_until"], where="state IN ('queued', 'running')", only=PARTIAL
    )
    create_index("ix_deadline_state", "deadline", ["state", "due_at"], only=NOT_PARTIAL)
    create_index("ix_deadline_run", "deadline", ["run_key"])
    create_index("ix_deadline_dag", "deadline", ["dag_id", "deadline_key"])


def _create_interval_questions() -> None:
    op.create_table(
        "interval_question",
        sa.Column("run_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("moment", types.instant(), nullable=False),
        sa.Column("asked_at", types.instant(), nullable=True),
        sa.PrimaryKeyConstraint("run_key", name="pk_interval_question"),
        sa.ForeignKeyConstraint(
            ["run_key"], ["dag_run.run_key"], name="fk_interval_question_run_key", ondelete="CASCADE"
        ),
    )
    create_index("ix_interval_question_dag", "interval_question", ["dag_id"])
