"""Backfills. Their runs are runs like all others; see `dag_run.backfill_key`."""

import sqlalchemy as sa

from tradewind.storage.schema.conventions import STATE, add_index, metadata
from tradewind.storage.types import Instant, LongText, big_key, identifier

backfill = sa.Table(
    "backfill",
    metadata,
    sa.Column("backfill_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), nullable=False),
    sa.Column("version_key", big_key(), nullable=False),
    sa.Column("from_date", Instant, nullable=False),
    sa.Column("to_date", Instant, nullable=False),
    sa.Column("until", Instant, nullable=False),
    sa.Column("is_backward", sa.Boolean, nullable=False),
    sa.Column("reprocess", STATE, nullable=False),
    sa.Column("max_active_runs", sa.Integer, nullable=False),
    sa.Column("conf", LongText, nullable=True),
    sa.Column("uses_latest_version", sa.Boolean, nullable=False),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("marks", LongText, nullable=True),
    sa.Column("triggering_user_name", identifier(), nullable=True),
    sa.Column("is_paused", sa.Boolean, nullable=False),
    sa.Column("looked_at", sa.Integer, nullable=False),
    sa.Column("passed_over", sa.Integer, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column("completed_at", Instant, nullable=True),
    sqlite_autoincrement=True,
)
backfill_is_open = backfill.c.completed_at.is_(None)
add_index("ix_backfill_dag", backfill.c.dag_id, backfill.c.backfill_key)
add_index("ix_backfill_open", backfill.c.completed_at, where=backfill_is_open)
