"""XComs, without their values: a page of them may be of any size."""

from typing import Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import dag, dag_run, task_instance, xcom

_XCOM: Final = xcom.c
_RUN: Final = dag_run.c
_TASK: Final = task_instance.c

XCOMS = Listing(
    xcom,
    {
        "key": _XCOM.key,
        "timestamp": _XCOM.created_at,
        "logical_date": _RUN.logical_date,
        "map_index": _XCOM.map_index,
        "task_id": _XCOM.task_id,
        "dag_id": _RUN.dag_id,
        "run_id": _RUN.run_id,
        "dag_display_name": dag.c.display_name,
        "task_display_name": sa.func.coalesce(_TASK.display_name, _TASK.task_id),
        "run_after": _RUN.run_after,
    },
    key=("run_key", "task_id", "map_index", "key"),
    order=(Order("dag_id"), Order("task_id"), Order("run_id"), Order("map_index"), Order("key")),
    hidden={"run_key": _XCOM.run_key},
    joined=(
        (dag_run, _RUN.run_key == _XCOM.run_key),
        (
            task_instance,
            sa.and_(_TASK.run_key == _XCOM.run_key, _TASK.task_id == _XCOM.task_id, _TASK.map_index == _XCOM.map_index),
        ),
        (dag, dag.c.dag_id == _RUN.dag_id),
    ),
)
