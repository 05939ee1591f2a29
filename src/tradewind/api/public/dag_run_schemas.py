"""Runs, as clients ask for them and as answers show them."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from tradewind.api.public.dag_version_schema import DagVersionResponse
from tradewind.api.public.task_instance_schemas import TaskInstanceResponse
from tradewind.model.states import RunState, RunType, TriggeredBy

Note = Annotated[str, Field(max_length=1000)]


class DAGRunMutableStates(StrEnum):
    """What a person may say a run is."""

    QUEUED = "queued"
    SUCCESS = "success"
    FAILED = "failed"


class DAGRunResponse(BaseModel):
    """A run."""

    dag_run_id: str
    dag_id: str
    logical_date: datetime | None
    queued_at: datetime | None
    start_date: datetime | None
    end_date: datetime | None
    duration: float | None
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    run_after: datetime
    last_scheduling_decision: datetime | None
    run_type: RunType
    state: RunState
    triggered_by: TriggeredBy | None
    triggering_user_name: str | None
    conf: dict[str, Any] | None
    note: str | None
    dag_versions: list[DagVersionResponse]
    bundle_version: str | None
    dag_display_name: str
    partition_key: str | None
    partition_date: datetime | None


class DAGRunCollectionResponse(BaseModel):
    """A page of them, by offset or by cursor."""

    dag_runs: list[DAGRunResponse]
    total_entries: int | None = None
    total_entries_limit: int | None = None
    next_cursor: str | None = None
    previous_cursor: str | None = None


class TriggerDAGRunPostBody(BaseModel):
    """A run to be."""

    model_config = ConfigDict(extra="forbid")
    dag_run_id: str | None = None
    data_interval_start: AwareDatetime | None = None
    data_interval_end: AwareDatetime | None = None
    logical_date: AwareDatetime | None
    run_after: AwareDatetime | None = None
    conf: dict[str, Any] | None = None
    note: str | None = None
    partition_key: str | None = None

    @model_validator(mode="after")
    def _interval_has_two_ends(self) -> "TriggerDAGRunPostBody":
        if (self.data_interval_start is None) is not (self.data_interval_end is None):
            raise ValueError("data_interval_start and data_interval_end belong together: give both or neither")
        if self.data_interval_start and self.data_interval_end and self.data_interval_start > self.data_interval_end:
            raise ValueError("data_interval_start must not be after data_interval_end")
        return self


class DAGRunPatchBody(BaseModel):
    """What is to change about a run."""

    model_config = ConfigDict(extra="forbid")
    state: DAGRunMutableStates | None = None
    note: Note | None = None


class BulkDAGRunBody(BaseModel):
    """One of many runs, and what is to change about it."""

    model_config = ConfigDict(extra="forbid")
    dag_id: str | None = None
    dag_run_id: str
    state: DAGRunMutableStates | None = None
    note: Note | None = None


class DAGRunClearBody(BaseModel):
    """What is to be cleared of a run."""

    model_config = ConfigDict(extra="forbid")
    dry_run: bool = True
    only_failed: bool = False
    only_new: bool = False
    run_on_latest_version: bool | None = None
    note: Note | None = None


class BulkDAGRunClearBody(BaseModel):
    """What is to be cleared of many runs."""

    model_config = ConfigDict(extra="forbid")
    dry_run: bool = True
    only_failed: bool = False
    only_new: bool = False
    run_on_latest_version: bool | None = None
    note: Note | None = None
    dag_runs: list[BulkDAGRunBody] = Field(default_factory=list)
    partition_key: str | None = None
    partition_date_start: datetime | None = None
    partition_date_end: datetime | None = None


class ClearPartitionsBody(BaseModel):
    """Which runs shall be about no partition any more."""

    model_config = ConfigDict(extra="forbid")
    partition_key: str | None = None
    partition_date_start: datetime | None = None
    partition_date_end: datetime | None = None
    run_id: str | None = None
    clear_task_instances: bool = False
    dry_run: bool = True


class ClearPartitionsResponse(BaseModel):
    """How many runs were about a partition, and how many task instances start over."""

    dag_runs_cleared: int
    task_instances_cleared: int
    dry_run: bool


class NewTaskResponse(BaseModel):
    """A task that a run would get an instance of."""

    task_id: str
    task_display_name: str


def _which(value: Any) -> str:
    return "known" if isinstance(value, TaskInstanceResponse) or "map_index" in value else "new"


class ClearTaskInstanceCollectionResponse(BaseModel):
    """What would be cleared."""

    task_instances: list[
        Annotated[
            Annotated[TaskInstanceResponse, Tag("known")] | Annotated[NewTaskResponse, Tag("new")],
            Discriminator(_which),
        ]
    ]
    total_entries: int
