"""Tasks of a DAG, as answers show them."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, Field


class TimeDelta(BaseModel):
    """A distance in time."""

    object_type: str = Field("TimeDelta", alias="__type")
    days: int
    seconds: int
    microseconds: int


def time_delta(seconds: float | None) -> dict[str, str | int] | None:
    """The fields of one, from seconds."""
    if seconds is None:
        return None
    delta = timedelta(seconds=seconds)
    return {"__type": "TimeDelta", "days": delta.days, "seconds": delta.seconds, "microseconds": delta.microseconds}


class TaskResponse(BaseModel):
    """A task."""

    task_id: str | None
    task_display_name: str | None
    owner: str | None
    start_date: datetime | None
    end_date: datetime | None
    trigger_rule: str | None
    depends_on_past: bool
    wait_for_downstream: bool
    retries: float | None
    queue: str | None
    pool: str | None
    pool_slots: float | None
    execution_timeout: TimeDelta | None
    retry_delay: TimeDelta | None
    retry_exponential_backoff: float
    priority_weight: float | None
    weight_rule: str | None
    ui_color: str | None
    ui_fgcolor: str | None
    template_fields: list[str] | None
    downstream_task_ids: list[str] | None
    doc_md: str | None
    operator_name: str | None
    params: dict[str, Any] | None
    class_ref: dict[str, Any] | None
    is_mapped: bool | None
    extra_links: Annotated[list[str], Field(json_schema_extra={"readOnly": True})]


class TaskCollectionResponse(BaseModel):
    """All tasks of a DAG."""

    tasks: list[TaskResponse]
    total_entries: int
