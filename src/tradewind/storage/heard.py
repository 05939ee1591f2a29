"""Which updates of assets DAGs have heard of, one by one: of a batch there is one row, which stands for all of it."""

import sqlalchemy as sa

from tradewind.storage.schema import asset_delivery, asset_event, event_is_in_batch
from tradewind.storage.types import Instant

_DELIVERY = asset_delivery.c
_NAMED = (_DELIVERY.dag_id, _DELIVERY.run_key)


def heard_of(*deliveries: sa.ColumnElement[bool]) -> sa.Subquery:
    """What these deliveries stand for. Not asked for of all: SQLite would make all of it first, and choose then.

    Without the events of those that came by themselves: all that is asked of those is in the delivery.
    """
    return sa.union_all(
        sa.select(*_NAMED, _DELIVERY.event_key, _DELIVERY.created_at).where(_DELIVERY.batch_key.is_(None), *deliveries),
        sa.select(*_NAMED, asset_event.c.event_key, asset_event.c.created_at)
        .join_from(asset_delivery, asset_event, asset_event.c.batch_key == _DELIVERY.batch_key)
        .where(_DELIVERY.batch_key.is_not(None), event_is_in_batch, *deliveries),
    ).subquery("heard")


heard = heard_of()
first_at = sa.func.coalesce(_DELIVERY.first_at, _DELIVERY.created_at, type_=Instant())
"""When the first update that a delivery stands for came."""
