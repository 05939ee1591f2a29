"""Triggers of tasks that were deleted, and messages that watchers have seen."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "orphan_trigger",
        sa.Column("trigger_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("run_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.Column("map_index", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("class_path", types.long_text(), nullable=False),
        sa.Column("kwargs", types.long_text(), nullable=False),
        sa.Column("is_encrypted", sa.Boolean, nullable=False),
        sa.Column("is_prepared", sa.Boolean, nullable=False),
        sa.Column("queue", types.id_text(), nullable=True),
        sa.Column("triggerer", sa.BigInteger, nullable=True),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("run_id", types.id_text(), nullable=False),
        sa.Column("try_number", sa.Integer, nullable=False),
        sa.Column("bundle_name", types.id_text(), nullable=True),
        sa.Column("bundle_version", types.id_text(), nullable=True),
        sa.Column("path", types.id_text(500), nullable=True),
        sa.PrimaryKeyConstraint("trigger_key", name="pk_orphan_trigger"),
    )
    op.create_table(
        "watched_message",
        sa.Column("watcher_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("message_hash", sa.String(64), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("watcher_key", "message_hash", name="pk_watched_message"),
        sa.ForeignKeyConstraint(
            ["watcher_key"], ["watcher.watcher_key"], name="fk_watched_message_watcher_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_watched_message_number", "watched_message", ["watcher_key", "number"])


def downgrade() -> None:
    for table in ("watched_message", "orphan_trigger"):
        op.drop_table(table)
