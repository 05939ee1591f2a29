"""Until when runs have to be over, or had to be. Those that were kept are gone."""

from typing import Final

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import dag, dag_run, deadline

_DEADLINE: Final = deadline.c

DEADLINES = Listing(
    deadline,
    {
        "id": _DEADLINE.deadline_key,
        "deadline_time": _DEADLINE.due_at,
        "missed_at": _DEADLINE.missed_at,
        "state": _DEADLINE.state,
        "message": _DEADLINE.message,
        "output": _DEADLINE.output,
        "created_at": _DEADLINE.created_at,
        "dag_id": _DEADLINE.dag_id,
        "dag_display_name": dag.c.display_name,
        "dag_run_id": dag_run.c.run_id,
        "dag_run_state": dag_run.c.state,
        "alert_id": _DEADLINE.number,
        "alert_name": _DEADLINE.name,
    },
    key=("id",),
    order=(Order("id"),),
    joined=((dag_run, dag_run.c.run_key == _DEADLINE.run_key), (dag, dag.c.dag_id == _DEADLINE.dag_id)),
)
