"""Backfills."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
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
    op.create_index("ix_backfill_dag", "backfill", ["dag_id", "backfill_key"])
    is_open = sa.text("completed_at IS NULL")
    op.create_index("ix_backfill_open", "backfill", ["completed_at"], postgresql_where=is_open, sqlite_where=is_open)


def downgrade() -> None:
    op.drop_table("backfill")
