"""What all DAGs share: variables, connections, assets and who looks out for them; and how assets start runs."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types
from tradewind.storage.migration_indexes import NOT_PARTIAL, PARTIAL, create_index

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_secrets()
    _create_connection_tests()
    _create_assets()
    _create_aliases()
    _create_events()
    _create_asset_states()
    _create_deliveries()
    _create_slots()
    _create_watchers()
    _create_messages()


def downgrade() -> None:
    for table in (
        "watched_message",
        "webhook_message",
        "asset_watcher",
        "watcher",
        "schedule_slot",
        "dag_change",
        "asset_delivery",
        "asset_listener",
        "asset_state",
        "asset_event",
        "asset_alias_asset",
        "asset_alias",
        "asset_reference",
        "asset",
        "connection_test_request",
        "connection",
        "variable",
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
        sa.Column("state", types.STATE, nullable=False),
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
    create_index("ix_asset_uri", "asset", ["uri"])
    op.create_table(
        "asset_reference",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("asset_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", "asset_key", "role", "task_id", name="pk_asset_reference"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_asset_reference_dag_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["asset_key"], ["asset.asset_key"], name="fk_asset_reference_asset_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    create_index("ix_asset_reference_asset", "asset_reference", ["asset_key"])


def _create_aliases() -> None:
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
        sa.ForeignKeyConstraint(
            ["asset_key"], ["asset.asset_key"], name="fk_asset_alias_asset_asset_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    create_index("ix_asset_alias_asset_asset", "asset_alias_asset", ["asset_key"])


def _create_events() -> None:
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
        sa.Column("batch_key", types.key(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("event_key", name="pk_asset_event"),
        sa.ForeignKeyConstraint(
            ["asset_key"], ["asset.asset_key"], name="fk_asset_event_asset_key", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    create_index("ix_asset_event_asset", "asset_event", ["asset_key", "created_at"])
    create_index("ix_asset_event_new", "asset_event", ["batch_key", "event_key"], where="batch_key = -1", only=PARTIAL)
    create_index("ix_asset_event_batch", "asset_event", ["batch_key", "event_key"], where="batch_key > 0")


def _create_asset_states() -> None:
    op.create_table(
        "asset_state",
        sa.Column("asset_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("key", types.id_text(512), nullable=False),
        sa.Column("value", types.long_text(), nullable=False),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.Column("written_by", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("asset_key", "key", name="pk_asset_state"),
        sa.ForeignKeyConstraint(
            ["asset_key"], ["asset.asset_key"], name="fk_asset_state_asset_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )


def _create_deliveries() -> None:
    op.create_table(
        "asset_listener",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("value", types.asset_name(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", "kind", "value", name="pk_asset_listener"),
        sqlite_with_rowid=False,
    )
    create_index("ix_asset_listener_value", "asset_listener", ["value"])
    op.create_table(
        "asset_delivery",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("event_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("target_key", types.id_text(), nullable=False),
        sa.Column("asset_key", types.key(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("partition_key", types.id_text(), nullable=True),
        sa.Column("batch_key", types.key(), nullable=True),
        sa.Column("number", sa.Integer, nullable=False, server_default="1"),
        sa.Column("first_at", types.instant(), nullable=True),
        sa.Column("run_key", types.key(), nullable=True),
        sa.PrimaryKeyConstraint("dag_id", "event_key", "target_key", name="pk_asset_delivery"),
        sa.ForeignKeyConstraint(
            ["event_key"], ["asset_event.event_key"], name="fk_asset_delivery_event_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    create_index(
        "ix_asset_delivery_pending",
        "asset_delivery",
        ["dag_id", "run_key", "asset_key", "event_key", "created_at"],
        where="run_key IS NULL",
        only=PARTIAL,
    )
    create_index(
        "ix_asset_delivery_waiting", "asset_delivery", ["dag_id", "run_key", "asset_key", "event_key"], only=NOT_PARTIAL
    )
    create_index("ix_asset_delivery_run", "asset_delivery", ["run_key"], where="run_key IS NOT NULL")
    create_index("ix_asset_delivery_event", "asset_delivery", ["event_key"])


def _create_slots() -> None:
    op.create_table(
        "dag_change",
        sa.Column("change_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("change_key", name="pk_dag_change"),
    )
    create_index("ix_dag_change_dag", "dag_change", ["dag_id"])
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
    create_index("ix_schedule_slot_waiting", "schedule_slot", ["dag_id", "state", "run_after"])
    create_index("ix_schedule_slot_deadline", "schedule_slot", ["deadline_at"], where="deadline_at IS NOT NULL")


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
        sa.Column("blocks", sa.Integer, nullable=False),
        sa.Column("blocked_at", types.instant(), nullable=True),
        sa.Column("blocked_stack", types.long_text(), nullable=True),
        sa.Column("is_quarantined", sa.Boolean, nullable=False),
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
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_asset_watcher_dag_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["asset_key"], ["asset.asset_key"], name="fk_asset_watcher_asset_key", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["watcher_key"], ["watcher.watcher_key"], name="fk_asset_watcher_watcher_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    create_index("ix_asset_watcher_asset", "asset_watcher", ["asset_key"])
    create_index("ix_asset_watcher_watcher", "asset_watcher", ["watcher_key"])


def _create_messages() -> None:
    op.create_table(
        "webhook_message",
        sa.Column("message_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("hook", types.id_text(), nullable=False),
        sa.Column("body", types.long_text(), nullable=False),
        sa.Column("received_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("message_key", name="pk_webhook_message"),
        sqlite_autoincrement=True,
    )
    create_index("ix_webhook_message_hook", "webhook_message", ["hook", "message_key"])
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
    create_index("ix_watched_message_number", "watched_message", ["watcher_key", "number"])
