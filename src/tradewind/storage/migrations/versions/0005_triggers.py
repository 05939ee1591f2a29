"""Triggers of tasks and watchers of assets, and who runs them."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_trigger",
        sa.Column("trigger_key", types.key(), autoincrement=True, nullable=False),
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
        sa.Column("is_called_off", sa.Boolean, nullable=False),
        sa.Column("is_killed", sa.Boolean, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("claimed_at", types.instant(), nullable=True),
        sa.Column("blocks", sa.Integer, nullable=False),
        sa.Column("blocked_at", types.instant(), nullable=True),
        sa.Column("blocked_stack", types.long_text(), nullable=True),
        sa.Column("is_quarantined", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("trigger_key", name="pk_task_trigger"),
        sa.ForeignKeyConstraint(
            ["run_key", "task_id", "map_index"],
            ["task_instance.run_key", "task_instance.task_id", "task_instance.map_index"],
            name="fk_task_trigger_run_key",
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_task_trigger_task", "task_trigger", ["run_key", "task_id", "map_index"])
    op.create_index("ix_task_trigger_triggerer", "task_trigger", ["triggerer", "is_called_off"])

    _create_watchers()


def downgrade() -> None:
    for table in ("webhook_message", "asset_watcher", "watcher", "task_trigger"):
        op.drop_table(table)


def _create_watchers() -> None:
    op.create_table(
        "watcher",
        sa.Column("watcher_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("class_path", types.long_text(), nullable=False),
        sa.Column("kwargs", types.long_text(), nullable=False),
        sa.Column("is_encrypted", sa.Boolean, nullable=False),
        sa.Column("bundle_name", types.id_text(), nullable=True),
        sa.Column("path", types.id_text(500), nullable=True),
        sa.Column("triggerer", sa.BigInteger, nullable=True),
        sa.Column("stored", sa.BigInteger, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("failed_at", types.instant(), nullable=True),
        sa.Column("error", types.long_text(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("watcher_key", name="pk_watcher"),
        sa.UniqueConstraint("identity", name="uq_watcher_identity"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "asset_watcher",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("asset_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("watcher_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("name", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", "asset_key", "watcher_key", name="pk_asset_watcher"),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.{column}"], name=f"fk_asset_watcher_{column}", ondelete="CASCADE"
            )
            for column, table in (("dag_id", "dag"), ("asset_key", "asset"), ("watcher_key", "watcher"))
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_message",
        sa.Column("message_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("hook", types.id_text(), nullable=False),
        sa.Column("body", types.long_text(), nullable=False),
        sa.Column("received_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("message_key", name="pk_webhook_message"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhook_message_hook", "webhook_message", ["hook", "message_key"])
    op.create_index("ix_asset_watcher_asset", "asset_watcher", ["asset_key"])
    op.create_index("ix_asset_watcher_watcher", "asset_watcher", ["watcher_key"])
