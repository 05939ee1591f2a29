"""What task instances remember."""

from datetime import UTC, datetime
from typing import Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import task_state
from tradewind.storage.types import Instant

_STATE: Final = task_state.c
_FOR_EVER: Final = datetime(9999, 1, 1, tzinfo=UTC)

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
    hidden={
        "run_key": _STATE.run_key,
        "task_id": _STATE.task_id,
        "map_index": _STATE.map_index,
        "lives_until": sa.type_coerce(sa.func.coalesce(_STATE.expires_at, sa.literal(_FOR_EVER, Instant())), Instant()),
    },
)
