"""Updates of assets on their way to DAGs, DAGs to look at, and ticks that wait for assets."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_deliveries()
    op.create_table(
        "dag_change",
        sa.Column("change_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("change_key", name="pk_dag_change"),
    )
    op.create_index("ix_dag_change_dag", "dag_change", ["dag_id"])
    _create_slots()


def downgrade() -> None:
    for table in ("schedule_slot", "dag_change", "asset_delivery", "asset_listener"):
        op.drop_table(table)


def _create_deliveries() -> None:
    op.create_table(
        "asset_listener",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("value", types.asset_name(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", "kind", "value", name="pk_asset_listener"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_asset_listener_value", "asset_listener", ["value"])
    op.create_table(
        "asset_delivery",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("event_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("asset_key", types.key(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("partition_key", types.id_text(), nullable=True),
        sa.Column("run_key", types.key(), nullable=True),
        sa.PrimaryKeyConstraint("dag_id", "event_key", name="pk_asset_delivery"),
        sa.ForeignKeyConstraint(
            ["event_key"], ["asset_event.event_key"], name="fk_asset_delivery_event_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "mysql":
        op.create_index("ix_asset_delivery_waiting", "asset_delivery", ["dag_id", "run_key", "asset_key", "event_key"])
    else:
        is_pending = sa.text("run_key IS NULL")
        op.create_index(
            "ix_asset_delivery_pending",
            "asset_delivery",
            ["dag_id", "asset_key", "event_key"],
            postgresql_where=is_pending,
            sqlite_where=is_pending,
        )
    is_consumed = sa.text("run_key IS NOT NULL")
    op.create_index(
        "ix_asset_delivery_run",
        "asset_delivery",
        ["run_key"],
        postgresql_where=is_consumed,
        sqlite_where=is_consumed,
    )
    op.create_index("ix_asset_delivery_event", "asset_delivery", ["event_key"])


def _create_slots() -> None:
    op.create_table(
        "schedule_slot",
        sa.Column("slot_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("run_after", types.instant(), nullable=False),
        sa.Column("interval_start", types.instant(), nullable=True),
        sa.Column("interval_end", types.instant(), nullable=True),
        sa.Column("state", types.STATE, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("deadline_at", types.instant(), nullable=True),
        sa.Column("settled_at", types.instant(), nullable=True),
        sa.Column("run_key", types.key(), nullable=True),
        sa.Column("reason", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("slot_key", name="pk_schedule_slot"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_schedule_slot_dag_id", ondelete="CASCADE"),
        sa.UniqueConstraint("dag_id", "run_after", name="uq_schedule_slot_dag_id_run_after"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_schedule_slot_waiting", "schedule_slot", ["dag_id", "state", "run_after"])
    has_deadline = sa.text("deadline_at IS NOT NULL")
    op.create_index(
        "ix_schedule_slot_deadline",
        "schedule_slot",
        ["deadline_at"],
        postgresql_where=has_deadline,
        sqlite_where=has_deadline,
    )
