"""Attempts of task instances that are over."""

from typing import Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.listings.task_instances import JOINED, OF_TASK
from tradewind.storage.schema import task_instance, task_try

_TRY: Final = task_try.c
_SAME_TASK: Final = sa.and_(
    task_instance.c.run_key == _TRY.run_key,
    task_instance.c.task_id == _TRY.task_id,
    task_instance.c.map_index == _TRY.map_index,
)

TASK_TRIES = Listing(
    task_try,
    {
        **OF_TASK,
        "state": _TRY.state,
        "attempt": _TRY.attempt,
        "try_number": _TRY.try_number,
        "start_date": _TRY.started_at,
        "end_date": _TRY.finished_at,
        "queued_when": _TRY.queued_at,
        "scheduled_when": _TRY.scheduled_at,
        "hostname": _TRY.hostname,
        "pid": _TRY.pid,
        "cpu_s": _TRY.cpu_s,
        "peak_memory_bytes": _TRY.peak_memory_bytes,
        "reason": _TRY.reason,
    },
    key=("run_key", "task_id", "map_index", "attempt"),
    order=(Order("attempt"),),
    joined=((task_instance, _SAME_TASK), *JOINED),
)
