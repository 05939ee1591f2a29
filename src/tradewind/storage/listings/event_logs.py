"""The audit log."""

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import audit_log, dag

EVENT_LOGS = Listing(
    audit_log.outerjoin(dag, dag.c.dag_id == audit_log.c.dag_id),
    {
        "event_log_id": audit_log.c.entry_key,
        "when": audit_log.c.at,
        "dag_id": audit_log.c.dag_id,
        "task_id": audit_log.c.task_id,
        "run_id": audit_log.c.run_id,
        "map_index": audit_log.c.map_index,
        "try_number": audit_log.c.try_number,
        "event": audit_log.c.event,
        "logical_date": audit_log.c.logical_date,
        "owner": audit_log.c.owner,
        "extra": audit_log.c.extra,
        "dag_display_name": dag.c.display_name,
    },
    key=("event_log_id",),
    order=(Order("event_log_id"),),
    # What clients of the REST API may sort by, besides.
    hidden={"id": audit_log.c.entry_key, "dttm": audit_log.c.at},
)
