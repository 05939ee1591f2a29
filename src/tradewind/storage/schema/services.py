"""Pools, the lives of service processes, and what those are told who listen or watch."""

import sqlalchemy as sa

from tradewind.storage.schema.conventions import add_index, metadata
from tradewind.storage.types import Instant, LongText, big_key, identifier

pool = sa.Table(
    "pool",
    metadata,
    sa.Column("name", identifier(), primary_key=True),
    sa.Column("slots", sa.Integer, nullable=False),
    sa.Column("include_deferred", sa.Boolean, nullable=False),
    sa.Column("description", LongText, nullable=True),
    sa.Column("served_turn", sa.BigInteger, nullable=False, default=0),
)

job = sa.Table(
    "job",
    metadata,
    sa.Column("job_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("hostname", identifier(), nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("heartbeat_at", Instant, nullable=False),
    sa.Column("stopped_at", Instant, nullable=True),
    sa.Column("is_dead", sa.Boolean, nullable=False, default=False),
    sqlite_autoincrement=True,
)
_job_is_live = job.c.stopped_at.is_(None)
add_index("ix_job_live", job.c.kind, job.c.heartbeat_at, where=_job_is_live)

listener_news = sa.Table(
    "listener_news",
    metadata,
    sa.Column("news_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("hook", sa.String(40), nullable=False),
    sa.Column("facts", LongText, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("claimed_by", sa.BigInteger, nullable=True),
    sa.Column("claimed_until", Instant, nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    sqlite_autoincrement=True,
)

live_change = sa.Table(
    "live_change",
    metadata,
    sa.Column("change_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("entries", LongText, nullable=False),
    sqlite_autoincrement=True,
)

# One row: how often somebody has said that they listen to live changes.
live_listener = sa.Table(
    "live_listener",
    metadata,
    sa.Column("listener_key", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("beat", sa.BigInteger, nullable=False),
    sa.Column("heard_at", Instant, nullable=False),
)
