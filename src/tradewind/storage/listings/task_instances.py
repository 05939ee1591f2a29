"""Task instances."""

from typing import Final

import sqlalchemy as sa

from tradewind.model.ids import UNMAPPED
from tradewind.model.listing import Order
from tradewind.model.states import TaskState
from tradewind.storage.listings.duration import SecondsBetween
from tradewind.storage.listings.latest import Latest
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import dag, dag_run, dag_version, rendered_fields, task_instance

_TASK: Final = task_instance.c
_RUN: Final = dag_run.c
_VERSION: Final = dag_version.c

STATE: Final = sa.case((_TASK.state == sa.literal_column(f"'{TaskState.NONE}'"), sa.null()), else_=_TASK.state)
"""Clients know "none" as null."""
DURATION: Final = SecondsBetween(_TASK.started_at, _TASK.finished_at)

JOINED: Final = (
    (dag_run, _RUN.run_key == _TASK.run_key),
    (dag_version, _VERSION.version_key == _RUN.version_key),
    (dag, dag.c.dag_id == _RUN.dag_id),
)
OF_TASK: Final[dict[str, sa.ColumnElement[object]]] = {
    "run_key": _TASK.run_key,
    "task_id": _TASK.task_id,
    "map_index": _TASK.map_index,
    # Of the run: it has an index by DAGs.
    "dag_id": _RUN.dag_id,
    "dag_run_id": _RUN.run_id,
    "max_tries": _TASK.max_tries,
    "task_display_name": sa.func.coalesce(_TASK.display_name, _TASK.task_id),
    "pool": _TASK.pool,
    "pool_slots": _TASK.pool_slots,
    "queue": _TASK.queue,
    "priority_weight": _TASK.priority_weight,
    "operator": sa.func.coalesce(_TASK.task_type, _TASK.operator),
    "operator_name": _TASK.operator,
    "executor": _TASK.executor,
    "executor_config": _TASK.executor_config,
    "dag_display_name": dag.c.display_name,
    "version_key": _RUN.version_key,
    "version_number": _VERSION.version_number,
    "bundle_name": _VERSION.bundle_name,
    "bundle_version": _VERSION.bundle_version,
    "version_created_at": _VERSION.created_at,
}
"""What each try of a task instance has in common with the others."""
_RENDERED_FOR_TASK: Final = sa.and_(
    rendered_fields.c.run_key == _TASK.run_key,
    rendered_fields.c.task_id == _TASK.task_id,
    rendered_fields.c.map_index == _TASK.map_index,
)

TASK_INSTANCES = Listing(
    task_instance,
    {
        **OF_TASK,
        "state": STATE,
        "attempt": _TASK.attempt,
        "try_number": _TASK.try_number,
        "start_date": _TASK.started_at,
        "end_date": _TASK.finished_at,
        "queued_when": _TASK.queued_at,
        "scheduled_when": _TASK.scheduled_at,
        "hostname": _TASK.hostname,
        "pid": _TASK.pid,
        "note": _TASK.note,
        "rendered_map_index": _TASK.rendered_map_index,
        "cpu_s": _TASK.cpu_s,
        "peak_memory_bytes": _TASK.peak_memory_bytes,
        "reason": _TASK.reason,
        "logical_date": _RUN.logical_date,
        "run_after": _RUN.run_after,
        "rendered_fields": rendered_fields.c.fields,
    },
    # Templates may have been given what nobody shall guess piece by piece.
    secret=frozenset({"rendered_fields"}),
    key=("run_key", "task_id", "map_index"),
    key_turns=False,
    order=(Order("map_index"),),
    lowest=("map_index", UNMAPPED),
    also_called={"run_key": _RUN.run_key},
    joined=(*JOINED, (rendered_fields, _RENDERED_FOR_TASK)),
    hidden={
        # What clients of the REST API may sort by and ask for, besides.
        "id": _TASK.run_key,
        "run_id": _RUN.run_id,
        "duration": DURATION,
        "data_interval_start": _RUN.interval_start,
        "data_interval_end": _RUN.interval_end,
        "stored_state": _TASK.state,
        "updated_at": Latest(
            # The one that is mostly the latest comes first: then there is no need to look at the others.
            _TASK.finished_at,
            _TASK.heartbeat_at,
            _TASK.started_at,
            _TASK.queued_at,
            _TASK.scheduled_at,
            _TASK.intervened_at,
        ),
    },
)
