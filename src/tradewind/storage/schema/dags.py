"""DAGs, their versions, and the files that they come from."""

import sqlalchemy as sa

from tradewind.storage.schema.conventions import NOT_PARTIAL, PARTIAL, add_index, metadata
from tradewind.storage.types import PATH_LENGTH, Instant, LongText, big_key, identifier

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
    # What lists show of the current version, so that none need be decoded for them. See `model.dag_summary`.
    sa.Column("display_name", LongText, nullable=False),
    sa.Column("description", LongText, nullable=True),
    sa.Column("owners", LongText, nullable=False, default=""),
    sa.Column("timetable_type", LongText, nullable=False, default=""),
    sa.Column("timetable_summary", LongText, nullable=True),
    sa.Column("timetable_description", LongText, nullable=True),
    sa.Column("timetable_periodic", sa.Boolean, nullable=False, default=False),
    sa.Column("timetable_partitioned", sa.Boolean, nullable=False, default=False),
    sa.Column("has_asset_schedule", sa.Boolean, nullable=False, default=False),
    sa.Column("max_active_tasks", sa.Integer, nullable=False, default=0),
    sa.Column("max_active_runs", sa.Integer, nullable=False, default=0),
    sa.Column("max_consecutive_failed_runs", sa.Integer, nullable=False, default=0),
    sa.Column("has_task_limits", sa.Boolean, nullable=False, default=False),
    sa.Column("allowed_run_types", sa.String(250), nullable=True),
    sa.Column("tags", LongText, nullable=False, default="[]"),  # as JSON; who looks for one asks `dag_tag`
)
# A stale DAG has no next run, so that the condition need not name it.
dag_is_awaited = sa.and_(
    dag.c.next_run_after.is_not(None), ~dag.c.is_paused, ~dag.c.is_at_run_limit, dag.c.error.is_(None)
)
add_index("ix_dag_due", dag.c.next_run_after, where=dag_is_awaited)

dag_version = sa.Table(
    "dag_version",
    metadata,
    sa.Column("version_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), nullable=False),
    sa.Column("version_number", sa.Integer, nullable=False),
    sa.Column("structure_hash", sa.String(64), nullable=False),
    sa.Column("bundle_name", identifier(), nullable=True),
    sa.Column("bundle_version", identifier(), nullable=True),
    sa.Column("path", identifier(PATH_LENGTH), nullable=True),
    sa.Column("source_hash", sa.String(64), nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    # The last: SQLite reads a long row up to the columns that are asked for.
    sa.Column("data", LongText, nullable=False),
    sa.UniqueConstraint("dag_id", "version_number"),
    sqlite_autoincrement=True,
)
add_index("ix_dag_version_source", dag_version.c.source_hash)

dag_tag = sa.Table(
    "dag_tag",
    metadata,
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", identifier(), primary_key=True),
    sqlite_with_rowid=False,
)
add_index("ix_dag_tag_name", dag_tag.c.name)

dag_favorite = sa.Table(
    "dag_favorite",
    metadata,
    sa.Column("user_name", identifier(), primary_key=True),
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), primary_key=True),
    sqlite_with_rowid=False,
)
add_index("ix_dag_favorite_dag", dag_favorite.c.dag_id)

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
    sa.Column("heard_events", sa.String(60), nullable=True),
    sa.Column("heard_hooks", sa.String(250), nullable=True),
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
add_index("ix_dag_file_requested", dag_file.c.bundle_name, where=file_is_requested, only=PARTIAL)
add_index("ix_dag_file_is_requested", dag_file.c.is_requested, dag_file.c.bundle_name, only=NOT_PARTIAL)

dag_declaration = sa.Table(
    "dag_declaration",
    metadata,
    sa.Column("file_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("dag_id", identifier(), primary_key=True),
    sa.ForeignKeyConstraint(["file_key"], ["dag_file.file_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
add_index("ix_dag_declaration_dag", dag_declaration.c.dag_id)

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
add_index("ix_dag_warning_file", dag_warning.c.file_key)
