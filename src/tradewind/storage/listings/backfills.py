"""Backfills."""

from typing import Final

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import backfill, dag

_COLUMNS: Final = backfill.c

BACKFILLS = Listing(
    backfill,
    {
        "id": _COLUMNS.backfill_key,
        "dag_id": _COLUMNS.dag_id,
        "from_date": _COLUMNS.from_date,
        "to_date": _COLUMNS.to_date,
        "dag_run_conf": _COLUMNS.conf,
        "is_paused": _COLUMNS.is_paused,
        "reprocess_behavior": _COLUMNS.reprocess,
        "max_active_runs": _COLUMNS.max_active_runs,
        "created_at": _COLUMNS.created_at,
        "completed_at": _COLUMNS.completed_at,
        "updated_at": _COLUMNS.updated_at,
        "dag_display_name": dag.c.display_name,
    },
    key=("id",),
    order=(Order("id"),),
    joined=((dag, dag.c.dag_id == _COLUMNS.dag_id),),
)
