"""DAGs and the files that they come from, pools, the lives of processes, and what those are told who watch."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types
from tradewind.storage.migration_indexes import NOT_PARTIAL, PARTIAL, create_index

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_dags()
    _create_versions()
    _create_tags_and_favorites()
    _create_sources()
    _create_declarations_and_warnings()
    _create_pools()
    _create_jobs()
    _create_news()
    _create_live_changes()


def downgrade() -> None:
    for table in (
        "live_listener",
        "live_change",
        "listener_news",
        "job",
        "pool",
        "dag_warning",
        "dag_declaration",
        "dag_file",
        "dag_bundle",
        "dag_source",
        "dag_favorite",
        "dag_tag",
        "dag_plan",
        "dag_version",
        "dag",
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
        sa.Column("tags", types.long_text(), nullable=False),
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
    create_index(
        "ix_dag_due",
        "dag",
        ["next_run_after"],
        where=sa.and_(
            sa.column("next_run_after").is_not(None),
            ~sa.column("is_paused", sa.Boolean),
            ~sa.column("is_at_run_limit", sa.Boolean),
            sa.column("error").is_(None),
        ),
    )


def _create_versions() -> None:
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
    create_index("ix_dag_version_source", "dag_version", ["source_hash"])
    op.create_table(
        "dag_plan",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("made_at", types.instant(), nullable=False),
        sa.Column("runs", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", name="pk_dag_plan"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_plan_dag_id", ondelete="CASCADE"),
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
    create_index("ix_dag_tag_name", "dag_tag", ["name"])
    op.create_table(
        "dag_favorite",
        sa.Column("user_name", types.id_text(), nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("user_name", "dag_id", name="pk_dag_favorite"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_favorite_dag_id", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    create_index("ix_dag_favorite_dag", "dag_favorite", ["dag_id"])


def _create_sources() -> None:
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
        sa.Column("heard_events", sa.String(60), nullable=True),
        sa.Column("heard_hooks", sa.String(250), nullable=True),
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
    create_index(
        "ix_dag_file_requested",
        "dag_file",
        ["bundle_name"],
        where=sa.column("is_requested", sa.Boolean) == sa.true(),
        only=PARTIAL,
    )
    create_index("ix_dag_file_is_requested", "dag_file", ["is_requested", "bundle_name"], only=NOT_PARTIAL)


def _create_declarations_and_warnings() -> None:
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
    create_index("ix_dag_declaration_dag", "dag_declaration", ["dag_id"])
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
    create_index("ix_dag_warning_file", "dag_warning", ["file_key"])


def _create_pools() -> None:
    pool = op.create_table(
        "pool",
        sa.Column("name", types.id_text(), nullable=False),
        sa.Column("slots", sa.Integer, nullable=False),
        sa.Column("include_deferred", sa.Boolean, nullable=False),
        sa.Column("description", types.long_text(), nullable=True),
        sa.Column("served_turn", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_pool"),
    )
    default = {
        "name": "default_pool",
        "slots": 128,
        "include_deferred": False,
        "description": "Default pool",
        "served_turn": 0,
    }
    op.bulk_insert(pool, [default])


def _create_jobs() -> None:
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
    create_index("ix_job_live", "job", ["kind", "heartbeat_at"], where="stopped_at IS NULL")


def _create_news() -> None:
    op.create_table(
        "listener_news",
        sa.Column("news_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("hook", sa.String(40), nullable=False),
        sa.Column("facts", types.long_text(), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("claimed_by", sa.BigInteger, nullable=True),
        sa.Column("claimed_until", types.instant(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("news_key", name="pk_listener_news"),
        sqlite_autoincrement=True,
    )


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
