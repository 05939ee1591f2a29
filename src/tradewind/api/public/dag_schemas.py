"""DAGs, as answers show them."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.public.dag_version_schema import DagVersionResponse
from tradewind.model.states import RunType

_ReadOnly = Field(json_schema_extra={"readOnly": True})


class DagTagResponse(BaseModel):
    """A tag of a DAG."""

    name: str
    dag_id: str
    dag_display_name: str


class _Dag(BaseModel):
    dag_id: str
    dag_display_name: str
    is_paused: bool
    is_stale: bool
    last_parsed_time: datetime | None
    last_parse_duration: float | None
    last_expired: datetime | None
    bundle_name: str | None
    bundle_version: str | None
    relative_fileloc: str | None
    fileloc: str
    description: str | None
    timetable_summary: str | None
    timetable_description: str | None
    timetable_partitioned: bool
    timetable_periodic: bool
    tags: list[DagTagResponse]
    max_active_tasks: int
    max_active_runs: int | None
    max_consecutive_failed_dag_runs: int
    has_task_concurrency_limits: bool
    has_import_errors: bool
    next_dagrun_logical_date: datetime | None
    next_dagrun_data_interval_start: datetime | None
    next_dagrun_data_interval_end: datetime | None
    next_dagrun_run_after: datetime | None
    allowed_run_types: list[RunType] | None
    owners: list[str]
    is_backfillable: Annotated[bool, _ReadOnly]
    file_token: Annotated[str, _ReadOnly]


class DAGResponse(_Dag):
    """A DAG in a list."""


class DAGCollectionResponse(BaseModel):
    """A page of DAGs."""

    dags: list[DAGResponse]
    total_entries: int


class DAGDetailsResponse(_Dag):
    """All about a DAG."""

    catchup: bool
    dag_run_timeout: timedelta | None
    asset_expression: dict[str, Any] | None
    doc_md: str | None
    start_date: datetime | None
    end_date: datetime | None
    is_paused_upon_creation: bool | None
    params: dict[str, Any] | None
    render_template_as_native_obj: bool
    template_search_path: list[str] | None
    timezone: str | None
    last_parsed: datetime | None
    default_args: dict[str, Any] | None
    rerun_with_latest_version: bool | None = None
    owner_links: dict[str, str] | None = None
    is_favorite: bool = False
    active_runs_count: int = 0
    concurrency: Annotated[int, Field(json_schema_extra={"readOnly": True, "deprecated": True})]
    latest_dag_version: Annotated[DagVersionResponse | None, _ReadOnly]


class DAGPatchBody(BaseModel):
    """What may be changed about a DAG."""

    model_config = ConfigDict(extra="forbid")
    is_paused: bool


class TasksHeldBy(BaseModel):
    """A limit that keeps tasks of a simulated run from beginning."""

    limit: str
    """`max_active_tasks`, `parallelism`, `pool etl` and the like."""
    task_s: float | None
    """All their waits for it, added up; none: they wait for ever."""


class UpcomingRun(BaseModel):
    """A run that the timetable will ask for."""

    logical_date: datetime | None
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    run_after: datetime
    partition_key: str | None = None
    partition_date: datetime | None = None
    starts_at: datetime | None = None
    """When it would be made: later than that where a limit holds it back. Only of a simulation."""
    ends_at: datetime | None = None
    held_by: str | None = None
    """The limit: `max_active_runs`, or `catchup` for one that would never be made."""
    tasks_held_by: list[TasksHeldBy] = []
    """The limits that make it take longer. Only of a simulation."""
    clock_change_s: float | None = None
    """By how much clocks are put forward on its day; back, if negative."""


class HeldBackBy(BaseModel):
    """Why runs are not made."""

    code: str
    text: str


class UpcomingRunsResponse(BaseModel):
    """The runs that the scheduler would make next, as things are now."""

    dag_id: str
    runs: list[UpcomingRun]
    held_back_by: list[HeldBackBy]
    notes: list[str] = []
    """What a simulation has assumed."""
