"""The first schema: DAGs and their files, runs, task instances and what they leave behind, pools, jobs."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_dags()
    _create_tags_and_favorites()
    _create_files()
    _create_runs()
    _create_task_instances()
    _create_history_and_changes()
    _create_callbacks()
    _create_kept()
    _create_pools_and_jobs()
    _create_live_changes()
    if op.get_context().dialect.name == "mysql":
        _create_full_indexes()
    else:
        _create_partial_indexes()


def downgrade() -> None:
    for table in (
        *("inquiry", "deferral", "task_state", "rendered_fields", "xcom"),
        *("live_listener", "live_change", "job", "pool", "callback_request"),
        *("run_change", "task_try", "task_instance", "dag_run"),
        *("dag_warning", "dag_declaration", "dag_file", "dag_bundle", "dag_source"),
        *("dag_favorite", "dag_tag", "dag_version", "dag"),
    ):
        op.drop_table(table)


def _dag_summary() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("display_name", types.long_text(), nullable=False),
        sa.Column("description", types.long_text(), nullable=True),
        sa.Column("owners", types.long_text(), nullable=False),
        sa.Column("timetable_type", types.long_text(), nullable=False),
        sa.Column("timetable_summary", types.long_text(), nullable=True),
        sa.Column("timetable_description", types.long_text(), nullable=True),
        sa.Column("timetable_periodic", sa.Boolean, nullable=False),
        sa.Column("timetable_partitioned", sa.Boolean, nullable=False),
        sa.Column("has_asset_schedule", sa.Boolean, nullable=False),
        sa.Column("max_active_tasks", sa.Integer, nullable=False),
        sa.Column("max_active_runs", sa.Integer, nullable=False),
        sa.Column("max_consecutive_failed_runs", sa.Integer, nullable=False),
        sa.Column("has_task_limits", sa.Boolean, nullable=False),
        sa.Column("allowed_run_types", sa.String(250), nullable=True),
    )


def _create_dags() -> None:
    op.create_table(
        "dag",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("is_paused", sa.Boolean, nullable=False),
        sa.Column("version_key", types.key(), nullable=True),
        sa.Column("next_run_after", types.instant(), nullable=True),
        sa.Column("next_interval_start", types.instant(), nullable=True),
        sa.Column("next_interval_end", types.instant(), nullable=True),
        sa.Column("is_at_run_limit", sa.Boolean, nullable=False),
        sa.Column("error", types.long_text(), nullable=True),
        sa.Column("is_stale", sa.Boolean, nullable=False),
        sa.Column("bundle_name", types.id_text(), nullable=True),
        sa.Column("path", types.id_text(500), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("updated_at", types.instant(), nullable=False),
        *_dag_summary(),
        sa.PrimaryKeyConstraint("dag_id", name="pk_dag"),
    )
    op.create_table(
        "dag_version",
        sa.Column("version_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("version_number", sa.Integer, nullable=False),
        sa.Column("structure_hash", sa.String(64), nullable=False),
        sa.Column("bundle_name", types.id_text(), nullable=True),
        sa.Column("bundle_version", types.id_text(), nullable=True),
        sa.Column("path", types.id_text(500), nullable=True),
        sa.Column("source_hash", sa.String(64), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("data", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("version_key", name="pk_dag_version"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_version_dag_id", ondelete="CASCADE"),
        sa.UniqueConstraint("dag_id", "version_number", name="uq_dag_version_dag_id_version_number"),
        sqlite_autoincrement=True,
    )


def _create_tags_and_favorites() -> None:
    op.create_table(
        "dag_tag",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("name", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", "name", name="pk_dag_tag"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_tag_dag_id", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_dag_tag_name", "dag_tag", ["name"])
    op.create_table(
        "dag_favorite",
        sa.Column("user_name", types.id_text(), nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("user_name", "dag_id", name="pk_dag_favorite"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_favorite_dag_id", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_dag_favorite_dag", "dag_favorite", ["dag_id"])


def _create_files() -> None:
    op.create_table(
        "dag_source",
        sa.Column("source_hash", sa.String(64), nullable=False),
        sa.Column("text", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("source_hash", name="pk_dag_source"),
    )
    op.create_table(
        "dag_bundle",
        sa.Column("name", types.id_text(), nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("version", types.id_text(), nullable=True),
        sa.Column("refreshed_at", types.instant(), nullable=True),
        sa.Column("error", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_dag_bundle"),
    )
    op.create_table(
        "dag_file",
        sa.Column("file_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("bundle_name", types.id_text(), nullable=False),
        sa.Column("path", types.id_text(500), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=True),
        sa.Column("environment", sa.String(64), nullable=True),
        sa.Column("dependencies", types.long_text(), nullable=True),
        sa.Column("is_volatile", sa.Boolean, nullable=False),
        sa.Column("parsed_at", types.instant(), nullable=True),
        sa.Column("duration_ms", sa.Integer, nullable=True),
        sa.Column("error", types.long_text(), nullable=True),
        sa.Column("error_at", types.instant(), nullable=True),
        sa.Column("claimed_by", sa.BigInteger, nullable=True),
        sa.Column("claimed_until", types.instant(), nullable=True),
        sa.Column("is_requested", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("file_key", name="pk_dag_file"),
        sa.UniqueConstraint("bundle_name", "path", name="uq_dag_file_bundle_name_path"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "dag_declaration",
        sa.Column("file_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("file_key", "dag_id", name="pk_dag_declaration"),
        sa.ForeignKeyConstraint(
            ["file_key"], ["dag_file.file_key"], name="fk_dag_declaration_file_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dag_warning",
        sa.Column("warning_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("file_key", types.key(), nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=True),
        sa.Column("kind", sa.String(50), nullable=False),
        sa.Column("line", sa.Integer, nullable=True),
        sa.Column("message", types.long_text(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("warning_key", name="pk_dag_warning"),
        sa.ForeignKeyConstraint(
            ["file_key"], ["dag_file.file_key"], name="fk_dag_warning_file_key", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_dag_version_source", "dag_version", ["source_hash"])
    op.create_index("ix_dag_declaration_dag", "dag_declaration", ["dag_id"])
    op.create_index("ix_dag_warning_file", "dag_warning", ["file_key"])


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
        sa.Column("forced_state", sa.String(20), nullable=True),
        sa.Column("conf", types.long_text(), nullable=True),
        sa.Column("note", types.long_text(), nullable=True),
        sa.Column("triggered_by", types.STATE, nullable=True),
        sa.Column("triggering_user_name", types.id_text(), nullable=True),
        sa.Column("backfill_key", sa.BigInteger, nullable=True),
        sa.Column("reason", types.long_text(), nullable=True),
        sa.Column("decided_at", types.instant(), nullable=True),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", name="pk_dag_run"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_run_dag_id", ondelete="CASCADE"),
        sa.UniqueConstraint("dag_id", "run_id", name="uq_dag_run_dag_id_run_id"),
        sa.UniqueConstraint("dag_id", "logical_date", name="uq_dag_run_dag_id_logical_date"),
        sqlite_autoincrement=True,
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


def _create_history_and_changes() -> None:
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
    op.create_index("ix_callback_request_bundle", "callback_request", ["bundle_name", "callback_key"])


def _of_task() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("run_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.Column("map_index", sa.Integer, autoincrement=False, nullable=False),
    )


def _ends_with_task(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["run_key", "task_id", "map_index"],
        ["task_instance.run_key", "task_instance.task_id", "task_instance.map_index"],
        name=f"fk_{table}_run_key",
        ondelete="CASCADE",
    )


def _create_kept() -> None:
    op.create_table(
        "xcom",
        *_of_task(),
        sa.Column("key", types.id_text(512), nullable=False),
        sa.Column("value", types.long_text(), nullable=False),
        sa.Column("mapped_length", sa.Integer, nullable=True),
        sa.Column("is_dag_result", sa.Boolean, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", "key", name="pk_xcom"),
        _ends_with_task("xcom"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rendered_fields",
        *_of_task(),
        sa.Column("fields", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", name="pk_rendered_fields"),
        _ends_with_task("rendered_fields"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "task_state",
        *_of_task(),
        sa.Column("key", types.id_text(512), nullable=False),
        sa.Column("value", types.long_text(), nullable=False),
        sa.Column("expires_at", types.instant(), nullable=True),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", "key", name="pk_task_state"),
        _ends_with_task("task_state"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "deferral",
        *_of_task(),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("next_method", types.id_text(), nullable=False),
        sa.Column("next_kwargs", types.long_text(), nullable=True),
        sa.Column("resumed_by", sa.Integer, nullable=True),
        sa.Column("times_out_at", types.instant(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", name="pk_deferral"),
        _ends_with_task("deferral"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "inquiry",
        *_of_task(),
        sa.Column("try_number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("options", types.long_text(), nullable=False),
        sa.Column("subject", types.long_text(), nullable=False),
        sa.Column("body", types.long_text(), nullable=True),
        sa.Column("defaults", types.long_text(), nullable=True),
        sa.Column("multiple", sa.Boolean, nullable=False),
        sa.Column("params", types.long_text(), nullable=False),
        sa.Column("assigned_users", types.long_text(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("responded_at", types.instant(), nullable=True),
        sa.Column("responded_by_id", types.id_text(), nullable=True),
        sa.Column("responded_by_name", types.id_text(), nullable=True),
        sa.Column("chosen_options", types.long_text(), nullable=True),
        sa.Column("params_input", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", "try_number", name="pk_inquiry"),
        _ends_with_task("inquiry"),
        sqlite_with_rowid=False,
    )


def _create_pools_and_jobs() -> None:
    pool = op.create_table(
        "pool",
        sa.Column("name", types.id_text(), nullable=False),
        sa.Column("slots", sa.Integer, nullable=False),
        sa.Column("include_deferred", sa.Boolean, nullable=False),
        sa.Column("description", types.long_text(), nullable=True),
        sa.Column("served_turn", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_pool"),
    )
    op.create_table(
        "job",
        sa.Column("job_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("hostname", types.id_text(), nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("started_at", types.instant(), nullable=False),
        sa.Column("heartbeat_at", types.instant(), nullable=False),
        sa.Column("stopped_at", types.instant(), nullable=True),
        sa.Column("is_dead", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("job_key", name="pk_job"),
        sqlite_autoincrement=True,
    )
    default = {
        "name": "default_pool",
        "slots": 128,
        "include_deferred": False,
        "description": "Default pool",
        "served_turn": 0,
    }
    op.bulk_insert(pool, [default])


_QUEUE_ORDER = ("pool", sa.text("priority_weight DESC"), "queue_turn", "run_key", "map_index")


def _create_live_changes() -> None:
    op.create_table(
        "live_change",
        sa.Column("change_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("at", types.instant(), nullable=False),
        sa.Column("entries", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("change_key", name="pk_live_change"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "live_listener",
        sa.Column("listener_key", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("beat", sa.BigInteger, nullable=False),
        sa.Column("heard_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("listener_key", name="pk_live_listener"),
    )


def _create_full_indexes() -> None:
    """MySQL has no partial indexes: the state leads instead."""
    op.create_index("ix_dag_due", "dag", ["next_run_after"])
    op.create_index("ix_dag_file_is_requested", "dag_file", ["is_requested", "bundle_name"])
    op.create_index("ix_dag_run_state", "dag_run", ["state", "dag_id", "run_after"])
    op.create_index("ix_dag_run_timeout", "dag_run", ["times_out_at"])
    op.create_index("ix_dag_run_order", "dag_run", ["dag_id", "ordering_at"])
    op.create_index("ix_dag_run_backfill", "dag_run", ["backfill_key", "state", "ordering_at"])
    op.create_index("ix_task_instance_queue", "task_instance", ["state", *_QUEUE_ORDER])
    op.create_index("ix_task_instance_timer", "task_instance", ["wake_at"])
    op.create_index("ix_run_change_run", "run_change", ["run_key"])
    op.create_index("ix_job_live", "job", ["kind", "heartbeat_at"])


def _create_partial_indexes() -> None:
    def partial(name: str, table: str, columns: list[str | sa.TextClause], condition: str) -> None:
        where = sa.text(condition)
        op.create_index(name, table, columns, postgresql_where=where, sqlite_where=where)

    # Each condition must be the one that the queries state, in the words of the database: SQLite has no booleans.
    is_sqlite = op.get_context().dialect.name == "sqlite"
    is_free = "is_paused = 0 AND is_at_run_limit = 0" if is_sqlite else "NOT is_paused AND NOT is_at_run_limit"
    partial("ix_dag_due", "dag", ["next_run_after"], f"next_run_after IS NOT NULL AND {is_free} AND error IS NULL")
    partial(
        "ix_dag_file_requested", "dag_file", ["bundle_name"], "is_requested = 1" if is_sqlite else "is_requested = true"
    )
    partial("ix_dag_run_queued", "dag_run", ["dag_id", "state", "run_after"], "state = 'queued'")
    partial("ix_dag_run_running", "dag_run", ["dag_id", "state"], "state = 'running'")
    partial("ix_dag_run_timeout", "dag_run", ["times_out_at"], "state = 'running' AND times_out_at IS NOT NULL")
    op.create_index("ix_dag_run_order", "dag_run", ["dag_id", "ordering_at"])
    partial("ix_dag_run_backfill", "dag_run", ["backfill_key", "state", "ordering_at"], "backfill_key IS NOT NULL")
    partial("ix_task_instance_waiting", "task_instance", [*_QUEUE_ORDER], "state = 'scheduled' AND held_by IS NULL")
    is_starting = "state = 'scheduled' AND held_by = 'start_from_trigger'"
    partial("ix_task_instance_starting", "task_instance", [*_QUEUE_ORDER], is_starting)
    partial(
        "ix_task_instance_active",
        "task_instance",
        ["pool"],
        "state IN ('deferred', 'queued', 'restarting', 'running')",
    )
    partial("ix_task_instance_timer", "task_instance", ["wake_at"], "wake_at IS NOT NULL")
    op.create_index("ix_run_change_run", "run_change", ["run_key"])
    partial("ix_job_live", "job", ["kind", "heartbeat_at"], "stopped_at IS NULL")
