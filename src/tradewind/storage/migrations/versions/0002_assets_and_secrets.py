"""What tasks use and announce: connections, variables, assets and their events."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_secrets()
    _create_connection_tests()
    _create_assets()
    _create_asset_references()


def downgrade() -> None:
    for table in (
        *("asset_state", "asset_event", "asset_alias_asset", "asset_alias", "asset_reference", "asset"),
        *("connection_test_request", "connection", "variable"),
    ):
        op.drop_table(table)


def _create_secrets() -> None:
    op.create_table(
        "variable",
        sa.Column("key", types.id_text(), nullable=False),
        sa.Column("value", types.long_text(), nullable=False),
        sa.Column("is_encrypted", sa.Boolean, nullable=False),
        sa.Column("description", types.long_text(), nullable=True),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_variable"),
    )
    op.create_table(
        "connection",
        sa.Column("conn_id", types.id_text(), nullable=False),
        sa.Column("conn_type", types.id_text(), nullable=True),
        sa.Column("description", types.long_text(), nullable=True),
        sa.Column("host", types.long_text(), nullable=True),
        sa.Column("schema", types.long_text(), nullable=True),
        sa.Column("login", types.long_text(), nullable=True),
        sa.Column("password", types.long_text(), nullable=True),
        sa.Column("port", sa.Integer, nullable=True),
        sa.Column("extra", types.long_text(), nullable=True),
        sa.Column("is_encrypted", sa.Boolean, nullable=False),
        sa.Column("is_extra_encrypted", sa.Boolean, nullable=False),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("conn_id", name="pk_connection"),
    )


def _create_connection_tests() -> None:
    op.create_table(
        "connection_test_request",
        sa.Column("test_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("conn_id", types.id_text(), nullable=False),
        sa.Column("unfinished_conn_id", types.id_text(), nullable=True),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("message", types.long_text(), nullable=True),
        sa.Column("executor", types.id_text(), nullable=True),
        sa.Column("queue", types.id_text(), nullable=True),
        sa.Column("saves", sa.Boolean, nullable=False),
        sa.Column("conn_type", types.id_text(), nullable=True),
        sa.Column("description", types.long_text(), nullable=True),
        sa.Column("host", types.long_text(), nullable=True),
        sa.Column("schema", types.long_text(), nullable=True),
        sa.Column("login", types.long_text(), nullable=True),
        sa.Column("password", types.long_text(), nullable=True),
        sa.Column("port", sa.Integer, nullable=True),
        sa.Column("extra", types.long_text(), nullable=True),
        sa.Column("is_encrypted", sa.Boolean, nullable=False),
        sa.Column("is_extra_encrypted", sa.Boolean, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("test_key", name="pk_connection_test_request"),
        sa.UniqueConstraint("token_hash", name="uq_connection_test_request_token_hash"),
        sa.UniqueConstraint("unfinished_conn_id", name="uq_connection_test_request_unfinished_conn_id"),
        sqlite_autoincrement=True,
    )


def _of_asset(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["asset_key"], ["asset.asset_key"], name=f"fk_{table}_asset_key", ondelete="CASCADE")


def _create_assets() -> None:
    op.create_table(
        "asset",
        sa.Column("asset_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("name", types.asset_name(), nullable=False),
        sa.Column("uri", types.asset_name(), nullable=False),
        sa.Column("group", types.asset_name(), nullable=False),
        sa.Column("extra", types.long_text(), nullable=True),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("asset_key", name="pk_asset"),
        sa.UniqueConstraint("name", "uri", name="uq_asset_name_uri"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "asset_alias",
        sa.Column("alias_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("name", types.asset_name(), nullable=False),
        sa.Column("group", types.asset_name(), nullable=False),
        sa.PrimaryKeyConstraint("alias_key", name="pk_asset_alias"),
        sa.UniqueConstraint("name", name="uq_asset_alias_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "asset_alias_asset",
        sa.Column("alias", types.asset_name(), nullable=False),
        sa.Column("asset_key", types.key(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("alias", "asset_key", name="pk_asset_alias_asset"),
        sa.ForeignKeyConstraint(["alias"], ["asset_alias.name"], name="fk_asset_alias_asset_alias", ondelete="CASCADE"),
        _of_asset("asset_alias_asset"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "asset_event",
        sa.Column("event_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("asset_key", types.key(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("extra", types.long_text(), nullable=True),
        sa.Column("source_dag_id", types.id_text(), nullable=True),
        sa.Column("source_task_id", types.id_text(), nullable=True),
        sa.Column("source_run_id", types.id_text(), nullable=True),
        sa.Column("source_map_index", sa.Integer, nullable=True),
        sa.Column("partition_key", types.id_text(), nullable=True),
        sa.Column("aliases", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("event_key", name="pk_asset_event"),
        _of_asset("asset_event"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "asset_state",
        sa.Column("asset_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("key", types.id_text(512), nullable=False),
        sa.Column("value", types.long_text(), nullable=False),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.Column("written_by", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("asset_key", "key", name="pk_asset_state"),
        _of_asset("asset_state"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_asset_uri", "asset", ["uri"])
    op.create_index("ix_asset_alias_asset_asset", "asset_alias_asset", ["asset_key"])
    op.create_index("ix_asset_event_asset", "asset_event", ["asset_key", "created_at"])


def _create_asset_references() -> None:
    op.create_table(
        "asset_reference",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("asset_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", "asset_key", "role", "task_id", name="pk_asset_reference"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_asset_reference_dag_id", ondelete="CASCADE"),
        _of_asset("asset_reference"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_asset_reference_asset", "asset_reference", ["asset_key"])
