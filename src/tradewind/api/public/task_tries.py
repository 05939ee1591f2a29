"""Tries of task instances: those that are over, and the one that is under way."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pydantic import BaseModel

from tradewind.api.map_index import MAP_INDEX
from tradewind.api.operation import Operations
from tradewind.api.paging import is_
from tradewind.api.public.shown_task_instances import duration_of, find_row, tries_shown
from tradewind.api.public.task_instance_schemas import (
    TaskInstanceHistoryCollectionResponse,
    TaskInstanceHistoryResponse,
    TaskInstanceState,
)
from tradewind.api.public.task_instances import OF_TASK, READ
from tradewind.api.services import Given
from tradewind.errors import NotFound
from tradewind.model.ids import UNMAPPED
from tradewind.model.listing import Listed, Query, Row
from tradewind.model.states import TaskState
from tradewind.storage.interface import Transaction

operations = Operations("Task Instance")

_OF_MAPPED: Final = f"{OF_TASK}/{MAP_INDEX}"
_BETWEEN_TRIES: Final = frozenset({None, TaskState.UP_FOR_RETRY.value})


class TaskAttemptResponse(BaseModel):
    """One hand-over of a task instance to an executor. A try that waits in between consists of several."""

    attempt: int
    try_number: int
    state: TaskInstanceState | None
    start_date: datetime | None
    end_date: datetime | None
    duration: float | None
    hostname: str | None
    pid: int | None
    cpu_seconds: float | None
    peak_memory_bytes: int | None
    reason: str | None
    """Why it ended as it did, where that is known."""


class TaskAttemptCollectionResponse(BaseModel):
    """Those that are known."""

    attempts: list[TaskAttemptResponse]
    total_entries: int


@operations.add("GET", f"{OF_TASK}/tries", operation_id="get_task_instance_tries", need=READ)
def get_task_instance_tries(
    dag_id: str, dag_run_id: str, task_id: str, services: Given, map_index: int = UNMAPPED
) -> TaskInstanceHistoryCollectionResponse:
    """All of them, the first one first."""
    return services.store.read(lambda tx: _collection(_tries(tx, dag_id, dag_run_id, task_id, map_index)))


@operations.add("GET", f"{_OF_MAPPED}/tries", operation_id="get_mapped_task_instance_tries", need=READ)
def get_mapped_task_instance_tries(
    dag_id: str, dag_run_id: str, task_id: str, map_index: int, services: Given
) -> TaskInstanceHistoryCollectionResponse:
    """All of one instance of a mapped task."""
    return services.store.read(lambda tx: _collection(_tries(tx, dag_id, dag_run_id, task_id, map_index)))


@operations.add("GET", f"{OF_TASK}/tries/{{task_try_number}}", operation_id="get_task_instance_try_details", need=READ)
def get_task_instance_try_details(
    dag_id: str, dag_run_id: str, task_id: str, task_try_number: int, services: Given, map_index: int = UNMAPPED
) -> TaskInstanceHistoryResponse:
    """One of them."""
    return services.store.read(lambda tx: find_try(tx, dag_id, dag_run_id, task_id, map_index, task_try_number))


@operations.add(
    "GET", f"{_OF_MAPPED}/tries/{{task_try_number}}", operation_id="get_mapped_task_instance_try_details", need=READ
)
def get_mapped_task_instance_try_details(
    dag_id: str, dag_run_id: str, task_id: str, task_try_number: int, map_index: int, services: Given
) -> TaskInstanceHistoryResponse:
    """One of those of one instance of a mapped task."""
    return services.store.read(lambda tx: find_try(tx, dag_id, dag_run_id, task_id, map_index, task_try_number))


@operations.add("GET", f"{OF_TASK}/attempts", operation_id="get_task_instance_attempts", need=READ)
def get_task_instance_attempts(
    dag_id: str, dag_run_id: str, task_id: str, services: Given, map_index: int = UNMAPPED
) -> TaskAttemptCollectionResponse:
    """What each attempt used, and why it ended. Airflow has nothing like it."""

    def work(tx: Transaction) -> TaskAttemptCollectionResponse:
        current = find_row(tx, dag_id, dag_run_id, task_id, map_index)
        by_number = {row["attempt"]: row for row in [*_past(tx, current), current] if row["attempt"]}
        attempts = [_attempt(row) for row in by_number.values()]
        return TaskAttemptCollectionResponse(attempts=attempts, total_entries=len(attempts))

    return services.store.read(work)


def find_try(
    tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int
) -> TaskInstanceHistoryResponse:
    """One try. Raises `UnknownRun`, `UnknownTask` and `NotFound`."""
    return _one(_tries(tx, dag_id, run_id, task_id, map_index), task_id, try_number)


def _tries(tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int) -> list[Row]:
    """By number; of several attempts of one try, the last. Raises `UnknownRun` and `UnknownTask`."""
    current = find_row(tx, dag_id, run_id, task_id, map_index)
    by_number = {row["try_number"]: row for row in _past(tx, current)}
    if current["state"] not in _BETWEEN_TRIES:
        by_number[current["try_number"]] = current
    else:
        # Cleared, or about to be tried again: its number is still that of the try before.
        by_number.setdefault(current["try_number"], current)
    return list(by_number.values())


def _past(tx: Transaction, of: Row) -> Sequence[Row]:
    conditions = [is_(name, of[name]) for name in ("run_key", "task_id", "map_index")]
    asked = tuple(each for each in conditions if each is not None)
    return tx.listings.page(Listed.TASK_TRIES, Query(asked, is_counted=False)).rows


def _collection(rows: Sequence[Row]) -> TaskInstanceHistoryCollectionResponse:
    return TaskInstanceHistoryCollectionResponse(task_instances=tries_shown(rows), total_entries=len(rows))


def _one(rows: Sequence[Row], task_id: str, try_number: int) -> TaskInstanceHistoryResponse:
    for row in rows:
        if row["try_number"] == try_number:
            return tries_shown([row])[0]
    raise NotFound(f"task {task_id!r} has no try {try_number}")


def _attempt(row: Row) -> TaskAttemptResponse:
    return TaskAttemptResponse.model_validate({**row, "duration": duration_of(row), "cpu_seconds": row["cpu_s"]})
