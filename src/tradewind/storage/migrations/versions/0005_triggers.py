"""Triggers and who runs them."""

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
        sa.Column("queue", types.id_text(), nullable=True),
        sa.Column("triggerer", sa.BigInteger, nullable=True),
        sa.Column("is_called_off", sa.Boolean, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
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


def downgrade() -> None:
    op.drop_table("task_trigger")
