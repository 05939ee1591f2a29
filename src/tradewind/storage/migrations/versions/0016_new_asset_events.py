"""Updates of assets are handed out by schedulers, many together where the DAGs take all that wait."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_COLUMNS = ["batch_key", "event_key"]
_COPIED = ("asset_key", "created_at", "partition_key")
_INDEXES = (("ix_asset_event_new", "batch_key = -1"), ("ix_asset_event_batch", "batch_key > 0"))


def upgrade() -> None:
    # What is stored already was handed out.
    op.add_column("asset_event", sa.Column("batch_key", types.key(), nullable=False, server_default="0"))
    op.add_column("asset_delivery", sa.Column("batch_key", types.key(), nullable=True))
    op.add_column("asset_delivery", sa.Column("number", sa.Integer, nullable=False, server_default="1"))
    op.add_column("asset_delivery", sa.Column("first_at", types.instant(), nullable=True))
    if op.get_bind().dialect.name == "mysql":
        op.create_index("ix_asset_event_batch", "asset_event", _COLUMNS)
        return
    for name, condition in _INDEXES:
        where = sa.text(condition)
        op.create_index(name, "asset_event", _COLUMNS, postgresql_where=where, sqlite_where=where)


def downgrade() -> None:
    _hand_out_new()
    _hand_out_one_by_one()
    for name, _ in _INDEXES if op.get_bind().dialect.name != "mysql" else _INDEXES[1:]:
        op.drop_index(name, "asset_event")
    for name in ("first_at", "number", "batch_key"):
        op.drop_column("asset_delivery", name)
    op.drop_column("asset_event", "batch_key")


def _hand_out_new() -> None:
    """What no scheduler has seen goes to who listens."""
    event = sa.table("asset_event", *map(sa.column, ("event_key", *_COPIED, "aliases", "batch_key"))).alias("event")
    asset = sa.table("asset", *map(sa.column, ("asset_key", "name", "uri")))
    listener = sa.table("asset_listener", *map(sa.column, ("dag_id", "kind", "value")))
    prefix = sa.case((event.c.partition_key.is_(None), ""), else_="part_")
    quoted = sa.literal('%"', sa.String).concat(listener.c.value).concat('"%')
    values = {
        "asset": listener.c.value == sa.cast(asset.c.asset_key, sa.String(20)),
        "name": listener.c.value == asset.c.name,
        "uri": listener.c.value == asset.c.uri,
        "alias": event.c.aliases.like(quoted),
    }
    is_heard = sa.or_(*(sa.and_(listener.c.kind == prefix.concat(kind), heard) for kind, heard in values.items()))
    found = (
        sa.select(listener.c.dag_id, event.c.event_key, sa.literal(""), *(event.c[name] for name in _COPIED))
        .join_from(event, asset, asset.c.asset_key == event.c.asset_key)
        .join(listener, is_heard)
        .where(event.c.batch_key == -1)
        .distinct()
    )
    _deliver(found)


def _hand_out_one_by_one() -> None:
    """What came together comes by itself, to who has consumed it and to who has not."""
    event = sa.table("asset_event", *map(sa.column, ("event_key", *_COPIED, "batch_key")))
    delivery = sa.table("asset_delivery", *map(sa.column, ("dag_id", "event_key", "run_key", "batch_key")))
    found = (
        sa.select(
            delivery.c.dag_id,
            event.c.event_key,
            sa.literal(""),
            *(event.c[name] for name in _COPIED),
            delivery.c.run_key,
        )
        .join_from(delivery, event, event.c.batch_key == delivery.c.batch_key)
        .where(event.c.event_key != delivery.c.event_key)
    )
    _deliver(found, "run_key")


def _deliver(found: "sa.Select[Any]", *more: str) -> None:
    names = ["dag_id", "event_key", "target_key", *_COPIED, *more]
    table = sa.table("asset_delivery", *map(sa.column, names))
    op.execute(sa.insert(table).from_select(names, found))
