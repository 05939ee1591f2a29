"""What waiting tasks wait for: who runs it, and what it did to others."""

from typing import Any, Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import dag_run, job, task_trigger

_TRIGGER: Final = task_trigger.c
_runs: Final = _TRIGGER.triggerer.is_not(None)


def _while_it_runs(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.case((_runs, column), else_=sa.null())


TRIGGERS = Listing(
    task_trigger,
    {
        "id": _TRIGGER.trigger_key,
        "classpath": _TRIGGER.class_path,
        "dag_id": dag_run.c.dag_id,
        "dag_run_id": dag_run.c.run_id,
        "task_id": _TRIGGER.task_id,
        "map_index": _TRIGGER.map_index,
        "queue": _TRIGGER.queue,
        "created_date": _TRIGGER.created_at,
        "triggerer_id": _TRIGGER.triggerer,
        "triggerer_hostname": job.c.hostname,
        "triggerer_pid": job.c.pid,
        "running_since": _while_it_runs(_TRIGGER.claimed_at),
        "is_called_off": _TRIGGER.is_called_off,
        "blocked_count": _TRIGGER.blocks,
        "last_blocked": _TRIGGER.blocked_at,
        "last_blocked_stack": _TRIGGER.blocked_stack,
        "is_quarantined": _TRIGGER.is_quarantined,
    },
    key=("id",),
    order=(Order("id"),),
    joined=((dag_run, dag_run.c.run_key == _TRIGGER.run_key), (job, job.c.job_key == _TRIGGER.triggerer)),
)
