"""What looks out for updates of assets, who runs it, and which DAGs want it."""

import sqlalchemy as sa

from tradewind.storage.schema.conventions import add_index, metadata
from tradewind.storage.types import PATH_LENGTH, Instant, LongText, big_key, identifier

watcher = sa.Table(
    "watcher",
    metadata,
    sa.Column("watcher_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("identity", sa.String(64), nullable=False),
    sa.Column("class_path", LongText, nullable=False),
    sa.Column("kwargs", LongText, nullable=False),
    sa.Column("is_encrypted", sa.Boolean, nullable=False),
    sa.Column("bundle_name", identifier(), nullable=True),
    sa.Column("path", identifier(PATH_LENGTH), nullable=True),
    sa.Column("triggerer", sa.BigInteger, nullable=True),
    # How many of its events were stored: one that is told twice, because an answer was lost, is stored once.
    sa.Column("stored", sa.BigInteger, nullable=False),
    # How often it failed since its last event, when, and why.
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("failed_at", Instant, nullable=True),
    sa.Column("error", LongText, nullable=True),
    # How often it held up others, when and where it did so last, and whether it is kept apart from them.
    sa.Column("blocks", sa.Integer, nullable=False),
    sa.Column("blocked_at", Instant, nullable=True),
    sa.Column("blocked_stack", LongText, nullable=True),
    sa.Column("is_quarantined", sa.Boolean, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("identity"),
    sqlite_autoincrement=True,
)

# What was posted to webhooks, until a watcher is done with it.
webhook_message = sa.Table(
    "webhook_message",
    metadata,
    sa.Column("message_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("hook", identifier(), nullable=False),
    sa.Column("body", LongText, nullable=False),
    sa.Column("received_at", Instant, nullable=False),
    sqlite_autoincrement=True,
)
add_index("ix_webhook_message_hook", webhook_message.c.hook, webhook_message.c.message_key)

asset_watcher = sa.Table(
    "asset_watcher",
    metadata,
    sa.Column("dag_id", identifier(), primary_key=True),
    sa.Column("asset_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("watcher_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("name", LongText, nullable=False),
    sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["asset_key"], ["asset.asset_key"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["watcher_key"], ["watcher.watcher_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
add_index("ix_asset_watcher_asset", asset_watcher.c.asset_key)
add_index("ix_asset_watcher_watcher", asset_watcher.c.watcher_key)

# The newest messages of each watcher whose source names them: one that the source hands out again is stored once.
watched_message = sa.Table(
    "watched_message",
    metadata,
    sa.Column("watcher_key", big_key(), primary_key=True, autoincrement=False),
    # A hash of its name: names are as long as their sources like.
    sa.Column("message_hash", sa.String(64), primary_key=True),
    # Of the event that it became.
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.ForeignKeyConstraint(["watcher_key"], ["watcher.watcher_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
add_index("ix_watched_message_number", watched_message.c.watcher_key, watched_message.c.number)
