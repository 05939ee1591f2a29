"""Runs are about partitions, and updates of assets count for partitions of DAGs."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_KEPT = "dag_id, event_key, asset_key, created_at, partition_key, run_key"


def upgrade() -> None:
    op.add_column("dag_run", sa.Column("partition_key", types.id_text(), nullable=True))
    op.add_column("dag_run", sa.Column("partition_date", types.instant(), nullable=True))
    has_partition = sa.text("partition_key IS NOT NULL")
    op.create_index(
        "ix_dag_run_partition",
        "dag_run",
        ["dag_id", "partition_key"],
        postgresql_where=has_partition,
        sqlite_where=has_partition,
    )
    _rebuild_deliveries(["dag_id", "event_key", "target_key"])


def downgrade() -> None:
    op.execute("DELETE FROM asset_delivery WHERE target_key <> ''")
    _rebuild_deliveries(["dag_id", "event_key"])
    op.drop_index("ix_dag_run_partition", "dag_run")
    op.drop_column("dag_run", "partition_date")
    op.drop_column("dag_run", "partition_key")


def _rebuild_deliveries(primary_key: list[str]) -> None:
    """SQLite cannot change a primary key, and without a row id the table is its primary key."""
    op.execute(f"CREATE TABLE asset_delivery_before AS SELECT {_KEPT} FROM asset_delivery")  # noqa: S608 - our own names
    op.drop_table("asset_delivery")
    _create_deliveries(primary_key)
    has_target = "target_key" in primary_key
    names, values = (f"{_KEPT}, target_key", f"{_KEPT}, ''") if has_target else (_KEPT, _KEPT)
    op.execute(f"INSERT INTO asset_delivery ({names}) SELECT {values} FROM asset_delivery_before")  # noqa: S608
    op.drop_table("asset_delivery_before")


def _create_deliveries(primary_key: list[str]) -> None:
    target = [sa.Column("target_key", types.id_text(), nullable=False)] if "target_key" in primary_key else []
    op.create_table(
        "asset_delivery",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("event_key", types.key(), autoincrement=False, nullable=False),
        *target,
        sa.Column("asset_key", types.key(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("partition_key", types.id_text(), nullable=True),
        sa.Column("run_key", types.key(), nullable=True),
        sa.PrimaryKeyConstraint(*primary_key, name="pk_asset_delivery"),
        sa.ForeignKeyConstraint(
            ["event_key"], ["asset_event.event_key"], name="fk_asset_delivery_event_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "mysql":
        op.create_index("ix_asset_delivery_waiting", "asset_delivery", ["dag_id", "run_key", "asset_key", "event_key"])
    else:
        _create_partial_index("ix_asset_delivery_pending", ["dag_id", "asset_key", "event_key"], "run_key IS NULL")
    _create_partial_index("ix_asset_delivery_run", ["run_key"], "run_key IS NOT NULL")
    op.create_index("ix_asset_delivery_event", "asset_delivery", ["event_key"])


def _create_partial_index(name: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "asset_delivery", columns, postgresql_where=where, sqlite_where=where)
