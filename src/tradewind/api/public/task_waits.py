"""Why task instances do not run."""

from typing import Final

from pydantic import BaseModel

from tradewind.api.map_index import MAP_INDEX
from tradewind.api.operation import Operations
from tradewind.api.public.explanation_schema import ReasonResponse, reasons_shown, summary_of
from tradewind.api.public.shown_task_instances import find_row
from tradewind.api.public.task_instance_schemas import (
    TaskDependencyCollectionResponse,
    TaskDependencyResponse,
    TaskInstanceState,
)
from tradewind.api.public.task_instances import OF_TASK, READ
from tradewind.api.services import Given, Services
from tradewind.decide.explain import Reason
from tradewind.model.ids import UNMAPPED
from tradewind.model.states import TaskState
from tradewind.operations.explain import why_task_waits
from tradewind.storage.interface import Transaction

operations = Operations("Task Instance")

_WAITING: Final = frozenset({None, TaskState.SCHEDULED.value})
"""The states in which clients of Airflow ask what blocks a task."""


class TaskExplanationResponse(BaseModel):
    """Why a task instance does not run."""

    dag_id: str
    dag_run_id: str
    task_id: str
    map_index: int
    state: TaskInstanceState | None
    is_running: bool
    summary: str
    """In one sentence."""
    reasons: list[ReasonResponse]
    """In the order in which they have to go away."""


@operations.add("GET", f"{OF_TASK}/explain", operation_id="explain_task_instance", need=READ)
def explain_task_instance(
    dag_id: str, dag_run_id: str, task_id: str, services: Given, map_index: int = UNMAPPED
) -> TaskExplanationResponse:
    """Why it does not run, from what decides about it. Airflow has nothing like it."""

    def work(tx: Transaction) -> TaskExplanationResponse:
        row = find_row(tx, dag_id, dag_run_id, task_id, map_index)
        reasons = _reasons(tx, services, dag_id, dag_run_id, task_id, map_index)
        is_running = row["state"] == TaskState.RUNNING
        return TaskExplanationResponse.model_validate(
            {
                **row,
                "is_running": is_running,
                "summary": summary_of(reasons, is_running=is_running),
                "reasons": reasons_shown(reasons),
            }
        )

    return services.store.read(work)


@operations.add("GET", f"{OF_TASK}/dependencies", operation_id="get_task_instance_dependencies", need=READ)
def get_task_instance_dependencies(
    dag_id: str, dag_run_id: str, task_id: str, services: Given, map_index: int = UNMAPPED
) -> TaskDependencyCollectionResponse:
    """What keeps it from being scheduled or from getting its slots."""
    return services.store.read(lambda tx: _blocking(tx, services, dag_id, dag_run_id, task_id, map_index))


@operations.add(
    "GET",
    f"{OF_TASK}/{MAP_INDEX}/dependencies",
    operation_id="get_task_instance_dependencies_by_map_index",
    need=READ,
)
def get_task_instance_dependencies_by_map_index(
    dag_id: str, dag_run_id: str, task_id: str, map_index: int, services: Given
) -> TaskDependencyCollectionResponse:
    """The same of one instance of a mapped task."""
    return services.store.read(lambda tx: _blocking(tx, services, dag_id, dag_run_id, task_id, map_index))


def _reasons(
    tx: Transaction, services: Services, dag_id: str, run_id: str, task_id: str, map_index: int
) -> list[Reason]:
    now = services.clock.now()
    return why_task_waits(tx, dag_id, run_id, task_id, services.structures, now, map_index=map_index)


def _blocking(
    tx: Transaction, services: Services, dag_id: str, run_id: str, task_id: str, map_index: int
) -> TaskDependencyCollectionResponse:
    row = find_row(tx, dag_id, run_id, task_id, map_index)
    reasons = _reasons(tx, services, dag_id, run_id, task_id, map_index) if row["state"] in _WAITING else []
    return TaskDependencyCollectionResponse(
        dependencies=[TaskDependencyResponse(name=reason.code, reason=reason.text) for reason in reasons]
    )
