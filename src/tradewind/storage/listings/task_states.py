"""What task instances remember."""

from typing import Final

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import task_state

_STATE: Final = task_state.c

TASK_STATES = Listing(
    task_state,
    {
        "key": _STATE.key,
        "value": _STATE.value,
        "updated_at": _STATE.updated_at,
        "expires_at": _STATE.expires_at,
    },
    key=("run_key", "task_id", "map_index", "key"),
    order=(Order("key"),),
    hidden={"run_key": _STATE.run_key, "task_id": _STATE.task_id, "map_index": _STATE.map_index},
)
