"""Task instances and their tries, as answers show them."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from tradewind.api.public.dag_version_schema import DagVersionResponse
from tradewind.api.public.job_schema import JobResponse


class TaskInstanceState(StrEnum):
    """All states but "no status", which clients know as null."""

    REMOVED = "removed"
    SCHEDULED = "scheduled"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCESS = "success"
    RESTARTING = "restarting"
    FAILED = "failed"
    UP_FOR_RETRY = "up_for_retry"
    UP_FOR_RESCHEDULE = "up_for_reschedule"
    UPSTREAM_FAILED = "upstream_failed"
    SKIPPED = "skipped"
    DEFERRED = "deferred"
    AWAITING_INPUT = "awaiting_input"


class TriggerResponse(BaseModel):
    """What a deferred task waits for."""

    id: int
    classpath: str
    kwargs: str = Field(deprecated=True)
    created_date: datetime
    queue: str | None
    triggerer_id: int | None


class TaskInstanceHistoryResponse(BaseModel):
    """One try of a task instance."""

    task_id: str
    dag_id: str
    dag_run_id: str
    map_index: int
    start_date: datetime | None
    end_date: datetime | None
    duration: float | None
    state: TaskInstanceState | None
    try_number: int
    max_tries: int
    task_display_name: str
    dag_display_name: str
    hostname: str | None
    unixname: str | None
    pool: str
    pool_slots: int
    queue: str | None
    priority_weight: int | None
    operator: str | None
    operator_name: str | None
    queued_when: datetime | None
    scheduled_when: datetime | None
    pid: int | None
    executor: str | None
    executor_config: str
    dag_version: DagVersionResponse | None


class TaskInstanceResponse(TaskInstanceHistoryResponse):
    """A task instance: its latest try, and what outlasts that."""

    id: UUID
    logical_date: datetime | None
    run_after: datetime
    note: str | None
    rendered_map_index: str | None
    rendered_fields: dict[str, Any] = Field(default_factory=dict)
    trigger: TriggerResponse | None
    triggerer_job: JobResponse | None


class TaskInstanceCollectionResponse(BaseModel):
    """A page of them, by offset or by cursor."""

    task_instances: list[TaskInstanceResponse]
    total_entries: int | None = None
    total_entries_limit: int | None = None
    next_cursor: str | None = None
    previous_cursor: str | None = None


class TaskInstanceHistoryCollectionResponse(BaseModel):
    """All tries of a task instance."""

    task_instances: list[TaskInstanceHistoryResponse]
    total_entries: int


class TaskDependencyResponse(BaseModel):
    """One thing that keeps a task from being scheduled."""

    name: str
    reason: str


class TaskDependencyCollectionResponse(BaseModel):
    """All that keeps a task from being scheduled."""

    dependencies: list[TaskDependencyResponse]
