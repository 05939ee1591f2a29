"""What all DAGs of a deployment share: variables, connections, assets."""

import sqlalchemy as sa

from tradewind.storage.schema.conventions import PARTIAL, add_index, metadata
from tradewind.storage.types import KEY_LENGTH, AssetText, Instant, LongText, big_key, identifier

variable = sa.Table(
    "variable",
    metadata,
    sa.Column("key", identifier(), primary_key=True),
    sa.Column("value", LongText, nullable=False),
    sa.Column("is_encrypted", sa.Boolean, nullable=False),
    sa.Column("description", LongText, nullable=True),
    sa.Column("updated_at", Instant, nullable=False),
)

connection = sa.Table(
    "connection",
    metadata,
    sa.Column("conn_id", identifier(), primary_key=True),
    sa.Column("conn_type", identifier(), nullable=True),
    sa.Column("description", LongText, nullable=True),
    sa.Column("host", LongText, nullable=True),
    sa.Column("schema", LongText, nullable=True),
    sa.Column("login", LongText, nullable=True),
    sa.Column("password", LongText, nullable=True),
    sa.Column("port", sa.Integer, nullable=True),
    sa.Column("extra", LongText, nullable=True),
    sa.Column("is_encrypted", sa.Boolean, nullable=False),
    sa.Column("is_extra_encrypted", sa.Boolean, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
)

connection_test_request = sa.Table(
    "connection_test_request",
    metadata,
    sa.Column("test_key", big_key(), primary_key=True, autoincrement=True),
    # A hash: who knows the token may see what came of the test.
    sa.Column("token_hash", sa.String(64), nullable=False),
    sa.Column("conn_id", identifier(), nullable=False),
    # The same until it has ended: of a connection, one test at a time.
    sa.Column("unfinished_conn_id", identifier(), nullable=True),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("message", LongText, nullable=True),
    sa.Column("executor", identifier(), nullable=True),
    sa.Column("queue", identifier(), nullable=True),
    sa.Column("saves", sa.Boolean, nullable=False),
    sa.Column("conn_type", identifier(), nullable=True),
    sa.Column("description", LongText, nullable=True),
    sa.Column("host", LongText, nullable=True),
    sa.Column("schema", LongText, nullable=True),
    sa.Column("login", LongText, nullable=True),
    sa.Column("password", LongText, nullable=True),
    sa.Column("port", sa.Integer, nullable=True),
    sa.Column("extra", LongText, nullable=True),
    sa.Column("is_encrypted", sa.Boolean, nullable=False),
    sa.Column("is_extra_encrypted", sa.Boolean, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.UniqueConstraint("token_hash"),
    sa.UniqueConstraint("unfinished_conn_id"),
    sqlite_autoincrement=True,
)

asset = sa.Table(
    "asset",
    metadata,
    sa.Column("asset_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("name", AssetText(), nullable=False),
    sa.Column("uri", AssetText(), nullable=False),
    sa.Column("group", AssetText(), nullable=False),
    sa.Column("extra", LongText, nullable=True),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.UniqueConstraint("name", "uri"),
    sqlite_autoincrement=True,
)
add_index("ix_asset_uri", asset.c.uri)

asset_reference = sa.Table(
    "asset_reference",
    metadata,
    sa.Column("dag_id", identifier(), primary_key=True),
    sa.Column("asset_key", big_key(), primary_key=True, autoincrement=False),
    # What for: its schedule, an inlet or an outlet; then of which task, else empty.
    sa.Column("role", sa.String(10), primary_key=True),
    sa.Column("task_id", identifier(), primary_key=True),
    sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["asset_key"], ["asset.asset_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
add_index("ix_asset_reference_asset", asset_reference.c.asset_key)

asset_alias = sa.Table(
    "asset_alias",
    metadata,
    # Clients know aliases by this number.
    sa.Column("alias_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("name", AssetText(), nullable=False),
    sa.Column("group", AssetText(), nullable=False),
    sa.UniqueConstraint("name"),
    sqlite_autoincrement=True,
)

asset_alias_asset = sa.Table(
    "asset_alias_asset",
    metadata,
    sa.Column("alias", AssetText(), primary_key=True),
    sa.Column("asset_key", big_key(), primary_key=True, autoincrement=False),
    sa.ForeignKeyConstraint(["alias"], ["asset_alias.name"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["asset_key"], ["asset.asset_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
add_index("ix_asset_alias_asset_asset", asset_alias_asset.c.asset_key)

asset_event = sa.Table(
    "asset_event",
    metadata,
    sa.Column("event_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("asset_key", big_key(), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("extra", LongText, nullable=True),
    # Who said so: ids rather than keys, for the event outlives the run.
    sa.Column("source_dag_id", identifier(), nullable=True),
    sa.Column("source_task_id", identifier(), nullable=True),
    sa.Column("source_run_id", identifier(), nullable=True),
    sa.Column("source_map_index", sa.Integer, nullable=True),
    sa.Column("partition_key", identifier(), nullable=True),
    sa.Column("aliases", LongText, nullable=True),
    # -1: no scheduler has seen it yet. 0: it went to each DAG by itself. Else those with the same number, which is the
    # key of their first, went together to DAGs that take all that wait.
    sa.Column("batch_key", big_key(), nullable=False, server_default="0"),
    sa.ForeignKeyConstraint(["asset_key"], ["asset.asset_key"], ondelete="CASCADE"),
    sqlite_autoincrement=True,
)
event_is_new = asset_event.c.batch_key == sa.literal_column("-1")
event_is_in_batch = asset_event.c.batch_key > sa.literal_column("0")
_batch = (asset_event.c.batch_key, asset_event.c.event_key)
add_index("ix_asset_event_asset", asset_event.c.asset_key, asset_event.c.created_at)
add_index("ix_asset_event_new", *_batch, where=event_is_new, only=PARTIAL)
add_index("ix_asset_event_batch", *_batch, where=event_is_in_batch)

asset_state = sa.Table(
    "asset_state",
    metadata,
    sa.Column("asset_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("key", identifier(KEY_LENGTH), primary_key=True),
    sa.Column("value", LongText, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    # Who wrote it last, as JSON: ids rather than keys, for the value outlives the run.
    sa.Column("written_by", LongText, nullable=True),
    sa.ForeignKeyConstraint(["asset_key"], ["asset.asset_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
